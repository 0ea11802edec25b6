"""Train and test rows of the real data sets, for the benchmarks of AdaBoost.MH.

The folder is named by the environment variable MDDAG_DATA; it is not part of the project.
"""

import os
import runpy

from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OrdinalEncoder


class _Data:
    """The loaders of the data folder, read when first asked for."""

    def __getattr__(self, name):
        folder = os.environ.get("MDDAG_DATA")
        if not folder:
            raise SystemExit("set MDDAG_DATA to the folder of the data sets; see CONTRIBUTING.md")
        return runpy.run_path(os.path.join(folder, "load.py"))[name]


load = _Data()
MNIST_ROWS = 10_000


def shuffled(X, y, test_size=1 / 3):
    """Train and test rows, stratified, seed 0."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=test_size, stratify=y, random_state=0
    )
    return X_train, y_train, X_test, y_test


def spambase():
    return shuffled(*load.spambase())


def electricity():
    """Shuffled, although the rows have an order in time: boosters are compared, not forecasts."""
    return shuffled(*load.electricity())


def adult():
    """The official split as frames, strings as categories."""
    frame = load.adult()
    is_test, y = frame.pop("is_test") == 1, frame.pop("income")
    strings = frame.select_dtypes(exclude="number").columns
    frame = frame.astype(dict.fromkeys(strings, "category"))
    return frame[~is_test], y[~is_test].to_numpy(), frame[is_test], y[is_test].to_numpy()


def ordinal(X_train, X_test):
    """Arrays with categories as numbers in alphabetic order, for models that read numbers only."""
    strings = X_train.select_dtypes("category").columns
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    ).set_output(transform="pandas")
    encoder.fit(X_train[strings].astype(object))
    coded = (X.assign(**encoder.transform(X[strings].astype(object))) for X in (X_train, X_test))
    return tuple(X.to_numpy(float) for X in coded)


def letter():
    X, y, is_test = load.letter()
    is_test = is_test.astype(bool)
    return X[~is_test], y[~is_test], X[is_test], y[is_test]


def mnist():
    """A stratified sixth of the official training rows, all official test rows."""
    X_train, y_train, X_test, y_test = load.mnist()
    some, _ = train_test_split(
        range(len(y_train)), train_size=MNIST_ROWS, stratify=y_train, random_state=0
    )
    return X_train[some].reshape(-1, 784), y_train[some], X_test.reshape(-1, 784), y_test


def vj_pixels():
    """12 788 patches of 24 x 24 grey values, and whether they show a face."""
    X, y = load.vj_faces()
    return X.reshape(len(X), -1), y


def mq2008():
    """All documents of MQ2008 and their relevance 0, 1, 2."""
    rows = load.mq2008()
    return rows["X"], rows["y"]
