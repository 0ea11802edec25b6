"""Facts of small models, made once, and a parser that reads pages as a browser would."""

from functools import cache
from html.parser import HTMLParser

import lightgbm
from sklearn.datasets import make_classification, make_hastie_10_2

import mddag
from mddag.inspection.report import Facts
from tests.inspection.explanation.models import classifier, frame, labels, regressor


def facts_of(model, X=None, y=None, **more):
    """As ``report`` makes them."""
    rows = None if X is None else model._rows(X)
    given = {"source": model.ensemble_, "rows": rows, "targets": y}
    return Facts(model.untransformed().model, **given, **more)


@cache
def two(targets=True):
    return facts_of(classifier(), frame(), labels() if targets else None)


@cache
def three():
    return facts_of(classifier(3), frame(), labels(3))


@cache
def numbers():
    X = frame()
    return facts_of(regressor(), X, X.to_numpy() @ [3.0, 1.0, -2.0] + 5)


@cache
def bare():
    """Without rows."""
    return facts_of(classifier())


@cache
def long_chain():
    """Many trees, of which most rows need few."""
    X, y = make_classification(2400, 6, n_informative=4, class_sep=1.2, random_state=0)
    settings = {"num_leaves": 6, "verbose": -1, "n_jobs": 1, "random_state": 0}
    model = lightgbm.LGBMClassifier(n_estimators=150, **settings).fit(X[:800], y[:800])
    fast = mddag.MDDAGClassifier(model, beta=2e-4, solver=mddag.solvers.Margin(), random_state=0)
    return fast.fit(X[800:1600], y[800:1600]), X[1600:], y[1600:]


@cache
def detector():
    X, y = make_hastie_10_2(2400, random_state=0)
    boost = mddag.AdaBoostMHClassifier(n_rounds=30, random_state=0).fit(X[:800], y[:800])
    rows = X[800:1600], y[800:1600]
    model = mddag.detection.sparsify(boost, *rows, beta=0.003, target_fpr=0.1)
    return model, X[1600:], y[1600:]


class Page(HTMLParser):
    """Tags with their attributes, texts by tag, and whether tags were closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.texts = [], [], {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self):
        return {a["id"] for _, a in self.tags if "id" in a}

    def text(self):
        return " ".join(" ".join(" ".join(t) for t in self.texts.values()).split())


def page_of(section):
    """A section's HTML, read."""
    return Page(section.html)
