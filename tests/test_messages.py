"""What is said of bad input: one row per message, by entry point.

A row is an id, a call, the exception, and words of its message. Every message is a sentence that
says what was got, and none is what Python or numpy says by itself. Models are tiny and made once.
"""

import os
import pickle
import re
from functools import cache

import lightgbm
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import (
    MDP,
    Curve,
    Dag,
    Ensemble,
    Features,
    Grid,
    MDDAGClassifier,
    MDDAGRegressor,
    Policy,
    Predictor,
    Trace,
    Votes,
)
from mddag import AdaBoostMHClassifier as AdaBoost
from mddag.datasets import two_clusters
from mddag.inspection.plotting import DagDisplay, PathDisplay, TradeoffDisplay
from mddag.learners import Product, Tree
from mddag.losses import Exponential, Hinge, Logistic, Squared, ZeroOne
from mddag.ordering import Correlation, Given, QWYCOrder
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Residual, Sarsa, Stopping
from mddag.solvers.td.exploration import Flat, Growing
from mddag.solvers.td.values import RadialBasis, Table

# Models are tiny, so that their rows are few.
pytestmark = pytest.mark.filterwarnings("ignore::mddag._internal.doubts.DoubtfulResult")

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@cache
def model():
    return GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0).fit(X, Y)


@cache
def regressor():
    return GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0).fit(X, X[:, 0])


@cache
def ensemble():
    return mddag.as_ensemble(model())


@cache
def votes():
    return ensemble().votes(X)


@cache
def mdp():
    return MDP(votes(), Y)


@cache
def policy():
    return Margin().solve(mdp())


@cache
def trace():
    return mddag.compile(ensemble(), policy()).run(X)


@cache
def fast():
    return sparsify()


@cache
def curve():
    return mddag.sweep(model(), X, Y, betas=[0.01], solver=Margin())


@cache
def scaled():
    pipeline = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=6))
    return mddag.sparsify(pipeline.fit(X, Y), X, Y, beta=0.01, solver=Margin())


def sparsify(**changes):
    given = {"model": model(), "X": X, "y": Y, "beta": 0.01, "solver": Margin()} | changes
    return mddag.sparsify(**{name: value for name, value in given.items() if value is not ...})


def sweep(**changes):
    given = {"model": model(), "X": X, "y": Y, "betas": [0.01], "solver": Margin()} | changes
    return mddag.sweep(**given)


def fit(**changes):
    given = {"ensemble": model(), "solver": Margin(), "X": X, "y": Y} | changes
    X_given, y_given = given.pop("X"), given.pop("y")
    return MDDAGClassifier(**given).fit(X_given, y_given)


def boost(learner=None, *, rows=X, labels=Y, **changes):
    return AdaBoost(learner, **{"n_rounds": 2} | changes).fit(rows, labels)


class ReturnsNothing:
    def solve(self, mdp, selection=None):
        return None


class TakesOneSample:
    def solve(self, mdp):
        return mdp.evaluate_all()


AS_ENSEMBLE = [
    ("None", lambda: mddag.as_ensemble(None), TypeError, "model is a NoneType, which mddag cannot"),
    ("a class", lambda: mddag.as_ensemble(SVC), TypeError, "the class SVC; pass a fitted object"),
    ("no ensemble", lambda: mddag.as_ensemble(SVC()), TypeError, "model is a SVC, which mddag"),
    (
        "a search",
        lambda: mddag.as_ensemble(GridSearchCV(model(), {})),
        TypeError,
        r"GridSearchCV, which wraps other models; pass .*\(model.best_estimator_\)",
    ),
    (
        "unfitted",
        lambda: mddag.as_ensemble(GradientBoostingClassifier()),
        NotFittedError,
        "this GradientBoostingClassifier is not fitted",
    ),
    (
        "a pipeline that transforms",
        lambda: mddag.as_ensemble(make_pipeline(StandardScaler(), model())),
        TypeError,
        "reads rows after StandardScaler; sparsify",
    ),
    (
        "granularity",
        lambda: mddag.as_ensemble(model(), granularity="leaf"),
        ValueError,
        "granularity is 'leaf'; wanted one of 'round', 'tree'",
    ),
    (
        "a string",
        lambda: mddag.as_ensemble("nonsense"),
        FileNotFoundError,
        "model is the string 'nonsense', and there is no such file",
    ),
    ("a folder", lambda: mddag.as_ensemble("."), IsADirectoryError, r"'\.' is a folder"),
    ("empty file", lambda: mddag.as_ensemble("empty.txt"), ValueError, "is empty"),
    ("pickle", lambda: mddag.as_ensemble("model.pkl"), ValueError, "is a pickle"),
    ("our file", lambda: mddag.as_ensemble("own.mddag"), ValueError, r"mddag\.load reads it"),
    ("foreign", lambda: mddag.as_ensemble("foreign.json"), ValueError, "JSON of another kind"),
    ("renamed", lambda: mddag.as_ensemble("model.json"), ValueError, "holds LightGBM text, but"),
    ("cut", lambda: mddag.as_ensemble("cut.txt"), ValueError, "damaged or cut short"),
]

