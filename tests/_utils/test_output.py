"""Files are written whole or not at all; progress goes to standard error."""

import errno
import os
import resource
import signal
import stat
import sys
import threading
from contextlib import contextmanager

import pytest
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag._utils import output
from mddag._utils.output import progress, write_whole
from mddag.solvers import QWYC, Family, Margin, Portfolio, Prefix, Sarsa

OLD, NEW = b"old", b"new content"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and locks of Unix")


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.mddag"
    path.write_bytes(OLD)
    return path


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def assert_alone(path, content):
    """The file holds the content, and nothing else lies in its folder."""
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("given", [str, lambda path: path])
def test_a_file_is_made_and_replaced(tmp_path, given):
    path = tmp_path / "a"
    write_whole(given(path), OLD)
    assert_alone(path, OLD)
    write_whole(given(path), NEW)
    assert_alone(path, NEW)


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, "[a-z]*", " ", "new\nline"])
def test_any_name_will_do(tmp_path, name):
    for content in (OLD, NEW):
        write_whole(tmp_path / name, content)
    assert_alone(tmp_path / name, NEW)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path, mask):
    with umask(mask):
        write_whole(tmp_path / "a", NEW)
    assert mode_of(tmp_path / "a") == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_an_old_file_keeps_its_mode(file, mode):
    file.chmod(mode)
    with umask(0o022):
        write_whole(file, NEW)
    assert mode_of(file) == mode
    assert_alone(file, NEW)


def test_a_link_stays_and_the_file_that_it_names_is_replaced(file, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.mddag"
    link.symlink_to(os.path.join("..", file.name))
    file.chmod(0o600)
    write_whole(link, NEW)
    assert link.is_symlink()
    assert link.read_bytes() == file.read_bytes() == NEW
    assert mode_of(file) == 0o600
    assert os.listdir(link.parent) == [link.name]


def test_a_device_is_written_to_and_stays(tmp_path):
    before = os.stat(os.devnull)
    write_whole(os.devnull, NEW)
    assert os.path.samestat(os.stat(os.devnull), before)
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", NEW)
    reader.join()
    assert got == [NEW]
    assert os.listdir(tmp_path) == ["pipe"]


def test_what_cannot_be_written_names_the_file(file):
    with pytest.raises(FileNotFoundError, match="nothing was written") as caught:
        write_whole(file.parent / "nowhere" / "model.mddag", NEW)
    assert caught.value.filename == str(file.parent / "nowhere" / "model.mddag")
    with pytest.raises(IsADirectoryError):
        write_whole(file.parent, NEW)
    with pytest.raises(NotADirectoryError):
        write_whole(file / "inside", NEW)
    assert_alone(file, OLD)


@contextmanager
def at_most(n_bytes):
    """Files cannot grow beyond n_bytes."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_without_room_the_old_file_stays_and_nothing_is_left_behind(file):
    with at_most(8192), pytest.raises(OSError, match="nothing was written") as caught:
        write_whole(file, bytes(10_000))
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(file))
    assert_alone(file, OLD)


def test_ctrl_c_leaves_nothing_behind(file, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(output.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, NEW)
    assert_alone(file, OLD)


def test_many_writers_and_a_reader(tmp_path):
    """Every content that is ever seen is a whole one, and nothing is left in the end."""
    path = tmp_path / "a"
    contents = [bytes([k]) * 100_000 for k in range(4)]
    write_whole(path, contents[0])
    writers = [
        threading.Thread(target=lambda c=c: [write_whole(path, c) for _ in range(25)])
        for c in contents
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    for writer in writers:
        writer.join()
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("terminal", [False, True])
def test_work_within_work_leaves_no_line_on_a_terminal(capsys, monkeypatch, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with progress("outer", 1, shown=True) as report:
        with progress("inner", 1, shown=True) as within:
            within(1, "done")
        report(1, "so far")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == (1 if terminal else 2)
    assert "\router: 1/1, so far" in err


X, y = make_hastie_10_2(1000, random_state=0)
BOOST = AdaBoostMHClassifier(n_rounds=8).fit(X, y)
SOLVERS = {
    "Portfolio": Portfolio((Margin(), Prefix())),
    "Sarsa": Sarsa(n_episodes=400, evaluate_every=100),
    "Margin": Margin(),
    "QWYC": QWYC(),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_every_entry_shows_something_for_every_solver(name, capfd):
    solver = SOLVERS[name]
    learned = "1/1, beta " if isinstance(solver, Family) else "7/7, beta 1: "  # all are at hand
    if isinstance(solver, Portfolio):
        learned = "16/16, beta "
    shown = {
        "sparsify: 1/1, beta 0.01: ": lambda: mddag.sparsify(
            BOOST, X, y, beta=0.01, solver=solver, verbose=True
        ),
        f"sparsify: {learned}": lambda: mddag.sparsify(
            BOOST, X, y, budget=3, solver=solver, verbose=True
        ),
        "sweep: 2/2, beta 0.01: ": lambda: mddag.sweep(
            BOOST, X, y, betas=[0.1, 0.01], solver=solver, verbose=True
        ),
        "MDDAGClassifier: 2/2, ": lambda: MDDAGClassifier(BOOST, solver=solver, verbose=True).fit(
            X, y
        ),
    }
    for line, call in shown.items():
        call()
        out, err = capfd.readouterr()
        assert out == ""
        assert line in err
        assert (f"{name}: " in err) == hasattr(solver, "verbose")


def test_workers_are_silent(capfd):
    mddag.sweep(BOOST, X, y, betas=[0.1, 0.01], solver=SOLVERS["Sarsa"], verbose=True, n_jobs=2)
    err = capfd.readouterr().err
    assert "sweep" in err
    assert "Sarsa" not in err
