"""Functions of mddag that a call enters, in the order of first entry.

``python docs/walks.py after`` records the code that is installed and writes the lists into the
block of that name in architecture.md; without a name they are printed. A line is a function less
than DEPTH calls of mddag below the public one, indented by that depth, with the number of its
calls at any depth. Lambdas, comprehensions and native code are left out. Each call is made once
before it is recorded, so that imports are not part of it.
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

from sklearn.datasets import make_hastie_10_2

import mddag
from mddag.solvers import Margin

DEPTH = 3
# What used to be done more than once.
COUNTED = ("MDP.__init__", "Ensemble.votes", "Ensemble.scores", "Features.rows", "Dag.fill_scores")
PAGE = Path(__file__).with_name("architecture.md")
PACKAGE = str(Path(mddag.__file__).parent)
FUNCTION = 1  # CO_OPTIMIZED: a function's code, not that of a module or class


class Walk:
    """What sys.setprofile reports, kept for functions of the package."""

    def __init__(self):
        self.depth, self.first, self.calls = 0, {}, Counter()

    def __call__(self, frame, event, argument):
        code = frame.f_code
        ours = code.co_filename.startswith(PACKAGE) and code.co_flags & FUNCTION
        if not ours or "<" in code.co_name or event not in ("call", "return"):
            return
        if event == "return":
            self.depth -= 1
            return
        inside = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
        name = f"{'.'.join(inside.parts)}.{code.co_qualname}".replace("<locals>.", "")
        self.first.setdefault(name, self.depth)
        self.calls[name] += 1
        self.depth += 1

    def count(self, end):
        return sum(times for name, times in self.calls.items() if name.endswith("." + end))

    def lines(self, depth):
        for name, at in self.first.items():
            if at < depth:
                times = f" x{self.calls[name]}" if self.calls[name] > 1 else ""
                yield "  " * at + name + times


def recorded(call):
    call()
    walk = Walk()
    sys.setprofile(walk)
    try:
        call()
    finally:
        sys.setprofile(None)
    return walk


def calls():
    X, y = make_hastie_10_2(3000, random_state=0)
    boost = mddag.AdaBoostMHClassifier(n_rounds=60).fit(X[:1000], y[:1000])
    quick = mddag.MDDAGClassifier(boost, beta=0.001, solver=Margin())
    sparsify = mddag.sparsify
    return {
        "sparsify(budget=20)": lambda: sparsify(boost, X[1000:], y[1000:], budget=20),
        "fit": lambda: quick.fit(X[1000:], y[1000:]),
    }


def report(depth):
    for name, call in calls().items():
        walk = recorded(call)
        lines = list(walk.lines(depth))
        yield f"{name}: {len(walk.calls)} functions, {sum(walk.calls.values())} calls"
        yield "of them " + ", ".join(f"{end} x{walk.count(end)}" for end in COUNTED)
        yield from ("", *lines, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("block", nargs="?", choices=("before", "after"))
    parser.add_argument("--depth", type=int, default=DEPTH)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    text = "\n".join(report(given.depth)).strip()
    if given.block is None:
        print(text)
        return
    head, rest = PAGE.read_text().split(f"<!-- {given.block} -->\n")
    _, tail = rest.split(f"<!-- end of {given.block} -->")
    block = f"<!-- {given.block} -->\n```text\n{text}\n```\n<!-- end of {given.block} -->"
    PAGE.write_text(head + block + tail)


if __name__ == "__main__":
    main()
