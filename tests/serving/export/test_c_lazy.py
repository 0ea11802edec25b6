"""Exported rows that wait for groups buy what the Dag says, and end where it ends."""

import ctypes
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.policy.state import Stages
from mddag.serving.export import export
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests.acquisition.costly import bought
from tests.engine.test_lazy_walk import drawn
from tests.serving.export.programs import COMPILER, STRICT, needs_compiler
from tests.serving.export.test_c import with_classes
from tests.serving.test_lazy import priced

DRIVER = """
#include "net.h"
/* Rows get values as they want them; all else stays spoilt. */
void run(int n, const float *full, int *labels, unsigned char *groups, double *f, double *early) {
  float x[NET_N_FEATURES];
  for (; n-- > 0; full += NET_N_FEATURES, groups += NET_N_GROUPS, f += NET_N_SCORES) {
    net_lazy row;
    int group, i;
    for (i = 0; i < NET_N_FEATURES; ++i) x[i] = 12345.0f;
    net_lazy_start(&row);
    net_lazy_scores(&row, early);
    early += NET_N_SCORES;
    while ((group = net_lazy_next(&row, x)) >= 0) {
      if (!net_lazy_lacks(&row, group) || groups[group]) return;
      for (i = 0; i < net_group_size(group); ++i) {
        const int c = net_group_column(group, i);
        x[c] = full[c];
      }
      groups[group] = 1;
      net_lazy_give(&row, group);
    }
    *labels++ = net_predict(x);
    net_lazy_scores(&row, f);
  }
}
const char *name(int group) { return net_group_name(group); }
double cost(int group) { return net_group_cost(group); }
"""


def compiled(model, folder):
    """The library of a model with prices, and a function X -> labels, groups, scores."""
    export(Predictor(model), folder / "net.h", name="net")
    (folder / "net.c").write_text(DRIVER)
    command = [COMPILER, *STRICT, "-O1", "-shared", "-fPIC", "-o", "net.so", "net.c", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "net.so"))
    library.name.restype, library.cost.restype = ctypes.c_char_p, ctypes.c_double

    def run(X):
        rows, dag = np.ascontiguousarray(X, np.float32), model.dag
        labels = np.empty(len(rows), np.intc)
        groups = np.zeros((len(rows), dag.purchases.prices.n_groups), np.uint8)
        scores = np.empty((len(rows), dag.ensemble.n_scores))
        early = np.empty_like(scores)
        arrays = (rows, labels, groups, scores, early)
        library.run(len(rows), *(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
        return labels, groups.astype(bool), scores, early

    return library, run


@needs_compiler
@given(st.data())
@settings(deadline=None, max_examples=25)
def test_random_models_equal_the_dag(tmp_path_factory, data):
    dag, X = drawn(data)
    if isinstance(dag.policy.state, Stages) and dag.ensemble.n_scores > 1:  # refused
        return
    dag = type(dag)(with_classes(dag.ensemble), dag.policy, purchases=dag.purchases)
    X = X.astype(np.float32)
    _, run = compiled(Model(dag), tmp_path_factory.mktemp("c"))
    labels, groups, scores, early = run(X)
    trace = dag.run(X)
    if dag.ensemble.task.predicts_classes:
        np.testing.assert_array_equal(labels, trace.verdict)
    np.testing.assert_array_equal(scores, trace.scores)
    np.testing.assert_array_equal(groups, trace.groups)
    assert (early == early[0]).all()


@needs_compiler
def test_a_model_of_acquire_says_what_it_wants_next(tmp_path):
    found, X, _ = bought()
    X = X.astype(np.float32)
    _, run = compiled(found.predictor().model, tmp_path)
    labels, groups, _, _ = run(X)
    np.testing.assert_array_equal(found.classes_[labels], found.predict(X))
    np.testing.assert_array_equal(groups, found.groups_bought(X))
    assert 0 < groups.all(axis=1).mean() < 1


@needs_compiler
@pytest.mark.parametrize("kind", ["prices", "stages", "nominal", "classes"])
def test_models_equal_predict_lazy(tmp_path, kind):
    predictor, X = priced(kind)
    with np.errstate(over="ignore"):
        X = X.astype(np.float32)
    library, run = compiled(predictor.model, tmp_path)
    labels, groups, scores, _ = run(X)
    table = dict(zip(predictor.feature_prices.names, predictor.feature_prices.columns, strict=True))
    result = predictor.predict_lazy(
        lambda group, rows: X[rows][:, table[group]], n_rows=len(X), return_details=True
    )
    np.testing.assert_array_equal(predictor.classes_[labels], result.predictions)
    np.testing.assert_array_equal(groups, result.groups)
    np.testing.assert_array_equal(scores, result.scores)
    for g, name in enumerate(predictor.feature_prices.names):
        assert library.name(g).decode() == str(name)
        assert library.cost(g) == predictor.feature_prices.costs[g]
