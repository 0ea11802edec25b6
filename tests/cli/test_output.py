"""What is printed, and where."""

import json
import warnings

import numpy as np

from mddag.cli.output import Output, plain, table


def test_results_are_text_or_json(capsys):
    Output().result({"a": 1}, "one")
    assert capsys.readouterr().out == "one\n"
    Output(as_json=True).result({"a": np.arange(2), "b": np.float32(0.5)}, "one")
    assert json.loads(capsys.readouterr().out) == {"a": [0, 1], "b": 0.5}


def test_notes_go_to_standard_error_unless_quiet(capsys):
    Output().note("begun")
    Output(quiet=True).note("hidden")
    assert capsys.readouterr() == ("", "begun\n")


def test_json_holds_no_number_that_is_not_finite():
    values = {"nan": np.nan, "inf": -np.inf, "path": Output, "tuple": (1, None, "x")}
    found = plain(values)
    assert found["nan"] is None
    assert found["inf"] == "-inf"
    assert found["tuple"] == [1, None, "x"]
    json.dumps(found, allow_nan=False)


def test_warnings_are_single_lines(capsys):
    with Output().warning():
        warnings.warn("two\nlines", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: two lines\n"


def test_columns_of_text():
    assert table(["", "ns"], [["full", "9"], ["a", "10"]]) == "      ns\nfull   9\na     10"
