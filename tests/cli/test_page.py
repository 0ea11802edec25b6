"""The commands of docs/cli.md run, one after the other, on the files that it makes."""

import re
import shlex
import shutil

import pytest

from mddag.cli.app import COMMANDS
from mddag.cli.exits import Exit
from tests.shipped import needed


@pytest.fixture
def page():
    return (needed("docs") / "cli.md").read_text()


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_page_runs(run, page, tmp_path, monkeypatch):
    if shutil.which("cc") is None:
        pytest.skip("without a C compiler")
    monkeypatch.chdir(tmp_path)
    (files,) = blocks(page, "python")
    exec(files, {})
    for block in blocks(page, "console"):
        parts = re.split(r"^\$ mddag (.*)\n", block, flags=re.MULTILINE)[1:]
        for command, shown in zip(parts[::2], parts[1::2], strict=True):
            command, _, wanted = command.partition("  # exit code ")
            ended = run(*shlex.split(command))
            assert ended.code == int(wanted or 0), command + ended.err
            for line in shown.splitlines():
                assert line in ended.out, command


def test_the_page_names_every_command_and_exit_code(page):
    for command in COMMANDS:
        assert f"`{command.__name__}`" in page
    assert set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE)) == {str(int(code)) for code in Exit}
