"""Metrics by the names that scikit-learn's ``scoring=`` has for them."""

from __future__ import annotations

from collections.abc import Callable

from mddag.metrics.classification import Accuracy, ClassMetric, LogLoss, RocAuc
from mddag.metrics.ranking import RankingMetric
from mddag.metrics.regression import (
    D2,
    R2,
    GammaDeviance,
    MeanAbsoluteError,
    MeanSquaredError,
    PoissonDeviance,
    RegressionMetric,
)

Metric = ClassMetric | RegressionMetric | RankingMetric

_NAMED: dict[str, Callable[[], Metric]] = {
    "accuracy": Accuracy,
    "roc_auc": RocAuc,
    "roc_auc_ovr": RocAuc,
    "neg_log_loss": LogLoss,
    "r2": R2,
    "neg_mean_squared_error": MeanSquaredError,
    "neg_mean_absolute_error": MeanAbsoluteError,
    "neg_mean_poisson_deviance": PoissonDeviance,
    "neg_mean_gamma_deviance": GammaDeviance,
    "d2_absolute_error_score": lambda: D2(MeanAbsoluteError()),
}
# What to give for names that leave out a parameter, or that people try
_HINTS = {
    "pinball": "Pinball(alpha), with the quantile, such as Pinball(0.9)",
    "tweedie": "TweedieDeviance(power), with the variance power, such as TweedieDeviance(1.5)",
    "root_mean_squared": "MeanSquaredError() or R2(), which rank models alike",
    "ndcg": "mddag.ranking.sparsify with NDCG(k)",
}


def as_metric(metric: Metric | str) -> Metric:
    """Return a metric of `mddag.metrics`, also by its name in scikit-learn.

    Parameters
    ----------
    metric : metric of mddag.metrics or str
        A metric, returned as it is, or one of scikit-learn's names: ``"accuracy"``, ``"roc_auc"``,
        ``"roc_auc_ovr"``, ``"neg_log_loss"``, ``"r2"``, ``"neg_mean_squared_error"``,
        ``"neg_mean_absolute_error"``, ``"neg_mean_poisson_deviance"``,
        ``"neg_mean_gamma_deviance"``, ``"d2_absolute_error_score"``.

    Returns
    -------
    metric of mddag.metrics
        The metric.

    Raises
    ------
    ValueError
        If no metric has the name.
    TypeError
        If `metric` is neither a metric nor a string.

    Examples
    --------
    >>> from mddag.metrics import as_metric
    >>> as_metric("neg_mean_absolute_error")
    MeanAbsoluteError()
    """
    if isinstance(metric, (ClassMetric, RegressionMetric, RankingMetric)):
        return metric
    if not isinstance(metric, str):
        raise TypeError(
            f"metric is {metric!r}; wanted a metric of mddag.metrics, such as LogLoss(), or its "
            f"name in scikit-learn: {', '.join(_NAMED)}"
        )
    if metric in _NAMED:
        return _NAMED[metric]()
    hint = next((f"; try {text}" for part, text in _HINTS.items() if part in metric), "")
    raise ValueError(f"metric is {metric!r}; wanted one of {', '.join(_NAMED)}{hint}")
