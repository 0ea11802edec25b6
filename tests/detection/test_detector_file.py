"""Files of detectors: the same detector again, and nothing worse than an error from any other."""

import copy
import subprocess
import sys

import numpy as np
import pytest

import mddag
from mddag.detection.detector import Detector
from mddag.detection.detector_file import of_content, to_bytes
from mddag.detection.prices import Prices
from mddag.serving.model_file.container import content_of, pack, unpack
from tests.detection.targets import fitted, scene


def test_the_detector_is_the_same(tmp_path):
    fitted().save(tmp_path / "disks.mddag")
    again = mddag.load(tmp_path / "disks.mddag", n_threads=2)
    assert isinstance(again, Detector)
    assert again.get_params() == fitted().get_params() | {"n_threads": 2}
    assert again.cut_ == fitted().cut_
    for seed in range(3):
        picture, _ = scene(seed)
        for one, two in zip(fitted().detect(picture), again.detect(picture), strict=True):
            assert np.array_equal(one, two)
    assert to_bytes(again) == to_bytes(fitted())


def test_parameters_may_be_numbers_of_numpy(tmp_path):
    detector = copy.copy(fitted())
    detector.n_leaves, detector.prices = np.int64(3), Prices(miss=np.float32(0.5))
    detector.save(tmp_path / "disks.mddag")
    assert mddag.load(tmp_path / "disks.mddag").prices == Prices(miss=0.5)


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


def test_cascades_of_opencv_are_saved_too(tmp_path):
    cv2 = pytest.importorskip("cv2")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("OpenCV 5 has no cascades")
    theirs = Detector.from_opencv(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")
    theirs.save(tmp_path / "theirs.mddag")
    again = mddag.load(tmp_path / "theirs.mddag")
    assert (again.grouping_, again.cut_, again.window) == ("neighbours", 3.0, (24, 24))
    assert again.classifier_.skips


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
    "no prices": lambda m, t: m["parameters"].update(prices=None),
    "prices": lambda m, t: m["parameters"].update(prices={"hit": 1}),
    "field": lambda m, t: m.pop("cut"),
    "tensor": lambda m, t: t.pop("node_votes"),
    "type": lambda m, t: t.update(accept=np.zeros(1, np.int32)),
    "accept": lambda m, t: t.update(accept=np.zeros(2)),
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


def test_flipped_bits_are_found():
    data = bytearray(to_bytes(fitted()))
    rng = np.random.default_rng(0)
    for at in rng.integers(0, len(data), 60):
        damaged = data.copy()
        damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(mddag.ModelFileError):
            content_of(bytes(damaged), of_content)


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
