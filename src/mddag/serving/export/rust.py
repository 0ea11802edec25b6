"""Export a model as one Rust module: static tables and the code of walks/rust.

Tables are slices, of which those that a model does not need are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mddag.serving.export.render import Rendered, about, array_bytes, joined, walk_of
from mddag.serving.export.tables import Labels, ModelTables

TYPES = {"whole": "i64", "real": "f64", "text": "&str"}
CATEGORY = """
/// A value by name: a number (a bool is 0 or 1), the text of a category, or none.
#[derive(Clone, Debug, PartialEq)]
pub enum Category<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}
"""


def render(tables: ModelTables, name: str) -> Rendered:
    """Return the module; `name` has no place in it."""
    size, named = array_bytes(tables), "named" in tables.facts
    parts = [
        "".join(f"// {line}\n" for line in about(tables, size)),
        "#![allow(dead_code)]\n#![allow(clippy::all)]\n",
        "use std::collections::HashMap;\n" if named else "",
        *(f"pub const {n.upper()}: usize = {value};" for n, value in tables.constants.items()),
        f"const UNIT: f64 = {tables.unit!r}; // a score is a sum times this power of two\n",
        *(_table(n, "i32", map(str, v.tolist())) for n, v in tables.integers.items()),
        *(_table(n, "f64", map(repr, v.tolist())) for n, v in tables.doubles.items()),
        *(_table(n, "u64", map(hex, v.tolist())) for n, v in tables.longs.items()),
        *_labels(tables),
        walk_of("rust", "rs", tables.facts),
    ]
    return Rendered("\n".join(filter(None, parts)).encode("ascii"), size)


def _table(name: str, kind: str, entries: Iterable[str], per_line: int = 16) -> str:
    public = "pub " if name.isupper() else ""
    inside = joined(list(entries), per_line)
    return f"{public}static {name.upper()}: &[{kind}] = &[\n{inside}];\n"


def _labels(tables: ModelTables) -> list[str]:
    """Write names, categories in the order of their codes, and classes."""
    names, classes = tables.names, tables.classes
    categories, lines = tables.categories, []
    if names is not None:
        lines.append(_table("FEATURE_NAMES", "&str", map(_string, names), 1))
    if names is not None or categories:
        entries = (f"({i}, &[{', '.join(map(_category, v))}])" for i, v in categories.items())
        lines += [CATEGORY, _table("CATEGORIES", "(usize, &[Category<'static>])", entries, 1)]
    if classes is not None:
        lines.append(_label_table(classes))
    return lines


def _label_table(labels: Labels) -> str:
    if labels.kind == "text":
        return _table("CLASSES", "&str", map(_string, labels.values), 1)
    return _table("CLASSES", TYPES[labels.kind], map(_number, labels.values))


def _category(value: str | float) -> str:
    if isinstance(value, str):
        return f"Category::Text({_string(value)})"
    return f"Category::Number({_number(value)})"


def _number(value: float) -> str:
    if isinstance(value, float) and abs(value) == float("inf"):
        return "f64::INFINITY" if value > 0 else "f64::NEG_INFINITY"
    return repr(value)


def _string(text: str) -> str:
    """Write code points; halves of surrogate pairs, which Rust does not know, become U+FFFD."""
    whole = re.sub("[\ud800-\udfff]", "\ufffd", text)
    return '"' + re.sub(r"[^ !#-\[\]-~]", lambda m: f"\\u{{{ord(m[0]):x}}}", whole) + '"'
