from mddag.inspection.report.paths import _thinned, classifiers
from tests.inspection.report.reports import bare, page_of, two


def test_the_most_used_are_listed_with_their_rows():
    facts = two()
    page = page_of(classifiers(facts))
    uses = facts.graph.uses.sum(axis=1)
    assert f"{uses.max()}" in page.texts["td"]
    assert f"{len(facts.graph.nodes)} of 30 base classifiers are evaluated" in page.text()
    assert classifiers(bare()) is None


def test_long_lines_keep_their_beginning_and_end():
    points = [(float(k), 0.5) for k in range(5000)]
    kept = _thinned(points)
    assert len(kept) <= 1000
    assert kept[:500] == points[:500]
    assert kept[-1] == points[-1]
