"""Boxes on pictures."""

import numpy as np
import pytest

from mddag.detection.drawing import COLOUR, drawn
from tests.detection.targets import fitted, scene

Image = pytest.importorskip("PIL.Image")
BOX = np.array([[10, 20, 50, 60]])


@pytest.mark.parametrize("of", ["grey", "float", "colour", "pillow", "path"])
def test_the_frame_lies_on_the_box(of, tmp_path):
    grey, _ = scene()
    Image.fromarray(grey).save(tmp_path / "scene.png")
    picture = {
        "grey": grey,
        "float": grey / 255.0,
        "colour": np.stack([grey] * 3, axis=2),
        "pillow": Image.fromarray(grey),
        "path": tmp_path / "scene.png",
    }[of]
    image = np.asarray(drawn(picture, BOX))
    assert image.shape == (*grey.shape, 3)
    assert tuple(image[20, 30]) == tuple(image[40, 10]) == tuple(image[59, 30]) == COLOUR
    assert np.array_equal(image[30:50, 20:40, 0], grey[30:50, 20:40])


def test_colours_of_floats_are_kept():
    grey, _ = scene()
    colour = np.stack([grey, grey // 2, 0 * grey], axis=2)
    image = drawn(colour / 255.0, BOX[:0])
    assert np.array_equal(np.asarray(image), colour)


def test_no_box_is_no_change_and_the_picture_stays_as_it_was():
    grey, _ = scene()
    before = grey.copy()
    drawn(grey, BOX)
    assert np.array_equal(grey, before)
    assert np.array_equal(np.asarray(drawn(grey, BOX[:0]))[..., 0], grey)


def test_a_detector_draws_what_it_finds():
    picture, _ = scene(0)
    x, y = fitted().detect(picture).boxes[0, :2]
    assert tuple(np.asarray(fitted().draw(picture))[y, x]) == COLOUR
