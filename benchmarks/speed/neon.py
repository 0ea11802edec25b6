"""Instructions of the NEON kernels, counted in the code that the cross compiler makes.

    make test-arm && python -m benchmarks.speed.neon

For each of the 429 shapes of trees with 8 leaves: instructions of the loop that evaluates 16 rows,
and how many of them load, store, or compute in vector registers. Times follow from these by what a
processor does in a cycle: see docs/executors.md. Writes benchmarks/results/speed/neon.csv.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import numpy as np

from benchmarks.places import RESULTS, ROOT
from benchmarks.table import digits, kept

OBJECT = ROOT / "build" / "arm" / "blocks.neon.o"
FIELDS = ("what", "median", "most")
SHAPE = re.compile(r"use_shapedI.*AddVotesE?Lm(\d+)")
N_SMALLER = 6  # shapes of two and of four leaves, which come first

Code = list[tuple[int, str, str]]  # address, name and arguments of each instruction


def main() -> None:
    if not OBJECT.exists():
        raise SystemExit(f"there is no {OBJECT}; run make test-arm first")
    kept(RESULTS / "speed" / "neon.csv", FIELDS, measured())


def measured() -> Iterator[dict[str, str]]:
    loops = [
        loop_of(code)
        for name, code in functions().items()
        if (found := SHAPE.search(name)) and int(found[1]) >= N_SMALLER
    ]
    counts = {
        "instructions for 16 rows and a tree of 8 leaves": lambda _: True,
        "of them loads": lambda i: i[1].startswith("ld"),
        "of them stores": lambda i: i[1].startswith("st"),
        "of them in vector registers": lambda i: not i[1].startswith(("ld", "st")) and "v" in i[2],
    }
    for what, counted in counts.items():
        n = [sum(map(counted, loop)) for loop in loops]
        yield {"what": what, "median": digits(np.median(n)), "most": str(max(n))}


def functions() -> dict[str, Code]:
    """The code of each function of the object file."""
    command = ["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(OBJECT)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, Code] = {}
    for line in text.splitlines():
        if named := re.match(r"[0-9a-f]+ <(.*)>:", line):
            code = found.setdefault(named[1], [])
        elif parts := re.match(r"\s+([0-9a-f]+):\t(\S+)\s*(.*)", line):
            code.append((int(parts[1], 16), parts[2], parts[3]))
    return found


def loop_of(code: Code) -> Code:
    """What is between the target of the longest jump back and that jump."""
    loops = [
        [i for i in code if int(to[1], 16) <= i[0] <= address]
        for address, name, arguments in code
        if name.startswith(("b.", "cb")) and (to := re.search(r"([0-9a-f]+) <", arguments))
    ]
    return max(loops, key=len)


if __name__ == "__main__":
    main()
