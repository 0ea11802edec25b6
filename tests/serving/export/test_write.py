"""``export`` itself, and the examples of docs/export.md, compiled and run."""

import re
import shutil
import subprocess
from dataclasses import replace
from typing import get_args

import pytest

import mddag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Regression
from mddag.serving.export import Exported, Language, export
from mddag.serving.export.render import (
    PARTS,
    about,
    code,
    with_facts,
)
from mddag.serving.export.tables import ModelTables
from mddag.serving.predictor import Predictor
from tests.serving.export.programs import called
from tests.serving.model_file.kinds import whole_model
from tests.shipped import needed

SOURCES = [language for language in get_args(Language) if language != "wasm"]


@pytest.mark.parametrize("language", SOURCES)
def test_the_file_is_ascii_and_the_same_each_time(tmp_path, language):
    files = [tmp_path / f"{folder}/Model.txt" for folder in "ab"]
    for file in files:
        file.parent.mkdir()
        export(whole_model().dag, file, language)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().isascii()


def test_what_was_written_is_described(tmp_path):
    done = export(Predictor(whole_model()), tmp_path / "m.h")
    text = (tmp_path / "m.h").read_text()
    assert done == Exported(
        str(tmp_path / "m.h"), "c", len(text), done.table_bytes, 2, done.worst_comparisons
    )
    worst = f"worst case of a row: 2 base classifiers, {done.worst_comparisons} comparisons"
    assert worst in text
    assert f"tables: {done.table_bytes} bytes" in text
    assert worst in str(done)
    assert str(done).startswith(f"{tmp_path / 'm.h'}: c, {len(text)} bytes, tables of")


def test_the_class_of_java_is_named_by_its_file(tmp_path):
    export(whole_model().dag, tmp_path / "Letters.java", "java")
    assert "public final class Letters {" in (tmp_path / "Letters.java").read_text()
    export(whole_model().dag, tmp_path / "other.txt", "java", name="Net")
    assert "public final class Net {" in (tmp_path / "other.txt").read_text()


@pytest.mark.parametrize("language", get_args(Language))
def test_what_no_row_decides_is_refused_in_every_language(tmp_path, language):
    voter = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(TypeError, match="only ensembles of trees can be exported"):
        export(mddag.compile(voter), tmp_path / "model", language)
    ensemble = replace(whole_model().dag.ensemble.truncated(0), task=Regression(link="unknown"))
    with pytest.raises(ValueError, match="neither its scores nor exp of them"):
        export(mddag.compile(ensemble), tmp_path / "model", language)
    assert not list(tmp_path.iterdir())


BUILDS = {
    "c": (("gcc",), "main.c", [["gcc", "-Wall", "-Werror", "main.c", "-lm"], ["./a.out"]]),
    "java": (
        ("javac", "java"),
        "Main.java",
        [["javac", "Main.java", "Model.java"], ["java", "Main"]],
    ),
    "go": (("go",), "main.go", [["go", "run", "main.go"]]),
    "rust": (("rustc",), "main.rs", [["rustc", "--edition", "2021", "main.rs"], ["./main"]]),
    "javascript": (("node",), "main.mjs", [["node", "main.mjs"]]),
    "wasm": (("node", "clang", "wasm-ld"), "wasm.mjs", [["node", "wasm.mjs"]]),
}


@pytest.fixture(scope="module")
def page():
    return (needed("docs") / "export.md").read_text()


@pytest.fixture(scope="module")
def exported(page, tmp_path_factory):
    """A folder with the models, and the numbers that Python has."""
    folder = tmp_path_factory.mktemp("page")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    given = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        exec(example, given)
    predictor, row = given["fast"].predictor(), given["row"]
    (folder / "go.mod").write_text("module example\n\ngo 1.18\n")
    X = predictor.encode(
        given["table"].iloc[:1].assign(**row).astype({"town": given["town"].dtype})
    )
    wanted = [
        predictor.predict(X)[0],
        predictor.n_evaluated(X)[0],
        predictor.predict_proba(X)[0, 1],
    ]
    return folder, wanted


@pytest.mark.parametrize("language", BUILDS)
def test_an_example_prints_what_python_says(language, page, exported):
    tools, file, commands = BUILDS[language]
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"there is no {' and no '.join(absent)}")
    folder, wanted = exported
    fence = "javascript" if language == "wasm" else language
    blocks = re.findall(rf"```{fence}\n(.*?)```", page, re.DOTALL)
    (folder / file).write_text(blocks[-1] if language == "wasm" else blocks[0])
    for command in commands:
        told = called(command, cwd=folder)
    assert [float(number) for number in told.split()] == wanted


def test_the_programs_are_run_as_the_page_says(page):
    assert "`cc main.c -lm`" in page
    assert subprocess.list2cmdline(BUILDS["go"][2][0]) in page


# What renderers share: templates and the comment at the top.


LANGUAGES = {"go": "go", "java": "java", "javascript": "js", "rust": "rs"}


def test_every_section_is_for_a_known_fact_and_closed():
    known = ModelTables(whole_model()).all_facts
    for name in [f"{name}/{part}.{end}" for name, end in LANGUAGES.items() for part in PARTS]:
        marks = [line.split()[1:] for line in code(name).splitlines() if line.startswith("//:")]
        opened = [mark[-1] for mark in marks if mark[0] == "if"]
        assert set(opened) <= set(known)
        assert len(opened) == sum(mark == ["end"] for mark in marks)
        assert "//:" not in with_facts(code(name), known)


def test_a_model_in_a_comment():
    tables = ModelTables(whole_model())
    assert about(tables, 100) == [
        "A sparse decision DAG, written by mddag.",
        "classifier of 2 base classifiers, 3 trees",
        f"worst case of a row: 2 base classifiers, {tables.worst.comparisons} comparisons",
        "tables: 100 bytes",
        "feature 0: 'size'",
        "feature 1: 't\\xf8wn'; codes 0 = 'ulm', 1 = 7, 2 = 2.5, 3 = True",
        "class 0: 'a'",
        "class 1: 'b'",
        "class 2: 'ccc'",
    ]
