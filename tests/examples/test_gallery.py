"""Every script of the gallery runs and draws; the site runs them too, but is built more seldom."""

import runpy

import pytest

from tests.shipped import needed

SCRIPTS = sorted((needed("examples") / "gallery").glob("plot_*.py"))


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of few rows, which are quick
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_picture_is_drawn(script, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt.close("all")
    runpy.run_path(str(script))
    assert plt.get_fignums()
    plt.close("all")