SPARSIFY = [
    ("no knob", lambda: sparsify(beta=...), ValueError, "got none; wanted exactly one of beta"),
    (
        "two knobs",
        lambda: sparsify(budget=3),
        ValueError,
        "got beta=0.01, budget=3; wanted exactly",
    ),
    ("beta", lambda: sparsify(beta="cheap"), ValueError, "beta is 'cheap'; wanted a finite price"),
    ("negative beta", lambda: sparsify(beta=-1), ValueError, "beta is -1; wanted"),
    ("budget", lambda: sparsify(beta=..., budget="20"), ValueError, "budget is '20'; wanted"),
    ("max_loss", lambda: sparsify(beta=..., max_loss=2), ValueError, "max_loss is 2; wanted"),
    (
        "too few rows for a promise",
        lambda: sparsify(beta=..., max_loss=0.001),
        ValueError,
        "too few to promise max_loss=0.001",
    ),
    (
        "confidence",
        lambda: sparsify(confidence=90),
        ValueError,
        "confidence is 90; wanted a number from 0.5",
    ),
    ("objective", lambda: sparsify(objective="fast"), ValueError, "objective is 'fast'; wanted"),
    ("model class", lambda: sparsify(model=SVC), TypeError, "model is the class SVC"),
    (
        "pipeline of nothing",
        lambda: sparsify(model=Pipeline([])),
        ValueError,
        "a Pipeline without steps",
    ),
    (
        "X and y swapped",
        lambda: sparsify(X=Y, y=X),
        ValueError,
        r"X has 1 dimension\(s\), shape \(80,\)",
    ),
    ("other columns", lambda: sparsify(X=X[:, :2]), ValueError, "X has 2 features, but the model"),
    ("no rows", lambda: sparsify(X=X[:0], y=Y[:0]), ValueError, "X has 0 rows"),
    ("one row", lambda: sparsify(X=X[:1], y=Y[:1]), ValueError, r"X has 1 row\(s\), too few"),
    (
        "infinite X",
        lambda: MDDAGClassifier(model()).fit(abs(X) * np.inf, Y),
        ValueError,
        "Input X contains infinity",
    ),
    (
        "unknown labels",
        lambda: sparsify(y=np.where(Y, "yes", "no")),
        ValueError,
        r"label '(yes|no)' \(row 0\), which the ensemble does not know",
    ),
    ("fewer labels", lambda: sparsify(y=Y[:-1]), ValueError, "inconsistent numbers of samples"),
    ("label None", lambda: sparsify(y=[None, *Y[1:]]), ValueError, r"y contains None \(row 0\)"),
    ("loss", lambda: sparsify(loss="hinge"), TypeError, "loss is 'hinge'; wanted a callable"),
    ("loss class", lambda: sparsify(loss=Hinge), TypeError, "loss is <class .*Hinge'>; wanted"),
    (
        "solver",
        lambda: sparsify(solver="margin"),
        TypeError,
        "solver is 'margin'; wanted an object",
    ),
    (
        "solver of nothing",
        lambda: sparsify(solver=ReturnsNothing()),
        TypeError,
        "ReturnsNothing returned None; wanted a Policy",
    ),
    (
        "solver of one sample",
        lambda: sparsify(solver=TakesOneSample()),
        TypeError,
        r"TakesOneSample.solve cannot be called with \(mdp, selection\)",
    ),
    (
        "ordering",
        lambda: sparsify(ordering="random"),
        TypeError,
        "ordering is 'random'; wanted a callable",
    ),
    (
        "every",
        lambda: sparsify(every=0),
        ValueError,
        "every is 0; wanted a whole number, 1 or more",
    ),
    ("n_threads", lambda: sparsify(n_threads=0), ValueError, "n_threads is 0; wanted"),
    (
        "regressor's disagreement",
        lambda: sparsify(model=regressor(), y=X[:, 0], beta=..., max_disagreement=0.1),
        ValueError,
        "a regressor has no labels to disagree on",
    ),
]

