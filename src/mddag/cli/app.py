"""List the commands of the program, run them, and show them one after the other (``demo``).

The demo makes rows by scikit-learn and a model of 200 trees by LightGBM (by AdaBoost.MH where
LightGBM is not installed). ``examples/demo.py`` shows the library itself.
"""

from __future__ import annotations

import shlex
from contextlib import chdir, suppress
from pathlib import Path
from typing import Annotated

import typer

from mddag.cli.applying import bench, explain, export, inspect, predict, report
from mddag.cli.learning import sparsify, sweep, train
from mddag.cli.options import command, complain
from mddag.cli.output import ExitCode, Output, StopError, UsageError
from mddag.cli.tables import needed
from mddag.cli.validate import validate

N_TRAIN, N_POLICY, N_TEST = 4000, 4000, 4000
ROWS = "--target label --quiet"
SHOWN = (
    "inspect model.txt",
    f"sparsify model.txt policy.csv --budget 20 -o sparse.mddag {ROWS}",
    f"predict sparse.mddag test.csv --evaluations -o predictions.csv {ROWS}",
    f"sweep model.txt policy.csv --solver margin --test test.csv -o curve.csv {ROWS}",
    "explain sparse.mddag test.csv --row 3 --target label",
    "report sparse.mddag test.csv -o report.html --target label",
    "export sparse.mddag sparse.h",
    "validate sparse.mddag sparse.h --data test.csv --target label",
    "bench sparse.mddag test.csv --target label",
)


@command
def demo(
    out: Output,
    folder: Annotated[Path, typer.Option("--folder", help="Where files are made.")] = Path(
        "mddag-demo"
    ),
    trees: Annotated[int, typer.Option(min=20, help="Of the model.")] = 200,
) -> None:
    """Make a model and rows, and show the commands on them."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--folder is {str(folder)!r}, which holds other files; wanted a new one")
    folder.mkdir(parents=True, exist_ok=True)
    with chdir(folder):
        model = _made(trees)
        done = [_shown(out, text.replace("model.txt", model)) for text in SHOWN]
    files = sorted(str(path) for path in folder.iterdir())
    out.result({"commands": done, "files": files}, "\nmade:\n  " + "\n  ".join(files))


def _made(trees: int) -> str:
    """Make files with rows and a model; return the name of the model file."""
    from sklearn.datasets import make_classification

    pandas = needed("pandas", "csv files")
    X, y = make_classification(
        N_TRAIN + N_POLICY + N_TEST, 12, n_informative=6, flip_y=0.02, random_state=0
    )
    rows = pandas.DataFrame(X.round(4), columns=[f"x{i}" for i in range(12)]).assign(label=y)
    parts = {"train": rows[:N_TRAIN], "policy": rows[N_TRAIN : N_TRAIN + N_POLICY]}
    for name, part in (parts | {"test": rows[-N_TEST:]}).items():
        part.to_csv(f"{name}.csv", index=False)
    with suppress(ImportError):
        from lightgbm import LGBMClassifier

        features, labels = parts["train"].drop(columns="label"), parts["train"]["label"]
        booster = LGBMClassifier(n_estimators=trees, num_leaves=8, n_jobs=1, verbose=-1)
        booster.fit(features, labels).booster_.save_model("model.txt")
        return "model.txt"
    _shown(Output(quiet=True), f"train train.csv --rounds {trees} -o model.mddag {ROWS}")
    return "model.mddag"


def _shown(out: Output, text: str) -> str:
    """Show a command and run it."""
    if not out.as_json:
        print(f"\n$ mddag {text}", flush=True)
    given = shlex.split(text)
    code = run([*given, "--json"] if out.as_json else given)
    if code not in (ExitCode.OK, ExitCode.DIFFERENT):
        raise StopError(f"the command ended with {code}: mddag {text}")
    return f"mddag {text}"


COMMANDS = (
    train,
    sparsify,
    sweep,
    predict,
    explain,
    inspect,
    validate,
    report,
    export,
    bench,
    demo,
)

app = typer.Typer(
    name="mddag",
    help="Sparse decision DAGs: fast decisions from boosted ensembles.",
    epilog="ExitCode codes: 0 done, 1 differences or a bound not met, 2 usage, 3 bad input, "
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
