"""Choices: solvers, metrics and learners by the names that options give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mddag
from mddag.cli.exits import UsageError

SOLVERS = {
    "portfolio": "Portfolio",
    "margin": "Margin",
    "prefix": "Prefix",
    "qwyc": "QWYC",
    "residual": "Residual",
    "stopping": "Stopping",
    "descent": "Descent",
    "sarsa": "Sarsa",
    "watkins-q": "WatkinsQ",
}
METRICS = {
    "accuracy": "Accuracy",
    "log-loss": "LogLoss",
    "roc-auc": "RocAuc",
    "ndcg": "NDCG",
    "mean-ndcg": "MeanNDCG",
    "letor-ndcg": "LetorNDCG",
}
WITH_DEPTH = {"ndcg", "letor-ndcg"}  # such as ndcg:10
LEARNERS = ("stump", "tree", "product", "haar")
OBJECTIVES = ("evaluations", "nodes", "time")


def completed(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What the shell completes the value of an option to."""

    def found(incomplete: str) -> list[str]:  # typer knows the parameter by this name
        return [name for name in names if name.startswith(incomplete)]

    return found


def solver_of(name: str, threads: int) -> Any:
    """A solver, on so many threads if it can have them."""
    if name not in SOLVERS:
        raise UsageError(f"--solver is {name!r}; wanted one of {', '.join(SOLVERS)}")
    return getattr(mddag.solvers, SOLVERS[name])().with_threads(threads)


def metric_of(text: str | None) -> Any:
    """A metric; None for the default one."""
    if text is None:
        return None
    name, colon, depth = text.partition(":")
    if name not in METRICS or (colon and name not in WITH_DEPTH):
        raise UsageError(f"--metric is {text!r}; wanted one of {', '.join(METRICS)}, or ndcg:10")
    made: Callable[..., Any] = getattr(mddag.metrics, METRICS[name])
    if name not in WITH_DEPTH:
        return made()
    if not (depth or "10").isdecimal() or int(depth or 10) == 0:
        raise UsageError(f"--metric is {text!r}; wanted a depth of 1 or more, such as {name}:10")
    return made(int(depth or 10))


def learner_of(name: str, leaves: int) -> Any:
    """A base learner of AdaBoost.MH."""
    if name not in LEARNERS:
        raise UsageError(f"--learner is {name!r}; wanted one of {', '.join(LEARNERS)}")
    if name == "tree":
        return mddag.learners.Tree(leaves)
    return getattr(mddag.learners, name.capitalize())()


def prices_of(text: str | None, default: tuple[float, ...]) -> list[float]:
    """Prices, from a list with commas."""
    if text is None:
        return list(default)
    try:
        prices = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--betas is {text!r}; wanted numbers with commas: 0.01,0.001") from None
    if not all(np.isfinite(price) and price >= 0 for price in prices):
        raise UsageError(f"--betas is {text!r}; wanted finite prices, 0 or more")
    return prices


def codes_of(labels: NDArray[Any]) -> NDArray[np.intp]:
    """The place of each label among all, sorted: what LightGBM and XGBoost files have."""
    return np.unique(labels, return_inverse=True)[1]