SWEEP = [
    ("no labels", lambda: sweep(y=None), ValueError, "y is None; a curve tells what is lost"),
    ("betas", lambda: sweep(betas="all"), ValueError, "betas is 'all'; wanted a list"),
    ("no betas", lambda: sweep(betas=[]), ValueError, r"betas has shape \(0,\); wanted"),
    ("negative beta", lambda: sweep(betas=[0.1, -1]), ValueError, r"betas\[1\] is -1.0; wanted"),
    (
        "half a test",
        lambda: sweep(X_test=X),
        ValueError,
        "X_test and y_test must be given together",
    ),
    (
        "selection_fraction",
        lambda: sweep(selection_fraction=1),
        ValueError,
        "selection_fraction is 1; wanted a fraction",
    ),
    ("n_jobs", lambda: sweep(n_jobs="all"), ValueError, "n_jobs is 'all'; wanted a whole"),
    (
        "unfitted",
        lambda: sweep(model=MDDAGClassifier()),
        NotFittedError,
        "this MDDAGClassifier is not fitted",
    ),
    ("X of words", lambda: sweep(X=np.full((80, 3), "a")), ValueError, "X has dtype <U1"),
    ("sparse X", lambda: sweep(X=sparse.csr_array(X)), TypeError, "X is a sparse csr_array"),
    (
        "nothing for choosing",
        lambda: sweep(X=X[:2], y=Y[:2], selection_fraction=0.01),
        ValueError,
        "leaves none of 2 rows for choosing",
    ),
]

ESTIMATORS = [
    *(
        (
            f"unfitted {name}",
            lambda name=name: getattr(MDDAGClassifier(), name)(X),
            NotFittedError,
            "This MDDAGClassifier instance is not fitted yet",
        )
        for name in ("predict", "predict_proba", "n_evaluated", "trace", "scores")
    ),
    (
        "unfitted save",
        lambda: MDDAGRegressor().save("m"),
        NotFittedError,
        "MDDAGRegressor instance",
    ),
    (
        "unfitted predictor",
        lambda: AdaBoost().predict(X),
        NotFittedError,
        "AdaBoostMHClassifier inst",
    ),
    (
        "unfitted export",
        lambda: mddag.export_c(MDDAGClassifier(), "m.h"),
        NotFittedError,
        "This MDDAGClassifier instance is not fitted",
    ),
    ("policy_rows", lambda: fit(policy_rows="all"), ValueError, "policy_rows is 'all'; wanted one"),
    (
        "policy_fraction",
        lambda: fit(policy_fraction=0),
        ValueError,
        r"policy_fraction is 0; wanted a fraction of the rows, in \(0, 1\)",
    ),
    (
        "actions",
        lambda: fit(actions=("skip",)),
        ValueError,
        r"actions are \('skip',\); wanted 'eval'",
    ),
    ("beta None", lambda: fit(beta=None), ValueError, "beta is None; wanted a finite price"),
    (
        "another kind",
        lambda: fit(ensemble=regressor()),
        ValueError,
        "the ensemble is that of a regressor; a classifier is wanted here",
    ),
    (
        "no rows left",
        lambda: fit(ensemble=GradientBoostingClassifier(), X=X[:2], y=[0, 1]),
        ValueError,
        "leaves no row for the policy",
    ),
    ("one dimension", lambda: fit(X=X[:, 0]), ValueError, "Expected 2D array, got 1D array"),
    ("numbers for labels", lambda: fit(y=X[:, 0]), ValueError, "Unknown label type: continuous"),
    (
        "adopted estimator",
        lambda: MDDAGClassifier(model()).adopt(fast(), X, Y),
        TypeError,
        "policy is a MDDAGClassifier; wanted a Policy",
    ),
    (
        "columns",
        lambda: fast().predict(X[:, :2]),
        ValueError,
        "X has 2 features, but MDDAGClassifier",
    ),
    (
        "columns of a pipeline",
        lambda: scaled().n_evaluated(X[:, :2]),
        ValueError,
        "X has 2 features, but StandardScaler is expecting 3",
    ),
    (
        "saved pipeline",
        lambda: scaled().save("m.mddag"),
        ValueError,
        "reads rows after StandardScaler, which only scikit-learn can run",
    ),
    ("set_params", lambda: fast().set_params(betas=1), ValueError, "Invalid parameter 'betas'"),
]

