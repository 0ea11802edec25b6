"""Models given as a path: which files are read, as what, and the words for all the others."""

import builtins
import json
import pickle
from pathlib import Path

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost

import mddag
from mddag import MDDAGClassifier
from mddag.solvers import Margin

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 4)).astype(np.float32)
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
TWO, THREE, COUNTS = CODES > 0, np.array(["a", "b", "c"])[CODES], CODES + 1.0
QUIET = {"verbose": False, "allow_writing_files": False}


def lightgbm_text(model, y, **options):
    return model(n_estimators=4, num_leaves=4, verbose=-1, **options).fit(X, y)


def xgboost_model(model, y, **options):
    return model(n_estimators=4, max_depth=2, **options).fit(X, y)


def catboost_model(model, y, **options):
    return model(n_estimators=4, depth=2, **QUIET, **options).fit(X, y)


# name of the file: the model that is saved to it, and the labels that its Ensemble has
SAVED = {
    "two.txt": (lambda: lightgbm_text(lightgbm.LGBMClassifier, TWO), [0, 1]),
    "three.txt": (lambda: lightgbm_text(lightgbm.LGBMClassifier, THREE), [0, 1, 2]),
    "number.txt": (lambda: lightgbm_text(lightgbm.LGBMRegressor, COUNTS), None),
    "two.json": (lambda: xgboost_model(xgboost.XGBClassifier, TWO), [0, 1]),
    "three.ubj": (lambda: xgboost_model(xgboost.XGBClassifier, CODES), [0, 1, 2]),
    "count.json": (
        lambda: xgboost_model(xgboost.XGBRegressor, COUNTS, objective="count:poisson"),
        None,
    ),
    "booster.ubj": (lambda: xgboost_model(xgboost.XGBClassifier, TWO).get_booster(), [0, 1]),
    "two.cbm": (lambda: catboost_model(catboost.CatBoostClassifier, TWO), ["False", "True"]),
    "three.JSON": (lambda: catboost_model(catboost.CatBoostClassifier, THREE), ["a", "b", "c"]),
    "count.cbm": (
        lambda: catboost_model(catboost.CatBoostRegressor, COUNTS, loss_function="Poisson"),
        None,
    ),
}


