"""The whole page: what may run in it, what it links to, and how it is written."""

import base64
import hashlib
import json
import re
import sys

import pytest

import mddag
from mddag.inspection.report.page import page
from tests.inspection.explanation.models import HOSTILE, classifier, frame, labels
from tests.inspection.report.reports import (
    Page,
    bare,
    detector,
    facts_of,
    long_chain,
    numbers,
    three,
    two,
)
from tests.ranking.test_serving import sparse
from tests.rankings import documents
from tests.test_import import HEAVY, fresh

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


def ranked():
    X, y, qid = documents(40, seed=3)
    return facts_of(sparse(), X, y, qid=qid)


def detecting():
    model, X, y = detector()
    return facts_of(model, X, y)


def chain():
    return facts_of(*long_chain())


@pytest.fixture(
    params=[two, three, numbers, bare, chain, ranked, detecting], ids=lambda kind: kind.__name__
)
def html(request):
    return page(request.param())


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_only_its_own_style_and_script_may_run(html):
    found = Page(html)
    (policy,) = (a["content"] for a in found.all("meta") if a.get("http-equiv"))
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert f"style-src '{digest(style)}'" in policy
    assert f"script-src '{digest(script)}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert [a.get("type") for a in found.all("script")] == ["application/json", None]


def test_nothing_else_is_loaded_and_nothing_runs_inline(html):
    for tag, attributes in Page(html).tags:
        assert tag not in {"img", "link", "iframe", "object", "embed", "form"}
        assert not {"src", "srcset", "style", "action"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
    for words in ("http://", "https://", "eval(", "innerHTML"):
        assert words not in html


def test_links_lead_to_sections_and_ids_are_unique(html):
    found = Page(html)
    ids = [a["id"] for _, a in found.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in found.all("a")} <= set(ids)
    assert all(a["aria-labelledby"] in ids for a in found.all("section"))


def test_the_data_of_the_script_is_json_without_tags(html):
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert isinstance(json.loads(data), dict)
    assert "<" not in data


def test_hostile_names_stay_text():
    html = page(two())
    assert HOSTILE not in html
    assert HOSTILE in Page(html).text()


def test_sections_are_where_they_apply():
    assert {"dag", "rows", "features", "calibration"} <= Page(page(two())).ids
    assert not {"dag", "ranking", "detection", "costs", "trade-off"} & Page(page(bare())).ids
    assert "they need rows, X" in Page(page(bare())).text()
    assert "ranking" in Page(page(ranked())).ids
    assert "detection" in Page(page(detecting())).ids


def test_the_error_says_what_to_install(monkeypatch):
    from mddag.inspection.report.markup import environment

    monkeypatch.setitem(sys.modules, "jinja2", None)
    environment.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'mddag\[plot\]'"):
        page(bare())


def test_a_loaded_model_reports_without_heavy_imports(tmp_path):
    classifier().save(tmp_path / "m.mddag")
    frame().to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sys, mddag, numpy as np;"
        f"model = mddag.load({str(tmp_path / 'm.mddag')!r});"
        f"X = np.loadtxt({str(tmp_path / 'rows.csv')!r}, delimiter=',', skiprows=1);"
        "model.explain(X[0]);"
        f"model.report({str(tmp_path / 'r.html')!r}, X);"
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    assert fresh(code) == "[]"
    assert "features" in Page((tmp_path / "r.html").read_text("utf-8")).ids


def test_the_estimator_writes_the_same_page_again_and_its_file_one_without_the_full_model(tmp_path):
    model = classifier()
    for name in ("a", "b"):
        model.report(tmp_path / f"{name}.html", frame(), labels())
    first, second = ((tmp_path / f"{name}.html").read_text("utf-8") for name in ("a", "b"))
    assert first == second
    assert "<title>MDDAGClassifier of 30 base classifiers</title>" in first
    model.save(tmp_path / "m.mddag")
    mddag.load(tmp_path / "m.mddag").report(tmp_path / "c.html", frame(), labels())
    assert "label of the full model" in first
    assert "label of the full model" not in (tmp_path / "c.html").read_text("utf-8")