ADABOOST = [
    ("learner", lambda: boost("stump"), TypeError, "learner is 'stump'; wanted"),
    ("n_rounds", lambda: boost(n_rounds=0), ValueError, "n_rounds is 0; wanted"),
    ("max_seconds", lambda: boost(max_seconds=-1), ValueError, "max_seconds is -1; wanted"),
    ("no rows", lambda: boost(rows=[], labels=[]), ValueError, "Expected 2D array"),
    ("a dict", lambda: boost(rows={}), ValueError, r"X has 0 dimension\(s\)"),
    ("one class", lambda: boost(labels=np.ones(80, int)), ValueError, "one class|1 class"),
    (
        "n_leaves",
        lambda: boost(Tree(n_leaves=1)),
        ValueError,
        "n_leaves is 1; wanted a whole number",
    ),
    (
        "n_terms",
        lambda: boost(Product(n_terms=9)),
        ValueError,
        "n_terms is 9; wanted a whole number",
    ),
    ("unknown", lambda: Tree().set_params(depth=3), ValueError, "Tree has no parameter 'depth'"),
]

FILES = [
    (
        "no path",
        lambda: mddag.load(None),
        TypeError,
        "path is None; wanted a str or an os.PathLike",
    ),
    ("open file", lambda: mddag.load(3), TypeError, "path is 3; wanted a str"),
    ("folder", lambda: mddag.load("."), IsADirectoryError, "is a folder; wanted a file that save"),
    ("empty", lambda: mddag.load("empty.txt"), mddag.ModelFileError, "it is empty"),
    (
        "pickle",
        lambda: mddag.load("model.pkl"),
        mddag.ModelFileError,
        "it is a pickle, which can run",
    ),
    (
        "LightGBM text",
        lambda: mddag.load("model.txt"),
        mddag.ModelFileError,
        "it holds LightGBM text, which mddag.as_ensemble",
    ),
    ("cut", lambda: mddag.load("cut.mddag"), mddag.ModelFileError, "cannot read 'cut.mddag': "),
    ("threads", lambda: mddag.load("own.mddag", n_threads=0), ValueError, "n_threads is 0; wanted"),
    ("save to a number", lambda: fast().save(1), TypeError, "path is 1; wanted a str"),
    ("export to nothing", lambda: fast().export_c(None), TypeError, "path is None; wanted a str"),
    (
        "name in C",
        lambda: fast().export_c("m.h", name="2 models"),
        ValueError,
        "name is '2 models'; wanted a C identifier",
    ),
    (
        "integer_thresholds",
        lambda: fast().export_c("m.h", integer_thresholds="yes"),
        ValueError,
        "integer_thresholds is 'yes'; wanted True or False",
    ),
    (
        "export of a model",
        lambda: mddag.export_c(model(), "m.h"),
        TypeError,
        "model is a GradientBoostingClassifier; wanted a Predictor, a Dag",
    ),
]

PREDICTOR = [
    (
        "of an estimator",
        lambda: Predictor(fast()),
        TypeError,
        r"model is a MDDAGClassifier; wanted a Model: use mddag.load\(path\)",
    ),
    (
        "list for out",
        lambda: fast().predictor().scores(X, []),
        TypeError,
        r"out is a list; wanted a float64 array \(80, 1\)",
    ),
    (
        "type of out",
        lambda: fast().predictor().codes(X, np.empty(80)),
        ValueError,
        "out is float64 .*wanted C-ordered int64",
    ),
    (
        "probabilities of a regressor",
        lambda: Predictor(
            mddag.serving.model_file.Model(mddag.compile(mddag.as_ensemble(regressor())))
        ).predict_proba(X),
        ValueError,
        "the model has no classes for probabilities",
    ),
]

