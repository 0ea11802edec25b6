"""What the documentation quotes is there, and its examples run."""

import re

import pytest

from tests.shipped import ROOT, needed

DOCS = needed("docs")
PAGES = sorted(DOCS.glob("*.md"))
RUNNABLE = [
    "adapters.md",
    "condensation.md",
    "executors.md",
    "losses.md",
    "ordering.md",
    "serving.md",
    "solvers.md",
    "sparsify.md",
]


def by_name(path):
    return path.name


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_quoted_files_exist(page):
    text = page.read_text()
    quoted = re.findall(r"`((?:src|tests|native)/[\w/.]+?\.(?:py|hpp|cpp))(?:::\w+)?`", text)
    linked = re.findall(r"\]\((?!http)([^)#]+)", text)
    absent = [path for path in quoted if not (ROOT / path).is_file()]
    absent += [path for path in linked if not (page.parent / path).exists()]
    assert not absent


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_quoted_tests_exist(page):
    for path, name in re.findall(r"`(tests/[\w/.]+\.py)::(\w+)`", page.read_text()):
        assert f"def {name}(" in (ROOT / path).read_text(), f"{path} has no {name}"


@pytest.mark.parametrize("name", RUNNABLE)
def test_examples_run(name):
    examples = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)
    assert examples
    for example in examples:
        exec(example, {})


def test_deviations_are_numbered_once_and_name_their_test():
    rows = re.findall(r"^\| (\d+) \|.*$", (DOCS / "deviations.md").read_text(), re.M)
    assert len(rows) == len(set(rows))
    for line in (DOCS / "deviations.md").read_text().splitlines():
        if re.match(r"\| \d+ \|", line):
            assert "`tests/" in line, line
