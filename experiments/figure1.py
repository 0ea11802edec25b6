"""Figure 1: two clusters of positives, and the sparse decision DAG that tells them apart.

    python experiments/figure1.py            1000 stumps, beta = 0.01, as in Section 3.1
    python experiments/figure1.py --quick    fewer rows, stumps and episodes, to see that it runs

Writes figure1.png with the four panels and the numbers behind them as CSV. Policy and panels are
of the training rows, as in the paper; summary.csv has the test rows, too. SARSA ends in one of
many local optima, so the best of five runs by training Eq. (8) is shown.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from mddag import AdaBoostMHClassifier, DagDisplay, MDDAGClassifier, PathDisplay
from mddag.datasets import two_clusters
from mddag.engine.dag import Dag
from mddag.engine.trace import Trace
from mddag.learners import Stump

BETA = 0.01
NAMES = np.array(["negative", "blue", "red"])
COLOURS = {"negative": "#009E73", "blue": "#0072B2", "red": "#D55E00"}
MOST_PATHS = 20


def main() -> None:
    options = read_options()
    n_rows, n_rounds, n_episodes = (1000, 100, 10**5) if options.quick else (4000, 1000, 10**6)
    X, y, cluster = two_clusters(n_rows, random_state=options.seed)
    X_test, y_test, cluster_test = two_clusters(5 * n_rows, random_state=options.seed + 1)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=n_rounds, random_state=options.seed).fit(X, y)
    seeds = range(options.seed, options.seed + options.runs)
    dag = learn(boost, X, y, n_episodes, seeds)

    options.out.mkdir(parents=True, exist_ok=True)
    samples = {"train": (X, y, cluster), "test": (X_test, y_test, cluster_test)}
    lines = [line for name, sample in samples.items() for line in summary(name, dag, *sample)]
    write(options.out / "summary.csv", ["sample", "measure", "value"], lines)
    for line in lines:
        print("{:6} {:32} {:.6g}".format(*line))

    positive = y == 1
    trace, group = dag.run(X[positive]), NAMES[cluster[positive]]
    write_tables(options.out, trace, group)
    draw(X, cluster, trace, n_rounds).savefig(options.out / "figure1.png", dpi=120)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, stumps and episodes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=5, help="keep the best of so many by Eq. (8)")
    results = Path(__file__).parent / "results" / "figure1"
    parser.add_argument("--out", type=Path, default=results, help="default: %(default)s")
    return parser.parse_args()


def learn(
    boost: AdaBoostMHClassifier, X: np.ndarray, y: np.ndarray, n_episodes: int, seeds: Iterable[int]
) -> Dag:
    """MDDAG.I: the 0-1 loss, on the rows that trained the stumps; the best run by Eq. (8) there."""
    settings = {"solver__n_episodes": n_episodes, "solver__verbose": True}
    runs = [
        MDDAGClassifier.paper(boost, beta=BETA, solver__random_state=seed, **settings).fit(X, y)
        for seed in seeds
    ]
    best: Dag = min(runs, key=lambda run: run.result_.evaluation.objective).dag_
    return best


def summary(
    sample: str, dag: Dag, X: np.ndarray, y: np.ndarray, cluster: np.ndarray
) -> Iterable[tuple[str, str, float]]:
    """What the text of Section 3.1 claims, as numbers; the full score tells easy from hard."""
    trace = dag.run(X)
    error = np.mean((trace.scores[:, 0] > 0) != y)
    full_error = np.mean((dag.ensemble.scores(X)[:, 0] > 0) != y)
    evaluated = trace.n_evaluated
    yield sample, "error", error
    yield sample, "error of the full ensemble", full_error
    yield sample, "evaluations", evaluated.mean()
    for k, name in enumerate(NAMES):
        yield sample, f"evaluations, {name}", evaluated[cluster == k].mean()
    full = dag.ensemble.scores(X)[:, 0]
    easy = full >= np.median(full[y == 1])
    yield sample, "evaluations, easier positives", evaluated[(y == 1) & easy].mean()
    yield sample, "evaluations, harder positives", evaluated[(y == 1) & ~easy].mean()
    yield sample, "Eq. (8)", error + BETA * evaluated.mean()
    yield sample, "Eq. (8) of the full ensemble", full_error + BETA * len(dag.ensemble)
    yield sample, "distinct paths", trace.n_paths
    yield sample, "distinct paths of positives", dag.run(X[y == 1]).n_paths


def write_tables(folder: Path, trace: Trace, group: np.ndarray) -> None:
    """Uses, edges and most common paths of the positives, by cluster."""
    names = np.unique(group).tolist()
    uses = trace.uses(int(trace.indices.max(initial=-1)) + 1, group)
    used = np.flatnonzero(uses.sum(axis=1))
    write(folder / "uses.csv", ["classifier", *names], np.column_stack([used, uses[used]]).tolist())

    edges = trace.edges(group)
    table = np.column_stack([edges["source"], edges["target"], edges["count"]])
    write(folder / "edges.csv", ["source", "target", *names], table.tolist())

    paths = [tuple(trace.path(i).tolist()) for i in range(len(trace))]
    common = list(trace.paths())[:MOST_PATHS]
    count = {(path, name): 0 for path in common for name in names}
    for key in zip(paths, group.tolist(), strict=True):
        if key in count:
            count[key] += 1
    lines = [[" ".join(map(str, p)), *(count[p, name] for name in names)] for p in common]
    write(folder / "paths.csv", ["path", *names], lines)


def write(path: Path, head: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)


def draw(X: np.ndarray, cluster: np.ndarray, trace: Trace, n_classifiers: int) -> Any:
    """The four panels; (b), (c) and (d) show the positives alone."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplot_mosaic("abc;ddd", figsize=(14, 8), layout="constrained")
    for k, name in enumerate(NAMES):
        points = X[cluster == k].T
        ax["a"].plot(*points, ".", color=COLOURS[name], markersize=3, label=name)
    ax["a"].legend(markerscale=3, fontsize=8)
    ax["a"].set(xlabel="$x_1$", ylabel="$x_2$")
    positive = cluster > 0
    group = NAMES[cluster[positive]]
    PathDisplay.from_trace(trace, X=X[positive], groups=group, ax=[ax["b"], ax["c"]])
    DagDisplay.from_trace(trace, color=group, n_classifiers=n_classifiers, ax=ax["d"])
    for panel in "abcd":
        ax[panel].set_title(f"({panel})", loc="right")
    return figure


if __name__ == "__main__":
    main()
