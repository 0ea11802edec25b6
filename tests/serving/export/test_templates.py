from mddag.serving.export.model_tables import ModelTables
from mddag.serving.export.templates import PARTS, array_bytes, code, joined, walk_of, with_facts
from tests.serving.model_file.models import whole_model

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


def test_the_parts_of_a_language_follow_each_other():
    text = walk_of("rust", "rs", {"classifies", "probabilities", "exp"})
    names = ("load", "run", "predict", "probabilities", "exp")
    places = [text.index(f"fn {name}(") for name in names]
    assert places == sorted(places)
    assert "fn encode(" not in text


def test_entries_stand_on_lines():
    assert joined(["1", "2", "3"], 2) == "1,2,\n3"
    assert joined([]) == ""


def test_integers_take_4_bytes_and_doubles_8():
    tables = ModelTables.of(whole_model())
    n_integers = sum(map(len, tables.integers.values()))
    assert array_bytes(tables) == 4 * n_integers + 8 * (2 + 2 + 256)
