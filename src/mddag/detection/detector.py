"""Detector: finds objects of one kind in images, such as faces; trained from patches of them.

Every window of every scale is classified by a soft cascade over Haar features, which most windows
leave after a few trees; overlapping hits are one object, whose evidence is the sum over its
strongest hits; objects of less evidence than the cut are dropped.

A file of a detector is the container of model files with the arrays of a `WindowClassifier`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import (
    Parameters,
    check_between,
    check_one_of,
    check_positive,
    check_whole,
    checked_jobs,
    checked_path,
)
from mddag._utils.output import plain, progress, write_whole
from mddag._utils.warnings import doubt
from mddag.detection.images import ImageLike, checked_backgrounds
from mddag.detection.windows import TYPES, Size, WindowClassifier, group_neighbors, objects_of
from mddag.ensemble.patches import Window, checked_patches, checked_window
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_tensors,
    content_of,
    pack,
)

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Gray = NDArray[np.uint8]

MOST_PIXELS = 32_896  # of a window: the scan keeps sums over its rectangles exactly in float32
MOST_LEAVES = 33  # of a tree: the scan takes 32 splits
FEWEST_PATCHES = 20
FEW_PATCHES = 500  # fewer leave much to chance
GROUPINGS = ("evidence", "neighbors")  # ours, and that of OpenCV


class Detections(NamedTuple):
    """Objects of an image, the best first."""

    boxes: NDArray[np.int64]  # int64 (m, 4), xmin, ymin, xmax, ymax; the last two are exclusive
    scores: NDArray[np.float64]  # float64 (m,), their evidence


@dataclass
class Detector(Parameters):
    """Find objects of one kind in gray images.

    Parameters
    ----------
    window : (int, int), default=(24, 24)
        Height and width in pixels at which objects are learned; no smaller one is found.
    n_trees : int, default=600
        Trees of the detector; those of earlier rounds of training are fewer.
    n_rounds : int, default=6
        Rounds of boosting, with hard negatives between them.
    n_leaves : int, default=16
        Leaves of a tree; the first trees, which most windows get to, have fewer.
    n_features : int, default=5000
        Haar features, drawn at random, to choose from; None means all of the window.
    n_negatives : int, default=140_000
        Negatives that are kept, the latest, which are the hardest.
    false_per_megapixel : float, default=0.15
        Wanted number of false objects; sets the cut, on images held out.
    random_state : int, default=0
        Decides all draws.
    n_jobs : int, default=1
        Threads, -1 for all cores. No result depends on it.
    verbose : bool, default=False
        Whether progress is shown.

    Attributes
    ----------
    classifier_ : WindowClassifier
        Scans images for windows that hold the object.
    cut_ : float
        The least evidence of an object.
    grouping_ : {"evidence", "neighbors"}
        How overlapping hits become objects: by our rule, or by that of OpenCV.
    rounds_ : list of DetectorRound
        What each round of training brought.

    See Also
    --------
    mddag.detection.sparsify : Detect rows of a table at a wanted rate.

    Examples
    --------
    Bright disks on noise, in a quarter of a second; a good detector takes minutes.

    >>> import numpy as np
    >>> from mddag import Detector
    >>> rng = np.random.default_rng(0)
    >>> y, x = np.mgrid[:12, :12] - 5.5
    >>> disk = 110 * (np.hypot(y, x) < 4)
    >>> patches = (disk + rng.integers(0, 100, (600, 12, 12))).astype(np.uint8)
    >>> backgrounds = [rng.integers(0, 200, (90, 120)).astype(np.uint8) for _ in range(8)]
    >>> detector = Detector(window=(12, 12), n_trees=20, n_rounds=1, n_features=200)
    >>> detector = detector.set_params(n_negatives=2000).fit(patches, backgrounds)
    >>> image = rng.integers(0, 100, (60, 80)).astype(np.uint8)
    >>> image[20:32, 40:52] += disk.astype(np.uint8)
    >>> boxes, scores = detector.detect(image, max_size=13)
    >>> boxes.shape
    (1, 4)
    """

    window: Window = (24, 24)
    n_trees: int = 600
    n_rounds: int = 6
    n_leaves: int = 16
    n_features: int | None = 5000
    n_negatives: int = 140_000
    false_per_megapixel: float = 0.15
    random_state: int = 0
    n_jobs: int = 1
    verbose: bool = False

    def fit(
        self,
        patches: ArrayLike,
        backgrounds: Iterable[ImageLike] | str | os.PathLike[str],
        negatives: ArrayLike | None = None,
    ) -> Self:
        """Learn from patches of the object and from images without it.

        If fit is interrupted, the detector is as it was before.

        Parameters
        ----------
        patches : uint8 array of shape (n, height, width)
            Gray patches with one object in each, framed alike; of any size: they are resized to
            the window. Thousands make a good detector.
        backgrounds : list of images, or path of a folder
            Images without the object, as `detect` takes them; those smaller than the window are
            left out.
        negatives : uint8 array of shape (m, height, width), default=None
            More patches without the object.

        Returns
        -------
        self : Detector
            The fitted detector.

        Raises
        ------
        ValueError
            If a parameter is out of its range, or there are too few patches or images.
        """
        from mddag.detection.training import DetectorTraining  # not needed to detect

        self.check()
        if self.window[0] * self.window[1] > MOST_PIXELS:
            raise ValueError(f"window is {self.window}; wanted at most {MOST_PIXELS} pixels in all")
        objects = _checked_stack("patches", patches)
        if len(objects) < FEWEST_PATCHES:
            raise ValueError(
                f"there are {len(objects)} patches; wanted {FEWEST_PATCHES} or more, and some "
                "thousands for a good detector"
            )
        if len(objects) < FEW_PATCHES:
            doubt(
                f"there are {len(objects)} patches; wanted {FEW_PATCHES} or more: with so few the "
                "detector knows few objects, and its thresholds are uncertain"
            )
        images = checked_backgrounds(backgrounds, self.window)
        n_jobs = checked_jobs(self.n_jobs)
        others = None if negatives is None else _checked_stack("negatives", negatives)
        training = DetectorTraining(self, objects, images, others, n_jobs)
        with progress("Detector", sum(training.lengths), self.verbose) as report:
            classifier = training.run(report)
        self.classifier_, self.cut_ = classifier, training.cut(classifier)
        self.rounds_ = training.rounds
        self.grouping_ = "evidence"
        return self

    def detect(
        self,
        picture: ImageLike,
        *,
        scale: float = 1.1,
        min_size: Size = None,
        max_size: Size = None,
        cut: float | None = None,
    ) -> Detections:
        """Find the objects of an image.

        Parameters
        ----------
        picture : array, Pillow image or path
            Arrays are gray (h, w) or red, green, blue (h, w, 3): whole numbers from 0 to 255, or
            floats from 0 to 1. An image smaller than the window has no objects.
        scale : float, default=1.1
            Ratio of neighboring scales: nearer to 1 is slower and finds a little more.
        min_size, max_size : int or (int, int), default=None
            Bounds of the objects in pixels: the height, or height and width.
        cut : float, default=None
            The least evidence of an object; None means ``cut_``. 0 returns all there is.

        Returns
        -------
        boxes : int64 array of shape (m, 4)
            xmin, ymin, xmax, ymax, the best first; the last two are exclusive.
        scores : float64 array of shape (m,)
            Their evidence.

        Raises
        ------
        ValueError
            If the detector is not fitted, or the image or an option is not as wanted.
        """
        classifier = self._fitted()
        least = self.cut_ if cut is None else cut
        check_between("cut", least, -np.inf, np.inf, "a number: the least evidence")
        hits = classifier.scan(
            picture, scale=scale, min_size=min_size, max_size=max_size, n_jobs=self.n_jobs
        )
        if self.grouping_ == "neighbors":
            groups = group_neighbors(hits.boxes, max(0, int(least)))
        else:
            groups = objects_of(hits, classifier.accept, least)
        return Detections(groups.boxes, groups.evidence)

    def draw(self, picture: ImageLike, **options: Any) -> PillowImage:
        """Draw the image with its objects in boxes.

        Parameters
        ----------
        picture : array, Pillow image or path
            As for `detect`.
        **options : float, int or (int, int)
            Those of `detect`.

        Returns
        -------
        PIL.Image.Image
            The image in its own colors.
        """
        from mddag.detection.images import drawn

        found = self.detect(picture, **options)
        return drawn(picture, found.boxes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted detector to a file that ``mddag.load`` reads.

        Parameters
        ----------
        path : str or path-like
            The file; it is written whole or not at all.
        """
        self._fitted()
        data = to_bytes(self)
        content_of(data, of_content)  # what cannot be read again is not written
        write_whole(checked_path(path), data)

    @classmethod
    def from_opencv(cls, path: str | os.PathLike[str], *, min_neighbors: int = 3) -> Detector:
        """Read a cascade file of OpenCV: a detector with its windows and its way of grouping.

        Parameters
        ----------
        path : str or path-like
            An XML file of OpenCV 4, of stumps or trees over upright Haar features.
        min_neighbors : int, default=3
            An object has more hits than this; their number is its score.

        Returns
        -------
        Detector
            Ready to detect.

        Raises
        ------
        ModelFileError
            If the file is damaged, or holds what is not supported.
        """
        from mddag.detection.opencv import read_cascade

        check_whole("min_neighbors", min_neighbors, 0)
        classifier = read_cascade(path)
        detector = cls(window=classifier.window)
        detector.classifier_, detector.cut_ = classifier, float(min_neighbors)
        detector.grouping_ = "neighbors"
        return detector

    def check(self) -> None:
        """Raise where training could not use a parameter."""
        self.window = checked_window(self.window)
        for name, least in (("n_trees", 1), ("n_rounds", 1), ("n_leaves", 2), ("n_negatives", 100)):
            check_whole(name, getattr(self, name), least)
        if self.n_leaves > MOST_LEAVES:
            raise ValueError(f"n_leaves is {self.n_leaves}; wanted at most {MOST_LEAVES}")
        if self.n_features is not None:
            check_whole("n_features", self.n_features, 1)
        check_whole("random_state", self.random_state, 0)
        check_positive("false_per_megapixel", self.false_per_megapixel)
        check_between("false_per_megapixel", self.false_per_megapixel, 0, 1e9, "at most 1e9")

    def _fitted(self) -> WindowClassifier:
        if not hasattr(self, "classifier_"):
            raise ValueError(
                "this Detector is not fitted; call fit(patches, backgrounds), or mddag.load(path)"
            )
        return self.classifier_


