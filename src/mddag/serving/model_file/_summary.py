"""Summary <-> metadata."""

from __future__ import annotations

from dataclasses import asdict, fields

from mddag.metrics.realised_rates import RealisedRates
from mddag.serving.model_file._fields import Types, check_fields
from mddag.serving.model_file.container import Metadata
from mddag.serving.summary import Summary

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
FIELDS: dict[str, Types] = {
    field.name: TYPES[str(field.type)]
    for field in fields(Summary)
    if field.name not in ("rates", *OF_METRICS, *OF_NODES, *OF_TRAINING)
}
RATES: dict[str, Types] = {
    field.name: TYPES_OF_RATES[str(field.type)] for field in fields(RealisedRates)
}


def summary_to_json(summary: Summary | None) -> Metadata | None:
    """The fields by name; rates only of detectors, metrics only where one was chosen, nodes only
    where they were counted and a reference only of ``train``."""
    if summary is None:
        return None
    found = asdict(summary)
    names = [*FIELDS, *(OF_METRICS if summary.metric is not None else ())]
    names += OF_NODES if summary.n_nodes is not None else ()
    names += OF_TRAINING if summary.reference is not None else ()
    names += [] if summary.rates is None else ["rates"]
    return {name: found[name] for name in names}


def summary_from_json(metadata: Metadata | None) -> Summary | None:
    """The inverse, for sound metadata."""
    if metadata is None:
        return None
    rest = {name: value for name, value in metadata.items() if name != "rates"}
    wanted = FIELDS | OF_METRICS if "metric" in rest else FIELDS
    wanted = wanted | OF_NODES if "n_nodes" in rest else wanted
    wanted = wanted | OF_TRAINING if "reference" in rest else wanted
    found = check_fields("the summary", rest, wanted)
    if metadata.get("rates") is None:
        return Summary(**found)
    rates = check_fields("the rates of the summary", metadata["rates"], RATES)
    return Summary(**found, rates=RealisedRates(**rates))
