import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag.solvers import Margin
from tests.inspection.explanation.models import classifier, frame, labels
from tests.messages.models import X, scaled


def test_rows_come_in_any_form_of_predict_one():
    model, row = classifier(), frame().iloc[7]
    one = model.explain(row)
    assert one == model.explain(row.to_dict())
    assert one == model.explain(row.to_numpy())
    assert one == model.explain(frame().iloc[[7]])
    assert one.prediction == model.predict_one(row)


def test_behind_a_pipeline_the_features_are_those_that_the_ensemble_reads():
    model = scaled()
    one = model.explain(X[:1])
    assert one.prediction == model.predict(X[:1])[0]
    with pytest.raises(ValueError, match=r"x has 2 rows; wanted one row, \(1, n_features\)"):
        model.explain(X[:2])


def test_a_scaled_value_is_the_scaled_one():
    pipeline = make_pipeline(StandardScaler(), mddag.AdaBoostMHClassifier(n_rounds=5))
    pipeline.fit(frame(), labels())
    model = mddag.sparsify(pipeline, frame(), labels(), beta=0.01, solver=Margin())
    one = model.explain(frame()[:1])
    scaled_row = pipeline[0].transform(frame()[:1])[0]
    assert set(one.inputs.values()) <= set(scaled_row.tolist())
