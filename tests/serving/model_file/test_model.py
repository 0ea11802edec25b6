import os
import stat
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.calibration.calibration import Calibration
from mddag.dag.dag import Dag
from mddag.dag.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Regression
from mddag.features.features import Features
from mddag.mdp.mdp import Evaluation
from mddag.mdp.stages import Stages
from mddag.mdp.state import Score
from mddag.serving.model_file import Model, ModelFileError
from mddag.serving.model_file.container import pack, unpack
from mddag.serving.predictor import Predictor
from tests import strategies
from tests.serving.model_file.kinds import KINDS
from tests.serving.model_file.models import models, whole_model

FIXTURES = Path(__file__).parent / "fixtures"


def rewritten(change):
    """A file with a right checksum whose metadata and tensors `change` has changed."""
    metadata, tensors = unpack(whole_model().to_bytes())
    change(metadata, tensors)
    return pack(metadata, tensors)


def assert_equal_states(got, wanted):
    assert type(got) is type(wanted)
    if isinstance(wanted, Stages):
        np.testing.assert_array_equal(got.reads, wanted.reads)
        np.testing.assert_array_equal(got.writes, wanted.writes)


def assert_equal_models(got, wanted):
    ensemble, other = got.dag.ensemble, wanted.dag.ensemble
    for name in ("nodes", "starts", "words", "word_starts", "cost", "bias"):
        np.testing.assert_array_equal(getattr(ensemble, name), getattr(other, name))
    for name in ("values", "starts", "score", "rounds"):
        mine, theirs = getattr(ensemble.tables, name), getattr(other.tables, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert ensemble.features == other.features
    assert (ensemble.kind, ensemble.priced) == (other.kind, other.priced)
    np.testing.assert_array_equal(got.dag.policy.actions, wanted.dag.policy.actions)
    np.testing.assert_array_equal(got.dag.policy.order, wanted.dag.policy.order)
    np.testing.assert_array_equal(got.dag.policy.grid.edges, wanted.dag.policy.grid.edges)
    assert got.dag.policy.every == wanted.dag.policy.every
    np.testing.assert_equal(got.dag.policy.verdict, wanted.dag.policy.verdict)
    assert_equal_states(got.dag.policy.state, wanted.dag.policy.state)
    assert got.dag.expected_evaluations == wanted.dag.expected_evaluations
    for name in ("groups", "factors", "offsets"):
        mine, theirs = getattr(got.calibration, name), getattr(wanted.calibration, name)
        np.testing.assert_array_equal(mine, theirs)
    for name in ("beta", "evaluation", "full", "measured_against", "summary"):
        assert getattr(got, name) == getattr(wanted, name)


def test_a_file_holds_all_of_a_model(tmp_path):
    model = whole_model()
    model.save(tmp_path / "model.mddag")
    again = Model.load(tmp_path / "model.mddag")
    assert_equal_models(again, model)
    assert again.dag.ensemble.classes.dtype == model.dag.ensemble.classes.dtype
    assert again.dag.ensemble.classes.tolist() == ["a", "b", "ccc"]
    assert [type(v) for v in again.dag.ensemble.features.categories[1]] == [str, int, float, bool]


def test_a_file_keeps_what_unknown_categories_are():
    whole = whole_model().dag
    strict = replace(whole.ensemble, features=replace(whole.ensemble.features, unknown="refused"))
    again = Model.from_bytes(Model(Dag(strict, whole.policy)).to_bytes())
    assert again.dag.ensemble.features == strict.features
    assert b"unknown" not in whole_model().to_bytes()  # most files need not say it
    predictor = Predictor(Model.from_bytes(whole_model().to_bytes()))
    with pytest.raises(ValueError, match=r"column 'tøwn' holds dates.*trained on bools or numbers"):
        predictor.predict(pd.DataFrame({"size": [0.0], "tøwn": [date(2026, 1, 1)]}))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_random_models_survive_and_give_the_same_bytes(data):
    model = data.draw(models())
    X = data.draw(strategies.rows(model.dag.ensemble.n_features))
    content = model.to_bytes()
    again = Model.from_bytes(content)
    assert_equal_models(again, model)
    assert again.to_bytes() == content == model.to_bytes()
    np.testing.assert_array_equal(again.dag.scores(X), model.dag.scores(X))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([0, 1]),
        np.array([-3, 2**40]),
        np.array([1, 200], np.uint8),
        np.array([2**63, 2**64 - 1], np.uint64),
        np.array([False, True]),
        np.array([0.1, 1e300]),
        np.array([0.1, 0.2], np.float32),
        np.array(["no", "yes"]),
        np.array(["nø", "\ud800\0x"], "U7"),
        np.array(["no", "yes"], object),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_labels_survive_with_their_type(classes):
    ensemble = Ensemble.from_trees([], features=Features(1), classes=classes)
    again = Model.from_bytes(Model(compile_dag(ensemble)).to_bytes()).dag.ensemble.classes
    assert again.dtype == classes.dtype
    assert again.tolist() == classes.tolist()


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (np.array([1, "a"], object), "Python objects such as 1; .*encode the labels"),
        (np.array(["2020", "2021"], "M8[Y]"), r"classes are datetime64\[Y\]"),
        (np.array([b"a", b"b"]), r"classes are \|S1"),
    ],
)
def test_labels_that_are_no_text_and_no_numbers_are_refused(classes, message):
    ensemble = Ensemble.from_trees([], features=Features(1), classes=classes)
    with pytest.raises(TypeError, match=message):
        Model(compile_dag(ensemble)).to_bytes()


