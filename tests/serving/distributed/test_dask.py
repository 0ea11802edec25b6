"""Frames of Dask, computed in this process; tests/clusters has worker processes."""

import pytest

import mddag
from mddag.serving.distributed.dask import columns_of
from tests.clusters.scored_rows import KEEP, check, model, table

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")


def scored(frame, **options):
    return mddag.distributed.score(frame, model(), keep=KEEP, **options)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_scores_equal_local_ones(scheduler):
    frame = scored(dd.from_pandas(table(), npartitions=5), proba=True, evaluations=True)
    check(frame.compute(scheduler=scheduler))


def test_the_announced_types_are_those_of_the_result():
    frame = scored(dd.from_pandas(table(), npartitions=2), proba=True, evaluations=True)
    found = frame.compute(scheduler="synchronous")
    assert found.dtypes.tolist() == frame._meta.dtypes.tolist()
    assert found.columns.tolist() == frame.columns.tolist()


def test_partitions_may_be_empty_and_the_index_stays():
    frame = dd.from_pandas(table(), npartitions=4)
    some = frame[frame["size"] > 2]
    found = scored(some).compute(scheduler="synchronous")
    wanted = table()[table()["size"] > 2]
    assert found.index.tolist() == wanted.index.tolist()
    assert found["key"].tolist() == wanted["key"].tolist()


def test_the_model_is_one_value_of_the_graph():
    frame = scored(dd.from_pandas(table(), npartitions=7))
    names = [name for name in map(str, frame.optimize().dask) if "mddag-model" in name]
    assert len(names) == 1


def test_columns_by_name_and_kind():
    kinds = {c.name: c.kind for c in columns_of(dd.from_pandas(table(), npartitions=1))}
    assert kinds["size"] == kinds["key"] == "numbers"
    assert kinds["unread"] in ("strings", "")
