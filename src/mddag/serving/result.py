"""What a fitted model was asked for, and what was found, guaranteed and measured."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from math import isfinite
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from mddag._utils.checks import check_one_of
from mddag.ensemble.tasks import TASKS
from mddag.metrics.detection import RealisedRates
from mddag.policy.mdp import Evaluation

MadeBy = Literal["fit", "sparsify", "train", "acquire"]
MeasuredOn = Literal["policy", "choosing", "certifying"]
Against = Literal["labels", "probabilities", "model"]
FASTER = 1.05  # less is lost in what is not in the cost model


@dataclass(frozen=True)
class MeasuredMetric:
    """A metric of the full and of the sparse model, on the same rows.

    Parameters
    ----------
    name : str
        Name of the metric, such as "accuracy".
    full, sparse : float
        Its values.
    """

    name: str
    full: float
    sparse: float


@dataclass(frozen=True)
class MeasuredBound:
    """A loss that a target bounds, as measured on the rows of a result.

    Parameters
    ----------
    name : str
        What is lost, such as "accuracy".
    lost : float
        Mean excess loss of the sparse model beyond the full one.
    exact : bool
        Whether the test of its guarantee holds for every distribution of rows, not only for many
        rows; of no meaning where nothing is guaranteed.
    """

    name: str
    lost: float
    exact: bool


@dataclass(frozen=True)
class TrainedShape:
    """A shape that ``mddag.train`` tried.

    Parameters
    ----------
    name : str
        Leaves, learning rate, rows per leaf, and the rounds after which it was best.
    n_rounds : int
        These rounds.
    error : float
        Cross-validated error (regressors: the metric) of the model of this length in full.
    cost : float
        Its cost in the unit of the objective.
    n_folds : int
        Folds that judged it; 1 where the first one left no hope.
    chosen : bool, default=False
        Whether the model returned is of this shape.
    """

    name: str
    n_rounds: int
    error: float
    cost: float
    n_folds: int
    chosen: bool = False


@dataclass(frozen=True)
class Training:
    """What ``mddag.train`` tried, and the tuned full model that losses are measured against.

    Parameters
    ----------
    full_model : str
        Shape of the tuned full model; it need not have the base classifiers of the sparse model.
    full_cost : float
        Its mean cost in the unit of the objective.
    is_full_model : bool
        Whether it is what was returned.
    given : sequence of float
        What each metric of the result is for the estimator with the shape it was given, trained on
        the same rows.
    n_trained, n_rows : int
        Number of rows that models were trained on, and of all rows.
    shapes : sequence of TrainedShape
        Every shape that was tried, the best first.
    """

    full_model: str
    full_cost: float
    is_full_model: bool
    given: Sequence[float]
    n_trained: int
    n_rows: int
    shapes: Sequence[TrainedShape] = ()


@dataclass(frozen=True)
class Acquired:
    """What ``mddag.acquire`` found.

    Parameters
    ----------
    member : str
        Kind of policy that won, and what it was learned from.
    sets : sequence of sequence of str
        Groups of features of each set that has a model in the result.
    feature_cost, full_cost : float
        Mean price of a row, and that of all that the full model reads.
    """

    member: str
    sets: Sequence[Sequence[str]]
    feature_cost: float
    full_cost: float


@dataclass(frozen=True)
class Result:
    """What a fitted model was asked for, and what was found, guaranteed and measured.

    ``print`` shows it as text. Nothing in it was measured on rows that policies were learned on,
    unless `rows` is "policy".

    Parameters
    ----------
    kind : {"classifier", "regressor", "ranker"}
        Kind of the model. What counts as a row of a ranker is a query.
    target : str
        What was asked for: "beta", "budget", "max_loss" or "max_disagreement".
    value : float
        Its number.
    made_by : {"fit", "sparsify", "train", "acquire"}
        The function.
    rows : {"policy", "choosing", "certifying"}
        On which rows the following was measured: those that the policy was learned on; held-out
        rows that chose the policy, so that it looks a little better on them than it is; or held-out
        rows that only tested a guarantee.
    n_rows : int
        Number of these rows.
    n_classifiers : int
        Base classifiers of the full model.
    n_evaluated : float
        Mean number of base classifiers evaluated on a row.
    against : {"labels", "probabilities", "model"}, default="labels"
        What losses are of: labels, probabilities given to ``adopt``, or the model's own predictions
        where no labels were given.
    evaluation, full_evaluation : Evaluation or None, default=None
        Eq. (8) and its parts for the policy and for the full model, on the rows that calibrated.
    n_nodes, n_nodes_full : float or None, default=None
        Mean nodes visited on a row by the sparse and by the full model, where nodes were counted.
    metrics : sequence of MeasuredMetric, default=()
        Accuracy, ROC AUC and log-loss (regressors: the metric of the model's own objective, for
        quantiles the share of targets covered, R2 and mean absolute error) of the full and of the
        sparse model; empty without labels.
    difference : float or None, default=None
        Share of rows with another label than the full model's; for regressors the mean squared
        difference from its predictions, over their variance.
    bounds : sequence of MeasuredBound, default=()
        What a bound is about; empty for a price and a budget.
    confidence : float or None, default=None
        Probability with which all bounds hold on unseen data; None without a guarantee.
    speed, speed_one : float or None, default=None
        Expected speed of large batches and of single rows, as a multiple of evaluating everything;
        None where nothing is evaluated or the speed is not known.
    training : Training or None, default=None
        Only of ``train``.
    acquired : Acquired or None, default=None
        Only of ``acquire``.
    rates : RealisedRates or None, default=None
        FPR and TPR of a detector on held-out rows.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_hastie_10_2
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X, y = make_hastie_10_2(6000, random_state=0)
    >>> model = HistGradientBoostingClassifier(max_leaf_nodes=8).fit(X[:2000], y[:2000])
    >>> fast = mddag.sparsify(model, X[2000:], y[2000:], max_loss=0.02)
    >>> fast.result_.target, fast.result_.confidence, fast.result_.n_rows
    ('max_loss', 0.9, 2000)
    >>> [metric.name for metric in fast.result_.metrics]
    ['accuracy', 'ROC AUC', 'log-loss']
    """

    kind: str
    target: str
    value: float
    made_by: MadeBy
    rows: MeasuredOn
    n_rows: int
    n_classifiers: int
    n_evaluated: float
    against: Against = "labels"
    evaluation: Evaluation | None = None
    full_evaluation: Evaluation | None = None
    n_nodes: float | None = None
    n_nodes_full: float | None = None
    metrics: Sequence[MeasuredMetric] = ()
    difference: float | None = None
    bounds: Sequence[MeasuredBound] = ()
    confidence: float | None = None
    speed: float | None = None
    speed_one: float | None = None
    training: Training | None = None
    acquired: Acquired | None = None
    rates: RealisedRates | None = None

    def __post_init__(self) -> None:
        check_one_of("kind", self.kind, tuple(TASKS))
        for name, allowed in (("made_by", MadeBy), ("rows", MeasuredOn), ("against", Against)):
            check_one_of(name, getattr(self, name), get_args(allowed))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def metric(self, name: str) -> MeasuredMetric:
        """Return a metric by its name.

        Parameters
        ----------
        name : str
            Such as "accuracy", "ROC AUC", "log-loss" or "R2".

        Returns
        -------
        MeasuredMetric
            Its values; KeyError if it was not measured.
        """
        return {metric.name: metric for metric in self.metrics}[name]

    @property
    def evaluates_all(self) -> bool:
        """Whether it is the full model itself."""
        if self.training is not None:
            return self.training.is_full_model
        return self.acquired is None and self.n_evaluated == self.n_classifiers

    def lines(self) -> list[str]:
        """Return the lines of the text.

        Returns
        -------
        list of str
            What the model is, and one line for each thing that is known of it.
        """
        what = "Full model" if self.evaluates_all else "Sparse decision DAG"
        asked = f"{self.target}={self.value:g}"
        if self.rates is not None:
            what, asked = "Cascade", f"{self.rates.target}={self.rates.wanted:g}, {asked}"
        known = [(name, text) for name, text in self._parts() if text]
        width = max(len(name) for name, _ in known) + 2
        head = f"{what} ({TASKS[self.kind].estimator}, {self.made_by}({asked}))"
        return [head, *(f"  {name:{width}}{text}" for name, text in known)]

    def _parts(self) -> list[tuple[str, str]]:
        """Return name and text of each line; without a text there is none."""
        given = [""] * len(self.metrics)
        if self.training is not None:
            given = [f", estimator as given {value:.4f}" for value in self.training.given]
        pairs = zip(self.metrics, given, strict=True)
        named = [(m.name, f"{m.sparse:.4f} (full model {m.full:.4f}{more})") for m, more in pairs]
        parts = [("evaluations per row", f"{self.n_evaluated:.1f} of {self.n_classifiers}")]
        if self.n_nodes is not None and self.n_nodes_full is not None:
            parts.append(("nodes per row", f"{self.n_nodes:.1f} of {self.n_nodes_full:.1f}"))
        if self.acquired is not None:
            bought = self.acquired
            costs = f"{bought.feature_cost:.4g} per row (all features {bought.full_cost:.4g})"
            policy = f"{bought.member}, {len(bought.sets)} sets of features"
            parts += [("features bought", costs), ("policy", policy)]
        if self.rates is not None:
            parts += [(name, self.rates.line(name)) for name in ("tpr", "fpr")]
        parts += named
        if not named and self.difference is not None:
            parts.append(("disagreement", f"{self.difference:.4f} with the full model"))
        if self.training is not None:
            parts.append(("full model", self._full_model))
        parts += [("measured on", self._measured_on), ("guarantee", self._guarantee)]
        return [*parts, ("expected speed", self._speed)]

    @property
    def _full_model(self) -> str:
        assert self.training is not None
        known = self.training
        rest = known.n_rows - known.n_trained
        tested = f"; {rest:,} others test the guarantee" if rest else ""
        return f"{known.full_model}, trained on {known.n_trained:,} rows{tested}"

    @property
    def _measured_on(self) -> str:
        why = {
            "policy": "that also fitted the policy or its calibration",
            "choosing": "held out to choose the policy",
            "certifying": "held out to test the guarantee",
        }[self.rows]
        without = ", without labels" if self.against == "model" else ""
        return f"{self.n_rows:,} {TASKS[self.kind].counted} {why}{without}"

    @property
    def _guarantee(self) -> str:
        if not self.bounds:
            return "none"
        names = " and ".join(bound.name for bound in self.bounds)
        measured = ", ".join(f"{bound.lost:.4g}" for bound in self.bounds)
        bound = f"{names} lost at most {self.value:g}"
        if self.against == "model" or self.target == "max_disagreement":
            bound = f"{names} against the full model at most {self.value:g}"
        if self.evaluates_all and self.confidence is not None:
            return f"{bound}; the full model needs no proof"
        if self.confidence is None:
            return f"none (confidence=None); {bound} wanted, {measured} measured"
        test = "" if all(one.exact for one in self.bounds) else ", by a test for many rows"
        return f"{bound} with {100 * self.confidence:g} % confidence{test} (measured {measured})"

    @property
    def _speed(self) -> str:
        if self.evaluates_all:
            return "that of evaluating everything"
        if not self.n_evaluated:
            return "nothing is evaluated, and every row gets the same answer"
        if self.speed is None or self.speed_one is None:
            return ""
        than = "evaluating everything" if self.training is None else "the full model"
        if TASKS[self.kind].counted == "queries":
            return f"{_times(self.speed)} for many queries (vs. {than})"
        batches, single = _times(self.speed), _times(self.speed_one)
        return f"{batches} in large batches, {single} for single rows (vs. {than})"


def _times(speed: float) -> str:
    if speed < FASTER:
        return "no faster"
    return f"{speed:.1f}x" if speed < 10 else f"{speed:.0f}x"


def finite_speed(speed: float) -> float | None:
    """Return the speed; None where nothing is evaluated."""
    return float(speed) if isfinite(speed) else None


Kind = TypeVar("Kind")


def from_json(kind: type[Kind], data: Any, name: str) -> Kind:
    """Return the dataclass whose fields a dict from JSON holds; others raise ValueError."""
    hints, known = get_type_hints(kind), {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if not isinstance(data, dict) or data.keys() != known:
        got = sorted(data)[:12] if isinstance(data, dict) else f"{data!r:.40}"
        raise ValueError(f"{name} has the fields {got}; wanted {sorted(known)}")
    return kind(**{field: _value(hints[field], data[field], field) for field in known})


def _value(hint: Any, value: Any, name: str) -> Any:
    """Return the value of a field, if it is of the type that the field has."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        if value is None:
            return None
        return _value(inner[0], value, name)
    if origin is Literal:
        check_one_of(name, value, inner)
        return value
    if origin is not None:  # a sequence
        if not isinstance(value, list):
            raise ValueError(f"{name} = {value!r:.40}; wanted a list")
        return tuple(_value(inner[0], item, name) for item in value)
    if is_dataclass(hint):
        return from_json(hint, value, name)  # type: ignore[arg-type]
    if type(value) is not hint:  # a bool is no int here
        raise ValueError(f"{name} = {value!r:.40}; wanted {hint.__name__}")
    return value
