"""What is said of bad input: pictures, scans, groups and cascade files."""

import numpy as np
import pytest

from mddag.detection.grouping import group_by_evidence, group_neighbours
from mddag.detection.opencv import read_cascade
from mddag.detection.picture import as_grey
from mddag.detection.window_classifier import WindowClassifier
from mddag.features.haar import haar_features
from tests.messages.message import check, each

GREY = np.zeros((30, 30), np.uint8)
WINDOW = (24, 24)


def stump(**settings):
    features = haar_features(WINDOW)[:1]
    return WindowClassifier.of_stumps(WINDOW, features, [0.0], [[1.0, -1.0]], [-np.inf], **settings)


def scanned(**settings):
    return stump().scan(GREY, **settings)


PICTURES = [
    ("None", None, TypeError, "picture is None; wanted an array"),
    ("list", [[1, 2]], TypeError, "picture is a list; wanted an array"),
    ("empty", np.empty((0, 5), np.uint8), ValueError, r"empty: its shape is \(0, 5\)"),
    ("empty colour", np.empty((5, 0, 3), np.uint8), ValueError, "picture is empty"),
    ("one row", np.zeros(9, np.uint8), ValueError, r"an array of shape \(9,\); wanted an array"),
    ("two channels", np.zeros((9, 9, 2), np.uint8), ValueError, r"shape \(9, 9, 2\)"),
    ("a stack", np.zeros((2, 9, 9, 3), np.uint8), ValueError, r"shape \(2, 9, 9, 3\)"),
    ("NaN", np.full((9, 9), np.nan), ValueError, "picture has NaN; wanted numbers"),
    ("infinite", np.full((9, 9), np.inf), ValueError, "floats from inf to inf; wanted 0"),
    ("floats to 255", GREY + 255.0, ValueError, r"floats from 255 to 255; wanted 0 \(black\) to 1"),
    ("floats below 0", GREY - 0.5, ValueError, "floats from -0.5"),
    ("16 bits", GREY + np.uint16(4000), ValueError, "values from 4000 to 4000; wanted grey levels"),
    ("words", np.full((9, 9), "a"), TypeError, "picture is an array of <U1; wanted uint8"),
    ("complex", np.zeros((9, 9), complex), TypeError, "picture is an array of complex128"),
    ("long", np.zeros((1, 1 << 21), np.uint8), ValueError, "at most 1048576 pixels a side"),
]
ROWS = [
    *[
        (f"picture: {name}", lambda p=picture: as_grey(p), error, words)
        for name, picture, error, words in PICTURES
    ],
    ("scale 1", lambda: scanned(scale=1), ValueError, "scale is 1; wanted the ratio"),
    ("scale NaN", lambda: scanned(scale=np.nan), ValueError, "scale is nan; wanted the ratio"),
    ("step 0", lambda: scanned(step=0), ValueError, "step is 0; wanted a whole number, 1 or more"),
    ("min_size", lambda: scanned(min_size=-1), ValueError, "min_size is -1; wanted a whole number"),
    ("max_size", lambda: scanned(max_size=(9, 9.5)), ValueError, "max_size is a tuple; wanted"),
    ("margin", lambda: stump(margin=-1), ValueError, "margin is -1; wanted a whole number, 0"),
    ("wide margin", lambda: stump(margin=1 << 63), ValueError, "a margin that leaves no pixel"),
    ("accept", lambda: stump(accept=np.nan), ValueError, "accept is nan; wanted a number, or -inf"),
    ("flat", lambda: stump(min_deviation=np.inf), ValueError, "min_deviation is inf; wanted grey"),
    ("threads", lambda: scanned(n_threads=0), ValueError, "n_threads is 0; wanted"),
    (
        "evidence",
        lambda: group_by_evidence([[0, 0, 9, 9]], [0.0]),
        ValueError,
        "wanted a number above 0 for each of 1 boxes",
    ),
    (
        "overlap",
        lambda: group_by_evidence([[0, 0, 9, 9]], [1.0], overlap=0),
        ValueError,
        "overlap is 0; wanted a share of the union",
    ),
    (
        "neighbours",
        lambda: group_neighbours([[0, 0, 9, 9]], 1.5),
        ValueError,
        "min_neighbours is 1.5; wanted a whole number",
    ),
    ("cascade", lambda: read_cascade(None), TypeError, "path is None; wanted a str"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)


def test_pillow_images_of_more_than_8_bits():
    image = pytest.importorskip("PIL.Image")
    deep = image.fromarray(np.full((9, 9), 4000, np.uint16))
    check(lambda: as_grey(deep), ValueError, "mode 'I;16'; wanted one of")


def test_a_file_that_is_no_picture(tmp_path):
    pytest.importorskip("PIL")
    path = tmp_path / "picture.png"
    path.write_text("no picture")
    check(lambda: as_grey(path), ValueError, "it is no picture that Pillow knows")


def test_a_file_that_is_cut_off(tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "picture.png"
    image.fromarray(np.arange(10_000).reshape(100, 100).astype(np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:100])
    check(lambda: as_grey(path), ValueError, "cannot read .*picture.png")


def test_pictures_without_hits_have_none():
    """Smaller than the window: no window. Constant: windows, each with the same score."""
    assert len(stump().scan(GREY[:20])) == stump().scan(GREY[:20]).n_windows == 0
    hits = stump().scan(GREY)
    assert len(hits) == hits.n_windows > 0
    assert set(hits.scores) == {1.0}
