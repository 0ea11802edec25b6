"""PostgreSQL and Redis, started on a free local port for as long as they are needed.

Where a server is not installed, or may not run, ``Unavailable`` says why.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path

SECONDS_TO_START = 30
SECONDS_TO_END = 10
READY = "ready to accept connections"  # as both of them write


class Unavailable(Exception):  # noqa: N818  (what it is, not that something went wrong)
    """A server that cannot be used here, and why."""


@dataclass(frozen=True)
class Server:
    """A server that runs.

    port    : on 127.0.0.1
    process : the first of its processes
    """

    port: int
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it at once, as a crash would, with the processes that it has started (Linux)."""
        number = self.process.pid
        listed = Path(f"/proc/{number}/task/{number}/children")
        started = listed.read_text().split() if listed.exists() else []
        for one in (number, *map(int, started)):
            with suppress(ProcessLookupError):  # it may end by itself meanwhile
                os.kill(one, signal.SIGKILL)
        self.process.wait()
        self._wait_until_closed()

    def _wait_until_closed(self) -> None:
        """Processes that it has started hold the port for a moment longer than the first one."""
        end = time.monotonic() + SECONDS_TO_END
        while time.monotonic() < end:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) != 0:
                    return
            time.sleep(0.01)


@contextmanager
def postgres(made: Path | None = None) -> Iterator[Server]:
    """A PostgreSQL with an empty database "postgres", user "mddag", no password.

    made : a folder of `postgres_data`, which takes longest; a copy of it is used
    """
    program, user = _program("postgres"), _account("postgres")
    with _folder(user) as folder:
        data, port = folder / "data", _free_port()
        if made is None:
            _initialise(folder, data, user)
        else:
            subprocess.run(["cp", "-r", made, data], user=user, check=True)
        options = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"]
        command = [program, "-D", data, "-p", str(port), "-k", folder, *options]
        with _running(command, port, folder, user) as server:
            yield server


@contextmanager
def postgres_data() -> Iterator[Path]:
    """A folder from which several servers may start."""
    user = _account("postgres")
    with _folder(user) as folder:
        _initialise(folder, folder / "data", user)
        yield folder / "data"


def _initialise(folder: Path, data: Path, user: str | None) -> None:
    command = [_program("initdb"), "-D", data, "-U", "mddag", "--auth=trust", "--no-sync"]
    made = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True)
    if made.returncode != 0:
        raise Unavailable(f"initdb failed: {made.stderr.strip()[-200:]}")


@contextmanager
def redis() -> Iterator[Server]:
    """A Redis that keeps nothing on disk."""
    program, port = _program("redis-server"), _free_port()
    with _folder(None) as folder:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with _running([program, *options], port, folder, None) as server:
            yield server


@contextmanager
def _running(command: list, port: int, folder: Path, user: str | None) -> Iterator[Server]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, user=user, stdout=log, stderr=log)
    try:
        _wait_for(process, folder / "log")
        yield Server(port, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # PostgreSQL then does not wait for its clients
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            Server(port, process).kill()


def _wait_for(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the log says so: PostgreSQL listens before it lets anybody in."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and process.poll() is None:
        if READY in log.read_text(errors="replace").lower():
            return
        time.sleep(0.05)
    raise Unavailable(f"the server did not start: {log.read_text(errors='replace')[-200:]}")


@contextmanager
def _folder(user: str | None) -> Iterator[Path]:
    """A folder of its own, which belongs to the account that runs the server."""
    with tempfile.TemporaryDirectory(prefix="mddag-") as name:
        if user is not None:
            shutil.chown(name, user)
        yield Path(name)


def _program(name: str) -> str:
    folders = [os.environ.get("PATH", ""), *sorted(glob("/usr/lib/postgresql/*/bin"))[::-1]]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise Unavailable(f"there is no {name}; on Debian: apt-get install postgresql redis-server")
    return found


def _account(name: str) -> str | None:
    """The account to run as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(name).pw_name
    except KeyError:
        raise Unavailable(f"PostgreSQL does not run as root, and there is no {name}") from None


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