ENSEMBLE = [
    (
        "made by hand",
        lambda: Ensemble(3, None, None, None, None, None, None),
        TypeError,
        "features is 3; wanted Features: use mddag.as_ensemble",
    ),
    (
        "no callables",
        lambda: Ensemble.from_callables([np.sin, 3], n_features=3),
        TypeError,
        r"callables\[1\] is a int; wanted functions of X",
    ),
    (
        "one function",
        lambda: Ensemble.from_callables(np.sin, n_features=3),
        TypeError,
        "ufunc; wanted a list of functions of X",
    ),
    (
        "empty",
        lambda: Ensemble.from_callables([], n_features=3),
        ValueError,
        "callables is empty; an ensemble needs",
    ),
    (
        "kind",
        lambda: Ensemble.from_callables([np.sin], n_features=3, kind="forest"),
        ValueError,
        "kind is 'forest'; wanted one of 'classifier'",
    ),
    (
        "classes",
        lambda: Ensemble.from_callables([np.sin], n_features=3, classes=["a"]),
        ValueError,
        r"classes has shape \(1,\); 1 score\(s\) stand for 2 classes",
    ),
    (
        "bias",
        lambda: Ensemble.from_callables([np.sin], n_features=3, bias="none"),
        ValueError,
        "bias is 'none'; wanted one finite number for each score",
    ),
    (
        "trees",
        lambda: Ensemble.from_trees([model()], features=Features(3)),
        TypeError,
        r"trees\[0\] is a GradientBoostingClassifier; wanted Nodes",
    ),
    (
        "features",
        lambda: Ensemble.from_trees([], features=3),
        TypeError,
        r"features is 3; wanted Features, such as Features\(n\)",
    ),
    ("costs", lambda: ensemble().with_cost("dear"), ValueError, "cost is 'dear'; wanted one price"),
    (
        "few costs",
        lambda: ensemble().with_cost([1.0]),
        ValueError,
        r"cost has shape \(1,\); wanted",
    ),
    (
        "negative",
        lambda: ensemble().with_cost(-np.ones(6)),
        ValueError,
        r"cost\[0\] is -1.0; prices",
    ),
    (
        "order",
        lambda: ensemble().reordered([0, 0]),
        ValueError,
        "order holds 2 numbers; wanted each",
    ),
    ("longer", lambda: ensemble().truncated(7), ValueError, "cannot keep 7 base classifiers"),
    ("tree", lambda: ensemble().tree(6), ValueError, "t is 6; wanted a number from 0 to 5"),
    ("scores", lambda: ensemble().labels([0.1]), ValueError, r"scores are a list; wanted \(n, 1\)"),
    (
        "labels of numbers",
        lambda: mddag.as_ensemble(regressor()).labels(X[:, :1]),
        ValueError,
        "a regressor has no classes to choose from",
    ),
    (
        "names",
        lambda: Features(3, names="abc"),
        TypeError,
        "names is 'abc'; wanted a tuple of names",
    ),
    ("number", lambda: Features(-1), ValueError, "features is -1; wanted a whole"),
    ("few names", lambda: Features(3, names=("a",)), ValueError, "1 names for 3 features"),
    (
        "frame",
        lambda: Features(1, names=("a",)).rows(pd.DataFrame({"b": [1.0]})),
        ValueError,
        r"X has other columns than the model was trained on: missing \['a'\]",
    ),
    (
        "dates",
        lambda: Features(1).rows(pd.DataFrame({"b": pd.to_datetime(["2020-01-01"])})),
        ValueError,
        "column 'b' has dtype datetime64",
    ),
]

