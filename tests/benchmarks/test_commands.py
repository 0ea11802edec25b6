"""Commands and files that texts name are there; tables, comparisons and loaders of benchmarks."""

import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import data, walk
from benchmarks.reproduced.comparison import compared, in_text
from benchmarks.sections import measured
from benchmarks.table import kept

ROOT = Path(__file__).parents[2]
PLACES = [
    *(ROOT / name for name in ("Makefile", "README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "benchmarks" / "results").rglob("*.md")),
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "benchmarks").rglob("*.py")),
]
TEXTS = [path for path in PLACES if "benchmarks" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_files_are_there(text):
    words = text.read_text(encoding="utf-8")
    for name in re.findall(r"-m (benchmarks(?:\.\w+)+)", words):
        spec = find_spec(name)
        assert spec, f"there is no module {name}"
        if spec.submodule_search_locations:
            assert find_spec(f"{name}.__main__"), f"{name} is no command"
    for path in re.findall(r"\bbenchmarks/[\w/]+\.(?:py|csv|md|png)\b", words):
        # builds compares two builds on one machine: its table is not kept
        assert (ROOT / path).is_file() or path.endswith("/builds.csv"), f"there is no {path}"


def test_rows_are_printed_as_they_come_and_written_once_all_are_there(tmp_path, capsys):
    path = tmp_path / "new" / "some.csv"

    def rows():
        yield {"what": "one", "is": 1}
        assert capsys.readouterr().out == "| what | is |\n| --- | --- |\n| one | 1 |\n"
        assert not path.exists()
        yield {"is": 2, "what": "two, three"}

    told = kept(path, ("what", "is"), rows())
    assert [row["is"] for row in told] == [1, 2]
    assert capsys.readouterr().out == "| two, three | 2 |\n"
    assert path.read_bytes() == b'what,is\none,1\n"two, three",2\n'


def test_nothing_is_written_over_when_measuring_fails(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("before")

    def rows():
        yield {"what": "one"}
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        kept(path, ("what",), rows())
    assert path.read_text() == "before"


def test_sections_write_their_tables_and_pictures(tmp_path):
    plain = SimpleNamespace(FIELDS=("n",), measure=lambda n: [{"n": n}])
    drawn = SimpleNamespace(
        FIELDS=("n",),
        measure=lambda n: [{"n": 2 * n}],
        plot=lambda rows, path: path.write_text(str(rows)),
    )
    never = SimpleNamespace()
    measured({"plain": plain, "drawn": drawn, "never": never}, ["plain", "drawn"], tmp_path, 3)
    assert (tmp_path / "plain.csv").read_text() == "n\n3\n"
    assert (tmp_path / "drawn.csv").read_text() == "n\n6\n"
    assert (tmp_path / "drawn.png").read_text() == "[{'n': 6}]"
    assert len(list(tmp_path.iterdir())) == 3


COMMITTED = [
    {"data": "a", "seed": "0", "error": "0.10", "cpu_seconds": "1"},
    {"data": "a", "seed": "1", "error": "0.20", "cpu_seconds": "2"},
]


def test_rows_are_equal_but_for_times_and_to_the_last_digit():
    fresh = [{"data": "a", "seed": "1", "error": "0.20", "cpu_seconds": "9"}]
    assert compared(fresh, COMMITTED) == (3, [])
    fresh = [in_text({"data": "a", "seed": 1, "error": 0.2, "cpu_seconds": 2.0})]
    assert compared(fresh, COMMITTED) == (3, ["error: 0.2 for 0.20 in a, 1, 0.20, 2"])


def test_tables_are_committed():
    parts = pytest.importorskip("benchmarks.reproduced.parts").parts  # needs CatBoost and others
    for name, part in parts(Path("unused")).items():
        assert (ROOT / part.table).is_file(), name


LOADERS = """
import numpy as np

def letter():
    return np.arange(40).reshape(20, 2), np.arange(20) % 2, np.arange(20) >= 12

def spambase():
    return np.arange(60).reshape(30, 2), np.arange(30) % 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "load.py").write_text(LOADERS)
    monkeypatch.setenv("MDDAG_DATA", str(tmp_path))


def test_the_official_parts_where_there_are_any(folder):
    X, y, X_test, y_test = data.train_and_test("letter")
    assert X[:, 0].tolist() == list(range(0, 24, 2))
    assert X_test[:, 0].tolist() == list(range(24, 40, 2))
    assert y.tolist() == [0, 1] * 6
    assert y_test.tolist() == [0, 1] * 4


def test_a_third_of_every_class_where_there_are_none(folder):
    X, y, X_test, y_test = data.train_and_test("spambase")
    assert len(X) == 20
    assert np.bincount(y_test).max() == 4
    assert sorted([*X[:, 0], *X_test[:, 0]]) == list(range(0, 60, 2))
    assert len(y) == 20


def test_no_folder_is_named(monkeypatch):
    monkeypatch.delenv("MDDAG_DATA", raising=False)
    assert not data.is_there()
    with pytest.raises(SystemExit, match="set MDDAG_DATA to the folder of the data sets"):
        data.read("spambase")


# The walk through the package runs, and says what a call enters and which policies it runs.


def test_a_small_model(capsys):
    walk.main(["sparsify", "--rows", "2000", "--trees", "8", "--files"])
    head, _, row, *files = capsys.readouterr().out.splitlines()
    told = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert int(told["files"]) == len(files) > 10
    assert int(told["policies run"]) > 0
    assert any("tuning/sparsify.py" in file for file in files)


@pytest.mark.parametrize("name", ["train", "acquire", "ranking.sparsify"])
def test_other_calls_give_a_policy(name):
    found = walk.recorded(walk.calls(1000, 8)[name])[1]
    assert found.policy_.n_steps > 0
