"""What is said of bad input: models and files that as_ensemble reads."""

from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from tests.messages.message import check, each
from tests.messages.models import model

ROWS = [
    ("None", lambda: mddag.as_ensemble(None), TypeError, "model is a NoneType, which mddag cannot"),
    ("a class", lambda: mddag.as_ensemble(SVC), TypeError, "the class SVC; pass a fitted object"),
    ("no ensemble", lambda: mddag.as_ensemble(SVC()), TypeError, "model is an SVC, which mddag"),
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


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
