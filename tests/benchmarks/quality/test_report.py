from benchmarks.quality.report import FIELDS, joined
from benchmarks.table import written


def line(data, seed, method, cost):
    usual = dict.fromkeys(FIELDS, "")
    named = {"data": data, "library": "LightGBM", "sealed": False, "seed": seed}
    return {**usual, **named, "unit": "nodes", "tolerance": 0.002, "method": method, "cost": cost}


def test_lines_made_elsewhere_are_kept_and_those_made_anew_replaced(tmp_path):
    path = tmp_path / "readings.csv"
    there = [line("higgs", 0, "sparsify", 3.0), line("electricity", 1, "train", 2.0)]
    written(path, FIELDS, there)
    found = joined([line("higgs", 0, "sparsify", 1.5), line("higgs", 0, "margin", 9.0)], path)
    costs = [(row["data"], row["method"], row["cost"]) for row in found]
    assert costs == [
        ("electricity", "train", "2.0"),
        ("higgs", "sparsify", "1.5"),
        ("higgs", "margin", "9.0"),
    ]


def test_without_a_file_there_is_nothing_to_keep(tmp_path):
    assert len(joined([line("higgs", 0, "margin", 9.0)], tmp_path / "none.csv")) == 1
