"""Dask: ``map_partitions``, with the model as a value of the graph.

A value of the graph goes to a worker once, for the first partition that is scored there, and stays
as long as partitions want it. The scheduler has it too, so a worker that dies takes none of it
away: its partitions are scored by the others.
"""

from __future__ import annotations

from typing import Any

from mddag.serving.distributed.pandas_types import pandas_kind
from mddag.serving.distributed.plan import Column, Plan
from mddag.serving.distributed.sent_model import SentModel
from mddag.serving.predictor import Predictor


def columns_of(frame: Any) -> list[Column]:
    """The columns, by the empty frame that stands for all partitions."""
    types = zip(frame._meta.columns, frame._meta.dtypes, strict=True)
    return [Column(name, str(dtype), pandas_kind(dtype)) for name, dtype in types]


def scored(frame: Any, sent: SentModel, plan: Plan, predictor: Predictor) -> Any:
    """A Dask DataFrame of the answers, partition by partition; the index stays."""
    from dask.delayed import delayed

    taken = frame[plan.taken]
    model = delayed(sent, name=f"mddag-model-{sent.digest}", traverse=False)
    return taken.map_partitions(_part, model, plan, meta=plan.scored(predictor, taken._meta))


def _part(part: Any, sent: SentModel, plan: Plan) -> Any:
    return plan.scored(sent.predictor(), part)
