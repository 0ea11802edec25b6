"""Links to pages outside of docs/ (CONTRIBUTING.md, tables of results) become files to download.

On a code host they are pages; a site of docs/ alone has no page for them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)")


def _process(app: Any, docname: str, content: list[str]) -> None:
    folder = Path(app.srcdir, docname).parent

    def replaced(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(app.srcdir):
            return link[0]
        return f"{{download}}`{link[1].replace('`', '')} <{link[2]}>`"

    content[0] = LINK.sub(replaced, content[0])


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _process)
    return {"parallel_read_safe": True}
