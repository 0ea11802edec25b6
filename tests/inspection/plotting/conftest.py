import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.switch_backend("Agg")
    yield
    plt.close("all")
