"""Export a model as one C99 header: data tables and the loop of walks/c, without malloc.

Sums are the Dag's own int32 sums, and thresholds are rounded down to float32, which decides alike
for every float32 value; so labels, scores and evaluations equal the Dag's on float32 rows, NaN
and infinities included (unless compiled with -ffast-math, for which there is no NaN). No library
is needed, but for the fma() of probabilities and of regressors with a log link. A model of
patches takes gray levels, uint8_t, and computes a Haar feature when a split reads it; it needs
sqrt().

A model with prices of features also has lazy rows (lazy.h): which group of features a row wants
next.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.engine.dag import Dag
from mddag.ensemble.votes import starts_of
from mddag.policy.rollout import LARGEST
from mddag.serving.export.render import Rendered, about, code
from mddag.serving.export.tables import Labels, ModelTables

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
INCLUDE = "#include <math.h>\n"


def render(tables: ModelTables, name: str, integers: bool = False) -> Rendered:
    """Return the header, whose identifiers begin with `name`; `integers` for rows of int32_t."""
    arrays = [_array(*array) for array in _arrays(tables)]
    size = _bytes_of_splits(tables) + sum(n_bytes for _, n_bytes in arrays)
    facts, lines = tables.facts, about(tables, size)
    parts = [
        *_defined(tables, integers),
        _splits(tables, integers),
        *(text for text, _ in arrays),
        *_labels(tables),
        code("c/rounding.h") if "calibrated" in facts else "",
        code("c/exponential.h") if "exp" in facts else "",
        code("c/patch.h" if "patches" in facts else "c/row.h"),
        code("c/walk.h"),
        code("c/probabilities.h") if "probabilities" in facts else "",
        lazy_code(tables.model.dag, tables.walk.steps),
        "#endif\n",
    ]
    named = re.sub(r"\bMODEL_", f"{name.upper()}_", "\n".join(filter(None, parts)))
    named = re.sub(r"\bmodel_", f"{name}_", named)
    comment = "/* " + "\n * ".join(map(_commented, lines)) + "\n */\n"
    return Rendered((comment + named).encode("ascii"), size)


def _array(name: str, values: NDArray[Any], ctype: str = "") -> tuple[str, int]:
    """Write a constant array, and count its bytes."""
    entries = [_literal(value) for value in values.tolist()] or ["0"]
    ctype = ctype or smallest(values)
    return listed(ctype, name, entries), _size(ctype) * len(entries)


def _commented(line: str) -> str:
    """Return a line as a comment can hold it: no comment mark, no trigraph, no final backslash.

    Marks are two characters of * and /, trigraphs begin with two question marks; a space splits
    them.
    """
    return re.sub(r"(?<=[*/])(?=[*/])|(?<=\?)(?=\?)", " ", line)


def _defined(tables: ModelTables, integers: bool) -> list[str]:
    facts, constants = tables.facts, tables.constants
    state = "uint32_t" if "many" in facts else "int32_t"
    link = "model_exp" if "exp_link" in tables.facts else ""
    return [
        f"#ifndef MODEL_MDDAG_H\n#define MODEL_MDDAG_H\n\n{INCLUDE}#include <stdint.h>\n",
        *(f"#define MODEL_{name.upper()} {value}" for name, value in constants.items()),
        *(
            f"#define MODEL_{fact.upper()} {int(fact in facts)}"
            for fact in ("patches", "staged", "verdicts", "classifies", "nominal")
        ),
        f"#define MODEL_UNIT {tables.unit.hex()}",
        f"#define MODEL_INTEGERS {int(integers)}",
        "" if "classifies" in facts else f"#define MODEL_LINK(mean) {link}(mean)",
        "#define MODEL_MISSING INT32_MIN" if integers else "",
        f"\ntypedef {'int32_t' if integers else 'float'} model_number;",
        f"typedef {'uint8_t' if 'patches' in facts else 'model_number'} model_value;",
        f"typedef {state} model_state;\n",
    ]


def _arrays(tables: ModelTables) -> Iterator[tuple[str, NDArray[Any], str]]:
    """Yield all tables that the walk reads but the splits: name, values, type or none."""
    walk, types = tables.walk, {"verdict_bounds": "model_state", "weights": "int32_t"}
    yield "roots", walk.splits.roots, ""
    if len(walk.splits.words):
        yield "words", walk.splits.words, "uint32_t"
    yield "votes", walk.votes, "int32_t"
    yield "bias", walk.bias, "int32_t"
    yield "rounds", walk.rounds, ""
    yield "starts", walk.jumps.starts, ""
    yield "bounds", walk.jumps.bounds, "model_state"
    yield "jumps", walk.jumps.values, ""
    yield from ((name, values, types.get(name, "")) for name, values in tables.rest.items())
    yield from ((name, values, "double") for name, values in tables.doubles.items())
    yield from ((name, values, "uint64_t") for name, values in tables.longs.items())


def _split_fields(tables: ModelTables) -> dict[str, NDArray[Any]]:
    """Return what a split has besides threshold and children."""
    records = tables.walk.splits.records
    fields = {"feature": records["feature"], "missing_left": records["missing_left"].astype(int)}
    if "nominal" in tables.facts:
        fields |= {"word": records["word"], "n_words": records["n_words"]}
    return fields


def _children(tables: ModelTables) -> NDArray[Any]:
    records = tables.walk.splits.records
    return np.stack([records["left"], records["right"]], axis=1)


def _splits(tables: ModelTables, integers: bool) -> str:
    """Write the splits as an array of structs; fields are as wide as they must be."""
    children, columns = _children(tables), _split_fields(tables)
    fields = "".join(f"  {smallest(column)} {name};\n" for name, column in columns.items())
    struct = (
        f"typedef struct {{\n  model_number threshold;\n  {smallest(children)} child[2];\n"
        f"{fields}}} model_split;\n\n"
    )
    if integers:  # the largest int32 not above each; the lowest stands for missing values
        exact = np.floor(tables.walk.splits.records["threshold"])
        whole = np.clip(exact, -LARGEST - 1, LARGEST)
        thresholds = [_literal(int(t)) for t in whole.tolist()]
    else:
        names = {np.inf: "INFINITY", -np.inf: "-INFINITY"}
        numbers = tables.thresholds.tolist()
        thresholds = [names.get(t) or re.sub(r"\.?0*p", "p", t.hex()) + "f" for t in numbers]
    rest = zip(*(column.tolist() for column in columns.values()), strict=True)
    entries = [
        f"{{{threshold}, {{{left}, {right}}}, {', '.join(map(str, others))}}}"
        for threshold, (left, right), others in zip(
            thresholds, children.tolist(), rest, strict=True
        )
    ]
    return struct + listed("model_split", "splits", entries or ["{0, {0, 0}, 0, 0}"])


def _bytes_of_splits(tables: ModelTables) -> int:
    """Count the bytes of the splits: each field of a struct is at a multiple of its own size."""
    child = _size(smallest(_children(tables)))
    sizes = [4, child, child, *(_size(smallest(c)) for c in _split_fields(tables).values())]
    end = 0
    for size in sizes:
        end = -(-end // size) * size + size
    return -(-end // 4) * 4 * max(len(tables.walk.splits.records), 1)


def _labels(tables: ModelTables) -> list[str]:
    """Write names, categories and classes; compilers leave out what is not used."""
    arrays = []
    names, classes = tables.names, tables.classes
    if names:
        arrays.append(_label_table("feature_names", Labels("text", names)))
    for i, values in tables.categories.items():
        if values:
            arrays.append(_label_table(f"categories_{i}", Labels.of(values)))
    if classes is not None:
        arrays.append(_label_table("classes", classes))
    return arrays


def _label_table(name: str, labels: Labels) -> str:
    types = {"whole": "int64_t", "real": "double", "text": "char *const"}
    literals: dict[str, Callable[[Any], str]] = {
        "whole": "INT64_C({})".format, "real": _double, "text": quoted,
    }  # fmt: skip
    entries = list(map(literals[labels.kind], labels.values))
    return listed(types[labels.kind], name, entries, 1 if labels.kind == "text" else 16)


def _double(number: float) -> str:
    names = {np.inf: "INFINITY", -np.inf: "-INFINITY"}
    return names.get(number) or number.hex()


def _literal(value: int | float) -> str:
    """C reads -2147483648 as minus 2147483648, which is no int."""
    if isinstance(value, float):
        return _double(value)
    if value > 2**32:
        return f"UINT64_C({value:#x})"
    return "INT32_MIN" if value == -LARGEST - 1 else f"{value}u" if value > LARGEST else str(value)


def smallest(values: NDArray[Any]) -> str:
    """Return the smallest type that holds all values."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    for name in _INTEGERS:
        info = np.iinfo(name)
        if info.min <= least and most <= info.max:
            return f"{name}_t"
    raise ValueError(f"a table holds numbers from {least} to {most}; the model is too large for C")


