"""Pictures of every kind become the same grey levels, or are refused with a message."""

import sys

import numpy as np
import pytest

from mddag.detection.picture import as_grey

Image = pytest.importorskip("PIL.Image")


def colour():
    return np.random.default_rng(0).integers(0, 256, (13, 17, 3)).astype(np.uint8)


def test_grey_arrays_are_as_they_are():
    grey = colour()[..., 0]
    np.testing.assert_array_equal(as_grey(grey), grey)
    np.testing.assert_array_equal(as_grey(grey[:, :, None]), grey)
    np.testing.assert_array_equal(as_grey(grey[::-1, ::2]), grey[::-1, ::2])
    np.testing.assert_array_equal(as_grey(np.asfortranarray(grey)), grey)
    assert as_grey(grey[::-1, ::2]).flags.c_contiguous


def test_colour_is_as_in_pillow(tmp_path):
    image = Image.fromarray(colour())
    wanted = np.asarray(image.convert("L"))
    image.save(tmp_path / "picture.png")
    for picture in (image, tmp_path / "picture.png", str(tmp_path / "picture.png"), colour()):
        np.testing.assert_array_equal(as_grey(picture), wanted)
    transparent = np.dstack([colour(), np.zeros((13, 17), np.uint8)])
    np.testing.assert_array_equal(as_grey(transparent), wanted)


def test_other_numbers():
    grey = colour()[..., 0]
    np.testing.assert_array_equal(as_grey(grey / 255), grey)
    np.testing.assert_array_equal(as_grey((grey / 255).astype(np.float32)), grey)
    np.testing.assert_array_equal(as_grey(grey.astype(np.int64)), grey)
    np.testing.assert_array_equal(as_grey(grey > 99), (grey > 99) * 255)


def test_every_mode_that_is_taken():
    image = Image.fromarray(colour())
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr"):
        converted = image.convert(mode)
        np.testing.assert_array_equal(as_grey(converted), np.asarray(converted.convert("L")))


def test_without_pillow_a_file_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'mddag\[detect\]'"):
        as_grey("picture.png")


@pytest.mark.parametrize("shape", [(13, 17), (13, 17, 3)])
def test_the_picture_is_not_changed(shape):
    picture = np.full(shape, 9, np.uint8)
    picture.flags.writeable = False
    as_grey(picture)
    assert (picture == 9).all()
