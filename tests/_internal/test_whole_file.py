import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from mddag._internal import whole_file as _whole_file
from mddag._internal.whole_file import write_whole

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


def test_a_path_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_whole("a", NEW)
    assert_alone(tmp_path / "a", NEW)


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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs the root user")
def test_an_old_file_keeps_its_owner(file):
    os.chown(file, 1234, 5678)
    write_whole(file, NEW)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 5678)


def test_while_it_is_written_a_file_with_a_mode_of_its_own_is_secret(file, monkeypatch):
    seen = []

    def look(descriptor):
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))

    monkeypatch.setattr(_whole_file.os, "fsync", look)
    write_whole(file, NEW)
    assert seen == [0o600]


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


def test_a_link_to_a_file_that_is_not_there_yet(tmp_path):
    (tmp_path / "link").symlink_to("new")
    write_whole(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_bytes() == NEW


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"symbolic links: '.*a'"):
        write_whole(tmp_path / "a", NEW)
    assert (tmp_path / "a").is_symlink()


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


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "nowhere" / "model.mddag"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, NEW)
    assert f"the folder '{path.parent}' does not exist; make it first: '{path}'" in str(
        caught.value
    )
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(path))


def test_a_folder_is_no_file_and_a_file_no_folder(file):
    with pytest.raises(IsADirectoryError, match="this is a folder; wanted the name of a file"):
        write_whole(file.parent, NEW)
    with pytest.raises(NotADirectoryError, match="is a file; wanted a folder to write into"):
        write_whole(file / "inside", NEW)
    assert_alone(file, OLD)


@pytest.mark.parametrize(
    ("closed", "message"),
    [
        ("the file", "the file may not be written to; change its mode or choose another name"),
        ("the folder", r"the folder '.*' may not be written to; change its mode or choose another"),
    ],
)
def test_what_may_not_be_written_to_is_refused(file, monkeypatch, closed, message):
    """The root user may write everywhere, so the system's answer is played."""
    shut = file if closed == "the file" else file.parent
    monkeypatch.setattr(os, "access", lambda path, mode: os.fspath(path) != os.fspath(shut))
    with pytest.raises(PermissionError, match=message) as caught:
        write_whole(file, NEW)
    assert caught.value.filename == str(file)
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

    monkeypatch.setattr(_whole_file.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, NEW)
    assert_alone(file, OLD)


WRITE_AND_HANG = """
import os, sys, time
from mddag._internal import whole_file as _whole_file

def hang(descriptor):
    print("written", flush=True)
    time.sleep(600)

_whole_file.os.fsync = hang
_whole_file.write_whole(sys.argv[1], b"of a process that is killed")
"""


def test_what_a_killed_write_leaves_behind_is_removed_by_the_next_and_no_sooner(file):
    command = [sys.executable, "-c", WRITE_AND_HANG, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout.readline() == b"written\n"
            write_whole(file, NEW)
            assert len(os.listdir(file.parent)) == 2, "the file of a living write was removed"
        finally:
            writer.kill()
    left = next(name for name in os.listdir(file.parent) if name != file.name)
    assert left.startswith(".model.mddag.")
    assert left.endswith(".unfinished")
    assert file.read_bytes() == NEW
    write_whole(file.with_name("other"), NEW)
    assert (file.parent / left).exists(), "a write of another file removed it"
    file.with_name("other").unlink()
    write_whole(file, NEW)
    assert_alone(file, NEW)


def test_files_that_are_not_ours_stay(file):
    others = {".model.mddag.unfinished", ".model.mddag.0123abcd", "model.mddag.0123abcd.unfinished"}
    for name in others:
        (file.parent / name).touch()
    write_whole(file, NEW)
    assert set(os.listdir(file.parent)) == {file.name, *others}


def test_where_there_are_no_locks_unfinished_files_stay(file, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, "no locks available")

    left = file.with_name(f".{file.name}.0123abcd.unfinished")
    left.touch()
    monkeypatch.setattr(_whole_file.fcntl, "flock", unsupported)
    write_whole(file, NEW)
    assert left.exists()
    assert file.read_bytes() == NEW


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


@pytest.mark.parametrize("path", [3, None, b"bytes"])
def test_other_types_are_refused(path):
    with pytest.raises(TypeError, match="PathLike"):
        write_whole(path, NEW)