def _checked_stack(name: str, patches: ArrayLike) -> Gray:
    """Return patches of one size, uint8 (n, height, width), or raise."""
    wanted = "wanted gray patches uint8 (n, height, width)"
    try:
        array = np.asarray(patches)
    except ValueError:
        raise ValueError(f"{name} are of several sizes; {wanted}: resize them to one") from None
    if array.ndim != 3:
        raise ValueError(f"{name} are of shape {array.shape}; {wanted}")
    return checked_patches(array, name=name)


VERSION = 1
FIELDS: dict[str, Types] = {
    "kind": str,
    "version": int,
    "window": list,
    "margin": int,
    "min_deviation": float,
    "skips": bool,
    "cut": float,
    "grouping": str,
    "parameters": dict,
}
# float32 thresholds are stored as float64, which is exact
STORED = {np.int32: "I32", np.int64: "I64", np.float32: "F64", np.float64: "F64", np.bool_: "U8"}
READ = {"I32": np.int32, "I64": np.int64, "F64": np.float64, "U8": np.uint8}
TABLES = ("features", "node_next", "node_votes")  # arrays of two dimensions
TENSORS = {name: (STORED[dtype], 1 + (name in TABLES)) for name, dtype in TYPES.items()}
TENSORS["accept"] = ("F64", 1)


