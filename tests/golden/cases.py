"""Golden cases: stored models, rows and policies, and how to build a model from them.

Nothing stored here depends on the format of our own model files. Models are files of other
libraries, or plain arrays; rows, policies and answers are plain arrays, in ``data/NAME.npz`` and
``data/NAME.answers.npz``. ``python -m tests.golden.make`` writes them all.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import mddag
from mddag.ensemble.nodes import TreeBuilder
from mddag.metrics import NDCG
from mddag.serving.model_file import Model

DATA = Path(__file__).parent / "data"
N_ANSWERED = 200  # the first rows, whose answers are stored; the others are for learning


@dataclass(frozen=True)
class Case:
    """One stored model with its rows and its policy.

    Parameters
    ----------
    name : str
        The name of its files, and of the exported model.
    model : str
        The file of the model.
    learned : tuple of dict
        What `mddag.sparsify`, or that of rankers, is asked for.
    """

    name: str
    model: str
    learned: tuple[dict, ...] = ()

    @cached_property
    def stored(self):
        """X, y, and the policy: edges, actions, order, every; perhaps qid and verdict."""
        return arrays(DATA / f"{self.name}.npz")

    @cached_property
    def answers(self):
        return arrays(DATA / f"{self.name}.answers.npz")

    @property
    def rows(self):
        return self.stored["X"][:N_ANSWERED]

    @property
    def is_ranker(self):
        return "qid" in self.stored

    def rest(self, name):
        return self.stored[name][N_ANSWERED:]

    @cached_property
    def ensemble(self):
        file = DATA / self.model
        return stumps(file) if file.suffix == ".npz" else mddag.as_ensemble(file)

    @property
    def policy(self):
        stored = self.stored
        return mddag.Policy(
            stored["actions"],
            mddag.Grid(stored["edges"], self.ensemble.n_scores),
            stored["order"],
            every=int(stored["every"]),
            verdict=stored.get("verdict"),
        )

    @cached_property
    def predictor(self):
        """The stored policy over the stored model; probabilities are calibrated on the rest."""
        if self.is_ranker:
            return mddag.Predictor(Model(mddag.compile(self.ensemble, self.policy)))
        estimator = mddag.MDDAGClassifier(self.ensemble)
        return estimator.adopt(self.policy, self.rest("X"), self.rest("y")).predictor()

    def answered(self, predictor):
        """Everything that a predictor says of the rows."""
        found = {
            "predict": predictor.predict(self.rows),
            "scores": predictor.scores(self.rows),
            "n_evaluated": predictor.n_evaluated(self.rows),
        }
        if not self.is_ranker:
            found["predict_proba"] = predictor.predict_proba(self.rows)
        return found

    def sparsified(self, asked):
        """The estimator that is learned on the rest."""
        X, y = self.rest("X"), self.rest("y")
        with warnings.catch_warnings():  # the rows are few on purpose
            warnings.simplefilter("ignore", mddag.DoubtfulResult)
            if self.is_ranker:
                return mddag.ranking.sparsify(self.ensemble, X, y, qid=self.rest("qid"), **asked)
            if "target_fpr" in asked:
                return mddag.detection.sparsify(self.ensemble, X, y, **asked)
            return mddag.sparsify(self.ensemble, X, y, **asked)

    def boosted(self):
        """AdaBoost.MH trained on the rest: the labels that it predicts."""
        model = mddag.AdaBoostMHClassifier(n_rounds=80, random_state=0)
        return model.fit(np.nan_to_num(self.rest("X")), self.rest("y")).predict(self.rows)

    def measured(self, model):
        """Mean evaluations and quality (accuracy or NDCG) of an estimator, and its predictions."""
        y = self.stored["y"][:N_ANSWERED]
        if not self.is_ranker:
            predicted = model.predict(self.rows)
            return model.n_evaluated(self.rows).mean(), np.mean(predicted == y), predicted
        qid = self.stored["qid"][:N_ANSWERED]
        predicted = model.predict(self.rows, qid)
        return model.n_evaluated(self.rows, qid).mean(), NDCG(10)(predicted, y, qid), predicted


def arrays(file):
    with np.load(file) as held:
        return dict(held)


def stumps(file):
    """The ensemble of stored stumps: AdaBoost.MH without the format of our files."""
    stored = arrays(file)
    trees = []
    for feature, threshold, votes in zip(
        stored["feature"], stored["threshold"], stored["votes"], strict=True
    ):
        tree = TreeBuilder()
        left, right = tree.leaf(votes[0]), tree.leaf(votes[1])
        trees.append(tree.finish(tree.split(int(feature), float(threshold), left, right, False)))
    return mddag.Ensemble.from_trees(
        trees,
        features=mddag.Features(int(stored["n_features"])),
        bias=stored["bias"],
        classes=stored["classes"],
    )


def detected(detector):
    """Boxes and scores of the stored picture."""
    return detector.detect(arrays(DATA / "detector.npz")["picture"])


CASES = (
    # Binary, with missing values and a nominal feature; base classifiers in an order of their own.
    Case(
        "lightgbm",
        "lightgbm.txt",
        ({"max_loss": 0.02, "confidence": None}, {"budget": 8}, {"target_fpr": 0.1}),
    ),
    # Four classes, a decision for every second round, verdicts.
    Case("xgboost", "xgboost.json", ({"max_loss": 0.02, "confidence": None}, {"budget": 5})),
    # Binary, oblivious trees, verdicts.
    Case("catboost", "catboost.json", ({"max_loss": 0.02, "confidence": None}, {"budget": 8})),
    # Three classes with names, stumps that vote for all of them.
    Case(
        "adaboost", "adaboost.stumps.npz", ({"max_loss": 0.02, "confidence": None}, {"budget": 8})
    ),
    Case("ranker", "ranker.txt", ({"max_loss": 0.01, "confidence": None}, {"budget": 8})),
)
