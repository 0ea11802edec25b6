"""Define ``mddag validate``, which compares the labels that forms of a model give.

A form is a model file; an exported C header, compiled and run as a process of its own; or any
program that reads rows as csv and prints one label per row. It answers rows, arrays that hold
category codes in nominal columns, by class codes or numbers, float64 (n,).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import mddag
from mddag.adapters import MEMBERS
from mddag.adapters.adapter import probe_rows, source_rows
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile, command
from mddag.cli.output import AbsentError, ExitCode, InputError, Output, UsageError, aligned
from mddag.cli.tables import Layout, RowTable, check_file, read_table

Rows = NDArray[Any]
Answer = Callable[[Rows, Rows | None], NDArray[np.float64]]
UNKNOWN = -1.0  # the code of a label that the model does not have

DRIVER = """
#include <stdio.h>
#include "{header}"
int main(void) {{
  static {name}_value row[{name_upper}_N_FEATURES];
  while (fread(row, sizeof *row, {name_upper}_N_FEATURES, stdin) == {name_upper}_N_FEATURES) {{
    double answer = (double){name}_predict(row);
    if (fwrite(&answer, sizeof answer, 1, stdout) != 1) return 1;
  }}
  return 0;
}}
"""


def of_model(opened: Opened) -> Answer:
    """Answer by a model file; for another library, by that library itself."""
    if opened.is_ours:

        def answer_of_ours(rows: Rows, qid: Rows | None) -> NDArray[np.float64]:
            table = RowTable("rows", rows, qid=qid)
            predicted = opened.asked(opened.predictor.predict, table)
            return labels_to_codes(predicted, opened.ensemble)

        return answer_of_ours
    adapter = next(member for member in MEMBERS if member.accepts(opened.source))
    ensemble = opened.ensemble

    def answer(rows: Rows, qid: Rows | None) -> NDArray[np.float64]:
        given = source_rows(ensemble.features, np.asarray(rows, np.float64))
        scores = adapter.raw_scores(opened.source, given)
        if ensemble.classes is None:
            return np.asarray(ensemble.task.predictions(scores), np.float64)
        return ensemble.codes(scores).astype(np.float64)

    return answer


def of_header(path: str, reference: mddag.Ensemble, folder: Path) -> Answer:
    """Answer by an exported C header, compiled once in a folder; each call runs a process."""
    text = Path(path).read_text(errors="replace")
    found = re.search(r"^#define (\w+)_N_FEATURES (\d+)", text, re.MULTILINE)
    named = re.search(r"\b(\w+)_predict\(", text)
    if found is None or named is None:
        raise InputError(f"{path!r} is no header that mddag export wrote")
    if int(found[2]) != reference.features.n_given:
        raise InputError(
            f"{path!r} reads {found[2]} features, the model {reference.features.n_given}"
        )
    kinds = {"PATCHES": np.uint8, "INTEGERS": np.int32}
    reads = (k for k in kinds if re.search(rf"^#define {found[1]}_{k} 1$", text, re.MULTILINE))
    dtype = np.dtype(kinds.get(next(reads, ""), np.float32))
    source = DRIVER.format(header=os.path.realpath(path), name=named[1], name_upper=found[1])
    program = _compiled(source, path, folder)

    def answer(rows: Rows, qid: Rows | None) -> NDArray[np.float64]:
        given = np.asarray(rows)
        if dtype == np.int32:  # rounded down, and the lowest number for missing values
            low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
            whole = np.clip(np.floor(given.astype(np.float64)), low + 1, high)
            given = np.where(np.isnan(whole), low, whole)
        content = np.ascontiguousarray(given, dtype).tobytes()
        answers = np.frombuffer(_output([str(program)], content), np.float64)
        return _all_answered(answers, rows, path)

    return answer


def _compiled(source: str, path: str, folder: Path) -> Path:
    """Compile the program that answers by the header of this path."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise AbsentError("to try a C header takes a C compiler; install one, or set CC")
    (folder / "driver.c").write_text(source)
    program = folder / "driver"
    options = ["-std=c99", "-O1", "-w", str(folder / "driver.c"), "-o", str(program), "-lm"]
    done = subprocess.run([*shlex.split(compiler), *options], capture_output=True, text=True)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), "no reason")
        raise InputError(f"{path!r} does not compile: {first}")
    return program


