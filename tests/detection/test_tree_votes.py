"""Votes on patches are those that the scan adds up."""

import numpy as np
import pytest

from mddag.detection.tree_votes import stage_sums, tree_votes
from tests.detection.classifiers import random_classifier
from tests.reference import scan as reference


@pytest.mark.parametrize("margin", [0, 1])
def test_votes_are_those_of_the_twin(margin):
    rng = np.random.default_rng(margin)
    classifier = random_classifier(rng, margin=margin)
    patches = rng.integers(0, 256, (30, *classifier.window)).astype(np.uint8)
    votes = tree_votes(classifier, patches)
    for patch, row in zip(patches, votes, strict=True):
        scale = reference.deviation_scale(patch, margin)
        wanted = [
            reference.vote(classifier, tree, patch.astype(int), scale)
            for tree in range(classifier.n_trees)
        ]
        np.testing.assert_array_equal(row, wanted)


def test_sums_start_anew_in_fresh_stages():
    rng = np.random.default_rng(0)
    for _ in range(20):
        classifier = random_classifier(rng, n_trees=9)
        votes = rng.integers(-3, 4, (5, 9)).astype(float)
        sums, running = stage_sums(classifier, votes), np.zeros(5)
        for stage, fresh in enumerate(classifier.stage_fresh):
            running = np.zeros(5) if fresh else running
            for tree in range(classifier.stage_starts[stage], classifier.stage_starts[stage + 1]):
                running = running + votes[:, tree]
                np.testing.assert_array_equal(sums[:, tree], running)
