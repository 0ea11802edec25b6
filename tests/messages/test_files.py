"""What is said of bad input: load, save and export."""

import mddag
from tests.messages.message import check, each
from tests.messages.models import fast, model

BAD = mddag.ModelFileError
LOADED = [
    ("no path", lambda: mddag.load(None), TypeError, "path is None"),
    ("number", lambda: mddag.load(3), TypeError, "path is 3"),
    ("folder", lambda: mddag.load("."), IsADirectoryError, "is a folder"),
    ("empty", lambda: mddag.load("empty.txt"), BAD, "it is empty"),
    ("pickle", lambda: mddag.load("model.pkl"), BAD, "it is a pickle"),
    ("LightGBM text", lambda: mddag.load("model.txt"), BAD, "LightGBM text.*mddag.as_ensemble"),
    ("cut", lambda: mddag.load("cut.mddag"), BAD, "'cut.mddag'"),
    ("threads", lambda: mddag.load("own.mddag", n_threads=0), ValueError, "n_threads is 0"),
]


def exported(path, language="c", **how):
    return lambda: fast().export(path, language, **how)


WRITTEN = [
    ("save to a number", lambda: fast().save(1), TypeError, "path is 1"),
    ("export to nothing", exported(None), TypeError, "path is None"),
    ("predictor", lambda: fast().predictor().export(None, "rust"), TypeError, "path is None"),
    ("name in C", exported("m.h", name="2 models"), ValueError, "name is '2 models'"),
    ("name in Java", exported("my-model.java", "java"), ValueError, "name is 'my-model'; .*Java"),
    ("name in Go", exported("m.go", "go", name="my model"), ValueError, "name is 'my model'; .*Go"),
    ("name in Rust", exported("m.rs", "rust", name="model"), ValueError, "name is 'model'.*'rust'"),
    ("no bool", exported("m.h", integer_thresholds="yes"), ValueError, "_thresholds is 'yes'"),
    ("integers", exported("m.go", "go", integer_thresholds=True), ValueError, "True.*'go'"),
    ("language", exported("m.f90", "fortran"), ValueError, "'fortran'.*'wasm'"),
    ("no folder", exported("nowhere/m.js", "javascript"), FileNotFoundError, "'nowhere.m.js'"),
    ("detector", lambda: mddag.export(mddag.Detector(), "d.go", "go"), TypeError, "a Detector"),
    ("source", lambda: mddag.export(model(), "m.h"), TypeError, "a GradientBoostingClassifier"),
]


@each(LOADED + WRITTEN)
def test_messages(call, error, words):
    check(call, error, words)
