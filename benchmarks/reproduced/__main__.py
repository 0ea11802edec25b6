"""The command line; a part at a time."""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from fnmatch import fnmatch
from pathlib import Path

import benchmarks.reproduced
from benchmarks.places import OUT, ROOT
from benchmarks.reproduced.comparison import compared, in_text, read
from benchmarks.reproduced.parts import Part, parts
from benchmarks.table import written


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.reproduced.__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns of names of parts")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument("--out", type=Path, default=OUT / "reproduced", help="default: %(default)s")
    options = parser.parse_args()
    known = parts(options.out)
    chosen = [name for name in known if any(fnmatch(name, wanted) for wanted in options.only)]
    if options.list:
        print(*chosen, sep="\n")
        return
    warnings.simplefilter("ignore")
    failed = [name for name in chosen if not is_reproduced(name, known[name], options.out)]
    raise SystemExit(f"not reproduced: {', '.join(failed)}" if failed else 0)


def is_reproduced(name: str, part: Part, out: Path) -> bool:
    """Make the rows of a part, keep them, and print how they compare."""
    began = time.monotonic()
    try:
        fresh = [in_text(row) for row in part.rows()]
    except Exception:  # the other parts are still worth a run
        print(f"{name}: failed\n{traceback.format_exc()}", flush=True)
        return False
    written(out / f"{name.replace('/', ' ')}.csv", list(fresh[0]), fresh)
    n_cells, differences = compared(fresh, read(ROOT / part.table))
    taken = f"{time.monotonic() - began:.0f} s"
    print(f"{name}: {len(fresh)} rows, {n_cells} cells, {len(differences)} differ, {taken}")
    print(*(f"    {line}\n" for line in differences), sep="", end="", flush=True)
    return not differences


if __name__ == "__main__":
    main()