def test_what_cannot_be_kept_is_refused(tmp_path):
    voter = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(TypeError, match="1 callables, and a file runs no code"):
        Model(compile_dag(voter)).save(tmp_path / "no.mddag")
    odd = Ensemble.from_trees([], features=Features(1, categories={0: ((1, 2),)}))
    with pytest.raises(TypeError, match=r"column 0 has the category \(1, 2\)"):
        Model(compile_dag(odd)).save(tmp_path / "no.mddag")
    assert os.listdir(tmp_path) == []


def test_a_model_may_know_nothing_of_itself():
    model = Model.from_bytes(Model(whole_model().dag).to_bytes())
    known = model.calibration, model.beta, model.evaluation, model.full
    assert (*known, model.measured_against, model.summary) == (None,) * 6


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "model.mddag"
    whole_model().save(path)
    before = path.read_bytes()
    unsound = Calibration([0, 0, 0], [1.0], [2.0])
    with pytest.raises(ModelFileError, match="offsets would change winners; wanted zeros"):
        whole_model(calibration=unsound).save(path)
    assert path.read_bytes() == before
    whole_model(beta=None).save(path)
    assert Model.load(path).beta is None
    assert os.listdir(tmp_path) == ["model.mddag"]
    with pytest.raises(
        FileNotFoundError, match=r"nowhere' does not exist; make it first: '.*mddag'"
    ):
        whole_model().save(tmp_path / "nowhere" / "model.mddag")
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    whole_model().save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_calibration_of_another_dag_is_refused():
    short = Calibration.one_group(1.0, len(whole_model().dag.ensemble) - 1)
    with pytest.raises(ValueError, match=r"is of \d+ exit steps, but the DAG has \d+"):
        whole_model(calibration=short)


def test_files_of_version_1_keep_loading():
    """The file was written by the first release of the format; it must never be written anew."""
    known = whole_model(measured_against=None, summary=None)
    assert_equal_models(Model.load(FIXTURES / "version-1.mddag"), known)


def test_files_of_version_2_keep_loading():
    """The first with a summary; it must never be written anew."""
    assert_equal_models(Model.load(FIXTURES / "version-2.mddag"), whole_model())


def test_only_what_older_readers_do_not_know_needs_another_version():
    for kind in ("trees", "whole_model"):
        assert unpack(KINDS[kind]().to_bytes())[0]["version"] == 2
    metadata, tensors = unpack(KINDS["verdicts"]().to_bytes())
    assert metadata["version"] == 3
    assert "state" not in metadata
    assert tensors["policy.verdict"].dtype == np.int32
    metadata, _ = unpack(KINDS["stages"]().to_bytes())
    assert (metadata["version"], metadata["state"]) == (3, {"kind": "stages"})


