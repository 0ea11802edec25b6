"""Patches of hits are cut from the scaled picture that was scanned."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mddag.detection.hits import resized
from tests.detection.classifiers import random_classifier, random_picture
from tests.reference import scan as reference

SIDES = st.integers(1, 30)


@given(st.integers(0, 99), SIDES, SIDES, SIDES, SIDES)
def test_resizing_is_that_of_the_twin(seed, height, width, rows, columns):
    picture = np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)
    np.testing.assert_array_equal(
        resized(picture, rows, columns), reference.resized(picture, rows, columns)
    )


def test_patches_are_the_windows_that_were_classified():
    rng = np.random.default_rng(0)
    classifier = random_classifier(rng)
    picture = random_picture(rng, 50, 70)
    hits = classifier.scan(picture)
    patches = hits.patches(picture)
    assert patches.shape == (len(hits), *classifier.window)
    assert len(np.unique(hits.levels)) > 3
    for patch, score in zip(patches, hits.scores, strict=True):
        assert reference.classified(classifier, patch)[0] == score
