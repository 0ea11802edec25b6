"""Check points: what long work has found so far, in a folder beside the file that it will write.

``OUT.checkpoint`` has ``work.json``, a checksum of the inputs and the options that decide the
result, and one file per part that is done. A run with ``--resume`` takes the parts of the same
work from there; any other run begins anew. The folder is removed when the work is done. Its files
are arrays and JSON: reading them runs no code.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mddag
from mddag._internal.whole_file import write_whole
from mddag.cli.exits import InputError, InterruptedWork
from mddag.cli.output import Output, plain

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class CheckPoints:
    """The folder of one piece of work."""

    folder: Path

    def load(self, name: str) -> Arrays | None:
        """The arrays of a part; None where it is not done, or its file is damaged."""
        try:
            data = io.BytesIO((self.folder / f"{name}.npz").read_bytes())
            with np.load(data, allow_pickle=False) as archive:
                return {key: archive[key] for key in archive.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def save(self, name: str, arrays: Arrays) -> None:
        """Keep the arrays of a part."""
        data = io.BytesIO()
        np.savez_compressed(data, **arrays)  # type: ignore[arg-type]
        write_whole(self.folder / f"{name}.npz", data.getvalue())

    def policies(self, key: str, learn: Callable[[], list[mddag.Policy]]) -> list[mddag.Policy]:
        """The policies of a part: those kept, or else those learned now."""
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        kept = self.load(name)
        if kept is not None:
            return [_policy_of(kept, i) for i in range(int(kept["n"]))]
        found = learn()
        if all(map(_is_plain, found)):
            arrays: Arrays = {"n": np.array(len(found))}
            for i, policy in enumerate(found):
                arrays |= _arrays_of(policy, i)
            self.save(name, arrays)
        return found


@contextmanager
def check_points(out: Output, target: Path, resume: bool, work: Any) -> Iterator[CheckPoints]:
    """The check points of the work that will write `target`; `work` decides its result."""
    folder = _folder_of(target)
    stamp = json.dumps(plain({"mddag": mddag.__version__, "work": work}), sort_keys=True, indent=1)
    known = folder / "work.json"
    if folder.exists() and resume:
        if not known.is_file() or known.read_text() != stamp:
            raise InputError(
                f"the check points in {str(folder)!r} are of other work (other files, options or "
                "version); remove the folder, or leave out --resume"
            )
        n_parts = len(list(folder.glob("*.npz")))
        out.note(f"resumed: {n_parts} part{'s' if n_parts != 1 else ''} of the work done before")
    else:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write_whole(known, stamp.encode())
    try:
        yield CheckPoints(folder)
    except KeyboardInterrupt:
        raise InterruptedWork(
            f"interrupted; what is done is in {str(folder)!r}, and --resume goes on from there"
        ) from None
    shutil.rmtree(folder, ignore_errors=True)


def _folder_of(target: Path) -> Path:
    """The folder beside the target; of a device or a pipe (/dev/stdout), one for this run."""
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder; wanted the name of a file", str(target)
        )
    if target.exists() and not target.is_file():
        return Path(tempfile.mkdtemp(prefix="mddag-")) / "checkpoint"
    return target.with_name(f"{target.name}.checkpoint")


def checksum(*paths: str | Path) -> list[str]:
    """What the files hold, in a few digits each."""
    sums = []
    for path in paths:
        with open(path, "rb") as file:
            sums.append(hashlib.file_digest(file, "sha256").hexdigest()[:32])
    return sums


def _is_plain(policy: mddag.Policy) -> bool:
    """Whether actions, grid and order are all there is to a policy."""
    special = (policy.rescaling, policy.verdict, policy.routing)
    return all(part is None for part in special) and type(policy.state).__name__ == "Score"


def _arrays_of(policy: mddag.Policy, i: int) -> Arrays:
    grid = policy.grid
    return {
        f"actions{i}": policy.actions,
        f"edges{i}": grid.edges,
        f"order{i}": policy.order,
        f"numbers{i}": np.array([grid.n_scores, policy.every]),
    }


def _policy_of(arrays: Arrays, i: int) -> mddag.Policy:
    n_scores, every = arrays[f"numbers{i}"].tolist()
    grid = mddag.Grid(arrays[f"edges{i}"], n_scores)
    return mddag.Policy(arrays[f"actions{i}"], grid, arrays[f"order{i}"], every)
