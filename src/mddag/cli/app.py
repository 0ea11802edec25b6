"""List the commands of the program and run them."""

from __future__ import annotations

import typer

from mddag.cli.applying import bench, explain, export, inspect, predict, report
from mddag.cli.learning import sparsify, sweep, train
from mddag.cli.options import complain
from mddag.cli.output import ExitCode
from mddag.cli.validate import validate

COMMANDS = (train, sparsify, sweep, predict, explain, inspect, validate, report, export, bench)

app = typer.Typer(
    name="mddag",
    help="Sparse decision DAGs: fast decisions from boosted ensembles.",
    epilog="Exit codes: 0 done, 1 differences or a bound not met, 2 usage, 3 bad input, "
    "4 nothing could be written, 5 something is not installed, 130 interrupted.",
    pretty_exceptions_enable=False,
)
for function in COMMANDS:
    app.command()(function)


@app.callback(invoke_without_command=True)
def about(
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> None:
    """Sparse decision DAGs: fast decisions from boosted ensembles."""
    if version:
        import mddag

        print(mddag.__version__)
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """Return the exit code of the program with these arguments."""
    try:
        code = app(args=arguments or ["--help"], prog_name="mddag", standalone_mode=False)
    except typer.TyperException as error:
        complain(f"{' '.join(error.format_message().split()).rstrip('.')}; see --help")
        return int(ExitCode.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted; nothing was written")
        return int(ExitCode.INTERRUPTED)
    return int(code or 0)
