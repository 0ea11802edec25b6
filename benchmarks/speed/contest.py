"""Contestants taking turns: one worker process each, of which one works at a time.

`Contest.times` asks every contestant once per repeat, in turn, so that whatever else the machine
does falls on all of them. Ratios are taken within a repeat and told as median and range.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.places import ROOT
from benchmarks.speed.pipe import Absent, Process


@dataclass(frozen=True)
class Contestant:
    """Who takes part: the class in `contestants`, the package and where it is installed.

    `changes` are added to the shape that the class is given.
    """

    name: str
    member: str
    package: str
    environment: str | None = None
    same_trees: bool = True
    raw_scores: bool = True
    changes: dict[str, Any] = field(default_factory=dict)

    def process(self, under: Iterable[str] = ()) -> Process:
        """Its worker, started."""
        return Process(
            python_of(self.environment), "benchmarks.speed.worker", self.member, under=under
        )


OURS = Contestant("mddag", "Mddag", "mddag")
LIGHTGBM = Contestant("LightGBM", "LightGBM", "lightgbm")
XGBOOST = Contestant("XGBoost (own model)", "XGBoost", "xgboost-cpu", same_trees=False)
CATBOOST = Contestant("CatBoost (own model)", "CatBoost", "catboost", same_trees=False)
YDF = Contestant("YDF (own model)", "YDF", "ydf", "ydf", same_trees=False)
ONNX = Contestant("ONNX Runtime", "ONNXRuntime", "onnxruntime", "onnxruntime", raw_scores=False)
LLEAVES = Contestant("lleaves", "LLeaves", "lleaves", "lleaves")
RIVALS = (LIGHTGBM, XGBOOST, CATBOOST, YDF, ONNX, LLEAVES)


class Contest:
    """The contestants that are there; a context manager, which ends their processes."""

    def __init__(self, contestants: Iterable[Contestant]):
        self.contestants = {contestant.name: contestant for contestant in contestants}
        self.processes: dict[str, Process] = {}
        self.absent: dict[str, str] = {}

    def __enter__(self) -> Contest:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.end()

    def load(self, folder: Path, without: dict[str, str] | None = None) -> None:
        """All but some, who are left out for a reason, load a model; `absent` tells who cannot."""
        self.absent = dict(without or {})
        for name, contestant in self.contestants.items():
            self.ask(name, "load", folder=str(folder), changes=contestant.changes)

    def ask(self, name: str, method: str, **arguments: Any) -> Any:
        """The answer, or None of a contestant that is absent or becomes so."""
        if name in self.absent:
            return None
        try:
            if name not in self.processes or self.processes[name].process.poll() is not None:
                self.processes[name] = self.contestants[name].process()
            return self.processes[name].ask(method, **arguments)
        except Absent as why:
            self.absent[name] = str(why)
            return None

    def times(self, n_repeats: int, method: str, **arguments: Any) -> dict[str, np.ndarray]:
        """What every contestant answers in each repeat, (n_repeats,), turn by turn."""
        answers: dict[str, list[float]] = {name: [] for name in self.contestants}
        for _ in range(n_repeats):
            for name, list_ in answers.items():
                list_.append(self.ask(name, method, **arguments))
        return {
            name: np.array(taken, float)
            for name, taken in answers.items()
            if name not in self.absent
        }


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