@pytest.mark.parametrize("kind", ["verdicts", "stages"])
def test_verdicts_and_stages_survive(kind):
    model = KINDS[kind]()
    again = Model.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.dag.policy.verdict, model.dag.policy.verdict)
    assert_equal_states(again.dag.policy.state, model.dag.policy.state)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, t: m.update(state={"kind": "gaps"}), "state of the policy is 'gaps', unknown"),
        (lambda m, t: m.update(state={}), "state of the policy is None, unknown here; wanted"),
        (lambda m, t: m.update(state={"kind": "stages", "k": 1}), "the state has the fields"),
        (lambda m, t: m.update(version=2), "the metadata has the fields"),
        (lambda m, t: (m.update(version=2), m.pop("state")), "'policy.verdict', 'state.reads', "),
        (lambda m, t: m.pop("state"), r"\['state.reads', 'state.writes'\] are unexpected"),
        (lambda m, t: t.pop("state.reads"), r"\['state.reads'\] are missing"),
        (lambda m, t: t.update({"state.reads": t["state.reads"][:-1]}), "state.reads has 9 ent"),
        (lambda m, t: t.update({"state.writes": t["state.writes"][1:]}), "state.writes has 8 ent"),
        (lambda m, t: t.update({"state.writes": t["state.writes"] * 2}), "holds numbers above 1"),
        (lambda m, t: t.update({"state.reads": t["state.reads"] + 3}), "reads column 5, but wri"),
        (
            lambda m, t: t.update({"state.writes": np.zeros((9, 11), np.uint8)}),
            "there are 11 score columns for 9 steps; wanted at most 10",
        ),
        (lambda m, t: t.update({"policy.verdict": t["policy.verdict"] + 1}), "wanted a class"),
        (lambda m, t: t.update({"policy.verdict": t["policy.verdict"][1:]}), "wanted integers"),
    ],
)
def test_what_is_wrong_with_a_state_or_a_verdict_is_said(change, message):
    metadata, tensors = unpack(KINDS["stages"]().to_bytes())
    change(metadata, tensors)
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(pack(metadata, tensors))


def test_prices_survive():
    model = KINDS["prices"]()
    assert unpack(model.to_bytes())[0]["version"] == 5
    again, wanted = Model.from_bytes(model.to_bytes()).dag.purchases, model.dag.purchases
    np.testing.assert_array_equal(again.buys, wanted.buys)
    np.testing.assert_array_equal(again.prices.costs, wanted.prices.costs)
    for name in ("names", "columns", "wave_cost", "needs"):
        assert getattr(again.prices, name) == getattr(wanted.prices, name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, t: m.update(version=4), "the metadata has the fields"),
        (lambda m, t: m.pop("prices"), r"'prices.buys', .* are unexpected"),
        (lambda m, t: m["prices"].pop("names"), "prices has the fields"),
        (lambda m, t: m["prices"].update(names=["a", "b"]), "a name of its own for each"),
        (lambda m, t: m["prices"].update(names=[[], 1, 2, 3, 4]), "neither strings nor positions"),
        (lambda m, t: m["prices"].update(needs=[1]), "needs that are no lists of groups"),
        (lambda m, t: m["prices"].update(needs=[[4]] * 5), "the numbers of groups before it"),
        (lambda m, t: m["prices"].update(wave_cost=-1.0), "wave_cost is -1.0"),
        (lambda m, t: t.update({"prices.costs": -t["prices.costs"]}), "costs.* is -2.5"),
        (lambda m, t: t.update({"prices.sizes": 0 * t["prices.sizes"]}), "that no group can have"),
        (lambda m, t: t.update({"prices.sizes": t["prices.sizes"][1:]}), "prices.columns has 9 "),
        (lambda m, t: t.update({"prices.columns": 0 * t["prices.columns"]}), "disjoint groups"),
        (lambda m, t: t.update({"prices.columns": t["prices.columns"] + 1}), "the model reads 9"),
        (lambda m, t: t.update({"prices.buys": t["prices.buys"] * 2}), "holds numbers above 1"),
        (
            lambda m, t: t.update({"prices.buys": t["prices.buys"][1:]}),
            "are of 11 base classifiers",
        ),
        (lambda m, t: t.update({"prices.buys": t["prices.buys"] * 0}), "which it does not buy"),
    ],
)
def test_what_is_wrong_with_prices_is_said(change, message):
    metadata, tensors = unpack(KINDS["prices"]().to_bytes())
    change(metadata, tensors)
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(pack(metadata, tensors))


@dataclass(frozen=True)
class Unknown(Score):
    """A state that is not in the table of the file."""


def test_states_that_a_file_cannot_keep_are_refused_by_name(tmp_path):
    whole = whole_model().dag
    dag = Dag(whole.ensemble, replace(whole.policy, state=Unknown(whole.policy.grid)))
    with pytest.raises(TypeError, match="is an Unknown, which a file cannot keep; wanted Score or"):
        Model(dag).save(tmp_path / "no.mddag")
    assert os.listdir(tmp_path) == []


def test_a_file_has_the_fields_of_its_version():
    def older(metadata, _):
        metadata.update(version=1)

    with pytest.raises(ModelFileError, match=r"has the fields .*; wanted"):
        Model.from_bytes(rewritten(older))


