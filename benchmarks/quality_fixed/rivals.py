"""Rivals that need no policy: LightGBM's own early stopping of predictions, and smaller models.

``pred_early_stop`` looks at the sum of the trees after every FREQ rounds and stops where the
margin exceeds a threshold: 2 |f| for two classes, the difference of the two best scores for more.
Its rule is computed from the votes, and compared with LightGBM's own answers when a model is
trained.

The smaller models are LightGBM again with fewer rounds, trained on the same rows. A model of m
rounds is the beginning of a longer one, so one model per learning rate serves every size; the
learning rate of each size is chosen by the error on the policy rows. (AdaBoost.MH has no learning
rate: its smaller models are the prefixes of the large one.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.quality_fixed.curves import N_POINTS
from mddag import Votes, as_ensemble

FREQ = 10  # pred_early_stop_freq, LightGBM's default
LEARNING_RATES = (0.1, 0.2, 0.4, 0.7)
SMALLEST, LARGEST = 0.02, 0.6  # 10 and 300 of 500 rounds


@dataclass(frozen=True)
class EarlyStop:
    """The scores that ``pred_early_stop`` looks at, to be stopped at any margin.

    scores : float64 (n_looks, n, K) after FREQ, 2 FREQ ... rounds, and after all
    rounds : intp (n_looks,)
    """

    scores: np.ndarray
    rounds: np.ndarray

    @classmethod
    def of(cls, votes: Votes) -> EarlyStop:
        n_rounds = votes.tables.n_classifiers
        rounds = np.unique(np.append(np.arange(FREQ, n_rounds, FREQ), n_rounds))
        return cls(staged_scores(votes, rounds), rounds)

    @cached_property
    def margins(self) -> np.ndarray:
        """What is compared with the threshold, (n_looks, n)."""
        if self.scores.shape[2] == 1:
            return 2 * np.abs(self.scores[:, :, 0])
        best = np.partition(self.scores, -2, axis=2)
        return best[:, :, -1] - best[:, :, -2]

    def stopped(self, margin: float) -> tuple[np.ndarray, np.ndarray]:
        """Scores (n, K) and rounds (n,) of rows that stop at the first margin above this one."""
        over = self.margins > margin
        over[-1] = True
        look = over.argmax(axis=0)
        return self.scores[look, np.arange(len(look))], self.rounds[look]


def staged_scores(votes: Votes, rounds: np.ndarray) -> np.ndarray:
    """The scores after these numbers of rounds, ascending; float64 (n_rounds, n, K)."""
    tables = votes.tables
    staged = np.empty((len(rounds), len(votes), tables.n_scores))
    total, trees = np.tile(tables.bias, (len(votes), 1)), 0
    for stage, last in enumerate(tables.rounds[rounds]):
        for t in range(trees, last):
            total += tables.table(t)[votes.codes[:, t]]
        staged[stage], trees = total, last
    return staged


def prove_early_stop(model: Any, X: Any, votes: Votes) -> None:
    """Stop unless the rule gives LightGBM's own scores."""
    rule = EarlyStop.of(votes)
    # A quantile may be a margin of many rows alike, which rounding then takes to either side.
    for margin in np.quantile(rule.margins, (0.2, 0.5, 0.8)) * (1 + 1e-6):
        theirs = model.booster_.predict(
            X,
            raw_score=True,
            pred_early_stop=True,
            pred_early_stop_freq=FREQ,
            pred_early_stop_margin=margin,
        )
        ours = rule.stopped(margin)[0]
        different = np.abs(ours - theirs.reshape(ours.shape)).max(axis=1) > 1e-6
        if different.mean() > 0.001:
            raise RuntimeError(
                f"pred_early_stop at margin {margin} differs on {different.sum()} of "
                f"{len(different)} rows from its rule on the votes"
            )


@dataclass(frozen=True)
class SmallerModels:
    """Retrained models by size, the learning rate of each chosen on the policy rows.

    rounds, rates, policy_error, test_error : (N_POINTS,)
    """

    rounds: np.ndarray
    rates: np.ndarray
    policy_error: np.ndarray
    test_error: np.ndarray

    @classmethod
    def trained(cls, make: Callable[[int, float], Any], n_rounds: int, rows: Any) -> SmallerModels:
        sizes = np.unique(np.geomspace(SMALLEST * n_rounds, LARGEST * n_rounds, N_POINTS).round())
        sizes = sizes.astype(int)
        models = [make(int(sizes[-1]), rate).fit(*rows.model) for rate in LEARNING_RATES]
        policy, test = (
            np.array([staged_errors(model, sizes, *part) for model in models])
            for part in (rows.policy, rows.test)
        )
        best = policy.argmin(axis=0), np.arange(len(sizes))
        return cls(sizes, np.array(LEARNING_RATES)[best[0]], policy[best], test[best])

    def arrays(self) -> dict[str, np.ndarray]:
        return {f"smaller_{name}": array for name, array in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> SmallerModels:
        return cls(**{name: arrays[f"smaller_{name}"] for name in cls.__dataclass_fields__})


def staged_errors(model: Any, rounds: np.ndarray, X: Any, y: np.ndarray) -> np.ndarray:
    """The errors after these numbers of rounds, (n_rounds,)."""
    votes = as_ensemble(model).votes(X)
    # At high learning rates LightGBM may find nothing to split, and end before its last round.
    staged = staged_scores(votes, np.minimum(rounds, votes.tables.n_classifiers))
    return np.array([np.mean(winners(scores) != y) for scores in staged])


def winners(scores: np.ndarray) -> np.ndarray:
    """The class that scores (n, K) decide for, (n,)."""
    return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
