"""What condensation is worth: how near the full ensemble few base classifiers get.

    MDDAG_DATA=... python -m benchmarks.parts.condensation

The models of benchmarks.quality_fixed, out of out/quality_fixed where they were trained already,
and their policy rows: each half is read by what the other made, five seeds. Without condensation
few are the first of `Correlation`; condensed ones are made for each number anew. Written to
benchmarks/results/parts/condensation.csv:

    disagreement    share of labels that differ from the full ensemble's
    error           that of the labels, less the full ensemble's; condensed to F, and to the mixture
                    of F with shorter sums that is followed by default
    log-loss        over the full ensemble's; condensed to F, and to the teacher's log-odds. Scores
                    become probabilities by one factor
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.places import OUT, RESULTS
from benchmarks.quality_fixed.models import ENSEMBLES, Sample, problem
from benchmarks.quality_fixed.probabilities import log_loss
from benchmarks.quality_fixed.rivals import winners
from benchmarks.table import kept
from mddag import MDP, Votes
from mddag.calibration.calibration import probabilities
from mddag.calibration.platt import fit_factor
from mddag.ensemble.partial_sums import partial_sums
from mddag.losses import Logistic
from mddag.ordering import Correlation
from mddag.ordering.arrangement import arranged
from mddag.ordering.condensation import Condensation
from mddag.solvers.portfolio import log_odds
from mddag.solvers.portfolio.mixture import mixture_scores, with_mixture

MODELS = OUT / "quality_fixed" / "models"
FIELDS = ("measure", "data", "ensemble", "way", "n_classifiers", "value", "deviation")
SEEDS = range(5)
FEW = (10, 20, 40, 80, 160, 250)
ORDER, TO_FULL = "Correlation order", "condensed to F"
TO_MIXTURE, TO_TEACHER = "condensed to the mixture", "condensed to the teacher"
TWO_CLASSES = ("electricity", "adult", "higgs", "spambase", "letter A-M/N-Z", "vj")
TWO_AND_MORE = ("electricity", "letter A-M/N-Z", "letter", "mnist")

Scores = np.ndarray[Any, np.dtype[np.float64]]
Readings = Iterator[tuple[str, int, float]]  # a way, how many base classifiers, the value


def main() -> None:
    kept(RESULTS / "parts" / "condensation.csv", FIELDS, measured())


def measured() -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    for measure, name, ensemble in wanted():
        yield from of_problem(measure, name, ensemble)


def wanted() -> Iterator[tuple[str, str, str]]:
    """A measure, a data set, an ensemble."""
    yield from (("disagreement", name, e) for e in ENSEMBLES for name in TWO_AND_MORE)
    yield from (("error", name, "LightGBM") for name in TWO_CLASSES)
    yield from (("log-loss", name, "LightGBM") for name in TWO_CLASSES)


def of_problem(measure: str, name: str, ensemble: str) -> Iterator[dict[str, object]]:
    readings = {"disagreement": disagreements, "error": errors, "log-loss": log_losses}[measure]
    for (way, n), values in of_seeds(name, ensemble, readings).items():
        numbers = f"{np.mean(values):.5f}", f"{np.std(values, ddof=1):.5f}"
        cells = (measure, name, ensemble, way, n, *numbers)
        yield dict(zip(FIELDS, cells, strict=True))


def of_seeds(
    name: str, ensemble: str, readings: Callable[[MDP, MDP], Readings]
) -> dict[tuple[str, int], list[float]]:
    """A value for each seed, the mean of both halves, by way and number of base classifiers."""
    found: dict[tuple[str, int], list[float]] = {}
    for seed in SEEDS:
        halves: dict[tuple[str, int], list[float]] = {}
        for learning, judging in both_ways(problem(name, ensemble, seed, MODELS).policy, seed):
            for way, n, value in readings(learning, judging):
                halves.setdefault((way, n), []).append(value)
        for key, values in halves.items():
            found.setdefault(key, []).append(float(np.mean(values)))
    return found


def both_ways(sample: Sample, seed: int) -> Iterator[tuple[MDP, MDP]]:
    order = np.random.default_rng(seed).permutation(len(sample.labels))
    one, other = (
        MDP(sample.votes.rows(half), sample.labels[half]) for half in np.array_split(order, 2)
    )
    yield one, other
    yield other, one


def disagreements(learning: MDP, judging: MDP) -> Readings:
    full = winners(judging.votes.scores())
    for n, (scores,) in in_order(learning.votes, judging.votes):
        yield ORDER, n, float((winners(scores) != full).mean())
    for n, (scores,) in condensed(partial(Condensation.of, learning.votes), judging.votes):
        yield TO_FULL, n, float((winners(scores) != full).mean())


def errors(learning: MDP, judging: MDP) -> Readings:
    def error(scores: Scores) -> float:
        return float((winners(scores) != judging.labels).mean())

    full = error(judging.votes.scores())
    for way, wanted in ((TO_FULL, None), (TO_MIXTURE, mixture_scores(learning))):
        condense = partial(Condensation.of, learning.votes, wanted=wanted)
        for n, (scores,) in condensed(condense, judging.votes):
            yield way, n, error(scores) - full


def log_losses(learning: MDP, judging: MDP) -> Readings:
    def loss(seen: Scores, scores: Scores) -> float:
        factor = fit_factor(seen, learning.labels)
        return log_loss(probabilities(scores, factor), judging.labels)

    both = learning.votes, judging.votes
    full = loss(*(votes.scores() for votes in both))
    for n, scores in in_order(learning.votes, *both):
        yield ORDER, n, loss(*scores) / full
    taught, advice = with_mixture(
        *(MDP(m.votes, m.labels, loss=Logistic()) for m in (learning, judging))
    )
    to_full = partial(Condensation.of, learning.votes)
    to_teacher = partial(log_odds.condensed, taught)
    for way, condense in ((TO_FULL, to_full), (TO_TEACHER, to_teacher)):
        for n, scores in condensed(condense, *both):
            yield way, n, loss(*scores) / full
    n_all = judging.n_steps
    yield "the teacher itself", n_all, log_loss(advice.labels, judging.labels) / full


def in_order(learning: Votes, *samples: Votes) -> Iterator[tuple[int, list[Scores]]]:
    """The scores (n, K) of each sample after the first few in the order of `Correlation`."""
    arrangement = arranged(Correlation(), learning)
    walks = zip(*(partial_sums(arrangement.votes(votes)) for votes in samples), strict=True)
    for n, scores in enumerate(walks):
        if n in few(learning):
            yield n, list(scores)


def condensed(
    condense: Callable[[int], Condensation], *samples: Votes
) -> Iterator[tuple[int, list[Scores]]]:
    """The scores (n, K) of each sample when nothing but the few that stand for all is asked."""
    condensation = condense(few(samples[0])[-1])
    for n in few(samples[0]):
        arrangement = condensation.arrangement(n)
        yield n, [arrangement.votes(votes).scores() for votes in samples]


def few(votes: Votes) -> list[int]:
    return [n for n in FEW if n < votes.tables.n_classifiers]


if __name__ == "__main__":
    main()
