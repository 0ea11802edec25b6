"""What a bug report says of the machine."""

import numpy as np
import pytest

import mddag
from mddag import _core


def shown(capsys):
    mddag.show_versions()
    lines = (line.split(": ") for line in capsys.readouterr().out.strip().splitlines())
    return {name.strip(): value for name, value in lines}


def test_versions_and_the_level_are_shown(capsys):
    found = shown(capsys)
    assert found["level"] == _core.level()
    assert found["levels"].split() == _core.levels()
    assert found["numpy"] == np.__version__


def test_the_environment_names_the_level(monkeypatch, capsys):
    for level in _core.levels():
        monkeypatch.setenv("MDDAG_LEVEL", level)
        assert shown(capsys)["level"] == level


def test_a_level_that_does_not_run_is_refused(monkeypatch):
    monkeypatch.setenv("MDDAG_LEVEL", "avx9")
    with pytest.raises(ValueError, match=r"MDDAG_LEVEL is 'avx9', .*; wanted one of scalar"):
        _core.level()
