"""What a public call walks through: files, functions, calls, and runs of policies.

    python -m benchmarks.walk               one row per call
    python -m benchmarks.walk sparsify --files    and the files in the order of first entry
    python -m benchmarks.walk sparsify --functions    and the functions of each file

Each call is made once before it is recorded, so that imports and caches of the process are not part
of it. Lambdas, comprehensions and native code are left out, and so are other threads. A run is a
call of one of RUNS; the last column counts those of the policy that the result holds.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier, LGBMRanker
from sklearn.datasets import make_hastie_10_2

import mddag
from benchmarks.table import line, markdown
from mddag.engine.dag import Dag
from mddag.policy.policy import Policy
from mddag.policy.rollout import roll_out

PACKAGE = Path(mddag.__file__).parent
FUNCTION = 1  # CO_OPTIMIZED: a function's code, not that of a module or class
# What runs a policy on rows, and its argument that is or holds the policy.
RUNS = {
    roll_out.__code__: "policy",
    Dag.run.__code__: "self",
    Dag.scores.__code__: "self",
    Dag.exits.__code__: "self",
}
HEAD = (
    "call", "files", "lines", "packages", "functions", "calls",
    "changes of package", "policies run", "the chosen one",
)  # fmt: skip


class Walk:
    """What sys.setprofile reports of functions of the package."""

    def __init__(self) -> None:
        self.calls: Counter[CodeType] = Counter()  # in the order of first entry
        self.changes = 0
        self.ran: list[Policy] = []
        self.stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(str(PACKAGE)) and code.co_flags & FUNCTION
        if not ours or "<" in code.co_name or event not in ("call", "return"):
            return
        if event == "return":
            if self.stack:
                self.stack.pop()
            return
        self.calls[code] += 1
        room = path(code).parts[0]
        self.changes += bool(self.stack) and self.stack[-1] != room
        self.stack.append(room)
        if code in RUNS:
            holder = frame.f_locals[RUNS[code]]
            self.ran.append(holder if isinstance(holder, Policy) else holder.policy)

    def files(self) -> dict[Path, list[CodeType]]:
        """The functions entered, file by file, in the order of first entry."""
        files: dict[Path, list[CodeType]] = {}
        for code in self.calls:
            files.setdefault(path(code), []).append(code)
        return files

    def row(self, name: str, chosen: Policy) -> tuple[object, ...]:
        files = self.files()
        return (
            name,
            len(files),
            sum(len((PACKAGE / file).read_text().splitlines()) for file in files),
            len({file.parts[0] for file in files}),
            len(self.calls),
            sum(self.calls.values()),
            self.changes,
            len(self.ran),
            sum(same(policy, chosen) for policy in self.ran),
        )


def path(code: CodeType) -> Path:
    """Return the file of a function, relative to the package."""
    return Path(code.co_filename).relative_to(PACKAGE)


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies decide alike, whatever cells they are written in."""
    (a, b) = (policy.on_fewest_cells() for policy in (one, other))
    return np.array_equal(a.actions, b.actions) and np.array_equal(a.grid.edges, b.grid.edges)


def recorded(call: Callable[[], Any]) -> tuple[Walk, Any]:
    """The walk of a call, made for the second time, and what it returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
        walk = Walk()
        sys.setprofile(walk)
        try:
            found = call()
        finally:
            sys.setprofile(None)
    return walk, found


def calls(n_rows: int = 5000, n_trees: int = 60) -> dict[str, Callable[[], Any]]:
    """The recorded calls, on generated rows."""
    X, labels = make_hastie_10_2(2 * n_rows, random_state=0)
    y = (labels > 0).astype(int)
    shape = {"n_estimators": n_trees, "num_leaves": 8, "verbose": -1, "n_jobs": 1}
    model = LGBMClassifier(**shape).fit(X[:n_rows], y[:n_rows])
    few = max(n_rows // 10, 400)
    return {
        "sparsify": lambda: mddag.sparsify(model, X[n_rows:], y[n_rows:], max_loss=0.005),
        "train": lambda: mddag.train(LGBMClassifier(**shape), X[:few], y[:few], budget=10),
        "acquire": lambda: mddag.acquire(
            model, X[n_rows:], y[n_rows:], feature_costs=np.ones(X.shape[1]), max_loss=0.05
        ),
        "ranking.sparsify": ranking_call(n_rows // 10, shape),
    }


def ranking_call(n_queries: int, shape: dict[str, Any]) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(2 * n_queries), 10)
    X = rng.normal(size=(len(qid), 5))
    y = np.digitize(X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=len(qid)) / 2, [0.3, 1.2, 2.0])
    half = len(qid) // 2
    ranker = LGBMRanker(**shape).fit(X[:half], y[:half], group=np.full(n_queries, 10))
    rest = slice(half, None)
    return lambda: mddag.ranking.sparsify(ranker, X[rest], y[rest], qid=qid[rest], max_loss=0.05)


def report(chosen: dict[str, Callable[[], Any]], details: str | None) -> Iterable[str]:
    """Lines of a table, and under each row what `details` asks for."""
    yield from markdown(HEAD, [])
    for name, call in chosen.items():
        walk, found = recorded(call)
        yield line(walk.row(name, found.policy_))
        for file, codes in walk.files().items() if details else ():
            yield f"    {file}: {len(codes)} functions"
            if details == "functions":
                yield from (f"        {code.co_qualname} x{walk.calls[code]}" for code in codes)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="call", help="which calls; all by default")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--trees", type=int, default=60)
    parser.add_argument("--files", dest="details", action="store_const", const="files")
    parser.add_argument("--functions", dest="details", action="store_const", const="functions")
    given = parser.parse_args(arguments)
    known = calls(given.rows, given.trees)
    if unknown := set(given.names) - set(known):
        parser.error(f"unknown calls {sorted(unknown)}; known are {sorted(known)}")
    chosen = {name: known[name] for name in given.names or known}
    for told in report(chosen, given.details):
        print(told, flush=True)


if __name__ == "__main__":
    main()
