from functools import cache

import mddag
from mddag.inspection.report.paths import flow, instances
from mddag.inspection.report.ranking import ranking
from mddag.metrics import NDCG
from tests.inspection.report.reports import facts_of, page_of, two
from tests.rankings import documents, ranker


@cache
def sparse():
    X, y, qid = documents(60, seed=2)
    return mddag.MDDAGRanker(ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


def test_orders_and_evaluations_are_shown():
    model, (X, y, qid) = sparse(), documents(40, seed=3)
    facts = facts_of(model, X, y, qid=qid)
    page = page_of(ranking(facts))
    assert f"{NDCG(10)(model.predict(X, qid), y, qid):.4f}" in page.texts["td"]
    assert f"{NDCG(10)(ranker().predict(X), y, qid):.4f}" in page.texts["td"]
    assert "40 queries" in page.text()
    assert flow(facts) is not None
    assert instances(facts) is None  # the path of a document depends on the others


def test_it_says_what_it_lacks():
    assert "qid=qid" in page_of(ranking(facts_of(sparse()))).text()
    X, _, qid = documents(40, seed=3)
    assert "No labels were given" in page_of(ranking(facts_of(sparse(), X, qid=qid))).text()
    assert ranking(two()) is None
