from mddag.inspection.report.features import features
from tests.inspection.explanation.models import HOSTILE
from tests.inspection.report.reports import bare, page_of, share, two


def test_shares_are_those_of_the_paths():
    facts = two()
    page = page_of(features(facts))
    for i, name in enumerate(facts.ensemble.features.names):
        reads = [i in facts.reads[j] for j in range(len(facts.ensemble))]
        rows = [any(reads[j] for j in facts.trace.path(k)) for k in range(facts.n_rows)]
        assert name in page.texts["span"]
        at = page.texts["span"].index(name)
        assert page.texts["span"][at + 1].rstrip(" %") in f"{100 * share(rows):.4f}"
    assert HOSTILE in page.texts["span"]
    assert features(bare()) is None
