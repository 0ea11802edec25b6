"""Routes: routings made from rows without labels, and the regions of the rows that are judged.

Routings need many rows: a region of 64 has a 64th of them. The rows that the model was trained on
serve, since nothing but scores of the full ensemble is wanted of them. The default solver tries
each routing as one more arrangement, and rows held out decide whether it pays. Where no rows are
given, or where they are too few for regions, there are no routings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag._internal.row_sampling import spaced_rows
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.routing import Routing, leaves_of, uniform, with_regions
from mddag.ensemble.votes import Votes
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Rows
from mddag.mdp.mdp import MDP
from mddag.ordering.condensation import LEAST
from mddag.ordering.regions import fitted_router, routings_of
from mddag.solvers.portfolio.mixture import mixture_scores
from mddag.tuning.prices import Prices

# Regions, and the parts of all base classifiers that each evaluates at most.
SHAPES = ((16, (6,)), (64, (6, 3)))
ROWS_PER_REGION = 150  # fewer say little about which base classifiers are best there
FEWEST_ROWS = 9_600  # to make any regions from: with fewer, 16 regions lost as often as they gained
FEWEST = 50  # rows of the smallest region
MOST_TREES = 24_000  # in all regions together
MOST_ROWS = 40_000  # that routings are made from


def with_routes(
    ensemble: Ensemble,
    mdp: MDP,
    rows: Rows,
    learning: NDArray[np.intp],
    unlabelled: Rows,
    prices: Prices | None = None,
) -> Votes:
    """The votes of an MDP's rows with their regions in routings, as far as these can be made.

    rows       : those of the MDP
    learning   : which of them serve for learning; their labels say how far the full score is to be
                 followed
    unlabelled : further rows that routings are made from
    prices     : of the base classifiers; None where all cost alike
    """
    votes = mdp.votes
    if not can_be_routed(ensemble, mdp):
        return votes
    few = unlabelled[spaced_rows(len(unlabelled), MOST_ROWS)]
    some = np.concatenate([rows[learning], few])
    if len(some) < FEWEST_ROWS:
        return votes
    of_some = ensemble.votes(some)
    wanted = of_some.scores()
    if mdp.labels.ndim == 1:
        wanted = mixture_scores(mdp.rows(learning), of_some)
    made: list[Routing] = []
    for n_regions, parts in SHAPES:
        sizes = _sizes(ensemble, n_regions, parts)
        if len(some) < ROWS_PER_REGION * n_regions or not sizes:
            continue
        router = fitted_router(some, of_some.scores(), n_regions, FEWEST)
        regions = leaves_of(router, some)
        made += routings_of(router, of_some, regions, sizes, wanted=wanted)
    routed = with_regions(votes, made, rows)
    if prices is None:
        return routed
    return replace(routed, routes=tuple(prices.route(route, votes) for route in routed.routes))


def can_be_routed(ensemble: Ensemble, mdp: MDP) -> bool:
    """Whether steps of regions can be one step: trees of one form and price, for classes."""
    plain = not (ensemble.callables or ensemble.priced)
    plain &= not isinstance(ensemble.features, PatchFeatures)
    decides = ensemble.task.predicts_classes and not mdp.loss.of_probabilities
    return plain and decides and "quit" in mdp.actions and uniform(ensemble.tables)


def _sizes(ensemble: Ensemble, n_regions: int, parts: tuple[int, ...]) -> list[int]:
    """Numbers of base classifiers that are neither too few nor too many for so many regions."""
    n_trees = ensemble.n_trees // max(len(ensemble), 1)
    wanted = (len(ensemble) // part for part in parts)
    return [size for size in wanted if size >= LEAST and n_regions * size * n_trees <= MOST_TREES]
