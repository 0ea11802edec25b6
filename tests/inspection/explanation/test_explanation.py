import json

import pytest

import mddag
from tests.inspection.explanation.models import classifier, frame, regressor


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_the_dict_is_ready_for_json(make):
    one = make().explain(frame().iloc[0])
    again = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert again["prediction"] == one.prediction
    assert len(again["steps"]) == one.n_evaluated
    assert again["exit"]["step"] == one.exit.step
    assert isinstance(one, mddag.Explanation)
    assert str(one)


def test_rivals_are_the_two_best_scores():
    one = classifier(3).explain(frame().iloc[0])
    first, second = one.rivals
    assert one.scores[first] == max(one.scores)
    assert one.scores[second] == sorted(one.scores)[-2]
    assert one.effect(one.scores) == one.missing_score
    assert classifier().explain(frame().iloc[0]).rivals is None
