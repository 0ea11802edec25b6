"""The content of a file: its bytes, and the format that they are in, before a library reads them.

The libraries do not check files: LightGBM ends the process on one that is cut short, CatBoost takes
JSON without its last brace. So JSON is parsed here first, and a suffix alone proves nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


class DamagedError(ValueError):
    """Raised for a file that is not whole, before its library reads it."""


@dataclass(frozen=True, eq=False)
class Content:
    """The bytes of a file."""

    data: bytes

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins as a JSON object does, whole or not; XGBoost's binary JSON does not."""
        return re.match(rb'\s*\{\s*["}]', self.data) is not None

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the JSON object that this is; none where it is no such thing."""
        return frozenset(self.json) if isinstance(self.json, dict) else frozenset()

    @cached_property
    def json(self) -> Any:
        """The JSON value, None where it is not JSON, or damaged."""
        try:
            return json.loads(self.data) if self.is_json else None
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Format:
    """A kind of file: its name in messages, how file names end, and whether a content is one."""

    name: str
    suffix: str
    holds: Callable[[Content], bool]


def is_mddag(content: Content) -> bool:
    """Whether this begins as our own model files do."""
    length = int.from_bytes(content.data[:8], "little")
    return length < len(content.data) and b'"mddag"' in content.data[8 : 8 + length]


def _is_pickle(content: Content) -> bool:
    # No instruction of a pickle is 0, which stands there in lengths.
    return re.match(rb"\x80[\x02-\x05][^\x00]", content.data) is not None


# What is recognised in order to be refused, and what to do instead.
UNREADABLE: tuple[tuple[Callable[[Content], bool], str], ...] = (
    (lambda content: not content.data, "is empty (0 bytes); save the model again"),
    (is_mddag, "is a model that mddag saved, sparse already; mddag.load reads it"),
    (
        _is_pickle,
        "is a pickle, which can run any code when it is read; load it yourself if you trust "
        "its source, and pass the model",
    ),
    (
        lambda content: "tree_info" in content.keys,
        "is LightGBM's dump_model, which cannot be loaded again; save the model with "
        "booster.save_model('model.txt')",
    ),
    (
        lambda content: content.data.startswith(b"binf"),
        "is in XGBoost's old binary format; load it with an XGBoost that can, and save it as .json",
    ),
)


def known_unreadable(content: Content) -> str | None:
    """What a file is, and what to do with it, if it is of a known kind that is not read here."""
    return next((text for is_one, text in UNREADABLE if is_one(content)), None)


def described_content(content: Content) -> str:
    """What a file is that is not read here."""
    known = known_unreadable(content)
    if known is not None:
        return known
    if content.is_json and content.json is None:
        return "is JSON that is damaged or cut short; get a whole copy"
    if content.keys:
        return f"is JSON of another kind (its keys are {', '.join(sorted(content.keys)[:4])})"
    return f"holds no known format (it begins with {content.data[:12]!r})"
