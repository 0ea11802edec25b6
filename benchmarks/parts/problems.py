"""Problems of benchmarks.quality, one by one: the command line and the table that parts share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.places import RESULTS
from benchmarks.quality.rows import DATA, SEALED
from benchmarks.table import kept

Row = dict[str, object]


def tabulate(
    name: str,
    doc: str | None,
    fields: Sequence[str],
    of_problem: Callable[[str, int], Iterable[Row]],
    data: Sequence[str],
) -> None:
    """Read --only and --seeds, and write benchmarks/results/parts/<name>.csv.

    of_problem : data set, seed -> its rows of the table
    data       : the data sets, unless --only names others
    """
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=(*DATA, *SEALED), default=data)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(2))
    options = parser.parse_args()

    def rows() -> Iterator[Row]:
        for seed in options.seeds:
            for one in options.only:
                yield from of_problem(one, seed)

    kept(RESULTS / "parts" / f"{name}.csv", fields, rows())
