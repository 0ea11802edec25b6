"""Arrays and strings as C writes them."""

from __future__ import annotations

import string

_PLAIN = string.ascii_letters + string.digits + " -.,:;+=()<>"


def listed(ctype: str, name: str, entries: list[str], per_line: int = 16) -> str:
    """A constant array, a few entries on each line."""
    lines = (", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line))
    inside = ",\n  ".join(lines)
    return f"static const {ctype} model_{name}[{len(entries)}] = {{\n  {inside}}};\n"


def quoted(text: str) -> str:
    """Bytes of UTF-8, all but plain characters in octal, whose end no next character can change.

    Without underscores, no text looks like an identifier of the header.
    """
    content = text.encode("utf-8", "surrogatepass")
    plain = (chr(b) if chr(b) in _PLAIN else f"\\{b:03o}" for b in content)
    return '"' + "".join(plain) + '"'