def to_bytes(detector: Detector) -> bytes:
    """Return the content of a detector's file; the same for the same detector."""
    classifier = detector.classifier_
    parameters = detector.get_params(deep=False)
    del parameters["n_jobs"]
    metadata = {
        "kind": "detector",
        "version": VERSION,
        "window": classifier.window,
        "margin": classifier.margin,
        "min_deviation": classifier.min_deviation,
        "skips": classifier.skips,
        "cut": float(detector.cut_),
        "grouping": detector.grouping_,
        "parameters": parameters,
    }
    tensors = {name: getattr(classifier, name).astype(READ[TENSORS[name][0]]) for name in TYPES}
    tensors["features"] = tensors["features"].reshape(len(classifier.features), -1)
    tensors["accept"] = np.array([classifier.accept], np.float64)
    return pack(plain(metadata), tensors)


def of_content(metadata: Metadata, tensors: Tensors, n_jobs: int = 1) -> Detector:
    """Return the detector that these hold, checked throughout."""
    if metadata.get("version") != VERSION:
        raise ModelFileError(
            f"the detector has format version {metadata.get('version')!r:.20}, but this mddag "
            f"reads version {VERSION}; upgrade it: pip install --upgrade mddag"
        )
    check_fields("the metadata", metadata, FIELDS)
    check_tensors(tensors, TENSORS)
    check_one_of("grouping", metadata["grouping"], GROUPINGS)
    if len(tensors["accept"]) != 1 or not np.isfinite(tensors["node_votes"]).all():
        raise ModelFileError("the votes are not finite, or there is no single accepting threshold")
    accept = float(tensors["accept"][0])
    if metadata["grouping"] == "evidence" and not np.isfinite(accept):
        raise ModelFileError(f"the accepting threshold is {accept}, so hits have no evidence")
    arrays: dict[str, Any] = {name: tensors[name] for name in TYPES}
    arrays["features"] = arrays["features"].reshape(-1, 3, 5)
    classifier = WindowClassifier(
        window=checked_window(metadata["window"]),
        **arrays,
        accept=accept,
        margin=metadata["margin"],
        min_deviation=metadata["min_deviation"],
        skips=metadata["skips"],
    )
    parameters = metadata["parameters"]
    if isinstance(parameters.get("window"), list):
        parameters = parameters | {"window": tuple(parameters["window"])}
    detector = Detector(**parameters, n_jobs=n_jobs)
    detector.check()
    detector.classifier_, detector.cut_ = classifier, metadata["cut"]
    detector.grouping_ = metadata["grouping"]
    return detector
