"""Export a model to WebAssembly: the C header, compiled by clang and linked by wasm-ld.

The C walk stays the only one; so both tools must be installed where a model is exported, and
nowhere else. The module imports nothing and takes one row at a time: ``row()`` is the address for
its values, ``predict()``, ``evaluations()``, ``scores()`` and ``probabilities()`` read it. What
source code has in a comment, names, categories and classes, is JSON in the custom section "mddag".
WebAssembly has no fused multiply-add: that of ``walks/wasm/freestanding.h`` is compiled in.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from mddag.serving.export.c import INCLUDE
from mddag.serving.export.c import render as render_c
from mddag.serving.export.render import Rendered, about, code
from mddag.serving.export.tables import ModelTables

SECTION = "mddag"
STACK = 1 << 16  # bytes, besides those of a row
TOOLS = ("clang", "wasm-ld")
OPTIONS = ["--target=wasm32", "-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-nostdlib"]
OPTIONS += ["-ffp-contract=off", "-fno-math-errno", "-Wl,--no-entry", "-Wl,--strip-all"]


def render(tables: ModelTables, name: str) -> Rendered:
    """Return the module; `name` has no place in it."""
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        raise RuntimeError(
            f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed, which "
            "language 'wasm' needs; install them (Debian: apt-get install clang lld), or export "
            "language 'javascript', which needs nothing"
        )
    header = render_c(tables, "model")
    source = header.data.decode("ascii").replace(INCLUDE, code("wasm/freestanding.h"), 1)
    if "probabilities" in tables.facts:
        source += "#define MODEL_HAS_PROBABILITIES\n"
    stack = STACK
    if tables.patches is not None:  # the walk makes the integral image of a patch
        height, width = tables.patches.window
        stack += 4 * (height + 1) * (width + 1)
    module = _compiled(source + code("wasm/wasm.c"), stack)
    described = _described(tables, about(tables, header.table_bytes))
    return Rendered(module + _section(SECTION, described), header.table_bytes)


def _compiled(source: str, stack: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file, module = Path(folder) / "model.c", Path(folder) / "model.wasm"
        file.write_text(source, encoding="ascii")
        room = f"-Wl,-z,stack-size={-(-stack // 16) * 16}"
        command = ["clang", *OPTIONS, room, "-o", str(module), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(
                f"clang could not make a module of the model: {done.stderr.strip()[-500:]}"
            )
        return module.read_bytes()


def _described(tables: ModelTables, comment: list[str]) -> bytes:
    classes = tables.classes
    names = tables.names
    return json.dumps(
        {
            "about": comment,
            "feature_names": None if names is None else list(names),
            "categories": {i: list(values) for i, values in tables.categories.items()},
            "classes": None if classes is None else list(classes.values),
            "n_scores": tables.walk.n_scores,
        }
    ).encode("ascii")


def _section(name: str, content: bytes) -> bytes:
    """Write a custom section: its number 0, the length of the rest, its name, what it holds."""
    inside = _length(len(name)) + name.encode("ascii") + content
    return b"\0" + _length(len(inside)) + inside


def _length(number: int) -> bytes:
    """Write seven bits to a byte, the lowest first, the last without the eighth bit."""
    groups = [number & 127]
    while number := number >> 7:
        groups[-1] |= 128
        groups.append(number & 127)
    return bytes(groups)
