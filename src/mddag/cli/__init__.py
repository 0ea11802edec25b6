"""Run the library at the command line: the program ``mddag``.

It needs typer and rich (extra ``cli``), which nothing else imports. Start with ``app``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and end the process.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    try:
        import rich  # noqa: F401  # which typer imports later

        from mddag.cli.app import run
    except ModuleNotFoundError as missing:
        if missing.name not in ("typer", "rich"):
            raise
        print(
            f"mddag: its commands need {missing.name}, which is not installed; install them: "
            "pip install 'mddag[cli]'",
            file=sys.stderr,
        )
        sys.exit(5)
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
