"""Whether an installed wheel runs: trained, made sparse, saved, loaded, on every level of kernels.

    python tests/wheel.py

A program and no test, since it needs neither pytest nor the repository: `make wheel` and
cibuildwheel run it in an environment that has the wheel and what that requires.
"""

import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag import _core

X, y = make_hastie_10_2(4000, random_state=0)
model = GradientBoostingClassifier(n_estimators=40, random_state=0).fit(X[:2000], y[:2000])
fast = mddag.sparsify(model, X[2000:], y[2000:], budget=10, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.mddag"
    fast.save(path)
    answers = []
    for level in _core.levels():
        os.environ["MDDAG_LEVEL"] = level
        answers.append(mddag.load(path).predict_proba(X))
    assert all(np.array_equal(answer, answers[0]) for answer in answers)
del os.environ["MDDAG_LEVEL"]
mddag.show_versions()