def of_command(command: str, reference: mddag.Ensemble) -> Answer:
    """Answer by a program that reads csv with a line of names, and prints a label per row."""
    import pandas

    names = reference.features.names or [f"x{i}" for i in range(reference.n_features)]

    def answer(rows: Rows, qid: Rows | None) -> NDArray[np.float64]:
        table = pandas.DataFrame(rows.reshape(len(rows), -1).tolist(), columns=names)
        lines = _output(shlex.split(command), table.to_csv(index=False).encode()).decode().split()
        return _all_answered(labels_to_codes(np.array(lines), reference), rows, command)

    return answer


def labels_to_codes(labels: NDArray[Any], reference: mddag.Ensemble) -> NDArray[np.float64]:
    """Convert labels, text or numbers, to positions among the classes; numbers stay."""
    if reference.classes is None:
        try:
            return labels.astype(np.float64)
        except ValueError:
            raise InputError(f"an answer is {labels[0]!r}; wanted numbers") from None
    places = {_spelt(label): float(k) for k, label in enumerate(reference.classes.tolist())}
    return np.array([places.get(_spelt(label), UNKNOWN) for label in labels.tolist()])


def _spelt(label: Any) -> str:
    """Write a label as text; whole numbers of any type are spelled alike."""
    text = str(label)
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def _output(command: list[str], given: bytes) -> bytes:
    """Return what a program prints."""
    try:
        done = subprocess.run(command, input=given, capture_output=True)
    except OSError as error:
        raise InputError(f"cannot run {command[0]!r}: {error.strerror}") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [""]
        raise InputError(f"{command[0]!r} ended with {done.returncode}: {lines[-1]:.200}")
    return done.stdout


def _all_answered(answers: NDArray[Any], rows: Rows, name: str) -> NDArray[np.float64]:
    if len(answers) != len(rows):
        raise InputError(f"{name!r} gave {len(answers)} answers for {len(rows)} rows")
    return answers.astype(np.float64)


def _other_form(opened: Opened, other: Path | None, run: str | None, folder: Path) -> Answer:
    """Answer by the other form, which reads the same rows and has as many classes."""
    if other is None:
        return of_command(run or "", opened.ensemble)
    if other.suffix == ".h":
        check_file(str(other))
        return of_header(str(other), opened.ensemble, folder)
    both = second, _ = open_model(other), opened
    widths = [m.features.n_given for m in both]
    if widths[0] != widths[1]:
        raise InputError(f"{second.path!r} reads {widths[0]} features, the model {widths[1]}")
    classes = [None if m.ensemble.classes is None else len(m.ensemble.classes) for m in both]
    if classes[0] != classes[1]:
        raise InputError(f"{second.path!r} has {classes[0]} classes, the model {classes[1]}")
    return of_model(second)


MADE = 1000  # rows of each kind
SHOWN = 5  # rows that differ
QUERY = 10  # made rows per query


