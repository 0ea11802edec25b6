"""LightGBM: classifiers, regressors, rankers and bare Boosters.

The rule is ``x <= t`` in double precision, any x within 1e-35 of zero being zero. The prior is
folded into the first iteration's trees, so their mean votes become the bias; random-forest mode
takes the mean of its trees. Early stopping counts as in the booster's own ``predict``. A text file
holds a Booster and no class labels.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters._files import Content, DamagedError, Format
from mddag.adapters._trees import at_most_past_zero, averaged, build, centered, read_treelite
from mddag.adapters.adapter import as_columns, kind_of_class, lineage, need, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.tasks import Kind


class LightGBM:
    """Adapter of LightGBM."""

    library = "lightgbm"
    models = "LightGBM classifiers, regressors, rankers and Boosters"
    tolerance = 1e-9
    formats: tuple[Format, ...] = (
        Format("LightGBM text", ".txt", lambda c: c.data[:6] in (b"tree\nv", b"tree\r\n")),
    )

    def load(self, path: str, content: Content) -> Any:
        _refuse_damaged(content.data)
        return need("lightgbm", path).Booster(model_str=_decoded(content.data))

    def accepts(self, model: Any) -> bool:
        return not lineage(model).isdisjoint({"lightgbm.LGBMModel", "lightgbm.Booster"})

    def convert(self, model: Any) -> Ensemble:
        need("lightgbm", model)
        booster = _booster(model)
        text = booster.model_to_string()
        _refuse(text)
        frontend = need("treelite.frontend", model)
        source = read_treelite(frontend.from_lightgbm(booster), at_most_past_zero)
        n_scores = booster.num_model_per_iteration()
        n_rounds = source.flat.n_trees // n_scores
        if source.averaged:
            flat, bias = averaged(source.flat, source.score, n_scores, n_rounds)
        else:
            flat, bias = centered(source.flat, source.score, n_scores)
        return build(
            flat,
            features=_features(booster, text),
            bias=bias + source.base,
            score=source.score,
            rounds=np.arange(n_rounds + 1) * n_scores,
            kind=_kind(model, text, n_scores),
            classes=getattr(model, "classes_", None),
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        booster = _booster(model)
        return as_columns(booster.predict(X, raw_score=True) / _divisor(booster))


def _refuse_damaged(data: bytes) -> None:
    """Raise DamagedError unless all parts of a file are where its header says.

    LightGBM would go on reading, and end the process.
    """
    if b"\r\n" in data:
        raise DamagedError(
            "its lines end with CR LF, so that its parts do not stand where its header says; get "
            "the file as it was saved"
        )
    header = re.search(rb"^tree_sizes=([\d ]*)\n\n", data, re.MULTILINE)
    sizes = [int(size) for size in header[1].split()] if header else []
    starts = np.cumsum([header.end() if header else 0, *sizes]).tolist()
    marks = [*(b"Tree=%d\n" % t for t in range(len(sizes))), b"end of trees"]
    in_place = all(data.startswith(mark, at) for mark, at in zip(marks, starts, strict=True))
    if not in_place or (b"\nparameters:" in data) != (b"\nend of parameters" in data):
        raise DamagedError(
            "its parts do not stand where its header says, so it is damaged or cut short; get a "
            "whole copy"
        )


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DamagedError(f"it is not UTF-8 (byte {error.start}); get a whole copy") from None


def _booster(model: Any) -> Any:
    if "lightgbm.Booster" in lineage(model):
        return model
    refuse_unfitted(model, "booster_")
    return model.booster_


def _divisor(booster: Any) -> int:
    """Return the number of trees of a random forest, whose raw_score is a sum; else 1."""
    if "\naverage_output\n" not in booster.model_to_string(num_iteration=1):
        return 1
    return int(
        booster.best_iteration if booster.best_iteration > 0 else booster.current_iteration()
    )


def _refuse(text: str) -> None:
    before, linear, _ = text.partition("\nis_linear=1\n")
    if linear:
        tree = before.rpartition("\nTree=")[2].partition("\n")[0]
        raise ValueError(
            f"LightGBM model has linear leaves (tree {tree}); mddag needs constant leaves: "
            "train with linear_tree=False"
        )
    if "\nTree=0\n" not in text:
        raise ValueError("LightGBM model has no trees; train it for at least one iteration")
    decisions = " ".join(re.findall(r"^decision_type=(.+)$", text, re.MULTILINE))
    # Bit 0: nominal; bits 2 and 3: what counts as missing (0 nothing, 1 zero, 2 NaN).
    if any(int(d) & 0b1101 == 0b0100 for d in set(decisions.split())):
        raise ValueError(
            "LightGBM model treats zeros as missing values; mddag knows NaN alone: train with "
            "zero_as_missing=False"
        )


def _kind(model: Any, text: str, n_scores: int) -> Kind:
    line = re.search(r"^objective=(\S+)", text, re.MULTILINE)
    by_objective = _KINDS.get(line[1]) if line else None
    by_scores: Kind = "classifier" if n_scores > 1 else "regressor"
    return kind_of_class(model, "lightgbm") or by_objective or by_scores


_CLASSIFIES = ("binary", "multiclass", "multiclassova", "cross_entropy")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(_CLASSIFIES, "classifier"),
    **dict.fromkeys(("lambdarank", "rank_xendcg"), "ranker"),
}


def _features(booster: Any, text: str) -> Features:
    names = booster.feature_name()
    placeholders = [f"Column_{i}" for i in range(len(names))]
    return Features(
        n=len(names),
        names=None if names == placeholders else tuple(names),
        categories=_categories(booster, text),
    )


def _categories(booster: Any, text: str) -> dict[int, tuple[Any, ...]]:
    """Return the values of pandas category columns; the model does not keep their place."""
    lists = booster.pandas_categorical
    if not lists:
        return {}
    infos = re.search(r"^feature_infos=(.+)$", text, re.MULTILINE)
    kinds = infos[1].split() if infos else []
    nominal = [i for i, info in enumerate(kinds) if info != "none" and not info.startswith("[")]
    if len(nominal) != len(lists):
        raise ValueError(
            f"LightGBM model has unsupported categorical encodings: it was trained on a DataFrame "
            f"with {len(lists)} category columns, but splits {len(nominal)} of them as nominal "
            "and does not say which; train with unordered category columns that vary, or on codes"
        )
    return {i: tuple(values) for i, values in zip(nominal, lists, strict=True)}
