"""Damaged files by the thousand: a ModelFileError, or a model on which all executors agree.

    python -m tests.serving.model_file.fuzz --cases 3000              all kinds of models
    python -m tests.serving.model_file.fuzz --kind trees --case 17    one case, with its traceback

Cases run in a worker process, which is started again where it dies; a case that takes longer than
PATIENCE seconds, or more memory than TIMES times its file and CONSTANT, ends it. The limit is on
address space, so that memory counts which is asked for and never touched; only Linux keeps it.
"""

import argparse
import json
import os
import select
import subprocess
import sys
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from mddag.serving.model_file import Model, ModelFileError
from tests.serving.model_file.agreement import check
from tests.serving.model_file.kinds import KINDS
from tests.serving.model_file.memory import memory_limit
from tests.serving.model_file.mutations import mutated

PATIENCE = 60.0
TIMES, CONSTANT = 10, 64 * 2**20  # what the interpreter and numpy need to run any model
GOOD = ("loaded", "refused")
BAD = ("crashes", "hangs", "memory breaches", "other errors")
SHOWN = 20
ROOT = Path(__file__).parents[3]


def outcome(content):
    """What becomes of a file: a name of GOOD or BAD, and details."""
    try:
        with memory_limit(TIMES * len(content) + CONSTANT):
            try:
                model = Model.from_bytes(content)
            except ModelFileError as error:
                return "refused", str(error)
            check(model)
    except MemoryError as error:
        return "memory breaches", repr(error)
    except Exception as error:
        return "other errors", "".join(traceback.format_exception(error))[-600:]
    return "loaded", ""


def work(kind, first, end):
    """A worker: one line before each case and one after."""
    content = KINDS[kind]().to_bytes()
    # what is made when first used, such as the buffers of BLAS, is no case's memory
    outcome(content)
    np.ones((64, 64)) @ np.ones((64, 64))
    for number in range(first, end):
        print(json.dumps([number]), flush=True)
        print(json.dumps([number, *outcome(mutated(content, number))]), flush=True)


def fuzz(kind, first, end, patience=PATIENCE):
    """How often each outcome was, and the cases of the bad ones: (name, case, details)."""
    counts, failures = Counter(), []
    while first < end:
        number, ending = first, None
        with Worker(kind, first, end, patience) as worker:
            for number, *came in worker:
                if came:
                    name, details = came
                    counts[name] += 1
                    failures += [(name, number, details)] if name in BAD else []
                    first = number + 1
            ending = worker.ending()
        if first < end:
            name = "hangs" if worker.hung else "crashes"
            counts[name] += 1
            failures.append((name, number, ending))
            first = number + 1
    return counts, failures


class Worker:
    """A process that works; iterating gives its lines until it ends or hangs."""

    def __init__(self, kind, first, end, patience):
        command = [sys.executable, "-m", "tests.serving.model_file.fuzz", "--kind", kind]
        command += ["--work", str(first), str(end)]
        self.patience, self.hung = patience, False
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def __iter__(self):
        unread = b""
        while True:
            if not select.select([self.process.stdout], [], [], self.patience)[0]:
                self.hung = True
                return
            read = os.read(self.process.stdout.fileno(), 2**16)
            if not read:
                return
            *lines, unread = (unread + read).split(b"\n")
            yield from map(json.loads, lines)

    def ending(self):
        if self.hung:
            return f"nothing for {self.patience} seconds"
        code = self.process.wait()
        return f"exit code {code}; {self.process.stderr.read()[-400:].decode(errors='replace')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=3000, help="of each kind of model")
    parser.add_argument("--kind", choices=KINDS, help="one kind alone")
    parser.add_argument("--case", type=int, help="one case alone, in this process")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        return work(asked.kind, *asked.work)
    kinds = [asked.kind] if asked.kind else list(KINDS)
    if asked.case is not None:
        for kind in kinds:
            check(Model.from_bytes(mutated(KINDS[kind]().to_bytes(), asked.case)))
        return None
    return report(kinds, asked.cases, asked.jobs)


def report(kinds, n_cases, n_jobs):
    """A line for each kind and one for all; fails where a case did."""
    titles = ("cases", *GOOD, *BAD)
    print("kind".ljust(14) + "".join(title.rjust(len(title) + 3) for title in titles))
    total, all_failures = Counter(), []
    with ThreadPoolExecutor(n_jobs) as pool:
        for kind, (counts, failures) in zip(
            kinds, pool.map(lambda kind: fuzz(kind, 0, n_cases), kinds), strict=True
        ):
            show(kind, counts, titles)
            total += counts
            all_failures += [(kind, *failure) for failure in failures]
    show("all", total, titles)
    for kind, name, number, details in all_failures[:SHOWN]:
        print(f"\n{name}: --kind {kind} --case {number}\n  {details}")
    return 1 if all_failures else 0


def show(kind, counts, titles):
    counts = {"cases": counts.total(), **counts}
    line = "".join(str(counts.get(title, 0)).rjust(len(title) + 3) for title in titles)
    print(kind.ljust(14) + line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
