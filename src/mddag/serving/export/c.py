"""export_c: a model as one C99 header: data tables and the loop of walk.h, without malloc.

Sums are the Dag's own int32 sums, and thresholds are rounded down to float32, which decides alike
for every float32 value; so labels, scores and evaluations equal the Dag's on float32 rows, NaN and
infinities included (unless compiled with -ffast-math, for which there is no NaN). No library is
needed, but for the exp() of regressors with a log link. A model of patches takes their grey levels,
uint8_t, and computes a Haar feature when a split reads it; it needs sqrt().
"""

from __future__ import annotations

import os
import re
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import checked_path, typed
from mddag._internal.whole_file import write_whole
from mddag.calibration.calibration import Calibration
from mddag.dag.dag import Dag
from mddag.dag.integer_votes import LARGEST
from mddag.features.patches import PatchFeatures
from mddag.serving.export.c_tables import CTables, Splits
from mddag.serving.export.lazy import lazy_code
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


def export_c(
    model: Any,
    path: str | os.PathLike[str],
    *,
    name: str = "model",
    integer_thresholds: bool = False,
) -> None:
    """Write a model as a C99 header that needs nothing but itself.

    model : a Predictor, a Dag, or an estimator with ``predictor()``
    name  : what every identifier of the header begins with
    integer_thresholds : rows are int32_t instead of float, for features that are whole numbers
        (pixels, counts, sensor readings) on machines without floating point; NAME_MISSING stands
        for NaN
    """
    served = _model_of(model)
    if served.dag.needs_queries:
        raise ValueError(
            f"the policy looks at all documents of a query ({typed(served.dag.policy.state)}), but "
            "a C header reads one row at a time; use save and mddag.load, or export "
            "mddag.compile(ensemble), which evaluates everything"
        )
    checked_path(path)
    if integer_thresholds is True and _of_patches(served):
        raise ValueError(
            "integer_thresholds is True, but the features of patches are fractions; leave it out: "
            "pixels are uint8_t anyway"
        )
    if not isinstance(integer_thresholds, (bool, np.bool_)):
        raise ValueError(f"integer_thresholds is {integer_thresholds!r}; wanted True or False")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name is {name!r}; wanted a C identifier, such as 'model'")
    write_whole(path, _header(served, name, integer_thresholds).encode("ascii"))


def _model_of(model: Any) -> Model:
    if isinstance(model, Dag):
        return Model(model)
    predictor = model.predictor() if hasattr(model, "predictor") else model
    if not isinstance(predictor, Predictor):
        raise TypeError(
            f"model is {typed(model)}; wanted a Predictor, a Dag or a fitted estimator "
            "such as MDDAGClassifier"
        )
    return predictor.model


def _header(model: Model, name: str, integers: bool) -> str:
    tables = CTables.of(model.dag)
    walk = _code("patch.h" if _of_patches(model) else "row.h") + _code("walk.h")
    code = "\n".join(
        [*_defined(model, tables, integers), *_rectangles(model), *_arrays(tables, integers)]
    )
    code += (
        "\n" + ("" if model.dag.ensemble.task.predicts_classes else _means(model, tables)) + walk
    )
    code += lazy_code(model.dag, tables.steps)
    named = re.sub(r"\bmodel_", f"{name}_", re.sub(r"\bMODEL_", f"{name.upper()}_", code))
    return _about(model) + named


def _code(name: str) -> str:
    return files("mddag.serving.export").joinpath(name).read_text(encoding="ascii")


def _of_patches(model: Model) -> bool:
    return isinstance(model.dag.ensemble.features, PatchFeatures)


def _about(model: Model) -> str:
    ensemble = model.dag.ensemble
    classes = [] if ensemble.classes is None else ensemble.classes.tolist()
    lines = [
        "A sparse decision DAG, written by mddag.",
        f"{ensemble.kind} of {len(ensemble)} base classifiers, {ensemble.n_trees} trees",
        *(f"class {k}: {_commented(label)}" for k, label in enumerate(classes)),
    ]
    return "/* " + "\n * ".join(lines) + "\n */\n"


