"""Cells are compared as text, with the nearest committed row, without times."""

from benchmarks.reproduced.comparison import compared, in_text, read

COMMITTED = [
    {"data": "a", "seed": "0", "error": "0.10", "cpu_seconds": "1"},
    {"data": "a", "seed": "1", "error": "0.20", "cpu_seconds": "2"},
]


def test_equal_rows_but_for_times():
    fresh = [{"data": "a", "seed": "1", "error": "0.20", "cpu_seconds": "9"}]
    assert compared(fresh, COMMITTED) == (3, [])


def test_a_digit_that_is_missing_is_a_difference():
    fresh = [in_text({"data": "a", "seed": 1, "error": 0.2, "cpu_seconds": 2.0})]
    n_cells, differences = compared(fresh, COMMITTED)
    assert n_cells == 3
    assert differences == ["error: 0.2 for 0.20 in a, 1, 0.20, 2"]


def test_a_column_that_was_not_there_is_a_difference():
    assert len(compared([{**COMMITTED[0], "loss": "1"}], COMMITTED)[1]) == 1


def test_tables_are_read_as_text(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("data,error\na,0.10\n", encoding="utf-8")
    assert read(table) == [{"data": "a", "error": "0.10"}]
