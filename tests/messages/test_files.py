"""What is said of bad input: load, save and export."""

import mddag
from tests.messages.message import check, each
from tests.messages.models import fast, model

ROWS = [
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
    ("export to nothing", lambda: fast().export(None), TypeError, "path is None; wanted a str"),
    (
        "name in C",
        lambda: fast().export("m.h", name="2 models"),
        ValueError,
        "name is '2 models'; wanted a C identifier",
    ),
    (
        "integer_thresholds",
        lambda: fast().export("m.h", integer_thresholds="yes"),
        ValueError,
        "integer_thresholds is 'yes'; wanted True or False",
    ),
    (
        "language",
        lambda: fast().export("m.f90", language="fortran"),
        ValueError,
        "language is 'fortran'; wanted one of 'c', 'java', 'go', 'rust', 'javascript', 'wasm'",
    ),
    (
        "export of a predictor to nothing",
        lambda: fast().predictor().export(None, "rust"),
        TypeError,
        "path is None; wanted a str",
    ),
    (
        "name of a class of Java",
        lambda: fast().export("my-model.java", "java"),
        ValueError,
        "name is 'my-model'; wanted a Java class, such as 'Model'",
    ),
    (
        "name of a package of Go",
        lambda: fast().export("m.go", "go", name="my model"),
        ValueError,
        "name is 'my model'; wanted a Go package, such as 'model'",
    ),
    (
        "name in Rust",
        lambda: fast().export("m.rs", "rust", name="model"),
        ValueError,
        "name is 'model', but a module of 'rust' is named by its file; leave it out",
    ),
    (
        "integers in Go",
        lambda: fast().export("m.go", "go", integer_thresholds=True),
        ValueError,
        "integer_thresholds is True, but the language is 'go'; it is for C on",
    ),
    (
        "export to a folder that is not there",
        lambda: fast().export("nowhere/m.js", "javascript"),
        FileNotFoundError,
        "nothing was written: 'nowhere.m.js'",
    ),
    (
        "export of a detector",
        lambda: mddag.export(mddag.Detector(), "d.go", "go"),
        TypeError,
        "model is a Detector; wanted a Predictor, a Dag",
    ),
    (
        "export of a model",
        lambda: mddag.export(model(), "m.h"),
        TypeError,
        "model is a GradientBoostingClassifier; wanted a Predictor, a Dag",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