def _commented(label: Any) -> str:
    """A label as a comment can hold it: no mark of a comment, no trigraph, no backslash at its end.

    Marks are two characters of * and /, trigraphs begin with two question marks; a space parts
    them.
    """
    text = ascii(label)
    text = text if len(text) <= 60 else f"{text[:57]}..."
    return re.sub(r"(?<=[*/])(?=[*/])|(?<=\?)(?=\?)", " ", text)


def _defined(model: Model, tables: CTables, integers: bool) -> list[str]:
    ensemble, splits = model.dag.ensemble, tables.splits.records
    stages = tables.stages
    return [
        "#ifndef MODEL_MDDAG_H\n#define MODEL_MDDAG_H\n\n#include <math.h>\n#include <stdint.h>\n",
        f"#define MODEL_N_FEATURES {ensemble.features.n_given}",
        f"#define MODEL_PATCHES {int(_of_patches(model))}",
        f"#define MODEL_N_SCORES {tables.n_scores}",
        f"#define MODEL_N_SUMS {tables.n_scores if stages is None else stages.n_columns}",
        f"#define MODEL_STAGED {int(stages is not None)}",
        f"#define MODEL_VERDICTS {int(tables.verdicts is not None)}",
        f"#define MODEL_N_STEPS {tables.n_steps}",
        f"#define MODEL_EVERY {tables.every}",
        f"#define MODEL_UNIT {np.ldexp(1.0, -tables.exponent).hex()}",
        f"#define MODEL_CLASSIFIES {int(ensemble.task.predicts_classes)}",
        f"#define MODEL_INTEGERS {int(integers)}",
        f"#define MODEL_NOMINAL {int((splits['n_words'] > 0).any())}",
        "#define MODEL_MISSING INT32_MIN\n" if integers else "",
        f"typedef {'int32_t' if integers else 'float'} model_number;",
        f"typedef {'uint8_t' if _of_patches(model) else 'model_number'} model_value;",
        f"typedef {'int32_t' if tables.n_scores == 1 else 'uint32_t'} model_state;",
    ]


def _arrays(tables: CTables, integers: bool) -> list[str]:
    return [
        _splits(tables.splits, integers),
        _array("roots", tables.splits.roots),
        _array("words", tables.splits.words, "uint32_t") if len(tables.splits.words) else "",
        _array("score", tables.score) if tables.n_scores > 1 else "",
        _array("votes", tables.votes, "int32_t"),
        _array("bias", tables.bias, "int32_t"),
        _array("rounds", tables.rounds),
        _array("starts", tables.starts),
        _array("bounds", tables.bounds, "model_state"),
        _array("jumps", tables.jumps),
        *_stage_arrays(tables),
        *_verdict_arrays(tables),
    ]


def _stage_arrays(tables: CTables) -> list[str]:
    if tables.stages is None:
        return []
    return [
        _array("reads", tables.stages.reads),
        _array("write_starts", tables.stages.starts),
        _array("write_columns", tables.stages.columns),
    ]


def _verdict_arrays(tables: CTables) -> list[str]:
    if tables.verdicts is None:
        return []
    return [
        _array("verdict_starts", tables.verdicts.starts),
        _array("verdict_bounds", tables.verdicts.bounds, "model_state"),
        _array("verdicts", tables.verdicts.values),
    ]


def _rectangles(model: Model) -> list[str]:
    """Of models of patches: the corners of the rectangles among the cells of an integral image."""
    features = model.dag.ensemble.features
    if not isinstance(features, PatchFeatures):
        return []
    x, y, w, h, weight = features.rectangles.reshape(-1, 5).astype(np.int64).T
    stride = features.window[1] + 1
    corners = np.stack([y * stride + x, y * stride + x + w, (y + h) * stride + x], axis=1)
    corners = np.column_stack([corners, (y + h) * stride + x + w])
    return [
        "#define MODEL_HEIGHT {}\n#define MODEL_WIDTH {}".format(*features.window),
        _array("corners", corners.ravel()),
        _array("weights", weight, "int32_t"),
    ]


