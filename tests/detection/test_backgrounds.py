"""Pictures without the object, as they are given."""

import numpy as np
import pytest

import mddag
from mddag.detection.backgrounds import checked_backgrounds
from tests.detection.targets import backgrounds


def test_arrays_of_any_kind_become_grey():
    one = backgrounds(1)[0]
    given = [one, np.stack([one] * 3, axis=2), one / 255.0]
    for picture in checked_backgrounds(given, (12, 12)):
        assert np.array_equal(picture, one)


def test_small_ones_are_left_out_with_a_warning():
    small = np.zeros((11, 50), np.uint8)
    with pytest.warns(mddag.DoubtfulResult, match="1 of 3 backgrounds are smaller than the window"):
        kept = checked_backgrounds([*backgrounds(2), small], (12, 12))
    assert len(kept) == 2


def test_a_folder_is_read_by_name(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name, picture in zip("ba", backgrounds(2), strict=True):
        image.fromarray(picture).save(tmp_path / f"{name}.png")
    (tmp_path / "notes.txt").write_text("no picture")
    first, second = checked_backgrounds(tmp_path, (12, 12))
    assert np.array_equal(second, backgrounds(2)[0])
    assert np.array_equal(first, backgrounds(2)[1])


def test_patches_as_an_array_are_pictures_too():
    assert len(checked_backgrounds(np.zeros((3, 12, 12), np.uint8), (12, 12))) == 3