def save(model, path):
    if hasattr(model, "booster_"):
        model.booster_.save_model(str(path))
    elif isinstance(model, catboost.CatBoost) and path.suffix.lower() == ".json":
        model.save_model(str(path), format="json")
    else:
        model.save_model(str(path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def text(folder):
    path = folder / "whole.txt"
    save(SAVED["two.txt"][0](), path)
    return path.read_bytes()


@pytest.mark.parametrize("name", SAVED)
def test_a_file_is_the_model_that_was_saved(folder, name):
    make, labels = SAVED[name]
    model, path = make(), folder / name
    save(model, path)
    ensemble, original = mddag.as_ensemble(path), mddag.as_ensemble(model)
    assert mddag.as_ensemble(str(path)).kind == ensemble.kind == original.kind
    assert ensemble.link == original.link
    # CatBoost writes its JSON with sixteen digits
    np.testing.assert_allclose(ensemble.scores(X), original.scores(X), rtol=1e-13)
    found = None if ensemble.classes is None else ensemble.classes.tolist()
    assert [str(c) for c in found or []] == [str(c) for c in labels or []]


def test_early_stopping_counts_as_in_the_object_that_was_saved(folder):
    model = xgboost.XGBClassifier(n_estimators=30, max_depth=2, early_stopping_rounds=2)
    model.fit(X, TWO, eval_set=[(X[:50], ~TWO[:50])], verbose=False)
    model.save_model(folder / "wrapper.json")
    model.get_booster().save_model(folder / "bare.json")
    assert len(mddag.as_ensemble(folder / "wrapper.json")) == model.best_iteration + 1
    assert len(mddag.as_ensemble(folder / "bare.json")) == model.get_booster().num_boosted_rounds()


def test_paths_go_wherever_models_go(folder):
    path = folder / "everywhere.cbm"
    save(catboost_model(catboost.CatBoostClassifier, THREE), path)
    fast = mddag.sparsify(path, X, beta=1e-3, solver=Margin())
    assert set(fast.predict(X)) <= {"a", "b", "c"}
    assert len(mddag.sweep(str(path), X, THREE, betas=[0.01], solver=Margin())) == 1
    model = MDDAGClassifier(str(path), beta=1e-3, solver=Margin()).fit(X, THREE)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_without_labels_a_file_teaches_as_its_model_does(folder):
    model = catboost_model(catboost.CatBoostClassifier, THREE, loss_function="MultiClassOneVsAll")
    save(model, folder / "teacher.cbm")
    options = {"beta": 1e-3, "solver": Margin()}
    of_file = mddag.sparsify(folder / "teacher.cbm", X, **options)
    of_model = mddag.sparsify(model, X, **options)
    np.testing.assert_array_equal(of_file.predict_proba(X), of_model.predict_proba(X))


def saved_by_mddag(folder):
    model = mddag.sparsify(lightgbm_text(lightgbm.LGBMClassifier, TWO), X, beta=1e-3)
    model.save(folder / "own.mddag")
    return (folder / "own.mddag").read_bytes()


REFUSED = {
    "empty": ("a.txt", b"", "is empty"),
    "text under another name": ("a.json", "two.txt", "holds LightGBM text, but its name"),
    "json under another name": ("a.txt", "two.json", r"rename it to a\.json"),
    "no suffix": ("a", "two.txt", r"ends with ''; rename it to a\.txt"),
    "foreign json": ("a.json", b'{"b": 1, "a": 2}', r"JSON of another kind \(its keys are a, b\)"),
    "json list": ("a.json", b"[1, 2]", "holds no known format"),
    "cut json": ("a.json", b'{"learner": {"attrib', "damaged or cut short"),
    "deep json": ("a.json", b'{"a":' * 100_000, "damaged or cut short"),
    "hollow json": ("a.json", b'{"learner": {}}', "xgboost says XGBoostError"),
    "hollow catboost": (
        "a.json",
        b'{"features_info": {}, "scale_and_bias": [1, [0]]}',
        "catboost says CatBoostError",
    ),
    "catboost without bias": (
        "a.json",
        b'{"features_info": {}, "scale_and_bias": []}',
        "no scale_and_bias of its scores",
    ),
    "hollow cbm": ("a.cbm", b"CBM1abcd", "catboost says CatBoostError"),
    "cut ubj": ("a.ubj", b"{L" + bytes(7) + b"\7learner{L", "does not end with a brace"),
    "dumped json": ("a.json", b'{"name": "tree", "tree_info": []}', "LightGBM's dump_model"),
    "old xgboost": ("a.model", b"binf\0\0", "old binary format"),
    "pickle": ("a.pkl", pickle.dumps([1, 2]), "pickle, which can run any code .* if you trust"),
    "pickle as text": ("a.txt", pickle.dumps({}, protocol=2), "is a pickle"),
    "unknown": ("a.onnx", b"\x08\x07\x12", r"no known format \(it begins with b'\\x08"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_files_are_refused_in_a_sentence(tmp_path, case):
    name, data, words = REFUSED[case]
    path = tmp_path / name
    if isinstance(data, str):  # one of the models above, under another name
        save(SAVED[data][0](), tmp_path / data)
        (tmp_path / data).rename(path)
    else:
        path.write_bytes(data)
    with pytest.raises(ValueError, match=words) as caught:
        mddag.as_ensemble(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_of_our_own_are_for_load(tmp_path):
    saved_by_mddag(tmp_path)
    with pytest.raises(ValueError, match=r"mddag saved, sparse already; mddag\.load reads it"):
        mddag.as_ensemble(tmp_path / "own.mddag")


def test_no_file_no_model(tmp_path):
    for name in ("nonsense string", "", "a\0b", "x" * 5000, str(tmp_path / "gone.txt")):
        with pytest.raises(FileNotFoundError, match="there is no such file; wanted a fitted model"):
            mddag.as_ensemble(name)
    with pytest.raises(IsADirectoryError, match="is a folder; wanted a file"):
        mddag.as_ensemble(tmp_path)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.4, 0.8, 0.99])
def test_a_cut_text_does_not_reach_lightgbm(tmp_path, text, share):
    (tmp_path / "cut.txt").write_bytes(text[: int(share * len(text))])
    with pytest.raises(ValueError, match=r"damaged or cut short|no known format"):
        mddag.as_ensemble(tmp_path / "cut.txt")


def test_text_with_other_line_ends_or_letters_is_refused(tmp_path, text):
    (tmp_path / "crlf.txt").write_bytes(text.replace(b"\n", b"\r\n"))
    with pytest.raises(ValueError, match="lines end with CR LF"):
        mddag.as_ensemble(tmp_path / "crlf.txt")
    (tmp_path / "letters.txt").write_bytes(text.replace(b"Column_0", b"Column_\xff"))
    with pytest.raises(ValueError, match="not UTF-8"):
        mddag.as_ensemble(tmp_path / "letters.txt")


def test_what_the_reader_of_a_strange_file_raises_is_a_sentence(tmp_path):
    model = json.loads(
        bytes(xgboost_model(xgboost.XGBClassifier, TWO).get_booster().save_raw("json"))
    )
    trees = model["learner"]["gradient_booster"]["model"]["trees"]
    trees[0]["left_children"][0] = 99
    (tmp_path / "strange.json").write_text(json.dumps(model))
    with pytest.raises(ValueError, match=r"cannot read .*strange\.json.* says \w+Error: "):
        mddag.as_ensemble(tmp_path / "strange.json")


@pytest.mark.parametrize("name", ["two.txt", "two.json", "two.cbm"])
def test_a_library_that_is_not_there_is_named(folder, monkeypatch, name):
    save(SAVED[name][0](), folder / name)
    library = {".txt": "lightgbm", ".json": "xgboost", ".cbm": "catboost"}[Path(name).suffix]
    real = builtins.__import__

    def without(package, *arguments, **options):
        if package.partition(".")[0] == library:
            raise ImportError(f"No module named {package!r}")
        return real(package, *arguments, **options)

    monkeypatch.setattr("mddag.adapters.adapter.import_module", without)
    with pytest.raises(ImportError, match=rf"reading '.*{name}' needs {library} .*pip install"):
        mddag.as_ensemble(folder / name)


@pytest.mark.parametrize("name", ["two.txt", "three.ubj"])
def test_a_file_can_be_read_in_a_process_of_its_own(folder, name):
    path = folder / name
    apart = mddag.as_ensemble(path, isolated=True)
    here = mddag.as_ensemble(path)
    np.testing.assert_array_equal(apart.scores(X), here.scores(X))
    assert len(apart) == len(here)


def test_a_file_that_crashes_its_library_is_an_error_of_the_file(folder, tmp_path):
    path = tmp_path / "crash.txt"
    path.write_text((folder / "two.txt").read_text().replace("num_leaves=4", "num_leaves=9"))
    with pytest.raises(ValueError, match=r"crash\.txt.* crashed"):
        mddag.as_ensemble(path, isolated=True)


def test_an_isolated_error_is_that_of_this_process(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        mddag.as_ensemble(tmp_path / "absent.txt", isolated=True)
    with pytest.raises(TypeError, match="isolated"):
        mddag.as_ensemble(lightgbm_text(lightgbm.LGBMClassifier, TWO), isolated=True)