def _means(model: Model, tables: CTables) -> str:
    """What becomes of the scores of regressors and rankers."""
    ensemble = model.dag.ensemble
    ensemble.require_link()
    calibration = model.calibration or Calibration.one_group(1.0, len(ensemble))
    groups = calibration.groups[np.concatenate([[0], tables.steps + 1])]
    return "\n".join(
        [
            f"#define MODEL_LINK(mean) {'exp' if ensemble.link == 'exp' else ''}(mean)",
            _array("groups", groups),
            _listed("double", "factors", [float(a).hex() for a in calibration.factors]),
            _listed("double", "offsets", [float(b).hex() for b in calibration.offsets]),
        ]
    )


def _splits(splits: Splits, integers: bool) -> str:
    """The splits as an array of structs; fields are as wide as they must be."""
    records = splits.records
    columns = {"feature": records["feature"], "missing_left": records["missing_left"].astype(int)}
    if (records["n_words"] > 0).any():
        columns |= {"word": records["word"], "n_words": records["n_words"]}
    children = np.stack([records["left"], records["right"]], axis=1)
    fields = "".join(f"  {_smallest(column)} {name};\n" for name, column in columns.items())
    struct = (
        f"typedef struct {{\n  model_number threshold;\n  {_smallest(children)} child[2];\n"
        f"{fields}}} model_split;\n"
    )
    thresholds = _integer_thresholds(records) if integers else _float_thresholds(records)
    rest = zip(*(column.tolist() for column in columns.values()), strict=True)
    entries = [
        f"{{{threshold}, {{{left}, {right}}}, {', '.join(map(str, others))}}}"
        for threshold, (left, right), others in zip(
            thresholds, children.tolist(), rest, strict=True
        )
    ]
    return struct + _listed("model_split", "splits", entries or ["{0, {0, 0}, 0, 0}"])


def _float_thresholds(records: NDArray[np.void]) -> list[str]:
    """The largest float32 that is not above each threshold."""
    with np.errstate(over="ignore"):
        rounded = records["threshold"].astype(np.float32)
    down = np.where(
        rounded > records["threshold"], np.nextafter(rounded, np.float32(-np.inf)), rounded
    )
    names = {np.inf: "INFINITY", -np.inf: "-INFINITY"}
    return [names.get(t) or re.sub(r"\.?0*p", "p", t.hex()) + "f" for t in down.tolist()]


def _integer_thresholds(records: NDArray[np.void]) -> list[str]:
    """The largest int32 that is not above each threshold; the lowest is that of missing values."""
    whole = np.clip(np.floor(records["threshold"]), -LARGEST - 1, LARGEST)
    return [_literal(int(t)) for t in whole.tolist()]


def _array(name: str, values: NDArray[Any], ctype: str | None = None) -> str:
    entries = [_literal(value) for value in values.tolist()] or ["0"]
    return _listed(ctype or _smallest(values), name, entries)


def _literal(value: int) -> str:
    """C reads -2147483648 as minus 2147483648, which is no int."""
    return "INT32_MIN" if value == -LARGEST - 1 else f"{value}u" if value > LARGEST else str(value)


def _listed(ctype: str, name: str, entries: list[str]) -> str:
    """A constant array, a few entries on each line."""
    lines = (", ".join(entries[i : i + 16]) for i in range(0, len(entries), 16))
    inside = ",\n  ".join(lines)
    return f"static const {ctype} model_{name}[{len(entries)}] = {{\n  {inside}}};\n"


def _smallest(values: NDArray[Any]) -> str:
    """The smallest type that holds all values."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    for name in _INTEGERS:
        info = np.iinfo(name)
        if info.min <= least and most <= info.max:
            return f"{name}_t"
    raise ValueError(f"a table holds numbers from {least} to {most}; the model is too large for C")
