"""What the sections of a report say, against the model and its trace; charts and their axes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import r2_score

import mddag
from mddag.inspection.report import Facts
from mddag.inspection.report.markup import Axis, Chart
from mddag.inspection.report.page import page
from mddag.inspection.report.paths import chosen, flow, single_rows
from mddag.inspection.report.sections import (
    calibration,
    costs,
    detection,
    evaluations,
    features,
    losses_of,
    reads_of,
    summary,
    tradeoff,
)
from mddag.losses import Exponential, Squared, ZeroOne
from mddag.policy import Given
from mddag.policy.policy import QUIT
from mddag.serving.model_file import Model
from mddag.solvers import Margin, Prefix
from tests.engine.test_dag import stumps
from tests.inspection.explanation.models import BETA, HOSTILE, classifier, frame, labels, regressor
from tests.inspection.report.reports import (
    Page,
    bare,
    detector,
    facts_of,
    numbers,
    page_of,
    three,
    two,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


@pytest.mark.parametrize("make", [two, three])
def test_classes_and_probabilities_are_those_of_the_model(make):
    facts = make()
    model = classifier(len(facts.classes))
    assert facts.classes[facts.predicted].tolist() == model.predict(frame()).tolist()
    np.testing.assert_array_equal(facts.probabilities, model.predict_proba(frame()))
    full = mddag.compile(model.ensemble_).verdicts(frame())
    assert facts.full_predicted.tolist() == full.tolist()
    assert facts.classes[facts.codes].tolist() == labels(len(facts.classes)).tolist()


def test_paths_with_too_many_evaluations_are_counted_on_some_rows(monkeypatch):
    monkeypatch.setattr("mddag.inspection.report.facts.MOST_EVALUATIONS", 900)
    facts = facts_of(classifier(), frame(), labels())
    assert 0 < len(facts.paths) < facts.n_rows
    assert len(facts.paths.indices) < 1200
    assert facts.graph.size.sum() == len(facts.paths)
    for k in (0, 1, -1):
        path = facts.trace.path(facts.counted[k])
        assert facts.paths.path(np.arange(len(facts.paths))[k]).tolist() == path.tolist()
    assert "evenly spaced rows" in page(facts)
    monkeypatch.undo()
    assert two().paths is two().trace
    assert "evenly spaced rows" not in page(two())


def test_the_summary_has_the_numbers_of_the_rows():
    facts = two()
    text = page_of(summary(facts)).text()
    error = 100 * np.mean(facts.predicted != facts.codes)
    full = 100 * np.mean(facts.full_predicted != facts.codes)
    assert f"{error:.2f} %" in text
    assert f"full model {full:.2f} %" in text
    assert f"{facts.trace.n_evaluated.mean():.1f}" in text
    assert f"{100 * np.mean(facts.full_predicted == facts.predicted):.2f} %" in text
    assert "On the 400 rows given" in text
    without = page_of(summary(two(targets=False))).text()
    assert "No targets were given" in without
    assert "error" not in without.replace("errors", "")


def test_the_summary_of_a_regressor_has_r2():
    facts = numbers()
    wanted = r2_score(facts.targets, facts.predicted)
    assert f"{wanted:.4f}" in page_of(summary(facts)).text()


def test_without_rows_the_summary_has_what_was_measured_on_policy_rows():
    text = page_of(summary(bare())).text()
    assert f"{bare().model.result.evaluation.n_evaluated:.1f}" in text
    assert "rows given" not in text


def swept(model, y, **more):
    betas = [5e-5, BETA, 0.03]
    given = {"betas": betas, "ordering": Given(), "X_test": frame(), "y_test": y}
    return mddag.sweep(model, frame(), y, **(given | more))


@pytest.mark.parametrize("loss", [ZeroOne(), ZeroOne([1.0, 5.0]), Exponential()])
@pytest.mark.parametrize("at", range(3))
def test_a_classifier_is_measured_as_its_curve_is(loss, at):
    curve = swept(classifier(), labels(), loss=loss, solver=Margin())
    same = mddag.MDDAGClassifier(classifier().ensemble_).adopt(
        curve.policies[at], frame(), labels()
    )
    facts = facts_of(same, frame(), labels())
    own, full = losses_of(curve, facts)
    assert facts.trace.n_evaluated.mean() == pytest.approx(curve.test_n_evaluated[at])
    assert own == pytest.approx(curve.test_loss[at])
    assert full == pytest.approx(curve.full_test_loss[0])


def test_a_regressor_is_measured_as_its_curve_is():
    y = frame().to_numpy() @ [3.0, 1.0, -2.0] + 5
    curve = swept(regressor(), y, loss=Squared(), solver=Prefix())
    same = mddag.MDDAGRegressor(regressor().ensemble_).adopt(curve.policies[1], frame(), y)
    own, full = losses_of(curve, facts_of(same, frame(), y))
    assert own == pytest.approx(curve.test_loss[1])
    assert full == pytest.approx(curve.full_test_loss[0])


def circles(page, beginning):
    said = [a["aria-label"] for a in page.all("circle")]
    return [words for words in said if words.startswith(beginning)]


def test_every_price_is_a_point_and_the_ring_is_the_model_on_the_rows_of_the_report():
    curve = swept(classifier(), labels(), solver=Margin())
    facts = replace(two(), curve=curve)
    page = page_of(tradeoff(facts))
    assert len(circles(page, "beta ")) == 3
    (here,) = circles(page, "this model")
    assert f"{facts.trace.n_evaluated.mean():.1f} evaluations" in here
    assert len(circles(page, "full model: 30 evaluations")) == 1
    assert losses_of(curve, replace(two(), source=None))[1] is None


@pytest.mark.parametrize("make", [two, three, numbers])
def test_the_columns_of_the_dag_are_buttons_with_their_base_classifiers(make):
    facts = make()
    section = flow(facts)
    columns = [a for a in page_of(section).all("g") if a.get("class") == "node"]
    assert len(columns) == len(facts.grouping)
    assert [a["tabindex"] for a in columns] == ["0"] + ["-1"] * (len(columns) - 1)
    assert all(a["role"] == "button" and "% of rows" in a["aria-label"] for a in columns)
    groups = section.data["groups"]
    members = [member for group in groups for member in group["members"]]
    uses = facts.trace.uses(len(facts.ensemble)).sum(axis=1)
    assert [m["name"] for m in members] == [f"h_{j + 1}" for j in facts.graph.nodes]
    assert [m["rows"] for m in members] == uses[facts.graph.nodes].tolist()
    assert sum(group["quit"] for group in groups) == facts.n_rows
    first = members[0]["trees"][0]
    tree = facts.ensemble.tree(int(facts.ensemble.tables.rounds[facts.graph.nodes[0]]))
    assert len(first["rules"]) + first["more"] == tree.n_leaves
    assert all(" <= " in rule or " > " in rule for rule, _ in first["rules"])


def test_a_dag_that_evaluates_nothing_is_not_drawn():
    ensemble = stumps(3)
    dag = mddag.compile(ensemble, mddag.Policy.constant(QUIT, 3, mddag.Grid([])))
    facts = Facts(Model(dag), rows=ensemble.features.rows([[0.0, 1.0]]))
    assert flow(facts) is None
    assert single_rows(facts) is None


@pytest.mark.parametrize("make", [two, three, numbers])
def test_rows_are_explained_and_followed(make):
    facts = make()
    section = single_rows(facts)
    page, rows = page_of(section), chosen(facts)
    panels = [a for a in page.all("div") if "data-instance" in a]
    assert len(panels) == len(rows) == len(section.data["paths"])
    assert all("hidden" in a for a in panels)
    assert [a["value"] for a in page.all("option")] == ["", *map(str, range(len(rows)))]
    groups = flow(facts).data["groups"]
    columns = [{member["name"] for member in group["members"]} for group in groups]
    for i, path in zip(rows.values(), section.data["paths"], strict=True):
        names = {f"h_{j + 1}" for j in facts.trace.path(i)}
        assert path == [g for g, some in enumerate(columns) if some & names]


def test_short_long_and_wrong_rows_are_chosen():
    facts = two()
    rows, counts = chosen(facts), facts.trace.n_evaluated
    assert counts[rows["the shortest path"]] == counts.min()
    assert counts[rows["the longest path"]] == counts.max()
    wrong = rows["wrong row 1"]
    assert facts.predicted[wrong] != facts.codes[wrong]
    assert not [name for name in chosen(two(targets=False)) if name.startswith("wrong")]


def test_features_are_read_by_the_paths():
    facts = two()
    page, reads = page_of(features(facts)), reads_of(facts.ensemble)
    for i, name in enumerate(facts.ensemble.features.names):
        times = np.mean([reads[facts.trace.path(k), i].sum() for k in range(facts.n_rows)])
        assert page.texts["span"][page.texts["span"].index(name) + 1] == f"{times:.1f}"
    assert HOSTILE in page.texts["span"]
    free = mddag.Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    model = Model(mddag.compile(free))
    assert features(Facts(model, rows=free.features.rows([[1.0]]))) is None


def test_groups_of_features_have_prices():
    facts = replace(two())
    groups = np.column_stack([np.ones(400, bool), np.arange(400) % 4 == 0])
    prices = SimpleNamespace(names=("cheap", "<expensive>"), costs=np.array([1.0, 8.0]))
    object.__setattr__(
        facts, "trace", replace(facts.trace, groups=groups, feature_cost=groups @ prices.costs)
    )
    dag = SimpleNamespace(
        ensemble=facts.ensemble, purchases=SimpleNamespace(prices=prices)
    )  # what costs reads of it
    page = page_of(costs(replace_model(facts, dag)))
    assert {"cheap", "<expensive>"} <= set(page.texts["th"])
    assert {"8", "25 %", "2"} <= set(page.texts["td"])
    assert "A row pays 3 for its features on average and buys 1.2 of 2 groups" in page.text()


def replace_model(facts, dag):
    """The same facts, of a model that is its DAG alone."""
    object.__setattr__(facts, "model", SimpleNamespace(dag=dag))
    return facts


@pytest.mark.parametrize("make", [two, three])
def test_probabilities_are_compared_with_the_truth(make):
    facts = make()
    page = page_of(calibration(facts))
    group = facts.model.calibration.groups[facts.trace.exit_step]
    assert len(page.all("circle")) == len(np.unique(group))
    here = group == group[0]
    right = (facts.predicted == facts.codes)[here].mean()
    sure = facts.probabilities[np.flatnonzero(here), facts.predicted[here]].mean()
    words = f"{here.sum()} rows, predicted {sure:.4g}, true {right:.4g}"
    assert words in str(page.all("circle"))


def test_means_are_compared_with_targets():
    facts = numbers()
    page = page_of(calibration(facts))
    group = facts.model.calibration.groups[facts.trace.exit_step]
    here = group == group[0]
    assert f"{here.sum()} rows, predicted " in str(page.all("circle"))
    assert f"true {facts.targets[here].mean():.4g}" in str(page.all("circle"))
    assert "R2 of all rows" in page.text()


def test_the_rates_of_a_detector_are_shown():
    model, X, y = detector()
    text = page_of(detection(facts_of(model, X, y))).text()
    assert model.result_.rates.line("fpr") in text
    found = np.mean(model.predict(X[y == 1]) == 1)
    assert f"{found:.4g} of {np.sum(y == 1)} positives are called positive" in text
    alone = page_of(detection(facts_of(model)))
    assert "positives are called" not in alone.text()
    assert detection(two()) is None


@pytest.mark.parametrize("section", [flow, single_rows, evaluations, features, costs, calibration])
def test_sections_of_rows_need_rows(section):
    assert section(bare()) is None


def test_a_chart_has_its_marks_and_escapes_all_words():
    evil = "<b onclick='x()'>\n\"&"
    x, y = Axis(evil, 0, 4), Axis(evil, 0, 1, percent=True)
    chart = Chart(evil, x, y, rules=[0.5], note=(3, 0.5, evil))
    chart.lines = [([(0, 0), (1, 0.5), (4, 1)], "c0")]
    chart.points, chart.bars = [(3, 0.5, "here", evil, 4.5)], [(0, 1, 0, 0.5, "c1", evil)]
    page = Page(chart.svg())
    assert not page.all("b")
    assert not any(name == "style" or name.startswith("on") for _, a in page.tags for name in a)
    assert {"<b onclick='x()'> \"&", "40 %"} <= set(page.texts["text"])
    (dot,) = page.all("circle")
    assert dot["tabindex"] == "0"
    assert dot["aria-label"] == "<b onclick='x()'> \"&"
    (line,) = page.all("polyline")
    assert len(line["points"].split()) == 3
