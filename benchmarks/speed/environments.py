"""An environment for each rival that the project does not install itself.

Made by this file, under build/rivals, with `python -m venv` and pip; made anew when its list of
packages changes. A rival that cannot be installed is Absent, with the reason.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from benchmarks.places import ROOT
from benchmarks.speed.pipe import Absent

HOME = ROOT / "build" / "rivals"
PACKAGES = {
    "ydf": ["ydf"],
    "onnxruntime": ["onnxruntime", "onnxmltools", "onnx", "lightgbm"],
    "lleaves": ["lleaves", "llvmlite<0.44", "lightgbm"],  # lleaves 1.3 calls what 0.44 dropped
}
NEWEST_PYTHON = {"lleaves": (3, 12)}  # that llvmlite 0.43 was built for


def python_of(environment: str | None) -> str:
    """The interpreter of an environment, installed where absent; None is this one."""
    if environment is None:
        return sys.executable
    folder = HOME / environment
    python, ready = folder / "bin" / "python", folder / "ready"
    wanted = "\n".join(PACKAGES[environment])
    if not (ready.exists() and ready.read_text() == wanted):
        print(f"installing {', '.join(PACKAGES[environment])} …", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        _run(_suitable(environment), "-m", "venv", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", *PACKAGES[environment])
        ready.write_text(wanted)
    return str(python)


def _suitable(environment: str) -> str:
    newest = NEWEST_PYTHON.get(environment, sys.version_info[:2])
    if sys.version_info[:2] <= newest:
        return sys.executable
    names = [f"python3.{minor}" for minor in range(newest[1], 8, -1)]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Absent(f"needs Python {newest[0]}.{newest[1]} or older, and none is on the path")
    return found


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        told = [line for line in errors if "/" not in line]  # no addresses in reports
        raise Absent(told[-1] if told else f"could not be installed ({command[2]} failed)")
