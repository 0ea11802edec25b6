"""What export returns and refuses."""

import re
from dataclasses import replace

import pytest

import mddag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Regression
from mddag.serving.export import Exported, export
from mddag.serving.export.door import LANGUAGES
from mddag.serving.predictor import Predictor
from tests.serving.export.cases import categorical_model
from tests.serving.model_file.models import whole_model

SOURCES = [language for language in LANGUAGES if language != "wasm"]


@pytest.mark.parametrize("language", SOURCES)
def test_the_file_is_ascii_and_the_same_each_time(tmp_path, language):
    files = [tmp_path / f"{folder}/Model.txt" for folder in "ab"]
    for file in files:
        file.parent.mkdir()
        export(whole_model().dag, file, language)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().isascii()


def test_estimators_predictors_and_dags_are_exported_alike(tmp_path):
    model = categorical_model()
    done = model.export(tmp_path / "a.js", "javascript")
    model.predictor().export(tmp_path / "b.js", "javascript")
    mddag.export(model, tmp_path / "c.js", language="javascript")
    texts = {file.read_bytes() for file in tmp_path.iterdir()}
    assert len(texts) == 1
    assert isinstance(done, Exported)
    model.save(tmp_path / "m.mddag")
    mddag.load(tmp_path / "m.mddag").export(tmp_path / "d.js", "javascript")
    assert (tmp_path / "d.js").read_bytes() in texts


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


@pytest.mark.parametrize("language", SOURCES)
def test_names_categories_and_classes_are_in_the_comment(tmp_path, language):
    categorical_model().export(tmp_path / "Model.txt", language)
    text = (tmp_path / "Model.txt").read_text()
    assert re.search(r"feature 0: 'colour'; codes 0 = '\"', 1 = 'bl\\+xfce', 2 = 'green'", text)
    assert re.search(r"feature 2: 'size'; codes 0 = 1, 1 = 2, 2 = 50", text)
    assert "class 1: True" in text


def test_the_class_of_java_is_named_by_its_file(tmp_path):
    export(whole_model().dag, tmp_path / "Letters.java", "java")
    assert "public final class Letters {" in (tmp_path / "Letters.java").read_text()
    export(whole_model().dag, tmp_path / "other.txt", "java", name="Net")
    assert "public final class Net {" in (tmp_path / "other.txt").read_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_no_row_decides_is_refused_in_every_language(tmp_path, language):
    voter = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(TypeError, match="only ensembles of trees can be exported"):
        export(mddag.compile(voter), tmp_path / "model", language)
    ensemble = replace(whole_model().dag.ensemble.truncated(0), task=Regression(link="unknown"))
    with pytest.raises(ValueError, match="neither its scores nor exp of them"):
        export(mddag.compile(ensemble), tmp_path / "model", language)
    assert not list(tmp_path.iterdir())
