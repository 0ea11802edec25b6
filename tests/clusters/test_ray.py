"""Ray with two processes: scoring equals that made here, and a process that is killed loses
nothing."""

import pyarrow
import pytest

import mddag
from tests.clusters.scored_rows import (
    KEEP,
    N_PARTS,
    check,
    model,
    result_despite_a_kill,
    slow_part,
    table,
)

pytest.importorskip("ray.data", reason="Ray is not installed: make test-clusters")
pytestmark = [  # of the engine's own code
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def test_scores_equal_local_ones(ray):
    dataset = ray.data.from_pandas(table()).repartition(5)
    scored = mddag.distributed.score(dataset, model(), keep=KEEP, proba=True, evaluations=True)
    check(scored.to_pandas())


def test_kept_numbers_with_gaps_stay_as_they_are(ray):
    keys = [None if i % 3 else 2**60 + i for i in range(len(table()))]
    rows = pyarrow.Table.from_pandas(table()).append_column("gaps", pyarrow.array(keys))
    scored = mddag.distributed.score(ray.data.from_arrow(rows), model(), keep=["gaps"])
    assert pyarrow.concat_tables(ray.get(scored.to_arrow_refs()))["gaps"].to_pylist() == keys


def test_a_killed_process_loses_nothing(ray, tmp_path):
    folder = str(tmp_path)

    def read(batch):
        return pyarrow.Table.from_pandas(slow_part(int(batch["id"][0]), folder))

    numbers = ray.data.range(N_PARTS, override_num_blocks=N_PARTS)
    scored = mddag.distributed.score(numbers.map_batches(read, batch_size=1), model(), keep=KEEP)
    for mark in tmp_path.iterdir():  # of the first part, which showed the columns
        mark.unlink()
    check(result_despite_a_kill(scored.to_pandas, tmp_path))
