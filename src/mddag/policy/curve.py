"""Curve: the trade-off between loss and cost, one policy per price beta of an evaluation.

Choose points by the selection rows; the test rows only report.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_is, check_one_of, checked_path
from mddag._utils.output import write_whole
from mddag.losses import Loss, ZeroOne
from mddag.policy.policy import Policy

if TYPE_CHECKING:
    import mddag

PLOTTING = "mddag.inspection.plotting"  # by name: it stands above policies, and needs matplotlib
SAMPLES = ("train", "selection", "test")


@dataclass(frozen=True, eq=False)
class Curve:
    """Loss and cost of the policies of several prices, as `mddag.sweep` returns it.

    There is one row per beta, in the order swept; every column is also an attribute. Printing a
    curve shows a table, with * at the envelope.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_betas,)
        "beta"; for each sample s of train, selection and test that was given "s_loss", "s_cost",
        "s_objective" and "s_n_evaluated" of the policy; and "full_s_loss" and so on of the full
        ensemble.
    policies : tuple of Policy
        Policy learned at each beta.
    loss : Loss, default=ZeroOne()
        Loss that was averaged.

    Examples
    --------
    >>> import numpy as np
    >>> import mddag
    >>> from mddag.policy import Curve
    >>> policies = tuple(mddag.Policy.prefix(n, 10, mddag.Grid([0.0])) for n in (9, 4, 5))
    >>> columns = {
    ...     "beta": np.array([0.001, 0.01, 0.02]),
    ...     "train_loss": np.array([0.1, 0.2, 0.3]),
    ...     "train_cost": np.array([9.0, 4.0, 5.0]),
    ... }
    >>> curve = Curve(columns, policies)
    >>> curve.train_cost[curve.envelope()]
    array([4., 9.])
    """

    columns: Mapping[str, NDArray[np.float64]]
    policies: tuple[Policy, ...] = field(repr=False)
    loss: Loss = field(default_factory=ZeroOne)

    def __post_init__(self) -> None:
        check_is("columns", self.columns, Mapping, "a dict of columns, as mddag.sweep makes it")
        absent = {"beta", "train_loss", "train_cost"} - set(self.columns)
        if absent:
            raise ValueError(f"columns have no {sorted(absent)}; mddag.sweep makes curves")
        check_is("policies", self.policies, tuple, "a tuple with the Policy of each beta")

    def __len__(self) -> int:
        return len(self.policies)

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        columns = self.__dict__.get("columns", {})  # empty while an unpickled curve is being filled
        if name not in columns:
            raise AttributeError(f"the curve has no column {name!r}; it has {', '.join(columns)}")
        column: NDArray[np.float64] = columns[name]
        return column

    def __dir__(self) -> list[str]:
        return sorted([*object.__dir__(self), *self.columns])

    @property
    def samples(self) -> tuple[str, ...]:
        """Samples that the policies were evaluated on."""
        return tuple(s for s in SAMPLES if f"{s}_loss" in self.columns)

    @property
    def chooser(self) -> str:
        """Sample to choose points by: selection if given, else train."""
        return "selection" if "selection" in self.samples else "train"

    def envelope(self, on: str | None = None, *, x: str = "cost") -> NDArray[np.intp]:
        """Return the points that no other point beats in both loss and cost.

        Parameters
        ----------
        on : {"train", "selection", "test"}, default=None
            Sample to compare on; `chooser` by default. An envelope of test rows would be biased by
            selection.
        x : {"cost", "n_evaluated"}, default="cost"
            What counts as cost.

        Returns
        -------
        ndarray of intp
            Row numbers by increasing cost.
        """
        sample = self.chooser if on is None else on
        check_one_of("on", sample, self.samples)
        check_one_of("x", x, ("cost", "n_evaluated"))
        loss, cost = getattr(self, f"{sample}_loss"), getattr(self, f"{sample}_{x}")
        order = np.lexsort((loss, cost))
        best_before = np.concatenate([[np.inf], np.minimum.accumulate(loss[order])[:-1]])
        front: NDArray[np.intp] = order[loss[order] < best_before]
        return front

    def plot(
        self, *, x: Literal["n_evaluated", "cost"] = "n_evaluated", ax: Any = None
    ) -> mddag.TradeoffDisplay:
        """Plot loss against evaluations or cost.

        Parameters
        ----------
        x : {"n_evaluated", "cost"}, default="n_evaluated"
            What the x axis shows.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        TradeoffDisplay
            The plot, with ``ax_`` and ``figure_``.
        """
        display: type[mddag.TradeoffDisplay] = import_module(PLOTTING).TradeoffDisplay
        return display.from_curve(self, x=x, ax=ax)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all columns to a file, each number in its shortest exact form.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(c.tolist() for c in self.columns.values()), strict=True))
        write_whole(checked_path(path), text.getvalue().encode())

    def __str__(self) -> str:
        """Return a table of loss and cost by sample; * marks the envelope."""
        chosen = set(self.envelope().tolist())
        head = f"  {'beta':>8}" + "".join(f" {s + ' loss':>15} {'cost':>9}" for s in self.samples)
        lines = [head]
        for row, beta in enumerate(self.beta):
            mark = "*" if row in chosen else " "
            lines.append(f"{mark} {beta:8.3g}" + self._cells("", row))
        lines.append(f"  {'full':>8}" + self._cells("full_", 0))
        return "\n".join(lines)

    def _cells(self, prefix: str, row: int) -> str:
        pairs = [
            (self.columns[f"{prefix}{s}_loss"][row], self.columns[f"{prefix}{s}_cost"][row])
            for s in self.samples
        ]
        return "".join(f" {loss:15.4f} {cost:9.2f}" for loss, cost in pairs)
