"""Write and read the content of a file: a DAG, its calibration, and what was measured.

``load`` checks every array before a kernel reads it; whatever is wrong with a file raises
ModelFileError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mddag._utils.checks import checked_path, typed
from mddag._utils.output import write_whole
from mddag.engine.dag import Dag
from mddag.policy.calibration import Calibration
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
from mddag.serving.result import Result, from_json

VERSION = 1  # of the format
FIELDS: dict[str, Types] = {
    "version": int,
    "result": (dict, type(None)),
    **ENSEMBLE_FIELDS,
    **POLICY_FIELDS,
}


@dataclass(frozen=True, eq=False)
class Model:
    """What is needed to predict, and what is known of it.

    dag         : ensemble and policy
    calibration : what scores at each exit stand for; None where there is none
    result      : what was asked for, found and measured; None where nothing is known
    """

    dag: Dag
    calibration: Calibration | None = None
    result: Result | None = None

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
            "result": None if self.result is None else asdict(self.result),
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
        result, expected = _result_of(metadata), None
        if result is not None and result.evaluation is not None:
            expected = result.evaluation.n_evaluated
        purchases = purchases_of(metadata["prices"], tensors) if has_prices else None
        dag = Dag(ensemble, policy, expected_evaluations=expected, purchases=purchases)
        _ = dag.fixed_point  # raises for votes whose sums no executor could hold
        return cls(dag, calibration_of(tensors, ensemble, policy), result)


def _check_version(metadata: Mapping[str, Any]) -> None:
    version = metadata.get("version")
    if type(version) is not int or version != VERSION:
        raise ModelFileError(
            f"the file has format version {version!r:.20}, but this mddag reads version {VERSION}"
        )


def _result_of(metadata: Metadata) -> Result | None:
    if metadata["result"] is None:
        return None
    try:
        return from_json(Result, metadata["result"], "the result")
    except ValueError as error:
        raise ModelFileError(str(error)) from None