def _size(ctype: str) -> int:
    sizes = {"double": 8, "model_state": 4}
    return sizes.get(ctype) or np.dtype(ctype.removesuffix("_t")).itemsize


_PLAIN = string.ascii_letters + string.digits + " -.,:;+=()<>"


def listed(ctype: str, name: str, entries: list[str], per_line: int = 16) -> str:
    """Write a constant array, a few entries on each line."""
    lines = (", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line))
    inside = ",\n  ".join(lines)
    return f"static const {ctype} model_{name}[{len(entries)}] = {{\n  {inside}}};\n"


def quoted(text: str) -> str:
    """Write bytes of UTF-8, all but plain characters in octal, which no next character can change.

    Without underscores, no text looks like an identifier of the header.
    """
    content = text.encode("utf-8", "surrogatepass")
    plain = (chr(b) if chr(b) in _PLAIN else f"\\{b:03o}" for b in content)
    return '"' + "".join(plain) + '"'


def lazy_code(dag: Dag, steps: NDArray[np.intp]) -> str:
    """Write what fetches features of a model whose kept steps are `steps`; empty without prices."""
    purchases = dag.purchases
    if purchases is None or purchases.prices.n_groups == 0:
        return ""
    prices = purchases.prices
    columns = np.array([c for group in prices.columns for c in group], np.int64)
    sizes = [len(group) for group in prices.columns]
    wants = _words(purchases.buys[dag.policy.order[steps]])
    return "\n".join(
        [
            f"\n#define MODEL_N_GROUPS {prices.n_groups}",
            listed("char *const", "group_names", [quoted(str(n)) for n in prices.names]),
            listed("double", "group_costs", [float(c).hex() for c in prices.costs]),
            listed("int32_t", "group_starts", list(map(str, starts_of(sizes).tolist()))),
            listed("int32_t", "group_columns", list(map(str, columns.tolist()))),
            listed("uint32_t", "wants", [f"{w}u" for w in wants]),
            code("c/lazy.h"),
        ]
    )


def _words(sets: NDArray[np.bool_]) -> list[int]:
    """Pack sets of groups into bits of 32-bit words, one set after the other."""
    n_words = -(-sets.shape[1] // 32)
    padded = np.zeros((len(sets), 32 * n_words), np.uint8)
    padded[:, : sets.shape[1]] = sets
    bits = np.packbits(padded, axis=1, bitorder="little")
    found: list[int] = bits.view("<u4").ravel().tolist()
    return found or [0]
