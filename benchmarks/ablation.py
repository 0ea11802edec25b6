"""What every part of a default is worth: one command, one table.

    python -m benchmarks.ablation sparsify            measure; what is in the CSV is not repeated
    python -m benchmarks.ablation sparsify --report   write the table from the CSV
    python -m benchmarks.ablation sparsify --metric accuracy      labels alone, without ROC AUC
    ... --report --base "default of before"           the same, compared with another variant
    python -m benchmarks.ablation train|acquire       the same for the other two functions

Each part of the default solver is switched off, one at a time, and the public function is called as
a user calls it: ``sparsify(model, X, y, max_loss=..., confidence=None, solver=Portfolio(...))``. A
part belongs in the default only if its line in the table shows a cost above 1 without it, beyond
twice the standard error, on some kind of model.

Cost is measured on test rows: trees evaluated, nodes visited, processor time of ``predict_one`` and
of ``predict`` in batches. Learning time is processor time, too, so that other work on the machine
disturbs it little. Ratios are paired: the same model, rows and seed with and without the part.

Rows of the CSV are appended as they are measured, seed by seed, so an interrupted run is usable.
Results are in benchmarks/results/ablation, a CSV and a Markdown table per function and `--label`.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import mddag
from benchmarks import data
from benchmarks.clock import seconds
from benchmarks.costs import price_lists
from benchmarks.places import RESULTS, ROOT
from benchmarks.table import markdown
from mddag.datasets import two_clusters
from mddag.policy import Correlation, Given
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Residual
from mddag.solvers import portfolio as default_solver

MAX_LOSSES = (0.002, 0.005)
SEEDS = range(5)
TRAIN_ROWS, POLICY_ROWS, TEST_ROWS = 8_000, 5_000, 8_000
N_TREES = 300  # more than the 256 up to which the default solver explores thoroughly
ONE_ROWS, REPEATS = 300, 5
LEAST = 0.1  # evaluations or nodes: a ratio to a policy that evaluates nothing says nothing
UNITS = ("evaluations", "nodes", "one_row_us", "batch_ns", "learning_s")
FIELDS = (
    *("problem", "model", "seed", "max_loss", "variant"),
    *("evaluations", "nodes", "one_row_us", "batch_ns", "error", "full_error", "learning_s"),
    *("objective", "commit", "machine"),
)
RANKING = ("roc_auc", "full_roc_auc")  # of the default, which protects it; not of labels alone
COSTS = {
    "sparsify": UNITS,
    "train": UNITS,
    "acquire": ("feature_cost", "evaluations", "nodes", "learning_s"),
}
DEFAULT = "default"
Row = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """A dataset and the shape of its model; 0 leaves: AdaBoost.MH with stumps.

    small : few enough trees for the default solver to explore thoroughly
    """

    name: str
    leaves: int
    rate: float = 0.1
    small: bool = False

    @property
    def model(self) -> str:
        return "LightGBM" if self.leaves else "stumps, small" if self.small else "stumps"

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.model


PROBLEMS = (
    Problem("electricity", 64),
    Problem("letter A-M/N-Z", 32),
    Problem("adult numeric", 16, 0.05),
    Problem("spambase", 16),
    Problem("higgs", 16, 0.05),
    Problem("mnist even/odd", 16),
    Problem("hastie", 8),
    Problem("clusters", 8),
    Problem("electricity", 0),
    Problem("spambase", 0),
    Problem("letter A-M/N-Z", 0),
    Problem("hastie", 0),
    Problem("clusters", 0, small=True),
    Problem("hastie", 0, small=True),
)


@dataclass(frozen=True)
class Rows:
    """Rows that train the model, learn the policy, and test."""

    train: tuple[np.ndarray, np.ndarray]
    policy: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]


def all_rows(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the binary labels of a dataset."""
    n_made = TRAIN_ROWS + POLICY_ROWS + TEST_ROWS
    if name == "hastie":
        X, y = make_hastie_10_2(n_made, random_state=seed)
        return X, (y > 0).astype(int)
    if name == "clusters":
        X, y, _ = two_clusters(n_made, random_state=seed)
        return X, y
    rows = data.read(name.split()[0])
    X, y = rows.X, rows.y
    if hasattr(X, "select_dtypes"):
        X = X.select_dtypes("number").to_numpy()
    if name == "letter A-M/N-Z":
        y = y >= 13
    if name == "mnist even/odd":
        X = X.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4), dtype=np.float32).reshape(-1, 196)
        y = y % 2
    return np.asarray(X, np.float64), np.unique(y, return_inverse=True)[1]


