"""Model: the content of a file: a DAG, its calibration, and what was measured of it.

``load`` checks every array before a kernel reads it; all that is wrong with a file is a
ModelFileError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mddag._internal.checks import check_one_of, checked_path, typed
from mddag._internal.whole_file import write_whole
from mddag.calibration.calibration import Calibration
from mddag.dag.dag import Dag
from mddag.mdp.mdp import Evaluation
from mddag.serving.model_file import _ensemble, _policy, _prices
from mddag.serving.model_file._fields import Types, check_fields, check_tensors
from mddag.serving.model_file._summary import summary_from_json, summary_to_json
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors, pack
from mddag.serving.model_file.reading import content_of, file_content
from mddag.serving.summary import Summary

REFERENCES = ("labels", "probabilities", "model")
VERSION = 1  # of the format
FIELDS: dict[str, Types] = {
    "version": int,
    "beta": (float, type(None)),
    "evaluation": (dict, type(None)),
    "full": (dict, type(None)),
    "measured_against": (str, type(None)),
    "summary": (dict, type(None)),
    **_ensemble.FIELDS,
    **_policy.FIELDS,
}
EVALUATION_FIELDS: dict[str, Types] = dict.fromkeys(
    ("loss", "cost", "objective", "n_evaluated"), float
)


@dataclass(frozen=True, eq=False)
class Model:
    """What is needed to predict, and what is known of it.

    dag         : ensemble and policy
    calibration : what scores at each exit stand for; None where there is none
    beta        : the price of an evaluation that the policy was learned for
    evaluation  : the policy on the policy rows
    full        : evaluating everything on the same rows
    measured_against : what these two losses are of, one of REFERENCES; None where that is not known
    summary     : what ``sparsify`` measured on rows held out
    """

    dag: Dag
    calibration: Calibration | None = None
    beta: float | None = None
    evaluation: Evaluation | None = None
    full: Evaluation | None = None
    measured_against: str | None = None
    summary: Summary | None = None

    def __post_init__(self) -> None:
        n_exits = len(self.dag.ensemble) + 1
        if self.calibration is not None and len(self.calibration.groups) != n_exits:
            raise ValueError(
                f"the calibration is of {len(self.calibration.groups)} exit steps, but the DAG has "
                f"{n_exits}; wanted the calibration of this DAG"
            )
        if self.dag.needs_queries and self.dag.ensemble.kind != "ranker":
            raise ValueError(
                f"the policy looks at all documents of a query ({typed(self.dag.policy.state)}), "
                f"but the ensemble is a {self.dag.ensemble.kind}; wanted a ranker"
            )

    def to_bytes(self) -> bytes:
        """The file's content; the same for the same model."""
        of_ensemble, trees = _ensemble.ensemble_parts(self.dag.ensemble)
        of_policy, actions = _policy.policy_parts(self.dag.policy)
        metadata = {
            "version": VERSION,
            "beta": None if self.beta is None else float(self.beta),
            "evaluation": _evaluation_to_json(self.evaluation),
            "full": _evaluation_to_json(self.full),
            "measured_against": self.measured_against,
            "summary": summary_to_json(self.summary),
            **of_ensemble,
            **of_policy,
        }
        if self.dag.purchases is not None:
            metadata["prices"], of_prices = _prices.prices_parts(self.dag.purchases)
            trees |= of_prices
        tensors = trees | actions | _policy.calibration_parts(self.calibration)
        return pack(metadata, {name: np.ascontiguousarray(t) for name, t in tensors.items()})

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """The model in a file's content, checked throughout."""
        return content_of(data, cls.of_content)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all; what cannot be read again is not written."""
        data = self.to_bytes()
        self.from_bytes(data)
        write_whole(checked_path(path), data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """The model in a file."""
        return file_content(path, cls.of_content)

    @classmethod
    def of_content(cls, metadata: Metadata, tensors: Tensors) -> Model:
        """The model that these hold, checked throughout."""
        _check_version(metadata)
        optional: dict[str, Types] = {n: dict for n in ("state", "prices") if n in metadata}
        check_fields("the metadata", metadata, FIELDS | optional)
        has_prices = "prices" in metadata
        calibrated = "calibration.groups" in tensors
        wanted = _ensemble.TENSORS | _policy.tensors_of(metadata, tensors)
        if "features.rectangles" in tensors:
            wanted |= _ensemble.PATCH_TENSORS
        wanted |= _prices.TENSORS if has_prices else {}
        check_tensors(tensors, wanted | (_policy.CALIBRATION_TENSORS if calibrated else {}))
        ensemble = _ensemble.ensemble_of(metadata, tensors)
        policy = _policy.policy_of(metadata, tensors, ensemble)
        evaluation = _evaluation_from_json(metadata["evaluation"])
        expected = None if evaluation is None else evaluation.n_evaluated
        purchases = _prices.purchases_of(metadata["prices"], tensors) if has_prices else None
        dag = Dag(ensemble, policy, expected_evaluations=expected, purchases=purchases)
        _ = dag.fixed_point  # refuses votes whose sums no executor could hold
        return cls(
            dag,
            _policy.calibration_of(tensors, ensemble, policy),
            metadata["beta"],
            evaluation,
            _evaluation_from_json(metadata["full"]),
            _checked_reference(metadata["measured_against"]),
            summary_from_json(metadata["summary"]),
        )


def _check_version(metadata: Mapping[str, Any]) -> None:
    version = metadata.get("version")
    if type(version) is not int or version != VERSION:
        raise ModelFileError(
            f"the file has format version {version!r:.20}, but this mddag reads version {VERSION}"
        )


def _checked_reference(measured_against: str | None) -> str | None:
    if measured_against is not None:
        check_one_of("measured_against", measured_against, REFERENCES)
    return measured_against


def _evaluation_to_json(evaluation: Evaluation | None) -> Metadata | None:
    if evaluation is None:
        return None
    return {name: float(value) for name, value in asdict(evaluation).items()}


def _evaluation_from_json(metadata: Metadata | None) -> Evaluation | None:
    if metadata is None:
        return None
    return Evaluation(**check_fields("an evaluation", metadata, EVALUATION_FIELDS))
