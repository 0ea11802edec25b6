import pytest

from mddag.inspection.report.markup import (
    beside,
    escaped,
    figure,
    legend,
    listed,
    paragraph,
    percent,
    table,
)
from tests.inspection.report.reports import Page

EVIL = "<b onclick='x()'>\n\"&"


@pytest.mark.parametrize(
    "html",
    [
        paragraph(EVIL),
        listed([EVIL]),
        table(("", EVIL), [(EVIL, EVIL)], EVIL),
        figure("<svg></svg>", EVIL),
        figure("<svg></svg>", EVIL, wide=True),
        legend([EVIL, "b"], EVIL),
        beside(paragraph(EVIL), listed([EVIL])),
    ],
)
def test_names_stay_text(html):
    page = Page(html)
    assert not page.all("b")
    assert "<b onclick='x()'>" in page.text()
    assert not any(name.startswith("on") for _, a in page.tags for name in a)


def test_escaped_is_on_one_line():
    assert escaped("a\n<b>") == "a &lt;b&gt;"


def test_percent_has_few_digits():
    shares = (0, 1, 0.5, 0.052, 0.0004, 0.9973)
    assert [percent(s) for s in shares] == ["0 %", "100 %", "50 %", "5.2 %", "0.04 %", "99.7 %"]
