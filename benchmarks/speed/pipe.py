"""Both ends of a pipe: a worker process that is asked, and the loop in which it answers.

A request is a line of JSON, [method, arguments]; an answer is one line of JSON, {"answer": …} or
{"absent": reason}. A worker does nothing between requests, so that several can take turns on an
otherwise idle machine. It may run in another environment: this file imports nothing but Python's
own modules and `places`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from benchmarks.places import ROOT

PATIENCE = 300.0  # seconds for one answer: training, converting and compiling included


class Absent(Exception):  # noqa: N818
    """Why a worker gives no answer, in a few words."""


class Process:
    """A worker: a module of this package, run by an interpreter, perhaps under a profiler."""

    def __init__(self, python: str, module: str, argument: str, under: Iterable[str] = ()):
        self.process = subprocess.Popen(
            [*under, python, "-m", module, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            cwd=ROOT,  # where any interpreter finds the module
        )

    def ask(self, method: str, **arguments: Any) -> Any:
        """The answer; Absent is raised if there is none."""
        if self.process.stdin.closed:
            raise Absent("its process was ended")
        try:
            self.process.stdin.write(json.dumps([method, arguments]).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Absent("its process ended") from None
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.end()
            raise Absent(f"no answer within {PATIENCE:.0f} s ({method})")
        line = self.process.stdout.readline()
        if not line:
            raise Absent(f"its process ended ({method})")
        answer = json.loads(line)
        if "absent" in answer:
            raise Absent(answer["absent"])
        return answer["answer"]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with suppress(BrokenPipeError):  # of a request that it has not read
            self.process.stdin.close()


def serve(begin: Callable[[], Any]) -> None:
    """Answer requests by the methods of what `begin` makes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print to standard output, too
    worker = begin()
    for line in sys.stdin:
        method, arguments = json.loads(line)
        try:
            answer = {"answer": getattr(worker, method)(**arguments)}
        except Exception as error:  # whatever a library raises, the others go on
            what = str(error).partition("\n")[0][:120]
            answer = {
                "absent": f"{type(error).__name__}" + (f": {what}" if "/" not in what else "")
            }
        print(json.dumps(answer), file=answers, flush=True)
