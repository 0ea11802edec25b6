"""How results are printed and written."""

import pytest

from benchmarks.table import digits, kept, markdown, spread


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


def test_a_markdown_table():
    assert markdown(["a", "b"], [[1, ""]]) == ["| a | b |", "| --- | --- |", "| 1 |  |"]


@pytest.mark.parametrize(
    ("number", "told"),
    [(0.0012345, "0.00123"), (12.345, "12.3"), (98765.4, "98800"), (2.0, "2"), (0.0, "0")],
)
def test_three_digits_count(number, told):
    assert digits(number) == told


def test_the_spread_of_ratios():
    assert spread([3.0, 1.0, 2.345]) == "2.35 (1-3)"
