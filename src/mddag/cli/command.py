"""command: a function becomes a command of the program.

The function takes an ``Output`` first and returns nothing, or an ``Exit``. The decorator gives it
the options that all commands have (``--json``, ``--quiet``, ``--debug``), those of tables in the
place of a parameter ``layout``, and ends it by an exit code and one line where an error would end
it by a traceback.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from mddag.cli.exits import Exit, exit_of
from mddag.cli.options import LAYOUT, layout_of
from mddag.cli.output import Output

SHARED: dict[str, tuple[Any, Any]] = {
    "as_json": (
        Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")],
        False,
    ),
    "quiet": (Annotated[bool, typer.Option("--quiet", "-q", help="No notes, no progress.")], False),
    "debug": (
        Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")],
        False,
    ),
}


def command(function: Callable[..., Exit | None]) -> Callable[..., None]:
    """The function as typer takes it."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    reads_tables = any(p.name == "layout" for p in own)

    @wraps(function)
    def wrapped(*, as_json: bool, quiet: bool, debug: bool, **given: Any) -> None:
        out = Output(as_json, quiet)
        try:
            if reads_tables:
                given["layout"] = layout_of(**{name: given.pop(name) for name in LAYOUT})
            with out.warning():
                code = function(out, **given) or Exit.OK
        except (typer.Exit, typer.BadParameter):
            raise
        except BaseException as error:
            if debug:
                raise
            code, line = exit_of(error)
            complain(line)
        if code is not Exit.OK:
            raise typer.Exit(int(code))

    parameters = [p for p in own if p.name != "layout"]
    parameters += _options(LAYOUT if reads_tables else {}) + _options(SHARED)
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    del wrapped.__wrapped__  # typer would read its types instead
    return wrapped


def _options(options: dict[str, tuple[Any, Any]]) -> list[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, keyword, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]


def complain(line: str) -> None:
    """One line on standard error; nothing where the reader of standard output has gone."""
    if not line:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # Python flushes it at its end
        return
    print(f"mddag: {line}", file=sys.stderr, flush=True)
