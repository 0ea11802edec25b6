"""The criterion of FCBoost: error and cost of a cascade with soft decisions, and its derivative.

With u(z) = (tanh(s z) + 1) / 2 the last-stage cascade of f_1 … f_M scores and costs

    F_M = f_M,  F_m = f_m + u(f_m) (F_{m+1} - f_m)       C_M = c_M,  C_m = c_m + u(f_m) C_{m+1},

c_m being the base classifiers that stage m evaluates, and with row weights p

    L = sum_i p_i exp(-y_i F_1(x_i)) + eta x mean over negatives of C_1.

With b_m = prod_{j<m} u(f_j), the derivative of L by f_m(x_i) is

    -p_i y_i exp(-y_i F_1) b_m psi_m + eta b_m u'(f_m) C_{m+1} [i negative] / n_negative,
    psi_m = 1 - u(f_m) + u'(f_m) (F_{m+1} - f_m);  psi_M = 1, and no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

LONGEST_STEP = 2.0  # a base classifier without error among millions of rows gets less
CLOSE = 1e-3  # of a step: where its length is found

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SoftStages:
    """Scores of the stages of rows, and what they cost.

    scores : float64 (M, n), f_m
    costs  : float64 (M,), c_m
    slope  : s of u(z) = (tanh(s z) + 1) / 2
    """

    scores: Matrix
    costs: Vector
    slope: float

    def passed(self) -> Matrix:
        """u(f_m), float64 (M, n)."""
        return soft_step(self.scores, self.slope)

    def reached(self, u: Matrix) -> Matrix:
        """b_m, float64 (M + 1, n); the last is for a stage to come."""
        return np.vstack([np.ones(u.shape[1]), np.cumprod(u, axis=0)])

    def backward(self, u: Matrix) -> tuple[Matrix, Matrix]:
        """F_m and C_m, float64 (M, n) each."""
        final, cost = np.empty_like(u), np.empty_like(u)
        final[-1], cost[-1] = self.scores[-1], self.costs[-1]
        for m in range(len(u) - 2, -1, -1):
            final[m] = self.scores[m] + u[m] * (final[m + 1] - self.scores[m])
            cost[m] = self.costs[m] + u[m] * cost[m + 1]
        return final, cost

    def extended(self) -> SoftStages:
        """With a new last stage that scores as the last does and evaluates nothing yet."""
        return replace(
            self,
            scores=np.vstack([self.scores, self.scores[-1:]]),
            costs=np.append(self.costs, 0.0),
        )

    def moved(self, m: int, votes: Vector) -> SoftStages:
        """One base classifier more in stage m, with these votes (n,)."""
        scores, costs = self.scores.copy(), self.costs.copy()
        scores[m] += votes
        costs[m] += 1
        return replace(self, scores=scores, costs=costs)


@dataclass(frozen=True, eq=False)
class Criterion:
    """L of rows.

    signs   : float64 (n,), y
    weight  : float64 (n,), p
    price   : float64 (n,), eta / n_negative for negatives, 0 for positives
    """

    signs: Vector
    weight: Vector
    price: Vector

    def value(self, stages: SoftStages) -> float:
        final, cost = stages.backward(stages.passed())
        return self.of(final[0], cost[0])

    def of(self, final: Vector, cost: Vector) -> float:
        """L of scores F_1 and costs C_1."""
        return float(self.weight @ np.exp(-self.signs * final) + self.price @ cost)

    def derivative(self, stages: SoftStages) -> Matrix:
        """dL / df_m(x_i), float64 (M, n)."""
        u = stages.passed()
        reached, (final, cost) = stages.reached(u)[:-1], stages.backward(u)
        pull = self.signs * self.weight * np.exp(-self.signs * final[0])
        psi, dear = np.ones_like(u), np.zeros_like(u)
        du = 2 * stages.slope * u * (1 - u)
        psi[:-1] = 1 - u[:-1] + du[:-1] * (final[1:] - stages.scores[:-1])
        dear[:-1] = du[:-1] * cost[1:]
        derivative: Matrix = reached * (self.price * dear - pull * psi)
        return derivative

    def along(self, stages: SoftStages, m: int, votes: Vector) -> tuple[float, float]:
        """The best length a > 0 of a step of votes ±1 (n,) in stage m, and L there.

        F_1 and C_1 are linear in F_m and C_m, and what comes behind stage m stays as it is.
        """
        u = stages.passed()
        reached, (final, cost) = stages.reached(u)[m], stages.backward(u)
        before, cost_before = final[0] - reached * final[m], cost[0] - reached * cost[m]
        last = m == len(u) - 1
        score, price = stages.scores[m], stages.costs[m] + 1

        def value(a: float) -> float:
            moved = score + a * votes
            here, here_cost = moved, price
            if not last:
                open_ = soft_step(moved, stages.slope)
                here = moved + open_ * (final[m + 1] - moved)
                here_cost = price + open_ * cost[m + 1]
            return self.of(before + reached * here, cost_before + reached * here_cost)

        bounds = 0.0, LONGEST_STEP
        found = minimize_scalar(value, bounds=bounds, method="bounded", options={"xatol": CLOSE})
        return float(found.x), float(found.fun)


def soft_step(z: Matrix, slope: float) -> Matrix:
    """u(z) = (tanh(s z) + 1) / 2."""
    u: Matrix = (np.tanh(slope * z) + 1) / 2
    return u
