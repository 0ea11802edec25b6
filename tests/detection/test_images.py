"""Images as they come, boxes drawn on them, and images without the object."""

import sys

import numpy as np
import pytest

import mddag
from mddag.detection.images import FRAME, as_gray, checked_backgrounds, drawn
from tests.detection.problems import backgrounds, fitted, scene

Image = pytest.importorskip("PIL.Image")


def color():
    return np.random.default_rng(0).integers(0, 256, (13, 17, 3)).astype(np.uint8)


def test_gray_arrays_are_as_they_are():
    gray = color()[..., 0]
    np.testing.assert_array_equal(as_gray(gray), gray)
    np.testing.assert_array_equal(as_gray(gray[:, :, None]), gray)
    np.testing.assert_array_equal(as_gray(gray[::-1, ::2]), gray[::-1, ::2])
    np.testing.assert_array_equal(as_gray(np.asfortranarray(gray)), gray)
    assert as_gray(gray[::-1, ::2]).flags.c_contiguous


def test_color_is_as_in_pillow(tmp_path):
    image = Image.fromarray(color())
    wanted = np.asarray(image.convert("L"))
    image.save(tmp_path / "picture.png")
    for picture in (image, tmp_path / "picture.png", str(tmp_path / "picture.png"), color()):
        np.testing.assert_array_equal(as_gray(picture), wanted)
    transparent = np.dstack([color(), np.zeros((13, 17), np.uint8)])
    np.testing.assert_array_equal(as_gray(transparent), wanted)


def test_other_numbers():
    gray = color()[..., 0]
    np.testing.assert_array_equal(as_gray(gray / 255), gray)
    np.testing.assert_array_equal(as_gray((gray / 255).astype(np.float32)), gray)
    np.testing.assert_array_equal(as_gray(gray.astype(np.int64)), gray)
    np.testing.assert_array_equal(as_gray(gray > 99), (gray > 99) * 255)


def test_every_mode_that_is_taken():
    image = Image.fromarray(color())
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr"):
        converted = image.convert(mode)
        np.testing.assert_array_equal(as_gray(converted), np.asarray(converted.convert("L")))


def test_without_pillow_a_file_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'mddag\[detect\]'"):
        as_gray("picture.png")


def test_pictures_of_cameras_are_turned_upright(tmp_path):
    gray = np.arange(30 * 20, dtype=np.uint8).reshape(30, 20)
    lying = Image.fromarray(np.ascontiguousarray(np.rot90(gray)))
    exif = lying.getexif()
    exif[0x0112] = 6  # turn it clockwise to see it
    lying.save(tmp_path / "photo.png", exif=exif)
    np.testing.assert_array_equal(as_gray(tmp_path / "photo.png"), gray)
    with Image.open(tmp_path / "photo.png") as opened:
        np.testing.assert_array_equal(as_gray(opened), gray)
    none = np.empty((0, 4), np.int64)
    assert drawn(tmp_path / "photo.png", none).size == (20, 30)


BOX = np.array([[10, 20, 50, 60]])


@pytest.mark.parametrize("of", ["gray", "float", "color", "pillow", "path"])
def test_the_frame_lies_on_the_box(of, tmp_path):
    gray, _ = scene()
    Image.fromarray(gray).save(tmp_path / "scene.png")
    picture = {
        "gray": gray,
        "float": gray / 255.0,
        "color": np.stack([gray] * 3, axis=2),
        "pillow": Image.fromarray(gray),
        "path": tmp_path / "scene.png",
    }[of]
    image = np.asarray(drawn(picture, BOX))
    assert image.shape == (*gray.shape, 3)
    assert tuple(image[20, 30]) == tuple(image[40, 10]) == tuple(image[59, 30]) == FRAME
    assert np.array_equal(image[30:50, 20:40, 0], gray[30:50, 20:40])


def test_a_detector_draws_what_it_finds():
    picture, _ = scene(0)
    x, y = fitted().detect(picture).boxes[0, :2]
    assert tuple(np.asarray(fitted().draw(picture))[y, x]) == FRAME


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
