"""One engine on one model in a process of its own, asked and timed over pipes; see `few_rows`.

    <python> -m benchmarks.speed.few_rows_worker <folder with models and rows>

Only names of mddag's public contract are used, so that builds of any version can be compared.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.pipe import serve

LEAST, DISTINCT = 0.05, 512  # seconds of a repeat; rows that calls take in turn
Call = Callable[[np.ndarray], Any]


def mddag_calls(folder: Path, file: str) -> tuple[Call, Call]:
    import mddag

    predictor = mddag.load(folder / file)
    return predictor.predict_one, predictor.scores


def lleaves_calls(folder: Path, name: str) -> tuple[Call, Call]:
    import lleaves

    path = folder / f"{name}.txt"
    _trained(folder, name).booster_.save_model(path)
    model = lleaves.Model(model_file=str(path))
    model.compile(cache=str(folder / f"{name}.lleaves"), raw_score=True, use_fp64=False)
    return (lambda x: model.predict(x[None], n_jobs=1)), (lambda X: model.predict(X, n_jobs=1))


def lightgbm_calls(folder: Path, name: str) -> tuple[Call, Call]:
    booster = _trained(folder, name).booster_
    rows = SingleRowFast(booster, booster.num_feature())
    return rows.one, lambda X: booster.predict(X, raw_score=True, num_threads=1)


class SingleRowFast:
    """LightGBM's fastest call for one float32 row, of its C API."""

    def __init__(self, booster: Any, n_features: int):
        from lightgbm import basic

        self.booster, self.handle = booster, ctypes.c_void_p()
        started = basic._LIB.LGBM_BoosterPredictForMatSingleRowFastInit(
            booster._handle,
            ctypes.c_int(1),  # raw scores
            ctypes.c_int(0),
            ctypes.c_int(-1),
            ctypes.c_int(0),  # float32
            ctypes.c_int32(n_features),
            ctypes.c_char_p(b"num_threads=1"),
            ctypes.byref(self.handle),
        )
        assert started == 0
        self.row, self.out, n = np.zeros(n_features, np.float32), np.zeros(1), ctypes.c_int64(0)
        self.predict = basic._LIB.LGBM_BoosterPredictForMatSingleRowFast
        self.arguments = (
            self.handle,
            ctypes.c_void_p(self.row.ctypes.data),
            ctypes.byref(n),
            self.out.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
        )

    def one(self, x: np.ndarray) -> Any:
        self.row[:] = x
        self.predict(*self.arguments)
        return self.out[0]


def onnx_calls(folder: Path, name: str) -> tuple[Call, Call]:
    import onnxruntime

    path = folder / f"{name}.onnx"
    if not path.exists():
        _write_onnx(_trained(folder, name), path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    given, wanted = session.get_inputs()[0].name, [session.get_outputs()[-1].name]
    return (
        lambda x: session.run(wanted, {given: x[None]}),
        lambda X: session.run(wanted, {given: X}),
    )


def _write_onnx(model: Any, path: Path) -> None:
    n_features, kind = model.n_features_in_, type(model).__name__
    if kind == "CatBoostClassifier":
        model.save_model(path, format="onnx")
        return
    if kind == "RandomForestClassifier":
        from skl2onnx import to_onnx

        example = np.zeros((1, n_features), np.float32)
        made = to_onnx(model, example, options={id(model): {"zipmap": False}}, target_opset=15)
    else:
        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType

        types = [("X", FloatTensorType([None, n_features]))]
        if kind == "LGBMClassifier":
            made = onnxmltools.convert_lightgbm(model, initial_types=types, zipmap=False)
        else:
            made = onnxmltools.convert_xgboost(model, initial_types=types)
    path.write_bytes(made.SerializeToString())


def xgboost_calls(folder: Path, name: str) -> tuple[Call, Call]:
    booster = _trained(folder, name).get_booster()
    booster.set_param({"nthread": 1})

    def scores(X: np.ndarray) -> Any:
        return booster.inplace_predict(X, predict_type="margin", validate_features=False)

    return (lambda x: scores(x[None])), scores


def catboost_calls(folder: Path, name: str) -> tuple[Call, Call]:
    model = _trained(folder, name)

    def scores(X: np.ndarray) -> Any:
        return model.predict(X, prediction_type="RawFormulaVal", thread_count=1)

    return scores, scores


def sklearn_calls(folder: Path, name: str) -> tuple[Call, Call]:
    model = _trained(folder, name)
    return (lambda x: model.predict_proba(x[None])), model.predict_proba


def _trained(folder: Path, name: str) -> Any:
    import joblib

    return joblib.load(folder / f"{name}.joblib")


CALLS = {
    "mddag": mddag_calls,
    "lleaves": lleaves_calls,
    "lightgbm": lightgbm_calls,
    "onnx": onnx_calls,
    "xgboost": xgboost_calls,
    "catboost": catboost_calls,
    "sklearn": sklearn_calls,
}


class Engine:
    def __init__(self, folder: str):
        self.folder = Path(folder)
        self.X = np.load(self.folder / "rows.npy")
        self.ready: dict[int, tuple[Call, list[np.ndarray]]] = {}

    def load(self, engine: str, name: str) -> None:
        self.one, self.many = CALLS[engine](self.folder, name)

    def time(self, n_rows: int) -> float:
        """Processor seconds of a call, each on other rows than the one before."""
        if n_rows not in self.ready:
            self.ready[n_rows] = self._prepared(n_rows)
        call, batches = self.ready[n_rows]
        n_calls, began = 0, time.process_time()
        while (taken := time.process_time() - began) < LEAST or n_calls == 0:
            for batch in batches:
                call(batch)
            n_calls += len(batches)
        return taken / n_calls

    def _prepared(self, n_rows: int) -> tuple[Call, list[np.ndarray]]:
        n = max(DISTINCT // n_rows, 8)
        if n_rows == 1:
            call, batches = self.one, [row.copy() for row in self.X[:n]]
        else:
            call = self.many
            batches = [self.X[i * n_rows : (i + 1) * n_rows].copy() for i in range(n)]
        for batch in batches[:2]:  # what is made at the first call is not timed
            call(batch)
        return call, batches


if __name__ == "__main__":
    serve(lambda: Engine(sys.argv[1]))
