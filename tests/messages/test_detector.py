"""What is said of bad input: Detector."""

import numpy as np

import mddag
from mddag.detection.augmentation import Augmentation
from mddag.detection.degradation import Degradation
from mddag.detection.prices import Prices
from tests.detection.targets import SETTINGS, backgrounds, fitted, patches
from tests.messages.message import check, each


def fit(patches_=None, backgrounds_=None, **settings):
    detector = mddag.Detector(**(SETTINGS | settings))
    given = patches(30) if patches_ is None else patches_
    return detector.fit(given, backgrounds() if backgrounds_ is None else backgrounds_)


NAN = np.full((30, 12, 12), np.nan)
SMALL = [np.zeros((5, 9), np.uint8)] * 3
ROWS = [
    (
        "colour patches",
        lambda: fit(np.zeros((30, 12, 12, 3), np.uint8)),
        ValueError,
        r"patches are of shape \(30, 12, 12, 3\); wanted grey patches uint8 \(n, height, width\)",
    ),
    (
        "float patches",
        lambda: fit(np.zeros((30, 12, 12))),
        ValueError,
        "patches is float64; want",
    ),
    (
        "patches of two sizes",
        lambda: fit([np.zeros((12, 12), np.uint8), np.zeros((9, 9), np.uint8)]),
        ValueError,
        "patches are of several sizes; wanted grey patches",
    ),
    ("large window", lambda: fit(window=(200, 200)), ValueError, "at most 32896 pixels in all"),
    ("leaves", lambda: fit(n_leaves=34), ValueError, "n_leaves is 34; wanted at most 33"),
    ("infinite rate", lambda: fit(false_per_megapixel=np.inf), ValueError, "wanted at most 1e9"),
    (
        "augmentation",
        lambda: fit(augmentation=None),
        TypeError,
        "augmentation is None; wanted mddag.detection.augmentation.Augmentation",
    ),
    ("degradation", lambda: fit(degradation=1), TypeError, "degradation is 1; wanted"),
    ("prices", lambda: fit(prices={}), TypeError, "prices is a dict; wanted"),
    ("shift", lambda: Augmentation(shift=-1), ValueError, "shift is -1; wanted a number, 0 to 1"),
    ("noise", lambda: Augmentation(noise=np.nan), ValueError, "noise is nan; wanted a finite"),
    ("contrast", lambda: Degradation(contrast=2), ValueError, "contrast is 2; wanted a number, 0"),
    ("miss", lambda: Prices(miss=2), ValueError, "miss is 2; wanted a share of the objects"),
    ("NaN in patches", lambda: fit(NAN), ValueError, "it contains NaN, which is no grey level"),
    ("no patches", lambda: fit(np.zeros((0, 12, 12), np.uint8)), ValueError, "0 patches"),
    ("few patches", lambda: fit(patches(3)), ValueError, "there are 3 patches; wanted 20 or more"),
    ("no backgrounds", lambda: fit(backgrounds_=[]), ValueError, "0 of 0 backgrounds are as large"),
    ("one background", lambda: fit(backgrounds_=backgrounds(1)), ValueError, "1 of 1 backgrounds"),
    (
        "small backgrounds",
        lambda: fit(backgrounds_=SMALL),
        ValueError,
        r"0 of 3 backgrounds are as large as the window of \(12, 12\), the largest of \(5, 9\)",
    ),
    (
        "one picture",
        lambda: fit(backgrounds_=backgrounds(1)[0]),
        TypeError,
        "backgrounds is a ndarray; wanted a list of pictures|backgrounds is an? ndarray",
    ),
    ("no folder", lambda: fit(backgrounds_="nowhere"), ValueError, "'nowhere', which is no folder"),
    ("a number", lambda: fit(backgrounds_=3), TypeError, "backgrounds is an int; wanted a list"),
    ("window", lambda: fit(window=24), ValueError, r"window is 24; wanted \(height, width\)"),
    ("no trees", lambda: fit(n_trees=0), ValueError, "n_trees is 0; wanted a whole number, 1"),
    ("rounds", lambda: fit(n_rounds=1.5), ValueError, "n_rounds is 1.5; wanted a whole number"),
    ("negatives", lambda: fit(n_negatives=3), ValueError, "n_negatives is 3; wanted a whole"),
    ("features", lambda: fit(n_features=0), ValueError, "n_features is 0; wanted a whole"),
    ("rate", lambda: fit(false_per_megapixel=0), ValueError, "false_per_megapixel is 0; wanted a"),
    ("seed", lambda: fit(random_state=-1), ValueError, "random_state is -1; wanted a whole"),
    ("threads", lambda: fit(n_threads=0), ValueError, "n_threads is 0; wanted a whole number"),
    (
        "not fitted",
        lambda: mddag.Detector().detect(SMALL[0]),
        ValueError,
        "this Detector is not fitted; call fit",
    ),
    ("not fitted, saved", lambda: mddag.Detector().save("a"), ValueError, "not fitted"),
    ("no picture", lambda: fitted().detect(None), TypeError, "picture is None; wanted an array"),
    ("empty", lambda: fitted().detect(np.zeros((0, 5), np.uint8)), ValueError, "picture is empty"),
    ("NaN", lambda: fitted().detect(np.full((40, 40), np.nan)), ValueError, "picture has NaN"),
    (
        "bright floats",
        lambda: fitted().detect(np.full((40, 40), 99.0)),
        ValueError,
        "picture has floats from 99 to 99; wanted 0",
    ),
    ("dimensions", lambda: fitted().detect(np.zeros((4, 4, 4, 4))), ValueError, "of shape"),
    ("missing file", lambda: fitted().detect("nowhere.png"), FileNotFoundError, "nowhere.png"),
    ("no picture file", lambda: fitted().detect("empty.txt"), ValueError, "no picture that Pillow"),
    ("scale", lambda: fitted().detect(SMALL[0], scale=1), ValueError, "scale is 1; wanted the"),
    ("cut", lambda: fitted().detect(SMALL[0], cut="low"), ValueError, "cut is 'low'; wanted a num"),
    ("size", lambda: fitted().detect(SMALL[0], min_size=-3), ValueError, "min_size is -3; wanted"),
    (
        "opencv",
        lambda: mddag.Detector.from_opencv("empty.txt"),
        mddag.ModelFileError,
        "cannot read",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
