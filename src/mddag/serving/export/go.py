"""Go: a model as one file of a package: slices and the code of walks/go.

Thresholds are int32 bits of float32, since Go has no constant infinities. On machines where Go
fuses products and sums, conversions to float64 keep them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mddag.serving.export.about import about
from mddag.serving.export.labels import Labels, categories_of, classes_of, names_of
from mddag.serving.export.model_tables import ModelTables
from mddag.serving.export.templates import Rendered, array_bytes, joined, walk_of
from mddag.serving.export.worst_case import WorstCase

PUBLIC = {"n_features", "n_scores", "n_classes"}
TYPES = {"whole": "int64", "real": "float64", "text": "string"}


def go_file(tables: ModelTables, worst: WorstCase, name: str) -> Rendered:
    """The file of the package `name`."""
    size, walk = array_bytes(tables), walk_of("go", "go", tables.facts)
    imports = [f'\t"{library}"' for library in ("fmt", "math", "reflect") if f"{library}." in walk]
    constants = [f"\t{_called(n)} = {value}" for n, value in tables.constants.items()]
    parts = [
        "".join(f"// {line}\n" for line in about(tables, worst, size)),
        f"package {name}\n",
        "\n".join(["import (", *imports, ")\n"]),
        "\n".join(["const (", *constants, f"\tunit = {tables.unit.hex()}", ")\n"]),
        *(_table(n, "int32", map(str, v.tolist())) for n, v in tables.integers.items()),
        *(_table(n, "float64", map(float.hex, v.tolist())) for n, v in tables.doubles.items()),
        *(_table(n, "uint64", map(hex, v.tolist())) for n, v in tables.longs.items()),
        *_labels(tables),
        walk,
    ]
    return Rendered("\n".join(parts).encode("ascii"), size)


def _called(name: str) -> str:
    """A name as Go spells it: a capital makes it public."""
    words = name.split("_")
    first = words[0].capitalize() if name in PUBLIC else words[0]
    return first + "".join(word.capitalize() for word in words[1:])


def _table(name: str, kind: str, entries: Iterable[str]) -> str:
    return _slice(_called(name), kind, list(entries))


def _slice(name: str, kind: str, entries: list[str], per_line: int = 16) -> str:
    inside = f"\n{joined(entries, per_line)},\n" if entries else ""
    return f"var {name} = []{kind}{{{inside}}}\n"


def _labels(tables: ModelTables) -> list[str]:
    """Names, categories in the order of their codes, and classes."""
    names, classes = names_of(tables.ensemble), classes_of(tables.ensemble)
    categories, lines = categories_of(tables.ensemble), []
    if names is not None:
        lines += ["// FeatureNames are those of the columns.", _strings("FeatureNames", names)]
    if names is not None or categories:
        entries = [f"\t{i}: {{{', '.join(map(_any, v))}}},\n" for i, v in categories.items()]
        lines.append("// Categories are the values of nominal columns in the order of their codes.")
        lines.append(f"var Categories = map[int][]any{{\n{''.join(entries)}}}\n")
    if classes is not None:
        lines += ["// Classes are the labels.", _label_table(classes)]
    return lines


def _strings(name: str, values: tuple[str, ...]) -> str:
    return _slice(name, "string", list(map(_string, values)), 1)


def _label_table(labels: Labels) -> str:
    if labels.kind == "text":
        return _strings("Classes", labels.values)
    return _slice("Classes", TYPES[labels.kind], list(map(_number, labels.values)))


def _any(value: str | float) -> str:
    return _string(value) if isinstance(value, str) else f"float64({_number(value)})"


def _number(value: float) -> str:
    """Infinities are no constants of Go."""
    if isinstance(value, float) and abs(value) == float("inf"):
        return f"math.Inf({1 if value > 0 else -1})"
    return value.hex() if isinstance(value, float) else str(value)


def _string(text: str) -> str:
    """Bytes of UTF-8; what is no plain character is escaped."""
    content = text.encode("utf-8", "surrogatepass")
    plain = re.compile(rb"[^ !#-\[\]-~]").sub(lambda m: b"\\x%02x" % m[0][0], content)
    return f'"{plain.decode("ascii")}"'
