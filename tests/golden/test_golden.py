"""Golden cases: stored models and policies still give the stored answers, end to end.

Answers of a stored policy over a stored model are promised to the last bit on every machine: by
every executor, from a saved file, and by exported code. What is learned may differ a little between
machines and versions; the tolerances are below. After a change of learning that is meant, write
the answers again: ``python -m tests.golden.make --answers``.
"""

import numpy as np
import pytest

import mddag
from tests.golden.cases import CASES, DATA, N_ANSWERED, arrays, detected
from tests.serving.export import programs

CALIBRATION = 1e-6  # by which probabilities may differ: their calibration is fitted
EVALUATIONS = 0.2  # share by which the mean number of evaluations of a learned policy may differ
QUALITY = 0.03  # of accuracy, or NDCG
AGREEMENT = 0.93  # least share of rows that get the stored label from a learned policy
N_SINGLE = 20  # rows that are also predicted one by one

LEARNED = [(case, number) for case in CASES for number in range(len(case.learned))]
BY_NAME = {case.name: case for case in CASES}


@pytest.fixture(scope="module")
def learned():
    """By name of a case and number of what was asked: a learned estimator; each learned once."""
    found = {}

    def get(case, number):
        if (case.name, number) not in found:
            found[case.name, number] = case.sparsified(case.learned[number])
        return found[case.name, number]

    return get


def assert_equal(found, wanted):
    assert found.keys() == wanted.keys()
    for name in found:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_engine_gives_the_stored_answers(case):
    found = case.answered(case.predictor)
    wanted = {name: case.answers[name] for name in found}
    if "predict_proba" in found:
        odds = found.pop("predict_proba"), wanted.pop("predict_proba")
        np.testing.assert_allclose(*odds, rtol=0, atol=CALIBRATION)
    assert_equal(found, wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_every_executor_gives_the_stored_answers(case):
    for executor in (None, "walk", "blocks"):
        dag = mddag.compile(case.ensemble, case.policy, executor=executor)
        for n_jobs in (1, 2):
            n_evaluated = dag.n_evaluated(case.rows, n_jobs=n_jobs)
            np.testing.assert_array_equal(n_evaluated, case.answers["n_evaluated"])
            scores = dag.scores(case.rows, n_jobs=n_jobs)
            np.testing.assert_array_equal(scores, case.answers["scores"])
    for x, wanted in zip(case.rows[:N_SINGLE], case.answers["predict"], strict=False):
        assert case.predictor.predict_one(x) == wanted


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_saved_model_gives_the_same_answers(case, tmp_path):
    case.predictor.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert_equal(case.answered(loaded), case.answered(case.predictor))


@pytest.mark.parametrize("language", [programs.C, programs.JavaScript], ids=lambda k: k.language)
def test_exported_models_give_the_same_answers(language, learned, tmp_path):
    program = language()
    program.require()
    exported = [programs.Case(c.name, c.predictor, c.rows) for c in CASES]
    exported += [
        programs.Case(f"{c.name}{number}", learned(c, number).predictor(), c.rows)
        for c, number in LEARNED
        if not c.is_ranker  # whose learned policies look at whole queries, and are not exported
    ]
    found = program.answers(tmp_path, exported)
    for each in exported:
        np.testing.assert_array_equal(found[each.name], each.wanted, err_msg=each.name)
    for case in CASES:
        columns, n_scores = found[case.name], case.ensemble.n_scores
        predicted = columns[:, 0]
        if not case.is_ranker:
            predicted = case.ensemble.classes[predicted.astype(int)]
        np.testing.assert_array_equal(predicted, case.answers["predict"])
        np.testing.assert_array_equal(columns[:, 1], case.answers["n_evaluated"])
        np.testing.assert_array_equal(columns[:, 2 : 2 + n_scores], case.answers["scores"])


@pytest.mark.parametrize(("case", "number"), LEARNED, ids=lambda p: getattr(p, "name", p))
def test_learned_policies_are_as_good_as_stored(case, number, learned):
    n_evaluated, quality, predicted = case.measured(learned(case, number))
    wanted_evaluated, wanted_quality = case.answers[f"learned.{number}"]
    assert n_evaluated == pytest.approx(wanted_evaluated, rel=EVALUATIONS)
    assert quality == pytest.approx(wanted_quality, abs=QUALITY)
    if not case.is_ranker:
        assert np.mean(predicted == case.answers[f"learned.{number}.predict"]) >= AGREEMENT


@pytest.mark.parametrize(("case", "number"), LEARNED, ids=lambda p: getattr(p, "name", p))
def test_learned_policies_are_the_same_from_a_file(case, number, learned, tmp_path):
    estimator = learned(case, number)
    estimator.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    for found, wanted in zip(case.measured(loaded), case.measured(estimator), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_adaboost_learns_as_stored():
    case = BY_NAME["adaboost"]
    assert np.mean(case.boosted() == case.answers["learned.boosted"]) >= AGREEMENT


def test_a_detector_finds_the_stored_objects(tmp_path):
    wanted = arrays(DATA / "detector.answers.npz")
    detector = mddag.Detector.from_opencv(DATA / "detector.xml")
    detector.save(tmp_path / "detector.mddag")
    for found in (detected(detector), detected(mddag.load(tmp_path / "detector.mddag"))):
        assert_equal(found._asdict(), wanted)


def test_the_stored_files_are_small():
    assert all(file.stat().st_size < 100_000 for file in DATA.iterdir())
    assert all(len(case.rows) == N_ANSWERED for case in CASES)
