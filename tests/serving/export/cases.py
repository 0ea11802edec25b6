"""Models to export to every language: fitted ones with their test rows, and those of files."""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import ascii_uppercase

import lightgbm
import numpy as np
import pandas as pd

import mddag
from mddag import MDDAGClassifier, MDDAGRegressor
from mddag.engine.dag import Dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.tasks import Classification, Regression
from mddag.learners import Tree
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.solvers import Descent, Margin
from tests.patches import boosted
from tests.serving.export.programs import Case
from tests.serving.model_file.agreement import rows_for
from tests.serving.model_file.kinds import KINDS, whole_model

KIND_NAMES = ("classes", "nominal", "calibrated", "every_two", "skips", "verdicts", "stages")


@cache
def cases():
    """All of them; each is made once."""
    fitted = [binary(), letters(), regression(), exp_link(), categorical(), patches()]
    return (*fitted, large(), hostile(), *map(of_kind, (*KIND_NAMES, "whole_model")))


def of_kind(name):
    """A model that files are tested with, and rows on its thresholds."""
    model = Predictor(KINDS[name]())
    with np.errstate(over="ignore"):
        return Case(name, model, rows_for(model.model.dag.ensemble)[:100].astype(np.float32))


def with_gaps(rng, X, share=0.1):
    """X as float32, a part of it missing."""
    X = np.array(X, np.float32)
    X[rng.random(X.shape) < share] = np.nan
    return X


def halves(seed, n_features, n=600):
    rng = np.random.default_rng(seed)
    return rng, with_gaps(rng, rng.normal(size=(n, n_features)))


def binary():
    rng, X = halves(0, 5)
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + rng.normal(size=len(X)) > 0
    labels = np.where(y, "yes", "no")
    boost = lightgbm.LGBMClassifier(n_estimators=40, num_leaves=8, verbose=-1, n_jobs=1)
    boost.fit(X[:300], labels[:300])
    model = MDDAGClassifier(boost, beta=1e-3, solver=Margin()).fit(X[:300], labels[:300])
    return Case("binary", model.predictor(), X)


def letters():
    """26 classes: the data set `letter` where it is, else rows of the same shape."""
    X, y, test = letter_rows()
    boost = lightgbm.LGBMClassifier(n_estimators=12, num_leaves=4, verbose=-1, n_jobs=1)
    boost.fit(X[~test][:2000], y[~test][:2000])
    model = MDDAGClassifier(boost, beta=1e-3, solver=Margin())
    model.fit(X[~test][2000:4000], y[~test][2000:4000])
    gaps = with_gaps(np.random.default_rng(1), X[test][:1000], 0.05)
    return Case("letters", model.predictor(), np.concatenate([X[test][:1000], gaps]))


def letter_rows():
    file = Path(os.environ.get("MDDAG_DATA") or ".") / "letter.npz"
    if file.exists():
        with np.load(file) as held:
            return held["X"].astype(np.float32), held["y"], held["is_test"].astype(bool)
    rng = np.random.default_rng(1)
    y = rng.integers(0, 26, 5000)
    X = rng.normal(size=(26, 16))[y] + 0.5 * rng.normal(size=(5000, 16))
    return X.astype(np.float32), np.array(list(ascii_uppercase))[y], np.arange(5000) >= 4000


@cache
def regression():
    rng, X = halves(2, 4)
    y = np.nan_to_num(X).sum(axis=1) + 0.1 * rng.normal(size=len(X))
    boost = lightgbm.LGBMRegressor(n_estimators=40, num_leaves=8, verbose=-1, n_jobs=1)
    boost.fit(X[:300], y[:300])
    model = MDDAGRegressor(boost, beta=1e-3, solver=Descent(), random_state=0).fit(X[:300], y[:300])
    return Case("regression", model.predictor(), X)


def exp_link():
    """Of which the library's exp is numpy's, and may differ in the last bit."""
    case = regression()
    model = case.model.model
    ensemble = replace(model.dag.ensemble, task=Regression(link="exp"))
    return Case(
        "exp_link", Predictor(replace(model, dag=Dag(ensemble, model.dag.policy))), case.rows
    )


def frame(n=600):
    """Rows by name: colours, sizes and a number, with gaps."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "green", "bl\u00fce", '"'], n)),
            "weight": rng.normal(size=n).astype(np.float32),
            "size": pd.Categorical(rng.choice([1, 2, 50], n)),
        }
    )
    gaps = rng.random(n) < 0.1
    table.loc[gaps, "colour"] = None
    table.loc[rng.random(n) < 0.1, "weight"] = np.nan
    return table


@cache
def categorical_model():
    table = frame()
    y = (
        table["colour"].isin(["red", '"']) ^ (table["size"] == 50) ^ (table["weight"] > 0)
    ).to_numpy()
    boost = lightgbm.LGBMClassifier(n_estimators=30, min_child_samples=5, verbose=-1, n_jobs=1)
    boost.set_params(min_data_per_group=5, cat_smooth=1).fit(table[:300], y[:300])
    return MDDAGClassifier(boost, beta=1e-3, solver=Margin()).fit(table[:300], y[:300])


def categorical():
    predictor = categorical_model().predictor()
    return Case("categorical", predictor, np.asarray(predictor.encode(frame()), np.float32))


NASTY = ["*/ int x;", "two\nlines\r", '"; panic("', "what???/ ${x} `", "\\u000a\\\u4e2d\U0001f600"]


def hostile():
    """Names and labels that would end a comment or a string, were they not written with care."""
    model = whole_model()
    features = replace(model.dag.ensemble.features, names=tuple(NASTY[:2]), categories={})
    task = Classification(classes=np.array(NASTY[2:], object))
    ensemble = replace(model.dag.ensemble, task=task, features=features)
    served = Predictor(replace(model, dag=Dag(ensemble, model.dag.policy)))
    return Case("hostile", served, of_kind("whole_model").rows)


def patches():
    boost, X, y = boosted(20, Tree(4))
    X[:3] = [[[0]], [[255]], [[77]]]  # flat
    X[3, 0, 0] ^= 1
    model = MDDAGClassifier(boost, beta=0.002, solver=Margin()).fit(X, y)
    return Case("patches", model.predictor(), X)


def deep_forest(rng, n_trees, n_features, n_scores):
    def tree():
        builder = TreeBuilder()

        def grow(depth):
            if depth == 3:
                return builder.leaf(rng.normal(size=n_scores))
            left, right = grow(depth + 1), grow(depth + 1)
            feature, missing_left = int(rng.integers(n_features)), bool(rng.integers(2))
            if rng.random() < 0.1:
                members = rng.choice(100, size=20, replace=False)
                return builder.nominal_split(feature, members, left, right, missing_left)
            return builder.split(feature, rng.normal(), left, right, missing_left)

        return builder.finish(grow(0))

    trees = [tree() for _ in range(n_trees)]
    features = Features(n_features)
    classes = np.arange(max(n_scores, 2))
    return Ensemble.from_trees(trees, features=features, bias=np.zeros(n_scores), classes=classes)


def large():
    """Tables that one string of Java cannot hold; no calibration."""
    ensemble = deep_forest(np.random.default_rng(5), 700, 6, 1)
    X = with_gaps(np.random.default_rng(6), np.random.default_rng(6).normal(size=(50, 6)))
    return Case("large", Predictor(Model(mddag.compile(ensemble))), X)
