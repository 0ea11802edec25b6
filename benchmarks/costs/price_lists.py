"""Data sets with the prices of their feature groups, and how rows are parted.

Prices of `ann_thyroid` are the published ones of its tests; the others are made up after what each
group would take to get: a field that the customer fills in is cheap, a query to a bureau or a tax
office is dear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data import loaded

MOST_TRAIN, MOST_POLICY, MOST_TEST = 4000, 4000, 8000

ADULT = {
    "form": (1, ["age", "sex", "race", "native_country"]),
    "household": (2, ["marital_status", "relationship"]),
    "education": (2, ["education", "education_num"]),
    "employer": (3, ["workclass", "occupation"]),
    "hours": (3, ["hours_per_week"]),
    "tax": (8, ["capital_gain", "capital_loss"]),
}
ADULT_FIELDS = {
    "sex": (0.5, ["sex"]),
    "race": (0.5, ["race"]),
    "age": (1, ["age"]),
    "country": (1, ["native_country"]),
    "marital": (1, ["marital_status"]),
    "relation": (1, ["relationship"]),
    "education": (2, ["education", "education_num"]),
    "workclass": (2, ["workclass"]),
    "occupation": (2, ["occupation"]),
    "hours": (3, ["hours_per_week"]),
    "gain": (4, ["capital_gain"]),
    "loss": (4, ["capital_loss"]),
}
BANK = {
    "form": (1, ["age", "job", "marital", "education"]),
    "call": (1, ["contact", "month", "day_of_week"]),
    "crm": (3, ["campaign", "pdays", "previous", "poutcome"]),
    "bureau": (5, ["default", "housing", "loan"]),
    "macro": (4, ["emp.var.rate", "cons.price.idx", "cons.conf.idx", "nr.employed"]),
    "euribor": (4, ["euribor3m"]),
}
HIGGS = {
    "lepton_met": (2, [0, 1, 2, 3, 4]),
    "jets12": (2, [5, 6, 7, 9, 10, 11]),
    "jets34": (2, [13, 14, 15, 17, 18, 19]),
    "btag": (4, [8, 12, 16, 20]),
    "mjj": (3, [21, 22]),
    "mlv": (3, [23, 24]),
    "mbb": (6, [25, 26, 27]),
}
SPAM = {
    "capitals": (1, [54, 55, 56]),
    "chars": (1, list(range(48, 54))),
    **{f"words{b}": (3, list(range(12 * b, 12 * b + 12))) for b in range(4)},
}


@dataclass(frozen=True)
class Problem:
    """Rows in three parts, and what their features cost.

    groups : {name: columns}
    costs  : {name: price}
    """

    name: str
    train: tuple[np.ndarray, np.ndarray]
    policy: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]
    groups: dict[str, list[int]]
    costs: dict[str, float]


def problem(name: str, seed: int) -> Problem:
    """A data set of NAMES, its rows parted by a seed."""
    X, y, groups, costs = _SETS[name]()
    order = np.random.default_rng(seed).permutation(len(X))
    n_train, n_policy = min(MOST_TRAIN, len(X) // 2), min(MOST_POLICY, len(X) // 4)
    ends = n_train, n_train + n_policy, n_train + n_policy + MOST_TEST
    parts = [order[: ends[0]], order[ends[0] : ends[1]], order[ends[1] : ends[2]]]
    train, policy, test = ((X[rows], y[rows]) for rows in parts)
    return Problem(name, train, policy, test, groups, costs)


def _of_frame(frame: Any, label: str, positive: str, spec: dict[str, Any]) -> Any:
    """Categories become codes."""
    names = [c for _, columns in spec.values() for c in columns]
    columns = [
        frame[c] if frame[c].dtype.kind in "if" else frame[c].astype("category").cat.codes
        for c in names
    ]
    X = np.column_stack(columns).astype(np.float64)
    y = frame[label].astype(str).str.contains(positive).to_numpy().astype(int)
    place = {c: i for i, c in enumerate(names)}
    return X, y, *_priced({g: (p, [place[c] for c in cs]) for g, (p, cs) in spec.items()})


def _priced(spec: dict[str, Any]) -> tuple[dict[str, list[int]], dict[str, float]]:
    return {g: list(c) for g, (_, c) in spec.items()}, {g: float(p) for g, (p, _) in spec.items()}


def _spam(spec: dict[str, Any]) -> Any:
    X, y = loaded("spambase")
    return X.astype(np.float64), y.astype(int), *_priced(spec)


def _higgs() -> Any:
    X, y = loaded("higgs_sample")
    return X.astype(np.float64), y.astype(int), *_priced(HIGGS)


def _mnist() -> Any:
    """Even or odd, of 2 x 2 means; a group is a block of 4 x 4 pixels."""
    X, y, X_test, y_test = loaded("mnist")
    X, y = np.concatenate([X, X_test])[:24000], np.concatenate([y, y_test])[:24000]
    means = X.reshape(-1, 7, 2, 2, 7, 2, 2).mean(axis=(3, 6))  # block, row, block, column
    rows = means.transpose(0, 1, 3, 2, 4).reshape(-1, 196)
    spec = {f"block{b}": (1, list(range(4 * b, 4 * b + 4))) for b in range(49)}
    return rows.astype(np.float64), (y % 2).astype(int), *_priced(spec)


def _letter() -> Any:
    """A-M or N-Z; a group is a feature."""
    X, y, _ = loaded("letter")
    spec = {f"x{c}": (1, [c]) for c in range(16)}
    return X.astype(np.float64), (y > 12).astype(int), *_priced(spec)


def _thyroid() -> Any:
    """Three classes. The last column is computed from the two before: it comes with both."""
    X, y, _, names, cost = loaded("ann_thyroid")
    names = [str(n) for n in names]
    spec = {n: (float(cost[c]), [c]) for c, n in enumerate(names[:-1])}
    groups, costs = _priced(spec)
    for c in (18, 19):  # listed in both: a feature that is computed from them
        groups[names[c]].append(20)
    return X.astype(np.float64), y.astype(int), groups, costs


_SETS = {
    "adult": lambda: _of_frame(loaded("adult"), "income", ">50K", ADULT),
    "adult_fields": lambda: _of_frame(loaded("adult"), "income", ">50K", ADULT_FIELDS),
    "bank": lambda: _of_frame(loaded("bank"), "y", "yes", BANK),
    "spam_blocks": lambda: _spam(SPAM),
    "spam_words": lambda: _spam({f"w{c}": (1 if c < 54 else 2, [c]) for c in range(57)}),
    "higgs": _higgs,
    "mnist_parity": _mnist,
    "letter_halves": _letter,
    "ann_thyroid": _thyroid,
}
NAMES = tuple(_SETS)
