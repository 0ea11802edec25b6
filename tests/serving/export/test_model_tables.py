from dataclasses import replace

import numpy as np

import mddag
from mddag.dag.dag import Dag
from mddag.ensemble.tasks import Regression
from mddag.serving.export.model_tables import ModelTables
from mddag.serving.model_file import Model
from tests.dag.test_dag import stumps
from tests.serving.export.cases import cases
from tests.serving.model_file.models import whole_model


def test_a_split_is_four_numbers():
    tables = ModelTables.of(whole_model())
    nodes, sets = tables.integers["nodes"].reshape(-1, 4), tables.integers["sets"]
    thresholds = nodes[:, 0].astype(np.int32).view(np.float32)
    assert thresholds[:2].tolist() == [1.5, -0.5]
    feature, kind = nodes[:, 1] >> 2, nodes[:, 1] & 3
    assert feature.tolist() == [0, 0, 1]
    assert kind.tolist() == [1, 1, 2]  # missing values go left; a set
    assert nodes[:, 2:].tolist() == [[-1, -2], [-3, -6], [-9, -10]]
    assert sets[nodes[2, 0] :].tolist() == [2, 1, 1 << 8]  # two words, for 0 and 40


def test_all_integers_fit_into_32_bits():
    for case in cases():
        for values in ModelTables.of(case.model.model).integers.values():
            assert values.dtype == np.int64
            assert (np.abs(values + 0.5) < 2**31).all()


def test_thresholds_are_the_largest_float32_not_above():
    ensemble = stumps(1)
    nodes = ensemble.nodes.copy()
    for threshold in (0.1, -0.1, 1e300, -1e300, np.inf, 0.5):
        nodes["threshold"][nodes["feature"] >= 0] = threshold
        tables = ModelTables.of(Model(Dag(replace(ensemble, nodes=nodes), policy_of(ensemble))))
        (rounded,) = tables.thresholds
        assert float(rounded) <= threshold
        with np.errstate(over="ignore"):
            above = float(np.nextafter(rounded, np.float32(np.inf)))
        assert above > threshold or np.isinf(threshold)


def policy_of(ensemble):
    return mddag.compile(ensemble).policy


def test_facts_follow_the_model():
    facts = {case.name: ModelTables.of(case.model.model).facts for case in cases()}
    assert facts["whole"] == {
        *("nominal", "many", "together", "classifies", "readings", "probabilities", "exp", "named")
    }
    assert facts["large"] == {"nominal", "classifies", "missing"}
    assert {"exp_link", "exp", "readings"} <= facts["exp_link"]
    assert "exp" not in facts["regression"]
    assert "patches" in facts["patches"]
    assert all("staged" in facts[name] for name in facts if name.startswith("staged"))
    assert any("verdicts" in facts[name] for name in facts if name.startswith("random"))


def test_the_calibration_is_by_kept_exit():
    tables = ModelTables.of(whole_model())
    assert tables.readings.groups.tolist() == [0, 0, 1]
    assert tables.doubles["factors"].tolist() == [1.5, 2.5]
    bare = ModelTables.of(Model(whole_model().dag))
    assert bare.readings is None
    assert not bare.has_probabilities
    numbers = replace(stumps(3), task=Regression())
    means = ModelTables.of(Model(Dag(numbers, policy_of(numbers))))
    assert means.readings.factors.tolist() == [1.0]
