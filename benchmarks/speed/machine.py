"""What the speed benchmark was measured on: processor, load, Python, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed.contest import OURS, RIVALS, Contest
from mddag import _core

FIELDS = ("what", "is")


def measure(quick: bool) -> Iterator[dict[str, str]]:
    """Facts, one per row; `quick` changes none of them."""
    facts = {
        "processor": _processor(),
        "level": _core.level(),
        "levels": " ".join(_core.levels()),
        "cores": str(os.cpu_count()),
        "load at the end": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for what, value in facts.items():
        yield {"what": what, "is": value}
    with Contest([OURS, *RIVALS]) as contest:
        for name, contestant in contest.contestants.items():
            version = contest.ask(name, "version", package=contestant.package)
            yield {"what": name, "is": version or f"absent: {contest.absent[name]}"}


def _cpuinfo(key: str) -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or "unknown"
