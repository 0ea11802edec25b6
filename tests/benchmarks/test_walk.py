"""The walk through the package runs, and says what a call enters and which policies it runs."""

import pytest

from benchmarks import walk


def test_a_small_model(capsys):
    walk.main(["sparsify", "--rows", "2000", "--trees", "8", "--files"])
    head, _, row, *files = capsys.readouterr().out.splitlines()
    told = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert int(told["files"]) == len(files) > 10
    assert int(told["policies run"]) > 0
    assert any("tuning/sparsify.py" in file for file in files)


@pytest.mark.parametrize("name", ["train", "acquire", "ranking.sparsify"])
def test_other_calls_give_a_policy(name):
    found = walk.recorded(walk.calls(1000, 8)[name])[1]
    assert found.policy_.n_steps > 0


def test_unknown_calls_are_named(capsys):
    with pytest.raises(SystemExit):
        walk.main(["sweeep", "--rows", "400", "--trees", "8"])
    assert "sweeep" in capsys.readouterr().err
