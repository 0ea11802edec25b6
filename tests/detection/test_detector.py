"""The detector as a whole: what it finds, what it keeps, what it refuses to lose."""

import signal
import threading

import numpy as np
import pytest
from sklearn.base import clone

import mddag
from mddag.detection.detector import Detector
from tests.detection.targets import (
    SETTINGS,
    background,
    backgrounds,
    fitted,
    overlap,
    patches,
    scene,
)


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_the_object_is_found_and_comes_first(seed):
    picture, box = scene(seed)
    boxes, scores = fitted().detect(picture)
    assert boxes.dtype == np.int64
    assert len(boxes) == len(scores) >= 1
    assert overlap(boxes[0], box) > 0.4
    assert (np.diff(scores) <= 0).all()


def test_pictures_without_the_object_are_nearly_empty():
    detector = fitted()
    n_found = sum(len(detector.detect(background(seed=seed)).boxes) for seed in range(200, 220))
    assert n_found <= 2


def test_a_cut_of_zero_returns_what_the_default_cut_drops():
    picture, _ = scene(0)
    few, many = fitted().detect(picture), fitted().detect(picture, cut=0)
    assert len(many.boxes) >= len(few.boxes)
    assert np.array_equal(many.boxes[: len(few.boxes)], few.boxes)


def test_sizes_bound_the_objects():
    picture, box = scene(2)
    assert overlap(fitted().detect(picture, min_size=20).boxes[0], box) > 0.4
    small = fitted().detect(picture, max_size=14, cut=0).boxes
    assert ((small[:, 3] - small[:, 1]) <= 14).all()


def test_threads_and_repetition_change_nothing():
    again = Detector(**SETTINGS, n_threads=2).fit(patches(600), backgrounds())
    picture, _ = scene(3)
    for one, two in zip(fitted().detect(picture, cut=0), again.detect(picture, cut=0), strict=True):
        assert np.array_equal(one, two)


def test_another_seed_is_another_detector():
    other = Detector(**SETTINGS, random_state=1).fit(patches(600), backgrounds())
    assert not np.array_equal(other.classifier_.features, fitted().classifier_.features)


def test_it_is_cloned_and_described_by_its_parameters():
    detector = Detector(window=(36, 18), n_trees=7)
    assert "n_trees=7" in repr(detector)
    assert clone(detector).get_params()["window"] == (36, 18)
    assert detector.set_params(n_rounds=3).n_rounds == 3
    assert mddag.Detector is Detector


def test_windows_need_not_be_square():
    tall = np.repeat(patches(600), 2, axis=1)  # 24 x 12
    detector = Detector(**{**SETTINGS, "window": (24, 12)}).fit(tall, backgrounds())
    picture = background((120, 100), 5)
    picture[40:64, 30:42] = tall[0]
    boxes, _ = detector.detect(picture)
    assert overlap(boxes[0], np.array([30, 40, 42, 64])) > 0.4
    assert (boxes[0, 3] - boxes[0, 1]) / (boxes[0, 2] - boxes[0, 0]) == pytest.approx(2, abs=0.2)


def test_patches_of_another_size_are_resized():
    detector = Detector(**SETTINGS).fit(patches(600, size=18), backgrounds())
    picture, box = scene(0)
    assert overlap(detector.detect(picture).boxes[0], box) > 0.4


def test_rounds_tell_what_happened():
    first, last = fitted().rounds_
    assert (first.n_trees, last.n_trees) == (20, 80)
    assert last.n_negatives > first.n_negatives
    assert 0.8 < last.kept <= 1


@pytest.mark.filterwarnings("error")
def test_no_hard_negatives_left_is_a_warning_and_keeps_the_detector():
    flat = [background(seed=seed, contrast=0.0) for seed in range(4)]
    detector = Detector(**{**SETTINGS, "n_rounds": 3})
    with pytest.warns(mddag.DoubtfulResult, match="the rounds up to the last are left out"):
        detector.fit(patches(600), flat)
    assert len(detector.rounds_) == 2
    assert len(detector.detect(patches(1)[0], cut=0).boxes) == 1


def test_ctrl_c_raises_and_changes_nothing(monkeypatch):
    detector = Detector(**SETTINGS).fit(patches(600), backgrounds())
    before = detector.classifier_, detector.cut_
    interrupt_in_round(monkeypatch, 2)
    with pytest.raises(KeyboardInterrupt):
        detector.set_params(random_state=5).fit(patches(600), backgrounds())
    assert (detector.classifier_, detector.cut_) == before


def interrupt_in_round(monkeypatch, number):
    """Ctrl-C at the beginning of that round of boosting."""
    from mddag.detection import training

    grown, calls = training.gentle_trees, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == number:
            assert threading.current_thread() is threading.main_thread()
            signal.raise_signal(signal.SIGINT)
        return grown(*args)

    monkeypatch.setattr(training, "gentle_trees", interrupted)


def test_progress_is_shown(capfd):
    Detector(**{**SETTINGS, "n_rounds": 1}, verbose=True).fit(patches(600), backgrounds())
    assert "Detector" in capfd.readouterr().err


@pytest.mark.parametrize("shape", [(1, 1), (11, 200), (200, 11), (5, 5)])
def test_pictures_smaller_than_the_window_hold_nothing(shape):
    boxes, scores = fitted().detect(np.zeros(shape, np.uint8))
    assert boxes.shape == (0, 4)
    assert scores.shape == (0,)


@pytest.mark.parametrize("grey", [0, 128, 255])
def test_constant_pictures_hold_nothing(grey):
    assert len(fitted().detect(np.full((300, 400), grey, np.uint8), cut=0).boxes) == 0


def test_colour_and_float_pictures_are_read_as_grey_ones():
    picture, _ = scene(0)
    want = fitted().detect(picture)
    for same in (np.stack([picture] * 3, axis=2), picture / 255.0, picture[..., None]):
        got = fitted().detect(same)
        assert np.array_equal(got.boxes, want.boxes)


def test_pillow_images_and_files_are_read(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture, _ = scene(0)
    want = fitted().detect(picture).boxes
    image.fromarray(picture).save(tmp_path / "scene.png")
    assert np.array_equal(fitted().detect(image.fromarray(picture)).boxes, want)
    assert np.array_equal(fitted().detect(tmp_path / "scene.png").boxes, want)


def test_a_hundred_megapixels_are_scanned():
    picture = np.tile(background((1000, 1000), 3), (10, 10))
    y, x = 5000, 7000
    picture[y : y + 24, x : x + 24] = scene(0)[0][20:44, 30:54]
    boxes, _ = fitted().detect(picture, min_size=20, max_size=40)
    assert max(overlap(box, np.array([x, y, x + 24, y + 24])) for box in boxes) > 0.3


def test_opencv_cascades_are_detectors():
    cv2 = pytest.importorskip("cv2")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("OpenCV 5 has no cascades")
    data = pytest.importorskip("skimage.data")
    name = cv2.data.haarcascades + "haarcascade_frontalface_alt2.xml"
    grey = cv2.cvtColor(data.astronaut(), cv2.COLOR_RGB2GRAY)
    boxes, scores = Detector.from_opencv(name).detect(grey)
    theirs = cv2.CascadeClassifier(name).detectMultiScale(grey)
    assert len(boxes) == len(theirs) == 1
    x, y, w, h = theirs[0]
    assert overlap(boxes[0], np.array([x, y, x + w, y + h])) > 0.9
    assert scores[0] > 3
