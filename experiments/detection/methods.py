"""The methods of Figure 2, each with many settings.

A setting is fitted on policy rows (base classifiers that it trains itself: on the rows of AdaBoost)
and becomes one `DetectionRun` for each false positive rate and each way to count ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import islice, product

import numpy as np

from experiments.detection.cases import Case, patches
from experiments.detection.formulations import MDDAG_EXP, MDDAG_I, Formulation, decided
from experiments.detection.runs import DetectionRun, Scored
from mddag import MDP, Trace
from mddag import compile as compile_dag
from mddag.detection import (
    FCBoostClassifier,
    SoftCascadeClassifier,
    VJCascadeClassifier,
    WaldBoostClassifier,
)
from mddag.detection.cascade import Chain, votes_of
from mddag.detection.rejection_candidates import (
    RejectionCandidate,
    RejectionFront,
    RejectionProblem,
)
from mddag.detection.stage_cascades import fc_chain
from mddag.detection.thresholds import WantedRate
from mddag.ensemble.nodes import Nodes
from mddag.metrics.detection import Ties
from mddag.solvers import Descent, Sarsa
from mddag.tuning.targets import Budget

LENGTHS = (3, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400)
MISSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8)
HIGH_RATES = (0.98, 0.99, 0.995)  # of detection, as cascades usually want

Rows = tuple[np.ndarray, np.ndarray]  # scores and evaluations
Setting = tuple[str, Rows, Rows]  # its name, policy rows, test rows
At = tuple[float, Ties]  # a rate of false positives, and how ties count
Runs = dict[At, list[tuple[str, DetectionRun]]]


def runs_of(case: Case, settings: Iterator[Setting], measures: Sequence[At]) -> Runs:
    """The runs of settings that are the same for all rates."""
    runs: Runs = {at: [] for at in measures}
    for name, policy, test in settings:
        on_policy = Scored(policy[0], case.y_policy, policy[1])
        on_test = Scored(test[0], case.y_test, test[1])
        for fpr, ties in measures:
            run = DetectionRun.of(on_policy, on_test, fpr, ties=ties)
            runs[fpr, ties].append((name, run))
    return runs


def prefixes(case: Case) -> Iterator[Setting]:
    """AdaBoost: the first j base classifiers."""
    sums = [np.cumsum(votes[:, :100], axis=1) for votes in case.dense]
    for j in range(sums[0].shape[1]):
        policy, test = ((s[:, j], np.full(len(s), j + 1.0)) for s in sums)
        yield f"j={j + 1}", policy, test


def chained(chain: Chain, votes: tuple[np.ndarray, np.ndarray]) -> tuple[Rows, Rows]:
    """What policy rows and test rows with these votes do in a cascade."""
    reach = chain.reach(np.abs(votes[0]).max(axis=0))
    policy, test = (left(chain, rows, reach) for rows in votes)
    return policy, test


def left(chain: Chain, votes: np.ndarray, reach: np.ndarray) -> Rows:
    """Ranks of rows with these votes, by where they leave a cascade, and their evaluations."""
    scores = chain.sums(votes) + chain.bias
    rejected = scores <= chain.rejects
    stage = np.where(rejected.any(axis=1), rejected.argmax(axis=1), chain.n_stages - 1)
    score, steps = scores[np.arange(len(scores)), stage], chain.ends[stage]
    return chain.ranks(score, steps, reach), steps.astype(np.int64)


def soft_cascades(case: Case) -> Iterator[Setting]:
    """SoftCascade of several lengths and detection rates, spending misses early or late."""
    rates = (0.7, 0.8, 0.85, 0.9, 0.95, 0.97, *HIGH_RATES)
    lengths = [n for n in LENGTHS if n <= case.policy.tables.n_classifiers]
    positive = case.y_policy > 0
    for n, rate, alpha in product(lengths, rates, (-16.0, -8.0, -4.0, -2.0, 0.0, 2.0)):
        cascade = SoftCascadeClassifier(n_steps=n, detection_rate=rate, alpha=alpha)
        chain = cascade._chain(case.dense[0], positive)
        yield f"T={n} D={rate:g} alpha={alpha:g}", *chained(chain, case.dense)


def has_high_rate(setting: str) -> bool:
    """Whether a setting of SoftCascade has a detection rate of .98 or more."""
    return setting.split()[1] in {f"D={rate:g}" for rate in HIGH_RATES}


def wald_boosts(case: Case) -> Iterator[Setting]:
    """Thresholds for the pool as it is; and base classifiers trained under rejection."""
    positive = case.y_policy > 0
    for miss, smoothing in product(MISSES, (0.25, 0.5, 1.0)):
        first = case.dense[0][:, : LENGTHS[-1]]
        cascade = WaldBoostClassifier(miss_rate=miss, smoothing=smoothing)
        rejects = cascade._rejects(first, positive)
        chain = Chain.of_steps(np.arange(len(rejects)), rejects)
        yield from shortened(f"miss={miss:g} smoothing={smoothing:g}", chain, case.dense)
    misses = MISSES[4:7] if case.size.quick else MISSES[::2] + MISSES[5:10:2]
    for miss in misses:
        cascade = WaldBoostClassifier(n_rounds=min(150, case.size.n_rounds), miss_rate=miss)
        steps = cascade._boosted(case.material)
        yield from shortened(f"boosted miss={miss:g}", steps.chain, voted(case, steps.trees))


def shortened(name: str, chain: Chain, votes: tuple[np.ndarray, np.ndarray]) -> Iterator[Setting]:
    """A cascade of single steps, cut off at several lengths."""
    for n in LENGTHS:
        if n <= chain.n_stages:
            yield f"{name} T={n}", *chained(truncated(chain, n), votes)


def truncated(chain: Chain, n_stages: int) -> Chain:
    """The first stages alone."""
    n_steps = int(chain.ends[n_stages - 1])
    counts = None if chain.counts is None else chain.counts[:n_steps, :n_stages]
    rejects = chain.rejects[:n_stages]
    return Chain(chain.order[:n_steps], chain.ends[:n_stages], rejects, counts, chain.bias)


def voted(case: Case, trees: list[Nodes]) -> tuple[np.ndarray, np.ndarray]:
    """The votes of trees on policy rows and on test rows."""
    return votes_of(case.material.held, trees), votes_of(case.tested, trees)


def vj_cascades(case: Case) -> Iterator[Setting]:
    """Every number of stages is a setting."""
    fprs, tprs = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (0.9, 0.95, 0.97, 0.98, 0.99, 0.995)
    if case.size.same_rows:
        fprs, tprs = (0.3, 0.5, 0.7), (0.95, 0.98, 0.99, 0.995)
    if case.size.quick:
        fprs, tprs = (0.5, 0.7), (0.95, 0.99)
    wanted = [(f, d, "stage") for f, d in product(fprs, tprs)]
    wanted += [(f, d, "cascade") for f, d in product(fprs, tprs[1::2])]
    for f, d, rates in wanted:
        cascade = VJCascadeClassifier(
            max_fpr=f, min_tpr=d, rates=rates, n_stages=20, max_rounds=150
        )
        stages = cascade._stages(case.material)
        votes = voted(case, stages.trees)
        for m in range(1, stages.chain.n_stages + 1):
            yield f"f={f:g} d={d:g} of {rates} m={m}", *chained(truncated(stages.chain, m), votes)


def fc_boosts(case: Case) -> Iterator[Setting]:
    """Every number of rounds is a setting; stages may reject at other scores than 0, too."""
    etas, weights = (0.003, 0.01, 0.03, 0.1), (1.0, 3.0, 10.0)
    if case.size.same_rows:
        etas, weights = (0.01, 0.03), (3.0, 10.0)
    if case.size.quick:
        etas, weights = (0.02,), (1.0, 3.0)
    for eta, weight in product(etas, weights):
        cascade = FCBoostClassifier(
            n_rounds=min(120, case.size.n_rounds),
            eta=eta,
            positive_weight=weight,
            max_stages=8,
            max_features=max(case.size.n_features // 10, 100),
        )
        grown = cascade._grown(case.material, case.seed)
        votes = voted(case, [staged.tree for staged in grown])
        for n in (n for n in LENGTHS if n <= len(grown)):
            some = votes[0][:, :n], votes[1][:, :n]
            for r in (-0.6, -0.4, -0.2, -0.1, 0.0, 0.2):
                name = f"eta={eta:g} weight={weight:g} n={n} r={r:g}"
                yield name, *chained(fc_chain(grown[:n], r), some)


def mddag(case: Case, formulation: Formulation) -> Iterator[Setting]:
    """MDDAG: every price, and every snapshot of SARSA, is a setting."""
    few = replace(formulation, betas=formulation.betas[::3])
    chosen = few if case.size.quick else formulation
    for k, (beta, _, policy) in enumerate(chosen.policies(case)):
        rows = ((r.scores, r.n_evaluated) for r in decided(case, policy))
        yield f"beta={beta:g} policy={k}", *rows


def traced(case: Case, setting: str) -> tuple[Trace, np.ndarray]:
    """What the policy of one setting of MDDAG.I does with test rows, and their labels."""
    number = int(setting.rpartition("=")[2])
    few = replace(MDDAG_I, betas=MDDAG_I.betas[::3])
    policies = (few if case.size.quick else MDDAG_I).policies(case)
    _, _, policy = next(islice(policies, number, None))
    X_test = patches(case.name, case.seed, case.size)[2]
    return compile_dag(case.pool, policy).run(X_test), case.y_test


def rejections(case: Case, at: At, bounds: Sequence[float]) -> list[tuple[str, DetectionRun]]:
    """`Rejection`: the run that it chooses itself within each bound, on policy rows."""
    rows, others = (
        MDP(votes, y, beta=1e-3)
        for votes, y in ((case.policy, case.y_policy), (case.test, case.y_test))
    )
    problem = RejectionProblem.of(rows, WantedRate(fpr=at[0]))
    test = RejectionProblem.of(others, WantedRate(fpr=at[0]), like=problem)
    front = RejectionFront(problem, problem)
    n_tried = len(front.candidates)
    best = [Budget(max(bound, front.cheapest)).choose(copy(front)) for bound in bounds]
    return [rejection_run(problem, test, candidate, at, n_tried) for candidate in best]


def rejection_run(
    problem: RejectionProblem,
    test: RejectionProblem,
    candidate: RejectionCandidate,
    at: At,
    n_tried: int,
) -> tuple[str, DetectionRun]:
    policy_rows, test_rows = (
        Scored(np.where(np.isfinite(ends.scores), ends.scores, steps - 1e6), ends.positive, steps)
        for ends, steps in (problem.run(candidate), test.run(candidate))
    )
    length = len(candidate.cascade.thresholds)
    name = f"order={candidate.order} T={length} beta={candidate.beta:.2g}, of {n_tried}"
    return name, DetectionRun.of(policy_rows, test_rows, at[0], ties=at[1])


CASCADES: dict[str, Callable[[Case], Iterator[Setting]]] = {
    "AdaBoost": prefixes,
    "VJCascade": vj_cascades,
    "SoftCascade": soft_cascades,
    "FCBoost": fc_boosts,
}
SOME_OF = {"SoftCascade, D >= 0.98": "SoftCascade"}  # some settings of another method
SARSA = {
    "MDDAG.I": partial(mddag, formulation=MDDAG_I),
    "MDDAG.EXP": partial(mddag, formulation=MDDAG_EXP),
}
COARSER = {  # bins of the range that the steps so far can reach
    f"{name}, 11 bins": partial(mddag, formulation=replace(formulation, solver=Sarsa()))
    for name, formulation in {"MDDAG.I": MDDAG_I, "MDDAG.EXP": MDDAG_EXP}.items()
}
EXACT_I = replace(MDDAG_I, solver=Descent())
EXACT = {  # the same decision processes; and one where a false positive costs ten misses
    "MDDAG.I, exact solver": partial(mddag, formulation=EXACT_I),
    "MDDAG.I, FP x 10, exact": partial(mddag, formulation=replace(EXACT_I, false_positive=10.0)),
}
SLOW = ("VJCascade", "FCBoost")
SAME_FOR_ALL_RATES = CASCADES | {"WaldBoost": wald_boosts} | SARSA | COARSER | EXACT
METHODS = {
    "paper": (*CASCADES, *SOME_OF, *SARSA, *COARSER, *EXACT),
    "ours": (*CASCADES, *SOME_OF, "WaldBoost", *SARSA, *COARSER, "Rejection"),
}


def runs(case: Case, method: str, measures: Sequence[At], bounds: Sequence[float]) -> Runs:
    """The runs of all settings of a method; of `Rejection` one for each bound."""
    if method in SAME_FOR_ALL_RATES:
        return runs_of(case, SAME_FOR_ALL_RATES[method](case), measures)
    return {at: rejections(case, at, bounds) for at in measures}
