"""Real data for the speed benchmark: rows to train on, rows for the policy, rows to test on.

electricity   two classes, 500 trees of 8 leaves
letter        26 classes x 100 trees of 8 leaves
mnist         10 classes x 100 trees of 8 leaves, 10 000 rows to train on
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import lightgbm as lgb
import numpy as np
from sklearn.model_selection import train_test_split

import mddag
from benchmarks.data import train_and_test
from benchmarks.speed.contest import LIGHTGBM, LLEAVES, OURS, Contest, Contestant
from benchmarks.speed.models import CACHE, B, Shape, code, keep, keep_full, keep_quitting, prepared
from benchmarks.table import digits, spread
from mddag.solvers import Portfolio

NAMES = ("electricity", "letter", "mnist")
ROUNDS = {"electricity": 500, "letter": 100, "mnist": 100}
MNIST_ROWS = 20_000  # half for the model, half for the policy
POLICY_FRACTION = {"electricity": 0.4, "letter": 0.3, "mnist": 0.5}


@dataclass(frozen=True)
class Data:
    """Rows, float32, and the folder of the model that was trained on others."""

    name: str
    folder: Path
    X_policy: np.ndarray
    y_policy: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def data_set(name: str) -> Data:
    """The rows of a data set and its trained model, which is made where absent."""
    X, y, X_test, y_test = train_and_test(name, MNIST_ROWS if name == "mnist" else None)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    X_train, X_policy, y_train, y_policy = train_test_split(
        X, y, test_size=POLICY_FRACTION[name], stratify=y, random_state=0
    )
    folder = CACHE / name
    if not (folder / "lightgbm.txt").exists():
        n_classes = len(np.unique(y))
        shape = Shape(name, X.shape[1], ROUNDS[name], n_classes=n_classes, n_train=len(X_train))
        keep(folder, shape, X_train, y_train, X_test)
    keep_full(folder)
    return Data(name, folder, X_policy, y_policy, X_test, y_test)


FIELDS = (
    "data",
    "contestant",
    "error",
    "evaluations",
    "executor",
    "expected",
    "ns_per_row",
    "ratio",
    "absent",
)
SHARES = (0.05, 0.1, 0.2)
EVERY = (1, 16)
MAX_LOSS = 0.002
FREQUENCIES, MARGINS = (5, 10, 20), (0.1, 50.0)


def measure(quick: bool) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    yield from of_shares(2_000 if quick else 20_000, 2 if quick else 7)
    for name in NAMES[: 1 if quick else None]:
        yield from at_equal_error(name, 2 if quick else 5)


def of_shares(n_rows: int, n_repeats: int) -> Iterator[dict[str, object]]:
    folder, quitting = prepared(B), []
    for share in SHARES:
        file = f"quits-{share}.mddag"
        keep_quitting(folder, file, share, every=16)
        quitting.append(_mddag(f"mddag, quits at {share:.0%}, every=16", file))
    with Contest([OURS, *quitting]) as contest:
        contest.load(folder)
        taken = contest.times(n_repeats, "batch", n_rows=n_rows)
        for name, times in taken.items():
            row = dict.fromkeys(FIELDS, "") | {"data": B.name, "contestant": name}
            row |= _how(folder, contest.contestants[name], n_rows)
            row["ns_per_row"] = digits(times.min() / n_rows * 1e9)
            row["ratio"] = spread(taken[OURS.name] / times)
            yield row


def at_equal_error(name: str, n_repeats: int) -> Iterator[dict[str, object]]:
    """Times, and those of each contestant / ours with the rarest decisions."""
    data = data_set(name)
    sparse = [_mddag(f"mddag, every={every}", f"sparse-{every}-{code()}.mddag") for every in EVERY]
    refused = {}
    for who, every in zip(sparse, EVERY, strict=True):
        try:
            sparsify(data, who.changes["file"], every)
        except ValueError as why:
            refused[who.name] = str(why)
    stopping = _early_stop(data)
    early = replace(LIGHTGBM, name="LightGBM, early stop", changes={"stopping": stopping})
    n_rows = len(data.y_test)
    with Contest([*sparse, OURS, early, LIGHTGBM, LLEAVES]) as contest:
        contest.load(data.folder, without=refused)
        taken = contest.times(n_repeats, "batch", n_rows=n_rows)
        baseline = [taken[who.name] for who in [OURS, *sparse] if who.name in taken][-1]
        for who in contest.contestants.values():
            row = dict.fromkeys(FIELDS, "") | {"data": name, "contestant": who.name}
            if who.name in contest.absent:
                yield row | {"absent": contest.absent[who.name]}
                continue
            row["error"] = f"{_error(data, who):.2%}"
            if who.member == OURS.member:
                row |= _how(data.folder, who, n_rows)
            row["ns_per_row"] = digits(taken[who.name].min() / n_rows * 1e9)
            row["ratio"] = spread(taken[who.name] / baseline)
            yield row


def _mddag(name: str, file: str) -> Contestant:
    return replace(OURS, name=name, changes={"file": file})


def sparsify(data: Data, file: str, every: int) -> None:
    """Learn the default policy within the loss, where this code has not done so yet.

    It takes the point estimate, as errors are measured here; a certificate would evaluate more.
    """
    if not (data.folder / file).exists():
        print(f"sparsifying {data.name}, every={every} …", flush=True)
        model = lgb.Booster(model_file=data.folder / "lightgbm.txt")
        rows = data.X_policy, data.y_policy
        solver = Portfolio(every=every)
        fast = mddag.sparsify(
            model, *rows, max_loss=MAX_LOSS, metric="accuracy", confidence=None, solver=solver
        )
        fast.save(data.folder / file)


def _early_stop(data: Data) -> dict[str, object]:
    """The fastest of the frequencies, each with the smallest margin that keeps within the loss."""
    file = data.folder / "early_stop.json"
    if file.exists():
        return json.loads(file.read_text())
    booster = lgb.Booster(model_file=data.folder / "lightgbm.txt")
    most = _lightgbm_error(booster, data.X_policy, data.y_policy, {}) + MAX_LOSS
    timed = []
    for frequency in FREQUENCIES:
        low, high = np.log(MARGINS)
        for _ in range(7):
            middle = (low + high) / 2
            error = _lightgbm_error(
                booster, data.X_policy, data.y_policy, _stopping(frequency, middle)
            )
            low, high = (low, middle) if error <= most else (middle, high)
        stopping = _stopping(frequency, high)
        began = time.perf_counter()
        _lightgbm_error(booster, data.X_policy, data.y_policy, stopping)
        timed.append((time.perf_counter() - began, stopping))
    stopping = min(timed, key=lambda pair: pair[0])[1]
    file.write_text(json.dumps(stopping))
    return stopping


def _stopping(frequency: int, log_margin: float) -> dict[str, object]:
    return {
        "pred_early_stop": True,
        "pred_early_stop_freq": frequency,
        "pred_early_stop_margin": float(np.exp(log_margin)),
    }


def _error(data: Data, who: Contestant) -> float:
    """On the test rows; LightGBM's trees compiled by others err as LightGBM does."""
    if who.member == OURS.member:
        predictor = mddag.load(data.folder / who.changes.get("file", "full.mddag"))
        return float(np.mean(predictor.predict(data.X_test) != data.y_test))
    booster = lgb.Booster(model_file=data.folder / "lightgbm.txt")
    return _lightgbm_error(booster, data.X_test, data.y_test, who.changes.get("stopping", {}))


def _lightgbm_error(booster: lgb.Booster, X, y, stopping: dict[str, object]) -> float:
    scores = booster.predict(X, raw_score=True, num_threads=1, **stopping)
    labels = scores.argmax(axis=1) if scores.ndim == 2 else scores > 0
    return float(np.mean(labels != y))


def _how(folder: Path, who: Contestant, n_rows: int) -> dict[str, str]:
    """Mean evaluations, the executor that runs so many rows, and how many times as fast as
    evaluating everything the cost model expects it to be.
    """
    X = np.load(folder / "test.npy", mmap_mode="r")[: min(n_rows, 5_000)]
    predictor = mddag.load(folder / who.changes.get("file", "full.mddag"))
    return {
        "evaluations": digits(predictor.n_evaluated(X).mean()),
        "executor": predictor.model.dag.chosen(n_rows).name,
        "expected": digits(predictor.model.dag.expected_speedup),
    }
