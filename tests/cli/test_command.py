"""What the decorator adds to a function."""

import inspect
import sys

import pytest
import typer

from mddag.cli.command import command, complain
from mddag.cli.exits import Exit, InputError
from mddag.cli.tables import Layout


@command
def shown(out, layout: Layout, depth: int = 3) -> Exit | None:
    """Try it."""
    if depth == 0:
        raise InputError("too\nshallow")
    print(layout.target, depth)
    return Exit.DIFFERENT if depth == 1 else None


def called(**given):
    defaults = {
        name: p.default
        for name, p in inspect.signature(shown).parameters.items()
        if p.default is not inspect.Parameter.empty
    }
    return shown(**(defaults | given))


def test_the_options_of_tables_take_the_place_of_the_layout(capsys):
    names = list(inspect.signature(shown).parameters)
    assert names[0] == "depth"
    assert {"target", "qid", "rows", "as_json", "quiet", "debug"} <= set(names)
    called(target="y")
    assert capsys.readouterr().out == "y 3\n"
    assert shown.__doc__ == "Try it."


def test_codes_and_errors_end_it(capsys):
    with pytest.raises(typer.Exit) as ended:
        called(depth=1)
    assert ended.value.exit_code == Exit.DIFFERENT
    capsys.readouterr()
    with pytest.raises(typer.Exit) as ended:
        called(depth=0)
    assert ended.value.exit_code == Exit.INPUT
    assert capsys.readouterr().err == "mddag: too shallow\n"


def test_debug_shows_the_error():
    with pytest.raises(InputError):
        called(depth=0, debug=True)


def test_a_reader_that_has_gone_gets_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    complain("")
    print("lost")
    sys.stdout.close()
    assert capsys.readouterr() == ("", "")
