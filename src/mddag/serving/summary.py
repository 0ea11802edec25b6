"""Summary: what ``sparsify`` found, on which rows it was measured, and what was proved.

``str`` has five lines: what the model is; evaluations; error beside the full model's; what is
promised; the speed to expect. Nothing in it was measured on rows that policies were learned on.
Of a detector the lines are about its rates: evaluations of negatives; TPR; and the FPR, the
realised one beside the one that was wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from mddag._utils.checks import check_one_of
from mddag.ensemble.tasks import TASKS
from mddag.metrics.detection import RealisedRates

KINDS = tuple(TASKS)
KNOBS = ("beta", "budget", "max_loss", "max_disagreement")
ROWS = ("certifying", "choosing")
REFERENCES = ("labels", "model")
PROOFS = ("exact", "asymptotic", None)
TESTS = {None: "", "exact": " (exact)", "asymptotic": " (by a test for many rows)"}
SLOW, FASTER = "no faster", 1.05  # less is lost in what is not in the cost model


@dataclass(frozen=True)
class Summary:
    """Numbers of a sparse model beside the full one, on the same rows.

    kind             : "classifier", "regressor" or "ranker"; of a ranker rows below are queries,
                       each judged by a policy that was fitted on others
    knob, value      : the argument of ``sparsify`` and its number
    n_classifiers    : base classifiers of the full model
    rows             : "certifying", which only tested the bound; or "choosing", which chose the
                       policy, so it looks a little better on them than it is (and on which the
                       means of a regressor were calibrated, too)
    n_rows           : how many these are
    n_evaluated      : base classifiers per row, the mean
    measured_against : "labels", or "model" where no labels were given
    full, sparse     : error (regressors: R2) of the full and the sparse model; None without labels,
                       R2 also where all targets are equal
    difference       : share of rows with another label than the full model's (regressors: the mean
                       squared difference from its predictions, over their variance)
    lost             : what a bound is about, as measured; None for beta and budget
    confidence       : with which it is at most `value` on rows to come; None: nothing is promised
    speed, speed_one : of large batches and of single rows, as a multiple of evaluating everything,
                       as expected; None where nothing is evaluated
    rates            : of a detector, FPR and TPR on rows held out; None for others
    metric           : what full, sparse and lost are of, where it is not the default one
    proof            : "exact", for every distribution of rows, or "asymptotic", for many rows; None
                       where nothing is promised of a metric
    n_nodes, n_nodes_full : nodes visited per row, the mean, by the sparse and the full model; None
                       where evaluations were to be few
    reference        : only of ``train``: the shape of the tuned full model, which is what "full"
                       means here: it need not have the base classifiers of the sparse model
    is_reference     : likewise, whether that model itself was returned
    given            : likewise, error (regressors: R2) of the estimator with the shape it was given
    """

    kind: str
    knob: str
    value: float
    n_classifiers: int
    rows: str
    n_rows: int
    n_evaluated: float
    measured_against: str
    full: float | None
    sparse: float | None
    difference: float
    lost: float | None
    confidence: float | None
    speed: float | None
    speed_one: float | None
    rates: RealisedRates | None = None
    metric: str | None = None
    proof: str | None = None
    n_nodes: float | None = None
    n_nodes_full: float | None = None
    reference: str | None = None
    is_reference: bool = False
    given: float | None = None

    def __post_init__(self) -> None:
        check_one_of("kind", self.kind, KINDS)
        check_one_of("knob", self.knob, KNOBS)
        check_one_of("rows", self.rows, ROWS)
        check_one_of("measured_against", self.measured_against, REFERENCES)
        check_one_of("proof", self.proof, PROOFS)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The five lines."""
        if self.rates is not None:
            return self._detection_lines(self.rates)
        return [
            f"{TASKS[self.kind].estimator} by {self._by}({self.knob}={self.value:g}): {self._what}",
            f"{self._nodes}evaluations per row: {self.n_evaluated:.1f} of {self.n_classifiers} "
            f"base classifiers, on {self.n_rows} {self._rows}",
            f"{self._quality}, on the same {self.n_rows} {self._counted}",
            self._promise,
            f"expected speed: {self._speed}",
        ]

    def _detection_lines(self, rates: RealisedRates) -> list[str]:
        """Those of a detector."""
        held_out = f"{rates.n_negatives} negatives held out"
        return [
            f"{TASKS[self.kind].estimator} by sparsify({rates.target}={rates.wanted:g}, "
            f"{self.knob}={self.value:g}): a cascade of rejects",
            f"evaluations per negative: {rates.n_evaluated:.1f} of {self.n_classifiers} base "
            f"classifiers, on {held_out}",
            rates.line("tpr"),
            rates.line("fpr"),
            f"expected speed: {self._speed}",
        ]

    @property
    def evaluates_all(self) -> bool:
        """Whether it is the full model itself."""
        if self.reference is not None:
            return self.is_reference
        return self.n_evaluated == self.n_classifiers

    @property
    def _by(self) -> str:
        return "sparsify" if self.reference is None else "train"

    @property
    def _everything(self) -> str:
        if self.reference is None:
            return "evaluating everything"
        return f"the full model ({self.reference})"

    @property
    def _nodes(self) -> str:
        if self.n_nodes is None or self.n_nodes_full is None:
            return ""
        return f"nodes per row: {self.n_nodes:.1f} of {self.n_nodes_full:.1f}; "

    @property
    def _what(self) -> str:
        return "the full model" if self.evaluates_all else "a sparse decision DAG"

    @property
    def _rows(self) -> str:
        if self._counted == "queries":
            return "queries, each judged by a policy that it was not fitted on"
        if self.rows == "certifying":
            return "certifying rows"
        calibrated = (
            " and calibrated it" if TASKS[self.kind].calibration_changes_predictions else ""
        )
        return f"rows that chose the policy{calibrated}"

    @property
    def _counted(self) -> str:
        """What bounds count."""
        return TASKS[self.kind].counted

    @property
    def _quality(self) -> str:
        quality = TASKS[self.kind].quality
        name = quality.name if self.metric is None else self.metric
        if self.measured_against == "model":
            return f"{name}: unknown without labels; {quality.in_words(self.difference)}"
        if self.sparse is None or self.full is None:
            return f"{name}: not defined where all targets are equal"
        given = "" if self.given is None else f", {self.given:.4f} the estimator as given"
        return f"{name}: {self.sparse:.4f} sparse, {self.full:.4f} full{given}"

    @property
    def _bounded(self) -> str:
        """What the knob bounds. Without labels each changed one counts as lost."""
        quality = TASKS[self.kind].quality
        lost = self.knob == "max_loss" and self.measured_against == "labels"
        if self.metric is not None:
            own = "" if lost else ", if its own probabilities were true,"
            return f"{self.metric} worse than the full model's{own} by"
        return quality.lost if lost else quality.changed

    @property
    def _promise(self) -> str:
        if self.lost is None:
            others = f"other {self._counted} may fare a little worse than those that chose it"
            return f"promised: nothing; {others}"
        bound = f"{self._bounded} at most {self.value:g}"
        if self.confidence is None:
            return f"promised: nothing (confidence=None); {bound} wanted, {self.lost:.4g} measured"
        if self.evaluates_all:
            return f"promised: {bound}; the full model needs no proof of it"
        certified = (
            f"certified with confidence {self.confidence:g} by {self.n_rows} {self._counted}"
            f"{TESTS[self.proof]}"
        )
        return f"{certified}: {bound}; measured on them: {self.lost:.4g}"

    @property
    def _speed(self) -> str:
        if self.evaluates_all:
            return f"that of {self._everything}"
        if self.speed is None or self.speed_one is None:
            return "nothing is evaluated, and every row gets the same answer"
        batches, single = _times(self.speed), _times(self.speed_one)
        than = "than" if batches == SLOW else "as"
        if self._counted == "queries":
            return f"many queries at once {batches} {than} evaluating everything"
        return f"large batches {batches} {than} {self._everything}, single rows {single}"


def _times(speed: float) -> str:
    if speed < FASTER:
        return SLOW
    return f"{speed:.1f} times as fast" if speed < 10 else f"{speed:.0f} times as fast"


def finite_speed(speed: float) -> float | None:
    """Return the speed; None where nothing is evaluated."""
    return float(speed) if isfinite(speed) else None
