"""A subject of several tables."""

from types import SimpleNamespace

from benchmarks.sections import measured


def test_sections_write_their_tables_and_pictures(tmp_path):
    plain = SimpleNamespace(FIELDS=("n",), measure=lambda n: [{"n": n}])
    drawn = SimpleNamespace(
        FIELDS=("n",),
        measure=lambda n: [{"n": 2 * n}],
        picture=lambda rows, path: path.write_text(str(rows)),
    )
    never = SimpleNamespace()
    measured({"plain": plain, "drawn": drawn, "never": never}, ["plain", "drawn"], tmp_path, 3)
    assert (tmp_path / "plain.csv").read_text() == "n\n3\n"
    assert (tmp_path / "drawn.csv").read_text() == "n\n6\n"
    assert (tmp_path / "drawn.png").read_text() == "[{'n': 6}]"
    assert len(list(tmp_path.iterdir())) == 3
