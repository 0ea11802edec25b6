"""Files with a right checksum and unsound content are refused, and the fault is named."""

import numpy as np
import pytest

from mddag.serving.model_file import Model, ModelFileError
from mddag.serving.model_file.container import pack, unpack
from tests.serving.model_file.kinds import KINDS


def changed(name, change):
    """A change of one tensor or one entry of the metadata."""

    def apply(metadata, tensors):
        where = tensors if name in tensors else metadata
        where[name] = change(where[name])

    return apply


def of_result(name, change):
    """A change of one field of the result."""
    return changed("result", lambda result: result | {name: change(result[name])})


def at(index, value):
    def put(array):
        array = array.copy()
        array[index] = value
        return array

    return put


UNSOUND = {
    "stages": [
        (lambda m, t: m.update(state={"kind": "gaps"}), "state of the policy is 'gaps', unknown"),
        (lambda m, t: m.update(state={}), "state of the policy is None, unknown here; wanted"),
        (lambda m, t: m.update(state={"kind": "stages", "k": 1}), "the state has the fields"),
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
    "prices": [
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
    "whole_model": [
        (changed("version", lambda _: 0), "format version 0"),
        (changed("version", lambda _: True), "format version True"),
        (changed("priced", lambda _: 1), "priced = 1; wanted bool"),
        (changed("kind", lambda _: "oracle"), "that of a 'oracle'"),
        (changed("kind", lambda _: "regressor"), "classes are given, but a regressor has none"),
        (changed("link", lambda _: "logit"), "the link is 'logit'"),
        (changed("every", lambda _: 0), "every is 0"),
        (changed("every", lambda _: 1), r"actions have shape \(1, 6\); wanted \(2, 6\)"),
        (changed("every", lambda _: True), "every = True; wanted int"),
        (changed("every", lambda _: 2**40), "every is 1099511627776; wanted at most"),
        (of_result("evaluation", lambda e: e | {"n_evaluated": 3.0}), "but there are 2 base"),
        (of_result("evaluation", lambda e: e | {"n_evaluated": -1.0}), "evaluations is -1.0"),
        (of_result("full_evaluation", lambda e: e | {"loss": None}), "loss = None; wanted float"),
        (of_result("full_evaluation", lambda e: {}), r"full_evaluation has the fields \[\]"),
        (of_result("against", lambda _: "luck"), "against is 'luck'; wanted one of"),
        (of_result("against", lambda _: 1), "against is 1; wanted one of"),
        (of_result("rows", lambda _: "all"), "rows is 'all'; wanted one of"),
        (of_result("n_rows", lambda _: 1.5), "n_rows = 1.5; wanted int"),
        (of_result("speed", lambda _: "no"), "speed = 'no'; wanted float"),
        (of_result("metrics", lambda _: {}), "metrics = {}; wanted a list"),
        (of_result("metrics", lambda m: [*m, 1]), "metrics has the fields 1"),
        (of_result("bounds", lambda b: [b[0] | {"exact": 1}]), "exact = 1; wanted bool"),
        (changed("result", lambda r: {}), r"the result has the fields \[\]"),
        (lambda m, t: m.pop("result"), "wanted .*'result'"),
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
}


@pytest.mark.parametrize(
    ("kind", "change", "message"), [(kind, *row) for kind, rows in UNSOUND.items() for row in rows]
)
def test_unsound_models_are_refused(kind, change, message):
    metadata, tensors = unpack(KINDS[kind]().to_bytes())
    change(metadata, tensors)
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(pack(metadata, tensors))
