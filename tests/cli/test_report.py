"""``mddag report``."""


def test_a_report_with_and_without_rows(run, folder):
    ended = run("report", "sparse.mddag", "rows.csv", "-t", "label", "-o", "r.html", "--json")
    assert ended.code == 0
    assert ended.fields["bytes"] == (folder / "r.html").stat().st_size
    page = (folder / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "town" in page
    assert run("report", "sparse.mddag", "-o", "s.html").code == 0
    assert (folder / "s.html").stat().st_size < len(page)
