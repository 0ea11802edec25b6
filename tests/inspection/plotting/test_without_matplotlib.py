import subprocess
import sys

import pytest

from mddag.inspection.plotting import DagDisplay, PathDisplay, TradeoffDisplay
from tests.inspection.plotting.test_tradeoff import curve_of
from tests.inspection.plotting.traces import trace_of


@pytest.mark.parametrize(
    "draw",
    [
        lambda: DagDisplay.from_trace(trace_of([[0]])),
        lambda: PathDisplay.from_trace(trace_of([[0]])),
        lambda: TradeoffDisplay.from_curve(curve_of("train")),
    ],
)
def test_the_error_says_what_to_install(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'mddag\[plot\]'"):
        draw()


def test_matplotlib_is_not_imported_before_something_is_drawn():
    code = "import sys, mddag; mddag.DagDisplay; print('matplotlib' in sys.modules)"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