def split_rows(name: str, seed: int, shrink: int = 1) -> Rows:
    """Split a dataset at random: at most half to train on, a quarter for the policy, the rest."""
    X, y = all_rows(name, seed)
    wanted = min(len(y) // 2, TRAIN_ROWS), min(len(y) // 4, POLICY_ROWS)
    rest, parts = np.arange(len(y)), []
    for n in wanted:
        some, rest = train_test_split(
            rest, train_size=n // shrink, stratify=y[rest], random_state=seed
        )
        parts.append((X[some], y[some]))
    some = np.random.default_rng(seed).permutation(rest)[: TEST_ROWS // shrink]
    return Rows(*parts, (X[some], y[some]))


def trained(problem: Problem, X: np.ndarray, y: np.ndarray, seed: int, shrink: int = 1) -> Any:
    """Train the model of a problem."""
    n_trees = (200 if problem.small else N_TREES) // shrink
    if problem.leaves:
        return lightgbm(problem.leaves, problem.rate, n_trees, seed).fit(X, y)
    return mddag.AdaBoostMHClassifier(
        mddag.learners.Stump(), n_rounds=n_trees, max_bins=255, random_state=seed
    ).fit(X, y)


def lightgbm(leaves: int, rate: float, n_trees: int, seed: int, least: int = 20) -> Any:
    """Return an untrained LightGBM classifier on one thread."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=n_trees,
        num_leaves=leaves,
        learning_rate=rate,
        min_child_samples=least,
        max_bin=127,
        random_state=seed,
        n_jobs=1,
        verbose=-1,
    )


# ---------------------------------------------------------------------------------------- variants


@contextmanager
def without_condensed() -> Iterator[None]:
    """Switch off condensed arrangements alone: ``sizes=()`` would switch off refitted ones, too."""
    with mock.patch.object(default_solver, "usual_sizes", return_value=()):
        yield


@contextmanager
def without_refitted() -> Iterator[None]:
    """Switch off arrangements with refitted leaves alone."""
    with mock.patch.object(default_solver, "are_refitted", return_value=False):
        yield


@contextmanager
def alike_for_all_trees() -> Iterator[None]:
    """Try all arrangements for large trees, too, as the default solver once did."""
    with mock.patch.object(default_solver, "has_large_trees", return_value=False):
        yield


@contextmanager
def one_search() -> Iterator[None]:
    """Search once for several values of max_loss: the candidates do not depend on it."""
    searched, found = Portfolio.judged, {}

    def remembered(self: Any, *arguments: Any) -> Any:
        if not found:
            found["it"] = searched(self, *arguments)
        return found["it"]

    with mock.patch.object(Portfolio, "judged", remembered):
        yield


@dataclass(frozen=True)
class Variant:
    """The default solver with something changed; `solver` is None for the default itself."""

    solver: Portfolio | None = None
    patches: tuple[Callable[[], AbstractContextManager[None]], ...] = ()
    metric: str | None = None  # None: accuracy and ROC AUC are protected


MEMBERS = {
    "Prefix": Prefix(),
    "Margin": Margin(),
    "Residual": Residual(),
    "QWYC": QWYC(),
    "Descent": Descent(n_sweeps=2),
}
ORDERINGS = {"Correlation": Correlation(), "Given": Given()}
SWITCHES = {"condensed": without_condensed, "refitted": without_refitted}


def combination(*parts: str) -> Variant:
    """The portfolio of some members in some arrangements."""
    return Variant(
        Portfolio(
            members=tuple(member for name, member in MEMBERS.items() if name in parts),
            orderings=tuple(order for name, order in ORDERINGS.items() if name in parts)
            or (Given(),),
        ),
        (alike_for_all_trees, *(switch for name, switch in SWITCHES.items() if name not in parts)),
    )


# What the default tries, with a line for each part without it: where accuracy and ROC AUC are
# protected, which the log-loss teaches, and where labels alone are, which soft targets teach.
ARRANGEMENTS = (*ORDERINGS, *SWITCHES)
BOTH = ("Prefix", "Margin", "Residual", "Correlation", "condensed")
LABELS = {
    "LightGBM": ("Margin", "Residual", "QWYC", "Correlation", "refitted"),
    "stumps": ("Margin", "Residual", "Descent", *ARRANGEMENTS),
}
LABELS["stumps, small"] = LABELS["stumps"]
BEFORE = "default of before"
BEFORE_PARTS = ("Prefix", "Margin", "Residual", "QWYC", "Descent", *ARRANGEMENTS)
LABELS_ALONE = "labels alone"


def variants_of(problem: Problem, metric: str | None = None) -> dict[str, Variant]:
    """The default and the default without each of its parts; and what it is compared with."""
    if metric is None:
        parts = BOTH
        found = {DEFAULT: Variant(), LABELS_ALONE: Variant(metric="accuracy")}
    else:
        parts = LABELS[problem.model]
        found = {DEFAULT: Variant(), BEFORE: combination(*BEFORE_PARTS)}
        found = {name: replace(variant, metric=metric) for name, variant in found.items()}
    for left_out in parts:
        others = combination(*(part for part in parts if part != left_out))
        found[f"- {left_out}"] = replace(others, metric=metric)
    return found


# ---------------------------------------------------------------------------------------- measures


def costs(estimator: Any, X: np.ndarray, y: np.ndarray) -> Row:
    """Measure a fitted estimator on test rows; the best of several times counts."""
    batch = np.asarray(X, np.float32)
    rows = list(batch[:ONE_ROWS])

    def one_by_one() -> None:
        for row in rows:
            estimator.predict_one(row)

    def best(call: Callable[[], object]) -> float:
        call()
        return min(seconds(call, time.process_time) for _ in range(REPEATS))

    return {
        "evaluations": f"{estimator.n_evaluated(X).mean():.4f}",
        "nodes": f"{estimator.n_nodes(X).mean():.4f}",
        "one_row_us": f"{best(one_by_one) / len(rows) * 1e6:.4f}",
        "batch_ns": f"{best(lambda: estimator.predict(batch)) / len(batch) * 1e9:.2f}",
        "error": f"{np.mean(estimator.predict(X) != y):.5f}",
    }


@dataclass
class Store:
    """The CSV of results: knows what was measured, and appends."""

    path: Path
    here: dict[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = FIELDS

    def __post_init__(self) -> None:
        self.rows: list[Row] = []
        if self.path.exists():
            with self.path.open(newline="", encoding="utf-8") as file:
                self.rows = list(csv.DictReader(file))
        self.known = {self._key(row) for row in self.rows}

    def _key(self, row: Row) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in ("problem", "model", "seed", "max_loss", "variant"))

    def has(self, problem: str, model: str, seed: int, variant: str) -> bool:
        return all(
            (problem, model, str(seed), str(loss), variant) in self.known for loss in MAX_LOSSES
        )

    def add(self, row: Row) -> None:
        row = {**self.here, **row}
        fresh = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.fields, lineterminator="\n")
            if fresh:
                writer.writeheader()
            writer.writerow(row)
        self.rows.append(row)
        self.known.add(self._key(row))
        print(*(row[name] for name in self.fields if name not in self.here), flush=True)


def place() -> dict[str, str]:
    """Return the commit and the machine that measure."""
    commit = (
        os.environ.get("MDDAG_COMMIT")
        or subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
        ).stdout.strip()
    )
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    machine = f"{next(names, platform.processor())}, {os.cpu_count()} cores"
    return {"commit": commit, "machine": machine}


# ---------------------------------------------------------------------------------------- sparsify


def measure_sparsify(
    store: Store,
    problems: tuple[Problem, ...] = PROBLEMS,
    seeds: Any = SEEDS,
    objective: str = "evaluations",
    shrink: int = 1,
    variants: Sequence[str] | None = None,
    metric: str | None = None,
) -> None:
    """Measure what is missing, seed by seed; all variants by default."""
    warm_up()
    for seed in seeds:
        for problem in problems:
            of_problem = variants_of(problem, metric)
            chosen = of_problem if variants is None else set(variants) & set(of_problem)
            wanted = [v for v in of_problem if v in chosen and not store.has(*problem.key, seed, v)]
            if not wanted:
                continue
            rows = split_rows(problem.name, seed, shrink)
            model = trained(problem, *rows.train, seed, shrink)
            full_error = f"{np.mean(model.predict(rows.test[0]) != rows.test[1]):.5f}"
            known = {"problem": problem.name, "model": problem.model, "seed": seed}
            known |= {"full_error": full_error, "objective": objective}
            if metric is None:
                known["full_roc_auc"] = roc_auc(model, *rows.test)
            for name in wanted:
                for row in measured_variant(of_problem[name], model, rows, objective):
                    if metric is not None:
                        del row["roc_auc"]
                    store.add({**known, "variant": name, **row})


def roc_auc(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    """Return the ROC AUC of a classifier of two classes."""
    return f"{roc_auc_score(y, model.predict_proba(X)[:, 1]):.5f}"


def warm_up() -> None:
    """Import and load what the first call would load, which is no part of learning."""
    X, y, _ = two_clusters(400, random_state=0)
    model = trained(Problem("clusters", 8), X, y, 0, shrink=15)
    mddag.sparsify(model, X, y, max_loss=0.01, confidence=None).predict(X)


def measured_variant(variant: Variant, model: Any, rows: Rows, objective: str) -> list[Row]:
    """Call ``sparsify`` at each max_loss; the first call searches, which is the learning time."""
    found: list[Row] = []
    with ExitStack() as stack:
        for patch in (*variant.patches, one_search):
            stack.enter_context(patch())
        for max_loss in MAX_LOSSES:
            began = time.process_time()
            estimator = mddag.sparsify(
                model,
                *rows.policy,
                max_loss=max_loss,
                metric=variant.metric,
                confidence=None,
                solver=variant.solver,
                objective=objective,
            )
            taken = time.process_time() - began
            learning = found[0]["learning_s"] if found else f"{taken:.3f}"
            numbers = costs(estimator, *rows.test)
            found.append({"max_loss": max_loss, "learning_s": learning, **numbers})
            found[-1]["roc_auc"] = roc_auc(estimator, *rows.test)
    return found


# ------------------------------------------------------------------------------- train and acquire

TRAIN_PROBLEMS = tuple(problem.name for problem in PROBLEMS if problem.leaves)
ACQUIRE_PROBLEMS = ("adult", "bank", "spam_blocks", "letter_halves")


@contextmanager
def one_front() -> Iterator[None]:
    """Train once for several values of max_loss: what is searched does not depend on it."""
    module, found = import_module("mddag.tuning.train"), {}

    def once(name: str) -> Callable[..., Any]:
        call = getattr(module, name)

        def remembered(*arguments: Any, **settings: Any) -> Any:
            if name not in found:
                found[name] = call(*arguments, **settings)
            return found[name]

        return remembered

    with mock.patch.multiple(module, tried=once("tried"), searched=once("searched")):
        yield


def measure_train(
    store: Store, seeds: Any = range(3), objective: str = "nodes", variants: Any = None
) -> None:
    """Measure ``train`` itself; ``full_error`` is the test error of the estimator as given, on the
    same rows. Two commits are compared by their CSV files, with ``--against``."""
    warm_up()
    for seed, name in product(seeds, TRAIN_PROBLEMS):
        if store.has(name, "LightGBM", seed, DEFAULT):
            continue
        rows = split_rows(name, seed)
        X, y = (np.concatenate(both) for both in zip(rows.train, rows.policy, strict=True))
        known = {"problem": name, "model": "LightGBM", "seed": seed, "objective": "nodes"}
        given = lightgbm(31, 0.1, 100, seed).fit(X, y)
        known["full_error"] = f"{np.mean(given.predict(rows.test[0]) != rows.test[1]):.5f}"
        learning = ""
        with one_front():
            for max_loss in MAX_LOSSES:
                began = time.process_time()
                asked = {"max_loss": max_loss, "confidence": None, "objective": "nodes"}
                estimator = mddag.train(None, X, y, **asked)
                learning = learning or f"{time.process_time() - began:.3f}"
                made = {"max_loss": max_loss, "learning_s": learning, "variant": DEFAULT}
                store.add({**known, **made, **costs(estimator, *rows.test)})


def measure_acquire(
    store: Store, seeds: Any = SEEDS, objective: str = "evaluations", variants: Any = None
) -> None:
    """Measure ``acquire``, and with labels alone protected; its parts have no switches."""
    protected = {DEFAULT: None, LABELS_ALONE: "accuracy"}
    for seed, name, variant in product(seeds, ACQUIRE_PROBLEMS, protected):
        rows = price_lists.problem(name, seed)
        model = lightgbm(16, 0.1, 60, seed).fit(*rows.train)
        full_error = f"{np.mean(model.predict(rows.test[0]) != rows.test[1]):.5f}"
        known = {"problem": name, "model": "LightGBM", "seed": seed, "full_error": full_error}
        known["objective"] = "features"
        if store.has(name, "LightGBM", seed, variant):
            continue
        for max_loss in MAX_LOSSES:
            began = time.process_time()
            estimator = mddag.acquire(
                model,
                *rows.policy,
                feature_costs=rows.costs,
                feature_groups=rows.groups,
                X_train=rows.train[0],
                y_train=rows.train[1],
                max_loss=max_loss,
                confidence=None,
                metric=protected[variant],
            )
            learning = f"{time.process_time() - began:.3f}"
            made = {"max_loss": max_loss, "learning_s": learning, "variant": variant}
            made["feature_cost"] = f"{estimator.feature_cost(rows.test[0]).mean():.4f}"
            store.add({**known, **made, **costs(estimator, *rows.test)})


# ------------------------------------------------------------------------------------------ report


def report(
    rows: list[Row], title: str, units: tuple[str, ...] = UNITS, base: str = DEFAULT
) -> list[str]:
    """Return the lines of the Markdown report: a table for each kind of model.

    Parameters
    ----------
    base : str
        The variant that the others are compared with.
    """
    lines = [f"# Ablation of `{title}`", ""]
    lines += [f"Measured at commit {', '.join(sorted({r['commit'] for r in rows}))} on "]
    lines[-1] += f"{', '.join(sorted({r['machine'] for r in rows}))}."
    lines += [
        "",
        f"Ratios to the {base} of the same model and seed: geometric mean ± standard error over",
        f"problems and seeds, at max_loss {' / '.join(map(str, MAX_LOSSES))}. Above 1: the {base}",
        f"costs less. Loss: test error beyond that of the {base}, in points.",
    ]
    for model in dict.fromkeys(row["model"] for row in rows):
        of_model = [row for row in rows if row["model"] == model]
        problems = sorted({row["problem"] for row in of_model})
        seeds = sorted({int(row["seed"]) for row in of_model})
        lines += ["", f"## {model}: {', '.join(problems)}; seeds {', '.join(map(str, seeds))}", ""]
        lines += markdown(
            ("variant", "pairs", *(unit.replace("_", " ") for unit in units), "loss, points")
            + (("ROC AUC lost, points",) if "roc_auc" in of_model[0] else ()),
            _lines_of(of_model, units, base),
        )
    return lines


def _lines_of(rows: list[Row], units: tuple[str, ...], base_name: str) -> Iterator[list[str]]:
    base = {_pair(row): row for row in rows if row["variant"] == base_name}
    for name in dict.fromkeys(row["variant"] for row in rows):
        pairs = [
            [
                (row, base[_pair(row)])
                for row in rows
                if row["variant"] == name and float(row["max_loss"]) == loss and _pair(row) in base
            ]
            for loss in MAX_LOSSES
        ]
        if name == base_name or not all(pairs):
            continue
        cells = [" / ".join(ratio(some, unit) for some in pairs) for unit in units]
        told = [points(some, "error") for some in pairs]
        if "roc_auc" in rows[0]:
            told += [points([(b, a) for a, b in some], "roc_auc") for some in pairs]
        halves = (told[at : at + 2] for at in range(0, len(told), 2))
        yield [name, str(len(pairs[0])), *cells, *(" / ".join(half) for half in halves)]
    at_loss = [[r for r in base.values() if float(r["max_loss"]) == loss] for loss in MAX_LOSSES]
    means = [" / ".join(f"{geometric(some, unit):.3g}" for some in at_loss) for unit in units]
    rest = [""]
    if "roc_auc" in rows[0]:  # what the default itself loses against the full model
        full = [[(r, {"error": r["full_error"]}) for r in some] for some in at_loss]
        ranks = [[({"auc": r["full_roc_auc"]}, {"auc": r["roc_auc"]}) for r in s] for s in at_loss]
        rest = [" / ".join(points(s, "error") for s in full)]
        rest += [" / ".join(points(s, "auc") for s in ranks)]
    yield [f"*{base_name}, geometric mean*", str(len(base) // len(MAX_LOSSES)), *means, *rest]


def points(pairs: list[tuple[Row, Row]], name: str) -> str:
    """Return the mean difference of a share with its standard error, in points."""
    found = np.array([100 * (float(a[name]) - float(b[name])) for a, b in pairs])
    return f"{found.mean():+.2f} ± {_error(found):.2f}"


def _pair(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("problem", "model", "seed", "max_loss"))


def ratio(pairs: list[tuple[Row, Row]], unit: str) -> str:
    """Return the geometric mean of ratios with its standard error."""
    least = LEAST if unit in ("evaluations", "nodes", "feature_cost") else 0.0
    both = np.array([[max(float(row[unit]), least) for row in pair] for pair in pairs])
    logs = np.log(both[:, 0] / both[:, 1])
    mean = float(np.exp(logs.mean()))
    return f"{mean:.2f} ± {mean * _error(logs):.2f}"


def geometric(rows: list[Row], unit: str) -> float:
    """Return the geometric mean of a cost."""
    return float(np.exp(np.mean([np.log(max(float(row[unit]), 1e-3)) for row in rows])))


def _error(numbers: np.ndarray) -> float:
    """Standard error of a mean."""
    return float(numbers.std(ddof=1) / np.sqrt(len(numbers))) if len(numbers) > 1 else float("nan")


# ------------------------------------------------------------------------------------ command line


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("function", choices=MEASURES)
    parser.add_argument("--report", action="store_true", help="write the table, measure nothing")
    parser.add_argument("--label", default="after", help="of the files, such as before or after")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    parser.add_argument("--base", default=DEFAULT, help="variant that others are compared with")
    parser.add_argument("--variants", nargs="+", help="of sparsify; all by default")
    parser.add_argument("--objective", default="evaluations", choices=("evaluations", "nodes"))
    parser.add_argument("--metric", help="of sparsify, such as accuracy; both by default")
    parser.add_argument("--against", help="label of another file, whose rows are the default")
    options = parser.parse_args(arguments)
    path = RESULTS / "ablation" / f"{options.function}_{options.label}.csv"
    fields = (*FIELDS, *(unit for unit in COSTS[options.function] if unit not in FIELDS))
    if options.function == "sparsify" and options.metric is None:
        fields += RANKING
    store = Store(path, place(), fields)
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    if not options.report:
        how = {"seeds": options.seeds, "objective": options.objective}
        if options.function == "sparsify":
            how["metric"] = options.metric
        MEASURES[options.function](store, **how, variants=options.variants)
    rows = store.rows
    if options.against is not None:
        other = Store(path.with_stem(f"{options.function}_{options.against}"))
        rows = [*other.rows, *({**row, "variant": options.label} for row in rows)]
    lines = report(rows, options.function, COSTS[options.function], options.base)
    if options.base != DEFAULT:
        path = path.with_stem(f"{path.stem}_to_{options.base.replace(' ', '_')}")
    path.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(*lines, sep="\n")


MEASURES: dict[str, Callable[..., None]] = {
    "sparsify": measure_sparsify,
    "train": measure_train,
    "acquire": measure_acquire,
}

if __name__ == "__main__":
    main()
