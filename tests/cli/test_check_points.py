"""Parts of long work, kept and taken again."""

import os

import numpy as np
import pytest

import mddag
from mddag.cli.check_points import CheckPoints, check_points, checksum
from mddag.cli.exits import InputError, InterruptedWork
from mddag.cli.output import Output

QUIET = Output(quiet=True)


def a_policy():
    rng = np.random.default_rng(0)
    grid = mddag.Grid(np.array([-1.0, 0.5]), 1)
    return mddag.Policy(
        rng.integers(0, 3, (4, 3)).astype(np.uint8), grid, np.arange(4)[::-1].copy()
    )


def test_policies_come_back_as_they_were(tmp_path):
    kept = CheckPoints(tmp_path)
    (first,) = kept.policies("part", lambda: [a_policy()])
    (again,) = kept.policies("part", lambda: pytest.fail("it is known"))
    assert (again.actions == first.actions).all()
    assert (again.order == first.order).all()
    assert (again.grid.edges == first.grid.edges).all()


def test_a_damaged_part_is_learned_again(tmp_path):
    kept = CheckPoints(tmp_path)
    kept.policies("part", lambda: [a_policy()])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:40])
    assert len(kept.policies("part", lambda: [a_policy(), a_policy()])) == 2


def interrupted(target):
    with check_points(QUIET, target, False, {"a": 1}) as kept:
        kept.save("x", {"n": np.arange(3)})
        raise KeyboardInterrupt


def test_the_folder_goes_when_the_work_is_done_and_stays_when_not(tmp_path):
    target, folder = tmp_path / "out.csv", tmp_path / "out.csv.checkpoint"
    with check_points(QUIET, target, False, {"a": 1}) as kept:
        kept.save("x", {"n": np.arange(3)})
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(InterruptedWork, match="--resume goes on from there"):
        interrupted(target)
    with check_points(QUIET, target, True, {"a": 1}) as kept:
        assert kept.load("x")["n"].tolist() == [0, 1, 2]
        assert kept.load("y") is None


def test_other_work_is_refused_and_without_resume_forgotten(tmp_path):
    target = tmp_path / "out.csv"
    with pytest.raises(RuntimeError), check_points(QUIET, target, False, {"a": 1}):
        raise RuntimeError
    with pytest.raises(InputError, match="are of other work"), \
            check_points(QUIET, target, True, {"a": 2}):  # fmt: skip
        pass
    with check_points(QUIET, target, False, {"a": 2}) as kept:
        assert kept.load("x") is None


def test_targets_that_are_no_files(tmp_path):
    with pytest.raises(IsADirectoryError), check_points(QUIET, tmp_path, False, {}):
        pass
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with check_points(QUIET, pipe, False, {}) as kept:
        assert kept.folder.is_dir()
    assert list(tmp_path.iterdir()) == [pipe]


def test_checksums_are_of_the_content(tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("1")
    assert len(set(checksum(tmp_path / "a", tmp_path / "b"))) == 1
