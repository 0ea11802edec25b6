"""What `mddag.detection` holds, and what it costs to import."""

import subprocess
import sys

import pytest

from mddag import detection


@pytest.mark.parametrize("name", detection.__all__)
def test_every_public_name_loads(name):
    assert getattr(detection, name).__name__ == name
    assert name in dir(detection)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'VJCascad'"):
        _ = detection.VJCascad


def test_a_cascade_is_not_loaded_before_it_is_used():
    code = "import sys, mddag.detection; print('mddag.detection.cascades' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
