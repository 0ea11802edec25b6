"""Export a model as one Java class, for Java 11 and later.

It has tables in strings and the code of walks/java.

A method may have 64 KB of code, which a few thousand entries of an array would fill, and a string
64 KB. So arrays are text in base 64, cut into strings, and become arrays when the class is loaded.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from mddag.serving.export.render import Rendered, about, array_bytes, code, walk_of
from mddag.serving.export.tables import ModelTables

LONGEST = 60_000  # characters of a string; a multiple of 4


def render(tables: ModelTables, name: str) -> Rendered:
    """Return the class `name`, without a package."""
    size, walk = array_bytes(tables), walk_of("java", "java", tables.facts)
    patches = "patches" in tables.facts
    for mark, kind in {"ROW": "Row" if patches else "float[]", "VALUE": _value(patches)}.items():
        walk = walk.replace(f"@{mark}@", kind)
    comment = (line.replace("\\", "\\\\") for line in about(tables, size))
    parts = [
        "".join(f"// {line}\n" for line in comment),
        f"public final class {name} {{",
        f"  private {name}() {{}}\n",
        *(f"  public static final int {n.upper()} = {v};" for n, v in tables.constants.items()),
        f"  private static final double UNIT = {tables.unit.hex()};\n",
        *_arrays(tables),
        *_labels(tables),
        code("java/tables.java"),
        walk + "}\n",
    ]
    return Rendered("\n".join(parts).encode("ascii"), size)


def _value(patches: bool) -> str:
    return "byte" if patches else "float"


def _arrays(tables: ModelTables) -> list[str]:
    return [
        *(_field("int[]", n, _ints(values)) for n, values in tables.integers.items()),
        *(_field("double[]", n, _wide("doubles", v, "<f8")) for n, v in tables.doubles.items()),
        *(_field("long[]", n, _wide("longs", v, "<u8")) for n, v in tables.longs.items()),
    ]


def _labels(tables: ModelTables) -> list[str]:
    """Write names, categories in the order of their codes, and classes."""
    names, classes = tables.names, tables.classes
    categories, fields = tables.categories, []
    if names is not None:
        fields.append(_field("String[]", "feature_names", _strings(names), "public"))
    if names is not None or categories:
        kind = "java.util.Map<Integer, Object[]>"
        fields.append(_field(kind, "categories", _categories(categories), "public"))
    if classes is not None:
        kinds = {"whole": "long[]", "real": "double[]", "text": "String[]"}
        texts = _strings(classes.values) if classes.kind == "text" else ""
        numbers = {"whole": ("longs", "<i8"), "real": ("doubles", "<f8")}.get(classes.kind)
        made = _wide(numbers[0], classes.values, numbers[1]) if numbers else texts
        fields.append(_field(kinds[classes.kind], "classes", made, "public"))
    return fields


def _categories(categories: dict[int, tuple[Any, ...]]) -> str:
    values = [value for column in categories.values() for value in column]
    numbers = [not isinstance(value, str) for value in values]
    texts = [value if isinstance(value, str) else _number(value) for value in values]
    sizes = [len(column) for column in categories.values()]
    parts = [_ints(list(categories)), _ints(sizes), _ints(numbers), _strings(texts)]
    return f"categories({', '.join(parts)})"


def _number(value: float) -> str:
    """Write what Double.valueOf reads; a number that is 0 has no sign."""
    infinite = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return infinite.get(value) or repr(value + 0.0)


def _field(kind: str, name: str, made: str, access: str = "private") -> str:
    return f"  {access} static final {kind} {name.upper()} = {made};\n"


def _ints(values: Any) -> str:
    numbers = np.asarray(values, np.int64)
    width = next(
        w for w in (1, 2, 4) if not len(numbers) or np.abs(numbers + 0.5).max() < 2 ** (8 * w - 1)
    )
    parts = _quoted(numbers.astype(f"<i{width}").tobytes())
    return f"ints({width}{''.join(f', {part}' for part in parts)})"


def _wide(function: str, values: Any, dtype: str) -> str:
    return f"{function}({', '.join(_quoted(np.asarray(values, dtype).tobytes()))})"


def _strings(texts: Sequence[str]) -> str:
    units = [text.encode("utf-16-le", "surrogatepass") for text in texts]
    parts = [_ints([len(unit) // 2 for unit in units]), *_quoted(b"".join(units))]
    return f"strings({', '.join(parts)})"


def _quoted(content: bytes) -> list[str]:
    """Split base 64 into strings of whole bytes."""
    text = base64.b64encode(content).decode("ascii")
    return [f'"{text[i : i + LONGEST]}"' for i in range(0, len(text), LONGEST)]
