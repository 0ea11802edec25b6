"""Merged columns beside the stumps that they are made of: nodes at equal error, each made sparse.

    MDDAG_DATA=... python -m benchmarks.parts.merging [--only DATA ...] [--seeds SEED ...]

500 stumps of AdaBoost.MH, rows, curves and readings as in benchmarks.quality. The stumps of a
column, merged, are one step function: a search of log2 of its thresholds, priced by the nodes that
rows visit. Written to benchmarks/results/parts/merging.csv.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.parts.problems import tabulate
from benchmarks.quality.curves import TOLERANCES, cost, reading
from benchmarks.quality.ours import sparsified
from benchmarks.quality.rows import parts
from benchmarks.quality.solved import curves, whole
from benchmarks.quality.tuning import tuned

FIELDS = ("data", "seed", "base", "of", "nodes_of_all", *(f"at_{t:g}" for t in TOLERANCES))
FEW_COLUMNS = ("electricity", "adult", "higgs", "spambase", "letter A-M/N-Z")
UNIT = "nodes"


def main() -> None:
    tabulate("merging", __doc__, FIELDS, of_problem, FEW_COLUMNS)


def of_problem(name: str, seed: int) -> Iterator[dict[str, object]]:
    rows = parts(name, seed)
    stumps = tuned("AdaBoost.MH", rows).full
    full = {part: whole(stumps, getattr(rows, part)) for part in ("policy", "test")}
    end = cost(full["test"], UNIT), full["test"][0]
    for base, ensemble, unit in (("stumps", stumps, "both"), ("columns", stumps.merged(), UNIT)):
        found = curves(list(sparsified(ensemble, rows, unit, seed)), full, relative=True)[UNIT]
        points = [(cost(test, UNIT), test[0]) for _, test in found]
        nodes = (whole(ensemble, rows.test)[2], *(reading(points, end, t)[0] for t in TOLERANCES))
        told = (name, seed, base, len(ensemble), *(f"{number:.1f}" for number in nodes))
        yield dict(zip(FIELDS, told, strict=True))


if __name__ == "__main__":
    main()
