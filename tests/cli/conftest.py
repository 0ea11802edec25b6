"""The program, run in this process, and files for it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pd = pytest.importorskip("pandas")
lightgbm = pytest.importorskip("lightgbm")

from mddag.cli import main  # noqa: E402

N_TRAIN, N_ROWS = 600, 1800
TOWNS = ("bonn", "rome", "ulm")


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def fields(self):
        return json.loads(self.out)

    @property
    def line(self):
        """The one line of an error."""
        assert self.err.count("\n") == 1, self.err
        assert "Traceback" not in self.err
        return self.err.strip()


@pytest.fixture
def run(capsys):
    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ended(ended.value.code, printed.out, printed.err)

    return run


def frame():
    """Rows with a category column and missing values; the label depends on all of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_TRAIN + N_ROWS, 4)).round(3)
    town = rng.integers(0, 3, len(X))
    score = X[:, 0] + X[:, 1] * X[:, 2] + (town - 1) + rng.normal(size=len(X)) / 2
    X[rng.random(X.shape) < 0.05] = np.nan
    columns = {f"x{i}": X[:, i] for i in range(4)}
    columns["town"] = np.array(TOWNS)[town]
    return pd.DataFrame(columns | {"label": (score > 0).astype(int)})


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder: model.txt, a LightGBM model of 20 trees; rows.csv, rows that it has not seen;
    train.csv; sparse.mddag; boost.mddag. Tests copy what they change."""
    folder = tmp_path_factory.mktemp("cli")
    rows = frame()
    train, rest = rows[:N_TRAIN], rows[N_TRAIN:]
    fitted = train.astype({"town": "category"}).drop(columns="label")
    model = lightgbm.LGBMClassifier(n_estimators=20, num_leaves=5, n_jobs=1, verbose=-1)
    model.fit(fitted, train["label"])
    model.booster_.save_model(folder / "model.txt")
    train.to_csv(folder / "train.csv", index=False)
    rest.to_csv(folder / "rows.csv", index=False)
    for arguments in (
        ["sparsify", "model.txt", "rows.csv", "--beta", "0.003", "--solver", "margin"],
        ["train", "train.csv", "--rounds", "15", "--learner", "tree", "--leaves", "4"],
    ):
        name = {"sparsify": "sparse.mddag", "train": "boost.mddag"}[arguments[0]]
        files = [folder / a if "." in a and a[0].isalpha() else a for a in arguments]
        with pytest.raises(SystemExit) as ended:
            main([*map(str, files), "-t", "label", "-o", str(folder / name), "--quiet"])
        assert ended.value.code == 0
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A copy of the folder, as the current one."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Path(tmp_path)
