"""score: which engine, which model; nothing is imported before it is needed."""

import numpy as np
import pytest

import mddag
from mddag.serving.distributed.door import ENGINES, _engine_of, _predictor_of
from tests.clusters.scored_rows import KEEP, check, model, table
from tests.messages.models import X, fast
from tests.test_import import fresh


@pytest.mark.parametrize("engine", ["dask", "pyspark", "ray", "mlflow"])
def test_no_engine_is_imported_before_it_is_used(engine):
    code = "import sys, mddag; mddag.distributed.score; mddag.mlflow.save_model; "
    assert fresh(f"{code}print({engine!r} in sys.modules)") == "False"


def test_engines_are_known_by_the_type_of_the_frame():
    for (home, name), engine in ENGINES.items():
        kind = type(name, (), {"__module__": f"{home}.inside"})
        assert _engine_of(kind()) == engine
        assert _engine_of(type("Child", (kind,), {})()) == engine


def test_a_model_may_be_an_estimator_a_predictor_or_a_file(tmp_path):
    fast().save(tmp_path / "model.mddag")
    given = [fast(), fast().predictor(), tmp_path / "model.mddag", str(tmp_path / "model.mddag")]
    for one in given:
        assert (_predictor_of(one).predict(X) == fast().predict(X)).all()


def test_the_result_is_lazy():
    dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")

    def never(number):
        raise AssertionError("a part was read")

    frame = dd.from_map(never, range(3), meta=table()[:0])
    scored = mddag.distributed.score(frame, model(), keep=KEEP)
    with pytest.raises(AssertionError, match="a part was read"):
        scored.compute(scheduler="synchronous")


def test_scored_by_another_frame_of_the_same_model():
    dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    shuffled = table().iloc[np.random.default_rng(0).permutation(len(table()))]
    frame = dd.from_pandas(shuffled, npartitions=4, sort=False)
    scored = mddag.distributed.score(frame, model(), keep=KEEP, evaluations=True)
    check(scored.compute(scheduler="synchronous"))
