"""Errors become exit codes and one line."""

import errno

import pytest

from mddag.cli import exits
from mddag.cli.exits import Exit, exit_of


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (exits.UsageError("so"), Exit.USAGE, "so"),
        (exits.InputError("a\nb"), Exit.INPUT, "a b"),
        (exits.AbsentError("x"), Exit.ABSENT, "x"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "interrupted; nothing was written"),
        (BrokenPipeError(), Exit.OUTPUT, ""),
        (ImportError("no pandas"), Exit.ABSENT, "no pandas"),
        (ValueError("X has 3 features"), Exit.INPUT, "X has 3 features"),
        (MemoryError(), Exit.INPUT,
         "there is not enough memory for these rows; give fewer, with --rows"),
        (OSError(errno.ENOSPC, "No space left", "a.csv"), Exit.OUTPUT,
         "cannot write 'a.csv': the disk is full; nothing was written"),
        (PermissionError(errno.EACCES, "Permission denied", "a.csv"), Exit.OUTPUT,
         "cannot write 'a.csv': Permission denied"),
    ],
)  # fmt: skip
def test_codes_and_lines(error, code, line):
    assert exit_of(error) == (code, line)


def test_what_nobody_expected_is_a_bug():
    code, line = exit_of(ZeroDivisionError("division by zero"))
    assert code == Exit.BUG
    assert "internal error, ZeroDivisionError: division by zero" in line
    assert "--debug" in line