def test_a_file_of_a_later_version_says_what_to_upgrade(tmp_path):
    path = tmp_path / "new.mddag"
    path.write_bytes(rewritten(lambda metadata, _: metadata.update(version=6, more=[1])))
    message = r"new.mddag'.*format version 6, .* up to 5; upgrade it: pip install --upgrade mddag"
    with pytest.raises(ModelFileError, match=message):
        Model.load(path)


def changed(name, change):
    """A change of one tensor or one entry of the metadata."""

    def apply(metadata, tensors):
        where = tensors if name in tensors else metadata
        where[name] = change(where[name])

    return apply


def at(index, value):
    def put(array):
        array = array.copy()
        array[index] = value
        return array

    return put


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("version", lambda _: 0), "format version is 0; wanted 1..5"),
        (changed("version", lambda _: True), "format version is True"),
        (changed("beta", lambda _: "cheap"), "beta = 'cheap'; wanted float or NoneType"),
        (changed("priced", lambda _: 1), "priced = 1; wanted bool"),
        (changed("kind", lambda _: "oracle"), "that of a 'oracle'"),
        (changed("kind", lambda _: "regressor"), "classes are given, but a regressor has none"),
        (changed("link", lambda _: "logit"), "the link is 'logit'"),
        (changed("every", lambda _: 0), "every is 0"),
        (changed("every", lambda _: 1), r"actions have shape \(1, 6\); wanted \(2, 6\)"),
        (changed("every", lambda _: True), "every = True; wanted int"),
        (changed("every", lambda _: 2**40), "every is 1099511627776; wanted at most"),
        (changed("evaluation", lambda e: e | {"n_evaluated": 3.0}), "but there are 2 base"),
        (changed("evaluation", lambda e: e | {"n_evaluated": -1.0}), "evaluations is -1.0"),
        (changed("full", lambda e: e | {"loss": None}), "loss = None; wanted float"),
        (changed("full", lambda e: {}), r"an evaluation has the fields \[\]"),
        (
            changed("measured_against", lambda _: "luck"),
            "measured_against is 'luck'; wanted",
        ),
        (changed("measured_against", lambda _: 1), "measured_against = 1; wanted str or NoneType"),
        (changed("summary", lambda s: s | {"rows": "all"}), "rows is 'all'; wanted one of"),
        (changed("summary", lambda s: s | {"n_rows": 1.5}), "n_rows = 1.5; wanted int"),
        (changed("summary", lambda s: s | {"lost": "no"}), "lost = 'no'; wanted float or NoneType"),
        (changed("summary", lambda s: {}), r"the summary has the fields \[\]"),
        (lambda m, t: m.pop("full"), "wanted .*'full'"),
        (lambda m, t: m.update(code="import os"), "has the fields .*'code'"),
        (lambda m, t: t.pop("votes"), r"tensors \['votes'\] are missing"),
        (lambda m, t: t.update(more=t["votes"]), r"\['more'\] are unexpected"),
        (lambda m, t: t.pop("calibration.factors"), "'calibration.factors'.* are missing"),
        (changed("votes", lambda v: v.astype(np.int64)), "votes is int64 of shape"),
        (changed("votes", lambda v: v[None]), r"votes is float64 of shape \(1, 10\)"),
        (changed("votes", at(3, np.nan)), "votes holds NaN"),
        (changed("votes", at(3, np.inf)), "tree 0 votes inf"),
        (changed("votes", lambda v: np.sign(v) * 1.7e308), "votes can sum up to inf"),
        (changed("votes", lambda v: v[:-1]), "sum up to 10; wanted 9"),
        (changed("nodes.threshold", at(0, np.nan)), "nodes.threshold holds NaN"),
        (changed("nodes.threshold", lambda v: v[:-1]), "has 8 entries; wanted 9"),
        (changed("nodes.left", at(0, 0)), "node 0 has the children 0 and 2"),
        (changed("nodes.left", at(0, 2)), "each node must be used once"),
        (changed("nodes.right", at(0, 2**31 - 1)), "node 0 has the children"),
        (changed("nodes.feature", at(0, 2)), "tree 0 splits column 2"),
        (changed("nodes.left", at(1, -5)), "is a leaf of code -5"),
        (changed("nodes.word", at(3, 1)), "node 0 reads 2 words from word 1"),
        (changed("nodes.n_words", at(3, 2**31 - 1)), "node 0 reads 2147483647 words"),
        (changed("nodes.missing_left", at(0, 2)), "numbers above 1"),
        (changed("trees.n_nodes", at(0, -3)), "lengths outside of 0..9"),
        (changed("trees.n_nodes", at(0, 2**63 - 1)), "lengths outside of 0..9"),
        (changed("trees.n_nodes", at(0, 2)), "sum up to 8; wanted 9"),
        (changed("trees.n_nodes", lambda v: v[:2]), "n_nodes has 2 entries; wanted 3"),
        (changed("trees.n_leaves", at(0, 10)), "sum up to 34; wanted 10"),
        (changed("trees.score", at(0, 3)), "sum up to 6; wanted 10"),
        (changed("trees.score", at(1, 3)), "tree 1 votes for score 3"),
        (changed("ensemble.n_trees", at(0, 3)), "sum up to 4; wanted 3"),
        (changed("ensemble.bias", lambda v: v[:0]), "sum up to 4; wanted 10"),
        (changed("ensemble.bias", at(0, np.nan)), "ensemble.bias holds NaN"),
        (changed("ensemble.bias", at(0, np.inf)), "bias is .*inf"),
        (changed("ensemble.cost", at(0, -1.0)), r"cost\[0\] is -1.0"),
        (changed("ensemble.cost", lambda v: v[:1]), "cost has shape"),
        (changed("policy.edges", at(0, np.inf)), "not finite and strictly increasing"),
        (changed("policy.edges", lambda v: np.array([1.0, 1.0])), "strictly increasing"),
        (changed("policy.actions", at((0, 0), 3)), "action at step 0 in cell 0 is 3"),
        (changed("policy.actions", lambda v: v[:, :2]), r"actions have shape \(1, 2\)"),
        (changed("policy.order", at(0, 0)), "wanted each of 0..1 once"),
        (changed("policy.order", at(0, 2**62)), "wanted each of 0..1 once"),
        (changed("policy.order", lambda v: v[:1]), "policy.order has 1 entries; wanted 2"),
        (changed("calibration.groups", at(0, 2)), r"step 0 is in group 2; .* numbered 0\.\.1"),
        (changed("calibration.groups", lambda v: v[:1]), "groups has 1 entries; wanted 3"),
        (changed("calibration.factors", at(0, 0.0)), "others than positive numbers"),
        (changed("calibration.factors", lambda v: v[:1]), r"have shapes \(1,\) and \(2,\)"),
        (changed("calibration.offsets", at(0, 0.5)), "would change winners"),
        (changed("classes", lambda c: c | {"dtype": "U99999999"}), "are too long"),
        (changed("classes", lambda c: c | {"dtype": "O"}), "wanted one of"),
        (changed("classes", lambda c: c | {"dtype": "U1"}), "classes do not fit their type U1"),
        (changed("classes", lambda c: c | {"dtype": "int64"}), "other values than int"),
        (changed("classes", lambda c: c | {"values": ["a", "b"]}), r"classes has shape \(2,\)"),
        (changed("classes", lambda c: {"dtype": "int8", "values": [1, 2, 300]}), "no sound model"),
        (changed("classes", lambda c: {"dtype": "float64", "values": [1, 2, 3]}), "than float"),
        (changed("features", lambda f: f | {"n": -1}), "there are -1 features"),
        (changed("features", lambda f: f | {"n": 10**30}), "there are 1000000000000"),
        (changed("features", lambda f: f | {"n": 3}), "2 feature names; wanted 3"),
        (changed("features", lambda f: f | {"names": [1, 2]}), "2 feature names; wanted 2 strings"),
        (changed("features", lambda f: f | {"unknown": 3}), "features has unknown = 3; wanted str"),
        (changed("features", lambda f: f | {"unknown": "no"}), "unknown categories are 'no'; want"),
        (changed("features", lambda f: f | {"categories": [3]}), "categories are 3"),
        (changed("features", lambda f: f | {"categories": [[2, []]]}), "column 2 of 2"),
        (changed("features", lambda f: f | {"categories": [[0, []], [0, []]]}), "column 0 of 2"),
        (changed("features", lambda f: f | {"categories": [[0, [[]]]]}), "are no scalars"),
    ],
)
def test_unsound_models_are_refused(change, message):
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(rewritten(change))


def test_regressors_may_shift_means():
    ensemble = replace(whole_model().dag.ensemble, task=Regression())
    model = whole_model(
        dag=Dag(ensemble, whole_model().dag.policy, expected_evaluations=2.0),
        calibration=Calibration([0, 0, 1], [1.0, 2.0], [0.5, -0.5]),
        evaluation=Evaluation(1.0, 2.0, 3.0, 2.0),
    )
    assert_equal_models(Model.from_bytes(model.to_bytes()), model)
