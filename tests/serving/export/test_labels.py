import numpy as np
import pytest

from mddag.serving.export.labels import Labels, categories_of, classes_of, names_of
from mddag.serving.predictor import Predictor
from tests.serving.export.cases import patches
from tests.serving.model_file.models import whole_model


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        ([3, -1], "whole", (3, -1)),
        ([False, True], "whole", (0, 1)),
        (np.array([1, 2], np.uint8), "whole", (1, 2)),
        ([2**60, 1], "real", (2.0**60, 1.0)),
        ([2**60 + 1, 1], "text", (str(2**60 + 1), "1")),
        ([0.5, 2], "real", (0.5, 2.0)),
        ([10**400, 1], "text", (str(10**400), "1")),
        ([float("nan"), 2], "text", ("nan", "2")),
        (["a", 1], "text", ("a", "1")),
        ([None, "b"], "text", ("None", "b")),
    ],
)
def test_values_of_one_type(values, kind, wanted):
    assert Labels.of(values) == Labels(kind, wanted)


def test_the_labels_of_a_model():
    ensemble = whole_model().dag.ensemble
    assert names_of(ensemble) == ("size", "tøwn")
    assert classes_of(ensemble) == Labels("text", ("a", "b", "ccc"))
    assert categories_of(ensemble) == {1: ("ulm", 7.0, 2.5, 1.0)}
    assert isinstance(Predictor(whole_model()).classes_, np.ndarray)


def test_pixels_have_no_names():
    assert names_of(patches().model.model.dag.ensemble) is None
