"""Rows of bad input run in a folder with the files that they name."""

import os
import pickle

import lightgbm
import pytest

from tests.messages.models import X, Y, fast, model


def pytest_itemcollected(item):
    """Models are tiny, so their rows are few, which is a warning of its own."""
    if "tests/messages/" in item.path.as_posix():
        doubt = "ignore::mddag._utils.warnings.DoubtfulResult"
        item.add_marker(pytest.mark.filterwarnings(doubt))


@pytest.fixture(scope="package", autouse=True)
def _in_a_folder_of_files(tmp_path_factory):
    folder, before = tmp_path_factory.mktemp("files"), os.getcwd()
    os.chdir(folder)
    fast().save("own.mddag")
    saved = (folder / "own.mddag").read_bytes()
    booster = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(X, Y).booster_
    contents = {
        "model.txt": booster.model_to_string().encode(),
        "empty.txt": b"",
        "cut.mddag": saved[: len(saved) // 2],
        "model.pkl": pickle.dumps(model()),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    yield
    os.chdir(before)
