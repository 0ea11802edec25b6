"""One class per contestant: load (and train or convert, once) a model, score a batch, score a row.

    Contestant(folder, shape)     the folder is that of `models.prepared`, as is the shape
    .scores(X, n_jobs)         the library's own fastest call on a numpy array
    .one(x)                       the library's answer to a single row, float32 (d,)

LightGBM, lleaves, ONNX Runtime and mddag run the same trees. XGBoost, CatBoost and YDF run models
of their own, of as many trees with as many leaves, trained on RIVAL_ROWS rows. Each class imports
its library when made: the file is read in environments that have one of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clock import seconds

RIVAL_ROWS = 20_000
LIGHTGBM_LOADS = 5


def training_rows(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(folder / "train.npz") as rows:
        return rows["X"][:RIVAL_ROWS], rows["y"][:RIVAL_ROWS]


class Mddag:
    """A file that mddag.load reads: the same trees, all of them or under a policy."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        import mddag

        predictor = mddag.load(folder / shape.get("file", "full.mddag"))
        self.one = predictor.predict_one
        self.dag = predictor.model.dag

    def scores(self, X, n_jobs=1):
        return self.dag.scores(X, n_jobs=n_jobs)


class LightGBM:
    """Booster.predict; its time depends on where its trees lie, so the fastest load counts."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        import lightgbm

        X = np.load(folder / "test.npy", mmap_mode="r")[:1000]
        text = (folder / "lightgbm.txt").read_text()
        self.stopping = shape.get("stopping", {})  # of pred_early_stop
        self.booster = min(
            (lightgbm.Booster(model_str=text) for _ in range(LIGHTGBM_LOADS)),
            key=lambda booster: seconds(lambda: booster.predict(X, raw_score=True, num_threads=1)),
        )

    def scores(self, X, n_jobs=1):
        return self.booster.predict(X, raw_score=True, num_threads=n_jobs, **self.stopping)

    def one(self, x):
        return self.scores(x[None])


class XGBoost:
    """Booster.inplace_predict, which makes no DMatrix."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        import xgboost

        path = folder / "xgboost.ubj"
        if not path.exists():
            multi = {"objective": "multi:softprob", "num_class": shape["n_classes"]}
            task = multi if shape["n_classes"] > 2 else {"objective": "binary:logistic"}
            leaves = {"max_leaves": shape["n_leaves"], "max_depth": 0, "grow_policy": "lossguide"}
            rows = xgboost.DMatrix(*training_rows(folder), nthread=1)
            xgboost.train({**task, **leaves, "nthread": 1}, rows, shape["n_rounds"]).save_model(
                path
            )
        self.boosters = {n: xgboost.Booster({"nthread": n}, model_file=path) for n in (1, 2)}

    def scores(self, X, n_jobs=1):
        booster = self.boosters[n_jobs]
        return booster.inplace_predict(X, predict_type="margin", validate_features=False)

    def one(self, x):
        return self.scores(x[None])


class CatBoost:
    """Symmetric trees: all nodes of one level ask the same, which suits evaluation in bulk."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        import catboost

        path = folder / "catboost.cbm"
        self.model = catboost.CatBoostClassifier(
            iterations=shape["n_rounds"],
            depth=int(np.log2(shape["n_leaves"])),
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        )
        if path.exists():
            self.model.load_model(path)
        else:
            self.model.fit(*training_rows(folder)).save_model(path)

    def scores(self, X, n_jobs=1):
        return self.model.predict(X, prediction_type="RawFormulaVal", thread_count=n_jobs)

    def one(self, x):
        return self.model.predict(x, prediction_type="RawFormulaVal", thread_count=1)


class YDF:
    """Probabilities: YDF gives no raw scores."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        import ydf

        ydf.verbose(0)
        path = folder / "ydf"
        if not (path / "done").exists():
            X, y = training_rows(folder)
            learner = ydf.GradientBoostedTreesLearner(
                label="y",
                num_trees=shape["n_rounds"],
                growing_strategy="BEST_FIRST_GLOBAL",
                max_num_nodes=2 * shape["n_leaves"] - 1,
                max_depth=-1,
                validation_ratio=0.0,
                early_stopping="NONE",
                num_threads=1,
            )
            learner.train({"X": X, "y": y}).save(str(path))
        self.model = ydf.load_model(str(path))

    def scores(self, X, n_jobs=1):
        return self.model.predict({"X": X}, num_threads=n_jobs)

    def one(self, x):
        return self.scores(x[None])


class ONNXRuntime:
    """The same trees through onnxmltools; one session per number of threads."""

    def __init__(self, folder: Path, shape: dict[str, Any]):
        self.path = folder / "onnxruntime.onnx"
        if not self.path.exists():
            self._convert(folder, shape["n_features"])
        self.sessions: dict[int, Any] = {}

    def _convert(self, folder: Path, n_features: int) -> None:
        import lightgbm
        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType

        booster = lightgbm.Booster(model_file=folder / "lightgbm.txt")
        types = [("X", FloatTensorType([None, n_features]))]
        model = onnxmltools.convert_lightgbm(booster, initial_types=types, zipmap=False)
        onnxmltools.utils.save_model(model, str(self.path))

    def _session(self, n_jobs: int):
        import onnxruntime

        if n_jobs not in self.sessions:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = n_jobs
            options.inter_op_num_threads = 1
            options.log_severity_level = 3  # else it warns of every batch's shape
            self.sessions[n_jobs] = onnxruntime.InferenceSession(
                str(self.path), options, providers=["CPUExecutionProvider"]
            )
        return self.sessions[n_jobs]

    def scores(self, X, n_jobs=1):
        """Float64 rows are converted first, as the graph takes float32."""
        return self._session(n_jobs).run(None, {"X": X.astype(np.float32, copy=False)})

    def one(self, x):
        return self.scores(x[None])


class LLeaves:
    """The same trees compiled by LLVM; in float32 for float32 rows, which spares it a copy.

    Compiling takes 10 ms a small tree, so float64 is compiled when first asked for.
    """

    def __init__(self, folder: Path, shape: dict[str, Any]):
        self.folder, self.models = folder, {}
        self._model("float32")

    def _model(self, dtype: str):
        import lleaves

        if dtype not in self.models:
            model = lleaves.Model(str(self.folder / "lightgbm.txt"))
            cache = str(self.folder / f"lleaves-{dtype}.o")
            model.compile(cache=cache, raw_score=True, use_fp64=dtype == "float64")
            self.models[dtype] = model
        return self.models[dtype]

    def scores(self, X, n_jobs=1):
        return self._model(X.dtype.name).predict(X, n_jobs=n_jobs)

    def one(self, x):
        return self.scores(x[None])
