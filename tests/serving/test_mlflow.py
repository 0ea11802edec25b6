"""MLflow without a server: runs in a folder of the test, nothing sent anywhere."""

import pytest

import mddag
from tests.clusters.scored_rows import features, model
from tests.messages.models import X, fast


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("DO_NOT_TRACK", "true")
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-clusters")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow
    mlflow.end_run()
    mlflow.set_tracking_uri(None)


pytestmark = [  # of MLflow's own code
    pytest.mark.filterwarnings("ignore:.*Any type hint is inferred:UserWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def test_what_was_saved_is_loaded(mlflow, tmp_path):
    mddag.mlflow.save_model(fast(), tmp_path / "fast")
    again = mddag.mlflow.load_model(tmp_path / "fast")
    assert isinstance(again, mddag.Predictor)
    assert (again.predict_proba(X) == fast().predict_proba(X)).all()
    assert again.predict_one(X[0]) == fast().predict_one(X[0])


def test_the_folder_has_our_model_file_and_no_pickle(mlflow, tmp_path):
    mddag.mlflow.save_model(fast(), tmp_path / "fast")
    files = {str(p.relative_to(tmp_path / "fast")) for p in (tmp_path / "fast").rglob("*.*")}
    assert "data/model.mddag" in files
    assert not {name for name in files if name.endswith((".pkl", ".pickle", ".joblib"))}
    assert (tmp_path / "fast/data/model.mddag").read_bytes() == fast().predictor().model.to_bytes()


def test_pyfunc_predicts_the_same(mlflow, tmp_path):
    mddag.mlflow.save_model(model(), tmp_path / "fast")
    there = mlflow.pyfunc.load_model(str(tmp_path / "fast"))
    assert (there.predict(features()) == model().predict(features())).all()


def test_requirements_are_written(mlflow, tmp_path):
    mddag.mlflow.save_model(fast(), tmp_path / "one")
    lines = (tmp_path / "one/requirements.txt").read_text().splitlines()
    assert f"mddag=={mddag.__version__}" in lines
    assert any(line.startswith("pandas==") for line in lines)
    mddag.mlflow.save_model(fast(), tmp_path / "two", pip_requirements=["mddag"])
    assert "mddag" in (tmp_path / "two/requirements.txt").read_text().splitlines()


def test_the_signature_is_that_of_the_example(mlflow, tmp_path):
    given = features()[["size", "age"]].fillna(0.0)
    boost = mddag.AdaBoostMHClassifier(n_rounds=5).fit(given[:400], given["size"][:400] > 0)
    numbers = mddag.sparsify(boost, given[400:], beta=0.01, solver=mddag.solvers.Margin())
    mddag.mlflow.save_model(numbers, tmp_path / "fast", input_example=given[:3])
    loaded = mlflow.models.Model.load(str(tmp_path / "fast"))
    assert loaded.signature.inputs.input_names() == ["size", "age"]
    assert loaded.load_input_example(str(tmp_path / "fast")).shape == (3, 2)
    there = mlflow.pyfunc.load_model(str(tmp_path / "fast"))
    with pytest.raises(mlflow.exceptions.MlflowException, match="missing inputs"):
        there.predict(given[["size"]])
    turned = given[["age", "size"]]  # MLflow puts columns in the order of the signature
    assert (there.predict(turned) == numbers.predict(given)).all()


def test_categorical_columns_of_the_example_are_their_values(mlflow, tmp_path):
    mddag.mlflow.save_model(model(), tmp_path / "fast", input_example=features()[1:4])
    there = mlflow.pyfunc.load_model(str(tmp_path / "fast"))
    assert next(str(c.type) for c in there.metadata.signature.inputs) == "DataType.string"
    plain = features().astype({"town.of": object})
    assert (there.predict(plain) == model().predict(features())).all()
    turned = plain[["age", "town.of", "size"]].assign(unread=1)
    assert (there.predict(turned) == model().predict(features())).all()


def test_a_signature_may_be_given(mlflow, tmp_path):
    signature = mlflow.models.infer_signature(X)
    mddag.mlflow.save_model(
        fast(), tmp_path / "fast", signature=signature, input_example=X[:2], metadata={"a": "b"}
    )
    loaded = mlflow.models.Model.load(str(tmp_path / "fast"))
    assert loaded.signature == signature
    assert loaded.metadata["a"] == "b"


def test_a_logged_model_is_found_by_its_address(mlflow):
    with mlflow.start_run():
        info = mddag.mlflow.log_model(fast(), "fast", output="predict_proba", input_example=X[:3])
    assert (mddag.mlflow.load_model(info.model_uri).predict(X) == fast().predict(X)).all()
    there = mlflow.pyfunc.load_model(info.model_uri)
    assert (there.predict(X) == fast().predict_proba(X)).all()


def test_a_model_of_another_library_is_not_loaded(mlflow, tmp_path):
    import mlflow.pyfunc

    def called(model_input: list[str]) -> list[str]:
        return model_input

    mlflow.pyfunc.save_model(tmp_path / "other", python_model=called, pip_requirements=[])
    with pytest.raises(ValueError, match=r"mlflow\.pyfunc\.model loads"):
        mddag.mlflow.load_model(tmp_path / "other")
