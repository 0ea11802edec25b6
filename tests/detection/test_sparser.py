"""A sparser cascade evaluates less, accepts nothing new and loses few objects."""

import numpy as np
import pytest

from mddag.detection.sparser import accepted, sparser
from mddag.detection.tree_votes import stage_sums, tree_votes
from mddag.detection.window_classifier import LEAF, WindowClassifier
from mddag.features.haar import haar_features

WINDOW = (8, 8)


def patches(rng, n, contrast):
    """Noise, the left half brighter by `contrast`."""
    pixels = rng.normal(120, 25, (n, *WINDOW))
    pixels[:, :, :4] += contrast
    return np.clip(pixels, 0, 255).astype(np.uint8)


def cascade(rng, n_stages=3, n_trees=10, skips=False):
    """Stages of stumps on pairs of rectangles, left and right of the middle."""
    features = haar_features(WINDOW)
    is_pair = (features[:, 2, 4] == 0) & (features[:, 0, 2] == 2 * features[:, 1, 2])
    values = features[is_pair & (features[:, 1, 0] + features[:, 1, 2] == 4)]
    n = n_stages * n_trees
    starts = np.arange(n_stages + 1) * n_trees
    return WindowClassifier(
        window=WINDOW,
        features=values[rng.integers(0, len(values), n)],
        node_feature=np.arange(n),
        node_threshold=np.full(n, 0.05),
        node_next=np.full((n, 2), LEAF),
        node_votes=np.tile([-1.0, 1.0], (n, 1)),
        tree_starts=np.arange(n + 1),
        stage_starts=starts,
        stage_fresh=np.ones(n_stages, bool),
        stage_reject=np.full(n_stages, -2.0),
        skips=skips,
    )


@pytest.mark.parametrize("skips", [False, True])
def test_fewer_evaluations_and_few_losses(skips):
    rng = np.random.default_rng(0)
    whole = cascade(rng, skips=skips)
    objects, others = patches(rng, 3000, 60), patches(rng, 3000, 0)
    sparse = sparser(whole, objects[:1500], others[:1500], max_loss=0.02)
    before, after = (
        accepted(c, stage_sums(c, tree_votes(c, objects[1500:]))) for c in (whole, sparse)
    )
    assert not (after & ~before).any()
    assert before.sum() > 500
    assert (before & ~after).sum() <= 0.05 * before.sum()
    rows = others[:900].reshape(30, 30, 8, 8)
    picture = np.concatenate([np.concatenate(row, axis=1) for row in rows])
    hits = [c.scan(picture) for c in (whole, sparse)]
    assert hits[1].n_evaluated < (0.97 if skips else 0.9) * hits[0].n_evaluated
    assert hits[1].n_windows == hits[0].n_windows
    assert set(map(tuple, hits[1].boxes)) <= set(map(tuple, hits[0].boxes))


def test_nothing_may_be_lost():
    rng = np.random.default_rng(1)
    whole = cascade(rng)
    objects, others = patches(rng, 2000, 60), patches(rng, 2000, 0)
    sparse = sparser(whole, objects, others, max_loss=0.0)
    assert sparse.n_trees == whole.n_trees
    before, after = (accepted(c, stage_sums(c, tree_votes(c, objects))) for c in (whole, sparse))
    assert (before & ~after).mean() <= 0.01


def test_too_few_patches():
    rng = np.random.default_rng(2)
    with pytest.raises(ValueError, match="others rejected by the classifier; wanted 100 or more"):
        sparser(cascade(rng), patches(rng, 2000, 90), patches(rng, 50, 0))
    with pytest.raises(ValueError, match="max_loss is 2; wanted a share of the objects"):
        sparser(cascade(rng), patches(rng, 200, 90), patches(rng, 500, 0), max_loss=2)
