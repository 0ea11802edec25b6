"""Write and read the content of a file: a DAG, its calibration, and what was measured.

``load`` checks every array before a kernel reads it; whatever is wrong with a file raises
ModelFileError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from mddag._utils.checks import check_one_of, checked_path, typed
from mddag._utils.output import write_whole
from mddag.engine.dag import Dag
from mddag.metrics.detection import RealisedRates
from mddag.policy.calibration import Calibration
from mddag.policy.mdp import Evaluation
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_tensors,
    content_of,
    file_content,
    pack,
)
from mddag.serving.model_file.ensemble import (
    ENSEMBLE_FIELDS,
    ENSEMBLE_TENSORS,
    PATCH_TENSORS,
    ensemble_of,
    ensemble_parts,
)
from mddag.serving.model_file.policy import (
    CALIBRATION_TENSORS,
    POLICY_FIELDS,
    PRICE_TENSORS,
    calibration_of,
    calibration_parts,
    policy_of,
    policy_parts,
    prices_parts,
    purchases_of,
    tensors_of,
)
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
    **ENSEMBLE_FIELDS,
    **POLICY_FIELDS,
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
        """Return the file's content; the same for the same model."""
        of_ensemble, trees = ensemble_parts(self.dag.ensemble)
        of_policy, actions = policy_parts(self.dag.policy)
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
            metadata["prices"], of_prices = prices_parts(self.dag.purchases)
            trees |= of_prices
        tensors = trees | actions | calibration_parts(self.calibration)
        return pack(metadata, {name: np.ascontiguousarray(t) for name, t in tensors.items()})

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read the model in a file's content, checked throughout."""
        return content_of(data, cls.of_content)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all; what cannot be read back is not written."""
        data = self.to_bytes()
        self.from_bytes(data)
        write_whole(checked_path(path), data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Read the model in a file."""
        return file_content(path, cls.of_content)

    @classmethod
    def of_content(cls, metadata: Metadata, tensors: Tensors) -> Model:
        """Make the model that these hold, checked throughout."""
        _check_version(metadata)
        optional: dict[str, Types] = {n: dict for n in ("state", "prices") if n in metadata}
        check_fields("the metadata", metadata, FIELDS | optional)
        has_prices = "prices" in metadata
        calibrated = "calibration.groups" in tensors
        wanted = ENSEMBLE_TENSORS | tensors_of(metadata, tensors)
        if "features.rectangles" in tensors:
            wanted |= PATCH_TENSORS
        wanted |= PRICE_TENSORS if has_prices else {}
        check_tensors(tensors, wanted | (CALIBRATION_TENSORS if calibrated else {}))
        ensemble = ensemble_of(metadata, tensors)
        policy = policy_of(metadata, tensors, ensemble)
        evaluation = _evaluation_from_json(metadata["evaluation"])
        expected = None if evaluation is None else evaluation.n_evaluated
        purchases = purchases_of(metadata["prices"], tensors) if has_prices else None
        dag = Dag(ensemble, policy, expected_evaluations=expected, purchases=purchases)
        _ = dag.fixed_point  # raises for votes whose sums no executor could hold
        return cls(
            dag,
            calibration_of(tensors, ensemble, policy),
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


TYPES: dict[str, Types] = {
    "str": str,
    "int": int,
    "float": float,
    "float | None": (float, type(None)),
}
TYPES_OF_RATES: dict[str, Types] = TYPES | {"Sequence[float]": (list, tuple)}
OF_METRICS: dict[str, Types] = {"metric": str, "proof": (str, type(None))}
OF_NODES: dict[str, Types] = {"n_nodes": float, "n_nodes_full": float}
OF_TRAINING: dict[str, Types] = {"reference": str, "is_reference": bool}
SUMMARY_FIELDS: dict[str, Types] = {
    field.name: TYPES[str(field.type)]
    for field in fields(Summary)
    if field.name not in ("rates", *OF_METRICS, *OF_NODES, *OF_TRAINING)
}
RATES: dict[str, Types] = {
    field.name: TYPES_OF_RATES[str(field.type)] for field in fields(RealisedRates)
}


def summary_to_json(summary: Summary | None) -> Metadata | None:
    """Return the fields by name that the summary has.

    Rates are those of detectors, metrics are there if one was chosen, nodes if they were counted,
    a reference only after ``train``.
    """
    if summary is None:
        return None
    found = asdict(summary)
    names = [*SUMMARY_FIELDS, *(OF_METRICS if summary.metric is not None else ())]
    names += OF_NODES if summary.n_nodes is not None else ()
    names += OF_TRAINING if summary.reference is not None else ()
    names += [] if summary.rates is None else ["rates"]
    return {name: found[name] for name in names}


def summary_from_json(metadata: Metadata | None) -> Summary | None:
    """Invert `summary_to_json`, for sound metadata."""
    if metadata is None:
        return None
    rest = {name: value for name, value in metadata.items() if name != "rates"}
    wanted = SUMMARY_FIELDS | OF_METRICS if "metric" in rest else SUMMARY_FIELDS
    wanted = wanted | OF_NODES if "n_nodes" in rest else wanted
    wanted = wanted | OF_TRAINING if "reference" in rest else wanted
    found = check_fields("the summary", rest, wanted)
    if metadata.get("rates") is None:
        return Summary(**found)
    rates = check_fields("the rates of the summary", metadata["rates"], RATES)
    return Summary(**found, rates=RealisedRates(**rates))
