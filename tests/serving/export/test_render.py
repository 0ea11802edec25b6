"""What renderers share: templates and the comment at the top."""

from dataclasses import replace

from mddag.engine.dag import Dag
from mddag.ensemble.features import Features
from mddag.serving.export.render import (
    MOST_FEATURES,
    PARTS,
    about,
    code,
    with_facts,
)
from mddag.serving.export.tables import ModelTables
from mddag.serving.export.walk_tables import WorstCase
from mddag.serving.model_file import Model
from tests.serving.model_file.kinds import whole_model

LANGUAGES = {"go": "go", "java": "java", "javascript": "js", "rust": "rs"}
TEXT = """always
//: if many
many
//: if not staged
many, not staged
//: end
//: else
one
//: end
  //: if staged
staged
//: end
"""


def test_sections_are_kept_by_facts():
    assert with_facts(TEXT, {"many"}) == "always\nmany\nmany, not staged\n"
    assert with_facts(TEXT, {"many", "staged"}) == "always\nmany\nstaged\n"
    assert with_facts(TEXT, {}) == "always\none\n"


def test_every_section_is_for_a_known_fact_and_closed():
    known = ModelTables.of(whole_model()).all_facts
    for name in [f"{name}/{part}.{end}" for name, end in LANGUAGES.items() for part in PARTS]:
        marks = [line.split()[1:] for line in code(name).splitlines() if line.startswith("//:")]
        opened = [mark[-1] for mark in marks if mark[0] == "if"]
        assert set(opened) <= set(known)
        assert len(opened) == sum(mark == ["end"] for mark in marks)
        assert "//:" not in with_facts(code(name), known)


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


def test_long_lists_are_cut():
    whole = whole_model()
    n = MOST_FEATURES + 50
    features = Features(n, tuple(f"x{i}" for i in range(n)), {1: tuple(range(100))})
    dag = Dag(replace(whole.dag.ensemble, features=features), whole.dag.policy)
    lines = about(ModelTables.of(Model(dag)), WorstCase(0, 0), 0)
    assert lines[3 + MOST_FEATURES] == f"feature {MOST_FEATURES - 1}: 'x{MOST_FEATURES - 1}'"
    assert lines[4 + MOST_FEATURES] == "and 50 features more"
    assert lines[5].endswith("8 = 8, 9 = 9, ...")
