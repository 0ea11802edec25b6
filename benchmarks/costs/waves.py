"""Round trips: what ``acquire`` pays for features where it makes no more waves than a cascade.

    MDDAG_DATA=... python -m benchmarks.costs.waves [--sets SET ...] [--seeds 5]

The cascades are those of ``curves``, tuned at wave_cost=0. Ours is learned at each of WAVE_COSTS
and at each price; for each tuned cascade, the one of the smallest cross-fitted loss and price of
features is taken whose mean waves on policy rows are at most the cascade's. Kept in OUT seed by
seed and joined in benchmarks/results/costs/waves.csv, of which `--report` of the package makes a
table.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.costs.curves import Scored, scored, static_and_cascades, tuned
from benchmarks.costs.price_lists import NAMES
from benchmarks.places import OUT, RESULTS
from benchmarks.table import written
from mddag.acquisition.policy import SetPolicy
from mddag.acquisition.rows import SetScores
from mddag.acquisition.search import Cascades, Member, best_member, cell_members

WAVE_COSTS = np.array([0.0, *np.geomspace(0.005, 0.4, 6)])  # in units of the full price
STRENGTHS = np.geomspace(0.008, 4.0, 18)[1:14] * 0.2  # beta by the full price, as in `curves`
FIELDS = ("set", "seed", "method", "knob", "wave_cost", "member", "error", "cost", "waves")
CASCADES = ("cascade, labels", "cascade, teacher")
PARTS, RESULT = OUT / "costs" / "waves", RESULTS / "costs" / "waves.csv"


@dataclass(frozen=True, eq=False)
class Offer:
    """What ``acquire`` learns at a price and a wave cost, and its means on policy rows.

    loss, cost : cross-fitted; the cost is of features alone
    """

    wave_cost: float
    member: str
    policy: SetPolicy
    loss: float
    cost: float
    waves: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(NAMES))
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for seed in range(given.seeds):
        for name in given.sets:
            file = PARTS / f"{name}-{seed}.csv"
            if not file.exists():
                written(file, FIELDS, list(measured(name, seed)))
                print(name, seed, flush=True)
    written(RESULT, FIELDS, known_rows())


def known_rows() -> list[dict[str, str]]:
    """All that was measured, by set and seed."""
    found = []
    for file in sorted(PARTS.glob("*.csv")):
        with file.open() as lines:
            found += list(csv.DictReader(lines))
    return sorted(found, key=lambda row: (NAMES.index(row["set"]), int(row["seed"])))


def measured(name: str, seed: int) -> Iterator[dict[str, Any]]:
    """Full model, cascades, and ours beside each cascade, on test rows."""
    data = scored(name, seed)
    full = float(data.policy.sets.cost[-1])
    betas = STRENGTHS / full
    found = list(offers(data, betas, seed))
    rivals = static_and_cascades(data.taught, data.chains, seed)
    whole = SetPolicy.static(len(data.test.sets), len(data.test.sets) - 1)
    of_seed = {"set": name, "seed": seed}
    yield of_seed | {"method": "full", "knob": 0} | tested(whole, data.test)
    for method in CASCADES:
        for k, beta in enumerate(betas.tolist()):
            rival = tuned(rivals[method], beta)
            mine = chosen(found, beta, mean_waves(rival, data.taught))
            row = of_seed | {"knob": k}
            yield row | {"method": method} | tested(rival, data.test)
            told = {"wave_cost": round(mine.wave_cost / full, 4), "member": mine.member}
            beside = {"method": f"acquire, waves of {method}"}
            yield row | beside | told | tested(mine.policy, data.test)


def offers(data: Scored, betas: np.ndarray, seed: int) -> Iterator[Offer]:
    """What ``acquire`` learns at each wave cost and price."""
    searches = _Searches(data, seed)
    for wave_cost in (WAVE_COSTS * float(data.policy.sets.cost[-1])).tolist():
        rows, members = searches.at(wave_cost)
        for beta in betas.tolist():
            member, best = best_member(members, beta)
            waves = mean_waves(best.policy, rows)
            cost = float(best.cost.mean()) - wave_cost * waves
            yield Offer(wave_cost, member, best.policy, best.loss.mean(), cost, waves)


class _Searches:
    """Searches at any wave cost. Chains are those without; what cascades pay is linear in it."""

    def __init__(self, data: Scored, seed: int) -> None:
        self.data, self.seed, self.chains = data, seed, data.chains
        self.losses = data.taught.losses()
        self.none, self.one = (self._whole(cost) for cost in (0.0, 1.0))

    def at(self, wave_cost: float) -> tuple[SetScores, dict[str, Member]]:
        rows = self.data.at_wave_cost(wave_cost)
        sample = rows.sample(next(iter(self.losses.values())), self.seed)
        members: dict[str, Member] = {}
        for learned_from, losses in self.losses.items():
            members |= cell_members(sample, losses, self.chains, learned_from)
            for kind, cascades in self.none[learned_from].items():
                more = self.one[learned_from][kind].costs - cascades.costs
                priced = replace(cascades, sample=sample, costs=cascades.costs + wave_cost * more)
                members[f"{kind}, {learned_from}"] = priced.solve
        return rows, members

    def _whole(self, wave_cost: float) -> dict[str, dict[str, Cascades]]:
        rows = self.data.at_wave_cost(wave_cost)
        sample = rows.sample(next(iter(self.losses.values())), self.seed)
        singles = [[s] for s in range(len(self.data.policy.sets))]
        kinds = {"cascade": self.chains, "static": singles}
        return {
            learned_from: {kind: Cascades.of(sample, losses, sets) for kind, sets in kinds.items()}
            for learned_from, losses in self.losses.items()
        }


def chosen(found: list[Offer], beta: float, most_waves: float) -> Offer:
    """The best on policy rows at a price of features, with at most so many waves."""
    allowed = [offer for offer in found if offer.waves <= most_waves + 1e-9]
    return min(allowed or found, key=lambda offer: offer.loss + beta * offer.cost)


def mean_waves(policy: SetPolicy, rows: SetScores) -> float:
    """Sets that cost more than nothing which a row passes, in the mean."""
    stops = policy.follow(rows.sets, rows.values)
    return float((stops.seen & (rows.sets.cost > 0)).sum(axis=1).mean())


def tested(policy: SetPolicy, test: SetScores) -> dict[str, str]:
    """Error in percent, mean price of features, and mean waves."""
    stops = policy.follow(test.sets, test.values)
    wrong = test.codes[np.arange(len(test)), stops.last] != test.labels
    numbers = 100 * wrong.mean(), stops.cost.mean(), mean_waves(policy, test)
    return dict(zip(FIELDS[-3:], (f"{v:.6g}" for v in numbers), strict=True))


if __name__ == "__main__":
    main()
