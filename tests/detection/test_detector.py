"""The detector: what it finds and keeps, its file, its training."""

import copy
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import mddag
from mddag.detection.cascade import balanced
from mddag.detection.detector import Detector, of_content, to_bytes
from mddag.detection.haar import PatchColumns
from mddag.detection.training import (
    MISSED,
    SHRINKAGE,
    DetectorTraining,
    drawn_features,
    gentle_trees,
    sums_by_tree,
    thresholds_of,
    window_classifier,
)
from mddag.learners.trees import Tree
from mddag.serving.model_file.container import content_of, pack, unpack
from tests.detection.problems import (
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


def test_the_cut_and_sizes_bound_the_objects():
    picture, box = scene(2)
    few, many = fitted().detect(picture), fitted().detect(picture, cut=0)
    assert len(many.boxes) >= len(few.boxes)
    assert np.array_equal(many.boxes[: len(few.boxes)], few.boxes)
    assert overlap(fitted().detect(picture, min_size=20).boxes[0], box) > 0.4
    small = fitted().detect(picture, max_size=14, cut=0).boxes
    assert ((small[:, 3] - small[:, 1]) <= 14).all()


def test_threads_and_repetition_change_nothing():
    again = Detector(**SETTINGS, n_jobs=2).fit(patches(600), backgrounds())
    picture, _ = scene(3)
    for one, two in zip(fitted().detect(picture, cut=0), again.detect(picture, cut=0), strict=True):
        assert np.array_equal(one, two)


def test_windows_need_not_be_square():
    tall = np.repeat(patches(600), 2, axis=1)  # 24 x 12
    detector = Detector(**{**SETTINGS, "window": (24, 12)}).fit(tall, backgrounds())
    picture = background((120, 100), 5)
    picture[40:64, 30:42] = tall[0]
    boxes, _ = detector.detect(picture)
    assert overlap(boxes[0], np.array([30, 40, 42, 64])) > 0.4
    assert (boxes[0, 3] - boxes[0, 1]) / (boxes[0, 2] - boxes[0, 0]) == pytest.approx(2, abs=0.2)


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


@pytest.mark.parametrize(
    ("shape", "gray"),
    [((11, 200), 0), ((200, 11), 0), ((1, 1), 0), ((300, 400), 0), ((300, 400), 255)],
)
def test_small_and_constant_images_hold_nothing(shape, gray):
    boxes, scores = fitted().detect(np.full(shape, gray, np.uint8), cut=0)
    assert boxes.shape == (0, 4)
    assert scores.shape == (0,)


def test_the_detector_is_the_same(tmp_path):
    fitted().save(tmp_path / "disks.mddag")
    again = mddag.load(tmp_path / "disks.mddag", n_jobs=2)
    assert isinstance(again, Detector)
    assert again.get_params() == fitted().get_params() | {"n_jobs": 2}
    assert again.cut_ == fitted().cut_
    for seed in range(3):
        picture, _ = scene(seed)
        for one, two in zip(fitted().detect(picture), again.detect(picture), strict=True):
            assert np.array_equal(one, two)
    assert to_bytes(again) == to_bytes(fitted())


def test_parameters_may_be_numbers_of_numpy(tmp_path):
    detector = copy.copy(fitted())
    detector.n_leaves, detector.false_per_megapixel = np.int64(3), np.float32(0.5)
    detector.save(tmp_path / "disks.mddag")
    again = mddag.load(tmp_path / "disks.mddag")
    assert (again.n_leaves, again.false_per_megapixel) == (3, 0.5)


def test_loading_is_light(tmp_path):
    fitted().save(tmp_path / "disks.mddag")
    heavy = "[m for m in ('sklearn', 'scipy', 'PIL', 'matplotlib') if m in sys.modules]"
    code = f"""
import sys, mddag, numpy
d = mddag.load({str(tmp_path / "disks.mddag")!r})
d.detect(numpy.zeros((50, 50), 'uint8'))
print({heavy})"""
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


FAULTS = {
    "version": lambda m, t: m.update(version=2),
    "window": lambda m, t: m.update(window=[12]),
    "negative window": lambda m, t: m.update(window=[-1, 12]),
    "huge window": lambda m, t: m.update(window=[2**30, 2**30]),
    "small window": lambda m, t: m.update(window=[2, 2]),
    "margin": lambda m, t: m.update(margin=6),
    "deviation": lambda m, t: m.update(min_deviation=-1.0),
    "grouping": lambda m, t: m.update(grouping="other"),
    "parameters": lambda m, t: m["parameters"].update(n_trees="many"),
    "unknown parameter": lambda m, t: m["parameters"].update(depth=3),
    "field": lambda m, t: m.pop("cut"),
    "tensor": lambda m, t: t.pop("node_votes"),
    "type": lambda m, t: t.update(accept=np.zeros(1, np.int32)),
    "accept": lambda m, t: t.update(accept=np.zeros(2)),
    "no evidence": lambda m, t: t.update(accept=np.array([-np.inf])),
    "votes": lambda m, t: t["node_votes"].fill(np.inf),
    "feature": lambda m, t: t["node_feature"].fill(10**6),
    "next": lambda m, t: t["node_next"].fill(0),
    "rectangle": lambda m, t: t["features"].fill(10**6),
    "shape of features": lambda m, t: t.update(features=t["features"][:, :7].copy()),
    "trees": lambda m, t: t["tree_starts"].fill(3),
    "stages": lambda m, t: t.update(stage_reject=t["stage_reject"][:3].copy()),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_unsound_content_is_refused(fault, tmp_path):
    metadata, tensors = unpack(to_bytes(fitted()))
    tensors = {name: tensor.copy() for name, tensor in tensors.items()}
    FAULTS[fault](metadata, tensors)
    (tmp_path / "bad.mddag").write_bytes(pack(metadata, tensors))
    with pytest.raises(mddag.ModelFileError, match="cannot read"):
        mddag.load(tmp_path / "bad.mddag")


def test_random_content_never_crashes():
    """Numbers of all sizes in all places: an error, or a detector that detects."""
    metadata, tensors = unpack(to_bytes(fitted()))
    rng = np.random.default_rng(1)
    picture, _ = scene(0)
    n_refused, most = 0, np.tile(picture.shape[::-1], 2)
    for _ in range(200):
        changed = {name: tensor.copy() for name, tensor in tensors.items()}
        name = sorted(changed)[rng.integers(len(changed))]
        flat = changed[name].reshape(-1)
        flat[rng.integers(len(flat))] = (
            rng.choice([-(2**31), -1, 0, 1, 13, 1000, 2**31 - 1]) % 256
            if flat.dtype == np.uint8
            else rng.choice([-(2**31), -1, 0, 1, 13, 1000, 2**31 - 1])
        )
        try:
            detector = content_of(pack(metadata, changed), of_content)
        except mddag.ModelFileError:
            n_refused += 1
            continue
        boxes, scores = detector.detect(picture)
        assert ((boxes >= 0) & (boxes <= most)).all()
        assert not np.isnan(scores).any()
    assert 0 < n_refused < 200


def test_the_bank_is_bounded():
    settings = Detector(**{**SETTINGS, "n_negatives": 200, "n_trees": 20})
    training = DetectorTraining(settings, patches(300), backgrounds(), None, 1)
    training.run(lambda n_done, note: None)
    assert len(training.negatives) <= 200
    assert training.min_deviation > 1
    assert [r.n_trees for r in training.rounds] == [5, 20]


def test_narrow_pictures_are_turned_back():
    narrow = [np.ascontiguousarray(picture[:60, :15]) for picture in backgrounds()]
    settings = Detector(**(SETTINGS | {"window": (40, 12)}))
    training = DetectorTraining(settings, patches(30), narrow, None, 1)
    assert {picture.shape for picture in training.seen(narrow)} == {(60, 15)}


@pytest.fixture(scope="module")
def grown():
    features = drawn_features((12, 12), 60, np.random.default_rng(0))
    windows = np.lib.stride_tricks.sliding_window_view(background(), (12, 12))[::5, ::5]
    negatives = windows.reshape(-1, 12, 12)
    both = np.concatenate([patches(80), negatives])
    positive = np.arange(len(both)) < 80
    columns = PatchColumns.of(both, features, None, 1)
    trees = gentle_trees(columns, positive, lambda n: Tree(4), 12, 60, np.random.default_rng(0))
    return features, trees, sums_by_tree(trees, features, both), both, positive, columns


def test_votes_are_weighted_means_and_weights_follow_them(grown):
    _, trees, _, _, positive, columns = grown
    weights, y = balanced(positive), np.where(positive, 1.0, -1.0)
    for tree in trees:
        leaf = columns.leaf_codes(tree)
        for code in range(tree.n_leaves):
            inside = leaf == code
            mean = (weights * y)[inside].sum() / (weights[inside].sum() + 1 / len(y))
            assert tree.votes[code, 0] == pytest.approx(SHRINKAGE * mean, abs=1e-9)
        weights *= np.exp(-y * tree.votes[leaf, 0])
        weights /= weights.sum()


def test_the_scan_gives_the_sums_of_the_trees(grown):
    features, trees, sums, both, *_ = grown
    everything = window_classifier(trees, features, np.full(12, -np.inf), -np.inf, 0.0)
    scanned = np.array([everything.scan(patch).scores[0] for patch in both])
    assert np.array_equal(scanned, sums[:, -1])


def test_the_scan_rejects_what_the_thresholds_reject(grown):
    features, trees, sums, both, positive, _ = grown
    reject, accept = thresholds_of(sums[positive], sums[~positive])
    cascade = window_classifier(trees, features, reject, accept, 0.0)
    passed = (sums > reject).all(axis=1) & (sums[:, -1] >= accept)
    assert [len(cascade.scan(patch)) == 1 for patch in both] == passed.tolist()
    assert passed[positive].mean() > 0.9
    assert passed[~positive].mean() < 0.05


def test_the_last_threshold_loses_the_share_that_it_may():
    rng = np.random.default_rng(0)
    objects = rng.normal(0.2, 1, (400, 30)).cumsum(axis=1)
    negatives = rng.normal(-0.3, 1, (2000, 30)).cumsum(axis=1)
    _, accept = thresholds_of(objects, negatives)
    assert abs((objects[:, -1] < accept).mean() - MISSED) < 0.01
    assert accept < 0
    # objects that are easy to tell keep a margin
    assert thresholds_of(objects + 30, negatives)[1] == 0.0