MACHINE = [
    ("votes", lambda: MDP(model(), Y), ValueError, "votes is a GradientBoostingClassifier; wanted"),
    ("an Ensemble", lambda: MDP(ensemble(), Y), TypeError, "votes is an Ensemble"),
    (
        "labels",
        lambda: MDP(votes(), Y[:3]),
        ValueError,
        r"labels have shape \(3,\) for votes on 80",
    ),
    ("words", lambda: MDP(votes(), np.full(80, "a")), ValueError, "labels have dtype <U1; wanted"),
    ("class 2", lambda: MDP(votes(), Y + 1), ValueError, "labels contain class 2"),
    ("shares", lambda: MDP(votes(), np.ones((80, 2))), ValueError, "wanted probabilities that sum"),
    (
        "price",
        lambda: MDP(votes(), Y, costs="dear"),
        ValueError,
        "costs is 'dear'; wanted one number",
    ),
    ("weight", lambda: MDP(votes(), Y, weight=np.zeros(80)), ValueError, "weight is 0 for every"),
    ("cells", lambda: MDP(votes(), Y, grid=8), TypeError, "grid is a int; wanted a Grid"),
    (
        "evaluate",
        lambda: mdp().evaluate(fast()),
        TypeError,
        "policy is a MDDAGClassifier; wanted a",
    ),
    (
        "swapped",
        lambda: Policy(policy().grid, policy().actions, policy().order),
        TypeError,
        r"grid is an array of uint8 .*wanted a Grid, the second argument of Policy\(actions, grid",
    ),
    (
        "shape",
        lambda: Policy(policy().actions[:2], policy().grid, policy().order),
        ValueError,
        r"actions have shape \(2, 1024\); wanted \(6, 1024\)",
    ),
    (
        "action",
        lambda: Policy.constant(7, 6, policy().grid),
        ValueError,
        "the action at step 0 in cell 0 is 7; wanted EVAL",
    ),
    (
        "too long a prefix",
        lambda: Policy.prefix(7, 6, policy().grid),
        ValueError,
        "cannot evaluate the first 7 of 6 steps",
    ),
    (
        "steps",
        lambda: Policy.constant(0, "six", policy().grid),
        ValueError,
        "n_steps is 'six'; wanted",
    ),
    ("edges", lambda: Grid("wide"), ValueError, "edges is 'wide'; wanted a sorted array"),
    ("falling edges", lambda: Grid([1.0, 0.0]), ValueError, "not finite and strictly increasing"),
    ("scores", lambda: Grid([0.0], n_scores=0), ValueError, "n_scores is 0; wanted a whole number"),
    (
        "grid of",
        lambda: Grid.uniform(ensemble()),
        TypeError,
        "votes is an Ensemble; wanted Votes, such",
    ),
    ("n_cells", lambda: Grid.quantile(votes(), "many"), ValueError, "n_cells is 'many'; wanted"),
    (
        "cells of",
        lambda: policy().grid.cells(X),
        ValueError,
        r"scores have shape \(80, 3\); wanted",
    ),
    ("dense", lambda: Votes.from_dense("all"), ValueError, "dense is 'all'; wanted numbers"),
    (
        "made by hand",
        lambda: Votes(X, 3),
        TypeError,
        "tables is 3; wanted Tables: use ensemble.votes",
    ),
    ("rows", lambda: votes().rows("first"), ValueError, "index is 'first'; wanted numbers of rows"),
    (
        "compile",
        lambda: mddag.compile(fast()),
        TypeError,
        "ensemble is a MDDAGClassifier; wanted an E",
    ),
    (
        "compile with a solver",
        lambda: mddag.compile(ensemble(), Margin()),
        TypeError,
        "policy is a Margin; wanted a Policy, such as solver.solve",
    ),
    (
        "another ensemble",
        lambda: mddag.compile(ensemble().truncated(3), policy()),
        ValueError,
        r"the policy is for 6 base classifiers and 1 score\(s\), but got 3",
    ),
    (
        "executor",
        lambda: mddag.compile(ensemble(), policy(), executor="gpu"),
        ValueError,
        "executor is 'gpu'; wanted",
    ),
    (
        "expected_evaluations",
        lambda: Dag(ensemble(), policy(), None, 99.0),
        ValueError,
        "expected_evaluations is 99.0, but there are 6",
    ),
    ("instance", lambda: trace().path(80), IndexError, "there is no instance 80; wanted"),
    ("path of", lambda: trace().path("first"), TypeError, "i is 'first'; wanted the number of an"),
    ("groups", lambda: trace().edges([1, 2]), ValueError, r"groups has shape \(2,\); wanted one"),
    ("too few", lambda: trace().uses(1), ValueError, "wanted n_classifiers to be the size"),
    (
        "trace by hand",
        lambda: Trace(X, [0], np.zeros(0, int), [], []),
        ValueError,
        r"indptr is a list, .*wanted arrays \(n, K\), \(n \+ 1,\)",
    ),
    (
        "curve by hand",
        lambda: Curve({}, ()),
        ValueError,
        "columns have no .*mddag.sweep makes curves",
    ),
    ("sample", lambda: curve().envelope("all"), ValueError, "on is 'all'; wanted one of 'train'"),
    ("column", lambda: curve().envelope(x="time"), ValueError, "x is 'time'; wanted one of 'cost'"),
    ("csv", lambda: curve().to_csv(2), TypeError, "path is 2; wanted a str"),
]

