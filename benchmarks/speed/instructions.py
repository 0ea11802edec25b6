"""Instructions per row, counted by callgrind: the same on any day, however busy the machine.

    python -m benchmarks.speed.instructions

What n more rows add to a call, divided by n, so that nothing but the work on rows is counted: in a
batch for evaluate-all and for policies that quit, one by one for predict_one, the interpreter's
loop included. Valgrind knows AVX2 but not AVX-512.
Writes benchmarks/results/speed/instructions.csv.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import mddag
from benchmarks.places import RESULTS
from benchmarks.speed.contest import OURS
from benchmarks.speed.models import A10, A50, SHAPES, B, Shape, keep_quitting, prepared
from benchmarks.speed.pipe import Process
from benchmarks.table import digits, kept

FIELDS = ("model", "call", "evaluations", "per_row", "per_evaluation")
N_ROWS = 1024
CALLS = {"batch": {"at_least": 0.0}, "one_row": {"at_least": 0.0, "cold": False}}


def main() -> None:
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not on the path; install it to count instructions")
    kept(RESULTS / "speed" / "instructions.csv", FIELDS, measure())


def measure() -> Iterator[dict[str, object]]:
    for shape in SHAPES:
        yield counted(shape, "batch", "scores, all")
    for shape in (A10, A50):
        yield counted(shape, "one_row", "predict_one, all")
    for share in (0.02, 0.1):
        yield counted(B, "one_row", "predict_one, every=1", share, every=1)
        yield counted(B, "batch", "scores, every=1", share, every=1)
        yield counted(B, "batch", "scores, every=16", share, every=16)


def counted(
    shape: Shape, method: str, call: str, share: float = 1.0, every: int = 1
) -> dict[str, object]:
    """A row of the table: what N_ROWS more rows add."""
    folder = prepared(shape)
    file = "full.mddag" if share == 1.0 else f"counted-{every}.mddag"
    if share < 1.0:
        keep_quitting(folder, file, share, every)
    few, many = instructions(folder, file, method, (N_ROWS, 2 * N_ROWS))
    rows = np.load(folder / "test.npy", mmap_mode="r")[: 2 * N_ROWS]
    evaluations = mddag.load(folder / file).run(rows).n_evaluated[N_ROWS:].mean()
    per_row = (many - few) / N_ROWS
    cells = (shape.name, call, evaluations, per_row, per_row / evaluations)
    numbers = [digits(cell) for cell in cells[2:]]
    return dict(zip(FIELDS, (*cells[:2], *numbers), strict=True))


def instructions(folder: Path, file: str, method: str, n_rows: tuple[int, ...]) -> list[int]:
    """Counted while the worker answers, once for each number of rows."""
    ours = replace(OURS, changes={"file": file})
    with TemporaryDirectory() as place:
        out = Path(place) / "out"
        profiler = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
        process = ours.process(under=[*profiler, f"--callgrind-out-file={out}"])
        try:
            process.ask("load", folder=str(folder), changes=ours.changes)
            process.ask(method, n_rows=n_rows[0], **CALLS[method])  # makes what is made once
            for n in n_rows:
                _control(process, "--instr=on")
                process.ask(method, n_rows=n, **CALLS[method])
                _control(process, "--instr=off")
                _control(process, "--dump")
            return [_total(out.with_suffix(f".{i}")) for i in range(1, len(n_rows) + 1)]
        finally:
            process.end()


def _control(process: Process, command: str) -> None:
    pid = str(process.process.pid)
    subprocess.run(["callgrind_control", command, pid], check=True, capture_output=True)


def _total(path: Path) -> int:
    return int(re.search(r"^totals: (\d+)", path.read_text(), re.MULTILINE)[1])


if __name__ == "__main__":
    main()
