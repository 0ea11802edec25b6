"""Real data, where it is; and Ctrl-C, which some tests send."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("mddag", deadline=None)  # no test has a time limit
settings.load_profile("mddag")


def folder(variable):
    path = os.environ.get(variable)
    if not path or not Path(path).is_dir():
        pytest.skip(f"the environment variable {variable} names no folder")
    return Path(path)


@pytest.fixture(scope="session")
def data():
    """The loaders of the data folder."""
    path = str(folder("MDDAG_DATA"))
    sys.path.insert(0, path)
    try:
        import load
    finally:
        sys.path.remove(path)
    return load


@pytest.fixture(scope="session")
def anchors():
    """The folder of what the authors' own program reached."""
    return folder("MDDAG_ANCHORS")


@pytest.fixture(autouse=True, scope="session")
def heeded_ctrl_c():
    """A shell starts background jobs with Ctrl-C ignored, which tests of it must not inherit."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