FAMILIES = [
    ("scale", lambda: Exponential("big"), ValueError, "scale is 'big'; wanted a finite factor"),
    ("scale 0", lambda: Logistic(0), ValueError, "scale is 0; wanted a finite factor"),
    ("prices", lambda: ZeroOne("high"), ValueError, "ZeroOne weights is 'high'; wanted a price"),
    ("no price", lambda: ZeroOne([0, 0]), ValueError, "ZeroOne weights are all 0"),
    ("diagonal", lambda: ZeroOne([[1, 1], [1, 0]]), ValueError, "a right decision is free"),
    (
        "flat scores",
        lambda: Hinge()(X[:, 0], Y),
        ValueError,
        r"scores have shape \(80,\) and labels",
    ),
    (
        "no numbers",
        lambda: Squared()(None, "x"),
        ValueError,
        r"scores have shape \(\) and labels",
    ),
    (
        "real labels",
        lambda: Hinge()(X, X[:, 0]),
        TypeError,
        "labels are float64, which stand for reg",
    ),
    ("focus", lambda: Correlation(focus="sharp"), ValueError, "focus is 'sharp'; wanted a finite"),
    ("max_rows", lambda: Correlation(max_rows=0), ValueError, "max_rows is 0; wanted"),
    ("rate", lambda: QWYCOrder(rate=2), ValueError, "rate is 2; wanted a fraction of the rows"),
    (
        "order of",
        lambda: Given()(X),
        TypeError,
        "votes is an array of float64 of shape .*wanted Votes",
    ),
    ("start", lambda: Flat(start=2), ValueError, "start is 2; wanted a probability, 0 to 1"),
    ("period", lambda: Growing(period=0), ValueError, "period is 0; wanted a whole number"),
    ("n_bins", lambda: Table(n_bins=0.5), ValueError, "n_bins is 0.5; wanted a whole number"),
    (
        "running",
        lambda: Table(running=None),
        ValueError,
        "running is None; wanted one of True, False",
    ),
    ("sigma", lambda: RadialBasis(sigma=0), ValueError, "sigma is 0; wanted a number above 0"),
    ("clusters", lambda: two_clusters("many"), ValueError, "n_samples is 'many'; wanted"),
]

SOLVERS = [
    ("mdp", lambda: Margin().solve(votes()), TypeError, "mdp is a Votes; wanted an MDP, such as"),
    (
        "selection",
        lambda: Descent().solve(mdp(), X),
        TypeError,
        "selection is an array .*wanted an MDP of the rows that choose",
    ),
    ("Margin", lambda: Margin(every=0), ValueError, "every is 0; wanted a whole number"),
    ("Residual", lambda: Residual(width=0), ValueError, "width is 0; wanted a whole number"),
    ("rates", lambda: QWYC(rates="few"), ValueError, "rates is 'few'; wanted shares of the rows"),
    ("rates above", lambda: QWYC(rates=(2,)), ValueError, r"rates are \(2,\); wanted shares"),
    ("order", lambda: QWYC(order="best"), TypeError, "ordering is 'best'; wanted a callable"),
    (
        "z",
        lambda: fit(solver=Descent(z="two")),
        ValueError,
        "z is 'two'; wanted a number of standard",
    ),
    (
        "targets",
        lambda: fit(solver=Descent(targets="x")),
        ValueError,
        "targets is 'x'; wanted one of",
    ),
    ("start", lambda: fit(solver=Descent(start=1)), TypeError, "start is a int; wanted a Policy"),
    (
        "members",
        lambda: fit(solver=Portfolio(3)),
        TypeError,
        "members is 3; wanted a tuple of them",
    ),
    (
        "no members",
        lambda: fit(solver=Portfolio(())),
        ValueError,
        "members is empty; wanted at least",
    ),
    (
        "sizes",
        lambda: fit(solver=Portfolio(sizes=(0,))),
        ValueError,
        "each of sizes is 0; wanted a whole number",
    ),
    (
        "two orders",
        lambda: fit(solver=Portfolio(orderings=(Given(),)), ordering=Given()),
        ValueError,
        "has orders of its own; give one of the two",
    ),
    ("n_episodes", lambda: fit(solver=Sarsa(n_episodes=0)), ValueError, "n_episodes is 0; wanted"),
    (
        "rate",
        lambda: fit(solver=Sarsa(rate=None)),
        ValueError,
        "rate is None; wanted a learning rate",
    ),
    (
        "trace_decay",
        lambda: fit(solver=Sarsa(trace_decay=2)),
        ValueError,
        "trace_decay is 2; wanted lambda in 0..1",
    ),
    (
        "values",
        lambda: fit(solver=Sarsa("t")),
        ValueError,
        "values is 't'; wanted a value function",
    ),
    (
        "exploration",
        lambda: fit(solver=Sarsa(exploration=Flat)),
        ValueError,
        "exploration is <class .*; wanted a callable such as Flat()",
    ),
    ("shape", lambda: fit(solver=Stopping(shape="x")), ValueError, "shape is 'x'; wanted one of"),
    (
        "numbers",
        lambda: MDDAGRegressor(regressor(), solver=Margin()).fit(X, X[:, 0]),
        ValueError,
        "quits where the winning class is sure, but labels are numbers",
    ),
    (
        "every of one's own",
        lambda: fit(solver=ReturnsNothing(), every=2),
        ValueError,
        "every is 2, but .* decides at each base classifier",
    ),
    (
        "another sample",
        lambda: Prefix().solve(mdp(), MDP(votes().reordered([0, 1]), Y)),
        ValueError,
        "learn a policy for these",
    ),
]

