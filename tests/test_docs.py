"""What the documentation quotes is there, and its examples run."""

import ast
import importlib.util
import inspect
import json
import re
import runpy
import shutil

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from tests.shipped import ROOT, needed

DOCS = needed("docs")
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
RUNNABLE = [
    "adaboost.md",
    "adapters.md",
    "cascades.md",
    "condensation.md",
    "costs.md",
    "detection.md",
    "executors.md",
    "export.md",
    "lazy.md",
    "learners.md",
    "losses.md",
    "ordering.md",
    "serving.md",
    "solvers.md",
    "sparsify.md",
    "train.md",
    "verdicts.md",
    "ranking.md",
    "report.md",
]


def by_name(path):
    return str(path.relative_to(ROOT))


def examples(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def anchors(page):
    """GitHub's names of the headings: lower case, words joined by hyphens, no punctuation."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_quoted_files_exist(page):
    text = page.read_text()
    quoted = re.findall(r"`((?:src|tests|native)/[\w/.]+?\.(?:py|hpp|cpp))(?:::\w+)?`", text)
    linked = re.findall(r"\]\((?!http)([^)#]+)", text)
    absent = [path for path in quoted if not (ROOT / path).is_file()]
    absent += [path for path in linked if not (page.parent / path).exists()]
    assert not absent


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_linked_headings_exist(page):
    for path, anchor in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", page.read_text()):
        target = (page.parent / path).resolve() if path else page
        assert anchor in anchors(target), f"{target.name} has no heading {anchor}"


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_named_modules_and_attributes_exist(page):
    """Also in examples that are not run."""
    for example in examples(page):
        for node in ast.walk(ast.parse(example)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("mddag"):
                module = importlib.import_module(node.module)
                absent = [a.name for a in node.names if not hasattr(module, a.name)]
                assert not absent, f"{node.module} has no {absent}"
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "mddag":
                assert hasattr(importlib.import_module("mddag"), node.attr), ast.unparse(node)


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_quoted_tests_exist(page):
    for path, name in re.findall(r"`(tests/[\w/.]+\.py)::(\w+)`", page.read_text()):
        assert f"def {name}(" in (ROOT / path).read_text(), f"{path} has no {name}"


@pytest.mark.filterwarnings("error::mddag.DoubtfulResult")  # an example is to be followed
@pytest.mark.parametrize("name", RUNNABLE)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where some of them write files
    assert examples(DOCS / name)
    for example in examples(DOCS / name):
        exec(example, {})


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of few rows, which are quick
def test_the_lines_of_the_start_page_run(tmp_path, monkeypatch):
    """They stand for any model and rows, which are given here."""
    monkeypatch.chdir(tmp_path)
    X, y = make_classification(3000, 6, random_state=0)
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:500], y[:500])
    (example,) = examples(DOCS / "index.md")
    session = {"mddag": mddag, "model": model, "X": X[500:], "y": y[500:]}
    exec(example.replace("0.005", "0.05"), session)
    assert (tmp_path / "model.mddag").is_file()


TASKS = {page.stem: page for page in sorted((DOCS / "tasks").glob("*.md")) if examples(page)}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of few rows, which are quick
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # LightGBM's
def test_a_task_runs_from_beginning_to_end(task, tmp_path, monkeypatch):
    """All blocks of a page, one after the other: a reader would type them into one session."""
    monkeypatch.chdir(tmp_path)
    if task == "faces":
        pytest.importorskip("skimage")
        pytest.importorskip("PIL")
    if task == "trigger" and shutil.which("cc") is None:
        pytest.skip("without a C compiler")
    session = {}
    for example in examples(TASKS[task]):
        exec(example, session)
    assert any(tmp_path.iterdir()), "a task ends with something that can be shipped or looked at"
    if task == "faces":  # once the page ran to its end and found nothing
        left, top, right, bottom = session["boxes"][session["scores"].argmax()]
        assert left < 225 < right
        assert top < 120 < bottom


def test_public_names_are_in_the_reference():
    reference = (DOCS / "api.rst").read_text()
    listed = set(re.findall(r"^   (\w+)$", reference, re.MULTILINE))
    names = {name for name in mddag.__all__ if not inspect.ismodule(getattr(mddag, name))}
    assert names <= listed


@pytest.mark.filterwarnings("error::mddag.DoubtfulResult")  # an example is to be followed
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # LightGBM's
def test_the_readme_runs_from_beginning_to_end(tmp_path, monkeypatch, capsys):
    """And what it prints is what the page says, but for the numbers."""
    monkeypatch.chdir(tmp_path)
    session = {}
    for example in examples(ROOT / "README.md"):
        exec(example, session)
    assert {path.name for path in tmp_path.iterdir()} == {"model.mddag", "model.h", "report.html"}
    (shown,) = re.findall(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    numbers, quotes = r"\d[\d.,]*x?|no faster", shown.splitlines()
    told = capsys.readouterr().out.splitlines()[: len(quotes)]
    for line, quoted in zip(told, quotes, strict=True):
        assert re.sub(numbers, "#", line) == re.sub(numbers, "#", quoted)


def test_broken_links_of_the_site_are_warnings(tmp_path, monkeypatch):
    """``make docs`` takes them for errors."""
    sphinx, _ = pytest.importorskip("sphinx.cmd.build"), pytest.importorskip("myst_parser")
    settings = (DOCS / "conf.py").read_text()
    assert "suppress_warnings" not in settings
    kept = re.findall(r"^(?:myst_\w+|nitpicky) = .*$", settings, re.MULTILINE)
    (tmp_path / "conf.py").write_text("\n".join(["extensions = ['myst_parser']", *kept]))
    (tmp_path / "index.md").write_text("# A page\n\n[itself](#a-page)\n")
    build = ["-W", "-q", "-b", "html", str(tmp_path), str(tmp_path / "built")]
    assert sphinx.main(build) == 0
    for target in ("#another-heading", "none.md", "index.md#no-heading", "none.png"):
        (tmp_path / "index.md").write_text(f"# A page\n\n[link]({target})\n")
        assert sphinx.main(build) != 0, target


def test_the_picture_of_the_packages_is_that_of_the_code():
    drawing = runpy.run_path(str(DOCS / "draw_architecture.py"))
    plan = drawing["graph"]()
    assert json.loads((DOCS / "architecture.json").read_text()) == plan, "run make docs"
    packages = {name for layer in plan["layers"] for name in layer}
    assert drawing["PLACES"].keys() == packages, "give the package a place in the picture"


def test_every_package_is_in_the_table():
    table = (DOCS / "architecture.md").read_text()
    for name in json.loads((DOCS / "architecture.json").read_text())["imports"]:
        assert f"| `{name}` |" in table


def test_deviations_are_numbered_once_and_name_their_test():
    rows = re.findall(r"^\| (\d+) \|.*$", (DOCS / "deviations.md").read_text(), re.M)
    assert len(rows) == len(set(rows))
    for line in (DOCS / "deviations.md").read_text().splitlines():
        if re.match(r"\| \d+ \|", line):
            assert "`tests/" in line, line