@command
def validate(
    out: Output,
    model: ModelFile,
    layout: Layout,
    other: Annotated[
        Path | None,
        typer.Argument(metavar="[OTHER]", help="A model file, or a C header (.h)."),
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="A program: csv on its standard input, labels on the other.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Rows to compare on, besides made ones.")
    ] = None,
    allow: Annotated[
        float, typer.Option(min=0, max=1, help="Share of rows that may differ.")
    ] = 0.0,
    tolerance: Annotated[
        float, typer.Option(min=0, help="Of numbers (regressors), relative.")
    ] = 1e-5,
) -> ExitCode:
    """Compare two forms of a model, row by row; exit code 1 where they differ."""
    if (other is None) == (run is None):
        raise UsageError("wanted one of OTHER and --run to compare with")
    opened = open_model(model)
    batches = made_rows(opened.ensemble, MADE)
    if data is not None:
        given = read_table(data, layout, opened.features)
        if np.ndim(given.X) != 3:  # codes for categories
            given = replace(given, X=np.asarray(opened.predictor.encode(given.X), np.float64))
        batches["rows of the file"] = given
    single = other is not None and other.suffix == ".h"
    if single:  # rows as code that reads float32 gets them
        with np.errstate(over="ignore"):
            batches = {
                name: batch if batch.X.dtype == np.uint8 else replace(batch, X=batch.X.astype("f4"))
                for name, batch in batches.items()
            }
    with tempfile.TemporaryDirectory(prefix="mddag-") as folder:
        ours, theirs = of_model(opened), _other_form(opened, other, run, Path(folder))
        compared = [
            {"rows": name} | _compared(opened, batch, ours, theirs, tolerance)
            for name, batch in batches.items()
        ]
    total = sum(c["n_rows"] for c in compared)
    n_different = sum(c["n_different"] for c in compared)
    fields = {
        "same": n_different == 0,
        "n_rows": total,
        "n_different": n_different,
        "batches": compared,
        "rounded_to_float32": single,
    }
    out.result(fields, _text(compared, single))
    return ExitCode.OK if n_different <= allow * total else ExitCode.DIFFERENT


def made_rows(ensemble: mddag.Ensemble, n_rows: int) -> dict[str, RowTable]:
    """Make rows around the thresholds of a model, without and with missing values."""
    rows = probe_rows(ensemble, n_rows)
    if rows.ndim == 3:
        return {"patches of noise": RowTable("patches of noise", rows)}
    qid = np.arange(n_rows) // QUERY
    filled = rows.copy()
    for column in filled.T:  # each missing value becomes one that the column has elsewhere
        gaps = np.isnan(column)
        column[gaps] = np.resize(column[~gaps], int(gaps.sum())) if not gaps.all() else 0.0
    batches = {"at thresholds": RowTable("at thresholds", filled, qid=qid)}
    if ensemble.features.missing:
        batches["with missing values"] = RowTable("with missing values", rows, qid=qid)
    return batches


def _compared(
    opened: Opened, batch: RowTable, one: Answer, two: Answer, tolerance: float
) -> dict[str, Any]:
    """Compare the answers of two forms of a model to the same rows; show the first that differ."""
    first, second = one(batch.X, batch.qid), two(batch.X, batch.qid)
    if opened.ensemble.classes is not None:
        wrong = np.flatnonzero(first != second)
    else:
        near = np.abs(first - second) <= tolerance * np.maximum(np.abs(first), 1.0)
        wrong = np.flatnonzero(~near)
    features, shown = opened.features, []
    for i in wrong[:SHOWN].tolist():
        row = batch.X[i] if batch.X.ndim == 2 else np.empty(0)  # patches are not shown
        values = {str(features.called(c)): float(value) for c, value in enumerate(row)}
        answer, other = _named(opened, first[i]), _named(opened, second[i])
        shown.append({"row": i, "answer": answer, "other": other, "values": values})
    return {"n_rows": len(batch), "n_different": len(wrong), "different": shown}


def _named(opened: Opened, code: float) -> Any:
    classes = opened.ensemble.classes
    if classes is None:
        return float(code)
    return "unknown" if code == UNKNOWN else classes.tolist()[int(code)]


def _text(compared: list[dict[str, Any]], single: bool) -> str:
    counts = [[c["rows"], str(c["n_rows"]), str(c["n_different"])] for c in compared]
    lines = [aligned(["rows", "number", "different"], counts)]
    for c in compared:
        for found in c["different"]:
            values = ", ".join(f"{k}={v:.9g}" for k, v in list(found["values"].items())[:8])
            answers = f"{found['answer']!r} and {found['other']!r}"
            lines.append(f"{c['rows']}, row {found['row']}: {answers} of {values}")
    if single:
        lines.append("rows were rounded to float32, which this form reads")
    lines.append("different" if any(c["n_different"] for c in compared) else "the same")
    return "\n".join(lines)
