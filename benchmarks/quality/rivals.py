"""What one can do without mddag, each with all its settings.

    smaller model            a prefix of a retrained model of any shape
    smaller model, margin    the same, and rows end where the margin exceeds a threshold
    prefix, margin           the same two of the full model
    pred_early_stop          LightGBM's own: the margin is looked at every ten rounds
    QWYC, QWYC, own order    "Quit when you can" (Wang, Gupta & You), two thresholds per round

`joint` pools them all: the yardstick is the front of this pool on policy rows.

Who has chosen by policy rows can train once more, on training and policy rows together ("all
rows"): the same settings of the same shapes, chosen on policy rows by models that had not seen
them, measured for models that had. QWYC, whose thresholds are learned from rows that the model has
not seen, is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from benchmarks.quality.boosters import Trained, Tuned, trained
from benchmarks.quality.curves import ALL_ROWS, Candidate, Measures
from benchmarks.quality.nodes import Walk, depths_of, walk, walked
from benchmarks.quality.qwyc_order import OrderedQWYC
from benchmarks.quality.rows import Parts, Sample
from mddag import MDP, Ensemble, Grid, Policy, Votes
from mddag.policy.policy import EVAL, QUIT
from mddag.solvers import QWYC

FREQ = 10  # pred_early_stop_freq, LightGBM's default
SIZES = (5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 350)
N_MARGINS, N_MARGINS_FULL = 24, 100
RATES = tuple(np.geomspace(3e-4, 0.2, 40))  # of changed labels, for QWYC
JOINT = "best rival"
RETRAINED = ("smaller model", "smaller model, margin")


def rivals(tuned: Tuned, rows: Parts, library: str) -> list[Candidate]:
    """All candidates of all rivals."""
    found = list(of_full(tuned, rows, library))
    for model in tuned.grid:
        found += of_shape(model, rows, library)
    return found


def of_shape(model: Trained, rows: Parts, library: str) -> Iterator[Candidate]:
    """Prefixes of a retrained model, with every margin and without one."""
    on_policy = walked_by(model.ensemble, rows.policy)
    sizes = sorted({min(size, on_policy.n_rounds) for size in SIZES})
    margins = spread_margins(on_policy, N_MARGINS)
    n_rounds, words = len(model.ensemble), f"{model.shape}, "
    test = Later(lambda: model.ensemble, rows.test)
    again = Later(lambda: trained(library, model.shape, n_rounds, rows.all_rows), rows.test)
    yield from ended(RETRAINED, on_policy, test, sizes, margins, words)
    yield from ended(on_all_rows(RETRAINED), on_policy, again, sizes, margins, words)


def of_full(tuned: Tuned, rows: Parts, library: str) -> Iterator[Candidate]:
    """The rivals that the full model is enough for."""
    full = tuned.full
    on_policy, test = walked_by(full, rows.policy), Later(lambda: full, rows.test)
    again = Later(lambda: trained(library, tuned.shape, len(full), rows.all_rows), rows.test)
    sizes = np.unique(np.geomspace(1, len(full), 60).round().astype(int)).tolist()
    margins = spread_margins(on_policy, N_MARGINS_FULL)
    known = [(test, tuple)] if library == "AdaBoost.MH" else [(test, tuple), (again, on_all_rows)]
    for later, names in known:
        yield from ended(names(("prefix", "")), on_policy, later, sizes, [])
        yield from ended(names(("", "margin")), on_policy, later, [len(full)], margins)
    if library == "LightGBM":
        yield from ended(("", "pred_early_stop"), on_policy, test, [len(full)], margins, every=FREQ)
    if full.n_scores == 1:
        yield from qwyc("QWYC", QWYC(rates=RATES), full, rows)
        yield from qwyc("QWYC, own order", OrderedQWYC(rates=RATES), full, rows)


def on_all_rows(names: tuple[str, str]) -> tuple[str, str]:
    """Those of the same methods after a training on all rows."""
    first, second = (name and name + ALL_ROWS for name in names)
    return first, second


def walked_by(ensemble: Ensemble, sample: Sample) -> Walk:
    return walk(ensemble, ensemble.votes(sample.X), sample.y)


class Later:
    """A model and its walk of test rows, made when a candidate is chosen that needs it."""

    def __init__(self, train: Callable[[], Ensemble], sample: Sample) -> None:
        self.train, self.sample = train, sample

    @cached_property
    def ensemble(self) -> Ensemble:
        return self.train()

    @cached_property
    def walk(self) -> Walk:
        return walked_by(self.ensemble, self.sample)

    def ended(self, size: int, margin: float, every: int) -> Measures:
        return self.walk.ended(np.minimum(self.walk.first_above(margin, every), size))

    def made(self, size: int, margin: float, every: int) -> tuple[Ensemble, Policy | None]:
        return with_margin(self.ensemble, size, margin, every)


def spread_margins(on_policy: Walk, n: int) -> list[float]:
    """Thresholds from those that nearly all rows exceed early to those that few ever exceed."""
    some = on_policy.margin[:: max(1, on_policy.n_rounds // 25)]
    return np.unique(np.quantile(some, np.linspace(0.02, 0.999, n))).tolist()


def ended(
    names: tuple[str, str],
    on_policy: Walk,
    test: Later,
    sizes: list[int],
    margins: list[float],
    words: str = "",
    every: int = 1,
) -> Iterator[Candidate]:
    """Every size with every margin, and without one; an empty name leaves that out.

    every : rounds between two looks at the margin
    """
    for margin in [np.inf, *margins]:
        name = names[0] if margin == np.inf else names[1]
        if not name:
            continue
        first = on_policy.first_above(margin, every)
        for size in sizes:
            yield Candidate(
                method=name,
                setting=f"{words}{size} rounds"
                + (f", margin {margin:.3g}" if margin < np.inf else ""),
                policy=on_policy.ended(np.minimum(first, size)),
                test=partial(test.ended, size, margin, every),
                make=partial(test.made, size, margin, every),
                ends=" and ".join(_ends(size, sizes, margin, margins)),
            )


def _ends(size: int, sizes: list[int], margin: float, margins: list[float]) -> Iterator[str]:
    if len(sizes) > 1 and size in (sizes[0], sizes[-1]):
        yield "rounds"
    if margin < np.inf and margin in (margins[0], margins[-1]):
        yield "margin"


def with_margin(
    ensemble: Ensemble, size: int, margin: float, every: int = 1
) -> tuple[Ensemble, Policy | None]:
    """A prefix of an ensemble and the margin rule as a policy, to be compiled."""
    small = ensemble.truncated(size)
    if margin == np.inf:
        return small, None
    several = small.n_scores > 1
    grid = Grid(np.array([margin] if several else [-margin, margin]), small.n_scores)
    rule = np.array([EVAL, QUIT] * small.n_scores if several else [QUIT, EVAL, QUIT], np.uint8)
    actions = np.tile(rule, (-(-size // every), 1))
    actions[0] = EVAL  # the rule looks at the score after the first round
    return small, Policy(actions, grid, np.arange(size), every)


def qwyc(name: str, solver: Any, full: Ensemble, rows: Parts) -> Iterator[Candidate]:
    """QWYC at all its rates, learned on all policy rows.

    Its thresholds are made for the rows that they are learned on, so the error there says little:
    it is that of each half with thresholds learned on the other.
    """
    votes, leaf_depths = full.votes(rows.policy.X), depths_of(full)
    mdp = MDP(votes, rows.policy.y, grid=Grid.quantile(votes))
    errors = crossed_errors(solver, mdp)
    candidates, test = solver.candidates(mdp), LaterVotes(full, rows.test, leaf_depths)
    for c in range(len(candidates)):
        _, evaluations, nodes = measured(candidates[c], votes, rows.policy, leaf_depths)
        yield Candidate(
            method=name,
            setting=f"rate {c} of {len(candidates)}",
            policy=(float(errors[c]), evaluations, nodes),
            test=partial(test.measured, candidates[c]),
            make=partial(pair, full, candidates[c]),
            ends="rate" if c == len(candidates) - 1 else "",
        )


def crossed_errors(solver: Any, mdp: MDP) -> np.ndarray:
    """The error of each candidate on rows that it was not learned on, (n_candidates,)."""
    halves = np.arange(mdp.n_rows) % 2
    one, other = (mdp.rows(np.flatnonzero(halves == h)) for h in (0, 1))
    return (
        solver.candidates(one).evaluate(other)[0] + solver.candidates(other).evaluate(one)[0]
    ) / 2


class LaterVotes:
    """The votes on test rows, made when a policy is chosen that needs them."""

    def __init__(self, ensemble: Ensemble, sample: Sample, leaf_depths: list[np.ndarray]) -> None:
        self.ensemble, self.sample, self.leaf_depths = ensemble, sample, leaf_depths

    @cached_property
    def votes(self) -> Votes:
        return self.ensemble.votes(self.sample.X)

    def measured(self, policy: Policy) -> Measures:
        return measured(policy, self.votes, self.sample, self.leaf_depths)


def measured(
    policy: Policy, votes: Votes, sample: Sample, leaf_depths: list[np.ndarray]
) -> Measures:
    """Error, evaluations and nodes of a policy on some rows."""
    found = walked(policy, votes, leaf_depths)
    error = float((found.winners != sample.y).mean())
    return error, float(found.evaluations.mean()), float(found.nodes.mean())


def pair(ensemble: Ensemble, policy: Policy) -> tuple[Ensemble, Policy]:
    return ensemble, policy
