"""OpenCV's cascades: the same raw windows as OpenCV 4, and hostile files."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import mddag
from mddag.detection.images import as_gray
from mddag.detection.opencv import read_cascade
from tests.detection.cascade_file import STAGE, new_format, old_format

FRONTAL = [f"frontalface_{name}" for name in ("default", "alt", "alt2", "alt_tree")]
LARGE_TREE = " ".join(f"0 {n} 0 0" for n in range(1, 51)) + " 0 -1 0 0"


def boxes_of(found):
    """OpenCV's x, y, width, height as sorted boxes."""
    boxes = np.asarray(found, np.int64).reshape(-1, 4)
    return sorted(map(tuple, np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)))


def shipped(name):
    cv2 = pytest.importorskip("cv2")
    path = f"{cv2.data.haarcascades}haarcascade_{name}.xml"
    return cv2.CascadeClassifier(path), read_cascade(path)


def portrait():
    return pytest.importorskip("skimage.data").astronaut()[:280, 60:400]


@pytest.mark.parametrize("name", [*FRONTAL, "profileface", "eye"])
def test_raw_windows_of_a_portrait(name):
    theirs, ours = shipped(name)
    gray = as_gray(portrait())
    hits = ours.scan(gray)
    assert len(hits) > 0
    assert sorted(map(tuple, hits.boxes)) == boxes_of(theirs.detectMultiScale(gray, 1.1, 0))
    for size in (40, 100):
        hits = ours.scan(gray, scale=1.3, min_size=size)
        found = theirs.detectMultiScale(gray, 1.3, 0, minSize=(size, size))
        assert sorted(map(tuple, hits.boxes)) == boxes_of(found)


def test_the_old_format():
    theirs, ours = shipped("license_plate_rus_16stages")
    picture = np.random.default_rng(0).integers(0, 256, (90, 160)).astype(np.uint8)
    picture = np.kron(picture[::9, ::9], np.ones((12, 12), np.uint8))
    found = boxes_of(theirs.detectMultiScale(picture, 1.1, 0))
    assert sorted(map(tuple, ours.scan(picture).boxes)) == found


@pytest.mark.parametrize(
    "text", [new_format(), old_format()], ids=["of traincascade", "of haartraining"]
)
def test_a_file_of_one_tree(tmp_path, text):
    path = tmp_path / "cascade.xml"
    path.write_text(text)
    classifier = read_cascade(path)
    assert classifier.window == (12, 10)
    assert classifier.n_trees == 1
    np.testing.assert_array_equal(classifier.node_next, [[-1, 1], [-1, -1]])
    np.testing.assert_array_equal(classifier.node_votes, [[-0.5, 0], [0.25, 1.5]])
    assert classifier.stage_reject[0] == np.float32(0.2) - np.float32(1e-5)
    assert classifier.node_threshold[0] < np.float32(0.02)


def test_raw_windows_of_pictures_of_any_size(tmp_path):
    cv2 = pytest.importorskip("cv2")
    path, rng = tmp_path / "cascade.xml", np.random.default_rng(0)
    path.write_text(new_format())
    ours, theirs = read_cascade(path), cv2.CascadeClassifier(str(path))
    for height, width in [(60, 80), (12, 10), (13, 11), *rng.integers(12, 150, (40, 2)).tolist()]:
        noise = rng.integers(0, 256, (height, width)).astype(np.uint8)
        scale = float(rng.uniform(1.03, 2.5))
        found = theirs.detectMultiScale(noise, scale, 0)
        assert sorted(map(tuple, ours.scan(noise, scale=scale).boxes)) == boxes_of(found)


BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "{}"><!ENTITY c "{}">]><a>&c;</a>'
HOSTILE = {
    "empty": ("", "no sound XML"),
    "cut off": (new_format()[:700], "no sound XML"),
    "not XML": ("stages: 1", "no sound XML"),
    "another file": ("<svg/>", "no cascade file of OpenCV"),
    "entities": (BOMB.format("x" * 9, "&b;" * 9), "declares entities"),
    "UTF-16": (new_format().encode("utf-16"), "plain text"),
    "unknown encoding": ('<?xml version="1.0" encoding="cp9"?><a/>', "no sound XML"),
    "deep": ("<a>" * 100_000 + "</a>" * 100_000, "no cascade file|no sound XML"),
    "LBP": (new_format(feature_type="LBP"), "it has LBP features in BOOST stages; wanted HAAR"),
    "tilted": (new_format(tilted="1"), "tilted rectangles, which are not supported"),
    "no window": (new_format(height="0"), "side of its window is 0 pixels; wanted 3 to 1000"),
    "huge window": (new_format(width="1e9"), "side of its window is 1e\\+09"),
    "part of a pixel": (new_format(width="10.5"), "holds 10.5 where a whole number"),
    "words": (new_format(threshold="high"), "<stageThreshold> holds 'high'; wanted numbers"),
    "NaN": (new_format(threshold="nan"), "not finite"),
    "infinite": (new_format(leaves="1 2 1e99"), "not finite"),
    "outside": (new_format(rects="<_>8 3 6 4 -1.</_>"), "rectangle outside of the window"),
    "below 0": (new_format(rects="<_>-1 3 6 4 -1.</_>"), "rectangle outside of the window"),
    "wide": (new_format(rects="<_>2147483647 0 2147483647 1 1</_>"), "outside of the window"),
    "four numbers": (new_format(rects="<_>1 3 6 4</_>"), "a rectangle has 4 numbers"),
    "four rectangles": (new_format(rects="<_>1 1 1 1 1</_>" * 4), "has 4 rectangles"),
    "half a weight": (new_format(rects="<_>1 1 1 1 .5</_>"), "0.5 where a whole number"),
    "heavy": (new_format(rects="<_>1 1 9 9 65535</_>"), "float32 does not hold"),
    "no feature": (new_format(nodes="0 1 7 2e-02 -1 -2 1 0"), "node without feature"),
    "circle": (new_format(nodes="0 1 0 2e-02 1 -2 1 0"), "leads to no later one"),
    "no leaf": (new_format(nodes="0 1 0 2e-02 -1 -9 1 0"), "leads to leaf 9 of 3"),
    "few numbers": (new_format(nodes="0 1 0"), "a tree has 3 numbers for its nodes"),
    "few leaves": (new_format(leaves="1 2"), "and 2 leaves"),
    "no number": (new_format(leaves=""), "a <leafValues> holds no number"),
    "no stage": (new_format(stages=""), "its <stages> are empty"),
    "no tree": (new_format(stages=STAGE.format(threshold=1, trees="")), "are empty"),
    "no features": (new_format(features=""), "its <features> are empty"),
    "no threshold": (new_format(stages="<_></_>"), "has no <weakClassifiers>"),
    "large tree": (new_format(nodes=LARGE_TREE, leaves="1 " * 52), "tree of too many nodes"),
    "many numbers": (new_format(nodes="1 " * 9999), "holds 19998 characters"),
    "old, no size": (old_format(width=""), "its size is 1 numbers"),
    "old, back": (old_format(right="0"), "leads to no later one"),
    "old, tree of stages": (old_format(parent="3"), "its stages are a tree"),
    "old, words": (old_format(left="x"), "<left_val> holds 'x'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(tmp_path, name):
    content, words = HOSTILE[name]
    path = tmp_path / "cascade.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(mddag.ModelFileError, match=words) as caught:
        read_cascade(path)
    assert str(caught.value).startswith(f"cannot read {os.fspath(path)!r}: ")


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "cascade.xml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(mddag.ModelFileError, match="it has 1099511627776 bytes"):
        read_cascade(path)


def test_a_file_of_too_many_elements_is_not_parsed(tmp_path):
    path = tmp_path / "cascade.xml"
    path.write_bytes(b"<opencv_storage>" + b"<a/>" * 1_500_000 + b"</opencv_storage>")
    tracemalloc.start()
    with pytest.raises(mddag.ModelFileError, match="more than 300000 tags"):
        read_cascade(path)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_damaged_files_are_refused_or_run(tmp_path):
    """Bytes changed anywhere in a file: a message, or a classifier that runs."""
    rng, text = np.random.default_rng(0), new_format().encode()
    path, picture = Path(tmp_path / "cascade.xml"), np.eye(40, dtype=np.uint8) * 200
    loaded = 0
    for _ in range(400):
        damaged = bytearray(text)
        for place in rng.integers(0, len(text), rng.integers(1, 4)):
            damaged[place] = rng.choice(list(b"0123456789.-e <>/_"))
        path.write_bytes(damaged)
        try:
            classifier = read_cascade(path)
        except mddag.ModelFileError:
            continue
        classifier.scan(picture)
        loaded += 1
    assert 0 < loaded < 400