PICTURES = [
    (
        "curve",
        lambda: TradeoffDisplay.from_curve(fast()),
        TypeError,
        "curve is a MDDAGClassifier; wanted a Curve, such as mddag.sweep gives",
    ),
    (
        "x",
        lambda: TradeoffDisplay(curve(), x="time"),
        ValueError,
        "x is 'time'; wanted one of 'n_ev",
    ),
    (
        "trace",
        lambda: DagDisplay.from_trace(fast()),
        TypeError,
        r"trace is a MDDAGClassifier; wanted a Trace, such as dag.run\(X\) or estimator.trace\(X\)",
    ),
    (
        "graph",
        lambda: DagDisplay(trace()),
        TypeError,
        "graph is a Trace; wanted a Graph: use DagDis",
    ),
    (
        "path",
        lambda: PathDisplay(trace(), None),
        TypeError,
        "graph is a Trace; wanted a Graph: use P",
    ),
    (
        "min_share",
        lambda: DagDisplay.from_trace(trace(), min_share=2),
        ValueError,
        "min_share is 2; wanted a share of instances",
    ),
    (
        "n_classifiers",
        lambda: DagDisplay.from_trace(trace(), n_classifiers=0),
        ValueError,
        "n_classifiers is 0, but the trace evaluates",
    ),
    ("colours", lambda: DagDisplay.from_trace(trace(), color=[1]), ValueError, "color has"),
    (
        "axes",
        lambda: DagDisplay.from_trace(trace(), ax=3),
        TypeError,
        "ax is 3; wanted matplotlib Ax",
    ),
    (
        "plane",
        lambda: PathDisplay.from_trace(trace(), X=X),
        ValueError,
        r"X has shape \(80, 3\); wanted two columns to draw over",
    ),
]

GROUPS = {
    "as_ensemble": AS_ENSEMBLE,
    "sparsify": SPARSIFY,
    "sweep": SWEEP,
    "estimators": ESTIMATORS,
    "adaboost": ADABOOST,
    "files": FILES,
    "predictor": PREDICTOR,
    "ensemble": ENSEMBLE,
    "machine": MACHINE,
    "families": FAMILIES,
    "solvers": SOLVERS,
    "pictures": PICTURES,
}
ROWS = {f"{group}: {row[0]}": row[1:] for group, rows in GROUPS.items() for row in rows}
RAW = r"has no attribute|object is not|not supported between|could not convert|truth value of"


@pytest.fixture(scope="module", autouse=True)
def _in_a_folder_of_files(tmp_path_factory):
    """Run where the files are that rows name."""
    folder, before = tmp_path_factory.mktemp("files"), os.getcwd()
    os.chdir(folder)
    booster = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(X, Y).booster_
    text = booster.model_to_string().encode()
    fast().save("own.mddag")
    saved = (folder / "own.mddag").read_bytes()
    contents = {
        "empty.txt": b"",
        "model.txt": text,
        "model.json": text,
        "cut.txt": text[: len(text) // 3],
        "cut.mddag": saved[: len(saved) // 2],
        "foreign.json": b'{"weights": []}',
        "model.pkl": pickle.dumps(model()),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    yield
    os.chdir(before)


def said(call, error):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("row", ROWS)
def test_the_message_says_what_is_wrong(row):
    call, error, words = ROWS[row]
    message = said(call, error)
    assert re.search(words, message)
    assert not re.search(RAW, message)


def test_there_are_more_than_a_hundred_messages():
    assert len({said(call, error) for call, error, _ in ROWS.values()}) > 200
    assert sum(map(len, GROUPS.values())) == len(ROWS)
