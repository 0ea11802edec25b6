"""Do the links within the site lead anywhere? Every `href` of a page to another page or file of the
site must name a file that is there, and every `#name` an element with that id.

    python docs/check_links.py build/docs

Links to other hosts are for `make links`.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the names that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


page_at = cache(Page)


def broken(folder: Path) -> tuple[list[str], int]:
    """The links that lead nowhere, and how many were looked at."""
    found, n = [], 0
    pages = (p for p in folder.rglob("*.html") if "_static" not in p.parts)  # the theme's own
    for path in sorted(pages):
        for link in page_at(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            n += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{path.relative_to(folder)}: no file {link}")
            elif parts.fragment and target.suffix == ".html" and not _named(target, parts.fragment):
                found.append(f"{path.relative_to(folder)}: no anchor {link}")
    return found, n


def _named(target: Path, fragment: str) -> bool:
    return unquote(fragment) in page_at(target).names


if __name__ == "__main__":
    wrong, n_links = broken(Path(sys.argv[1]).resolve())
    print(*wrong, f"{n_links} links within the site, {len(wrong)} broken", sep="\n")
    sys.exit(bool(wrong))
