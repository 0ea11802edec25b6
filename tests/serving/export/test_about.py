from dataclasses import replace

import pytest

from mddag.dag.dag import Dag
from mddag.features.features import Features
from mddag.serving.export.about import MOST_FEATURES, about, shown
from mddag.serving.export.model_tables import ModelTables
from mddag.serving.export.worst_case import WorstCase
from mddag.serving.model_file import Model
from tests.serving.export.cases import patches
from tests.serving.model_file.models import whole_model


def test_a_model_in_a_comment():
    assert about(ModelTables.of(whole_model()), WorstCase(2, 9), 100) == [
        "A sparse decision DAG, written by mddag.",
        "classifier of 2 base classifiers, 3 trees",
        "worst case of a row: 2 base classifiers, 9 comparisons",
        "tables: 100 bytes",
        "feature 0: 'size'",
        "feature 1: 't\\xf8wn'; codes 0 = 'ulm', 1 = 7, 2 = 2.5, 3 = True",
        "class 0: 'a'",
        "class 1: 'b'",
        "class 2: 'ccc'",
    ]


def test_patches_have_a_size_instead_of_names():
    lines = about(ModelTables.of(patches().model.model), WorstCase(0, 0), 0)
    assert "a row: the grey levels of a patch, 8 lines of 6" in lines


def test_long_lists_are_cut():
    whole = whole_model()
    n = MOST_FEATURES + 50
    features = Features(n, tuple(f"x{i}" for i in range(n)), {1: tuple(range(100))})
    dag = Dag(replace(whole.dag.ensemble, features=features), whole.dag.policy)
    lines = about(ModelTables.of(Model(dag)), WorstCase(0, 0), 0)
    assert lines[3 + MOST_FEATURES] == f"feature {MOST_FEATURES - 1}: 'x{MOST_FEATURES - 1}'"
    assert lines[4 + MOST_FEATURES] == "and 50 features more"
    assert lines[5].endswith("8 = 8, 9 = 9, ...")


@pytest.mark.parametrize(
    ("label", "text"), [("é\n", r"'\xe9\n'"), (1.5, "1.5"), ("x" * 99, "'" + 56 * "x" + "...")]
)
def test_labels_are_one_line_of_ascii(label, text):
    assert shown(label) == text
