"""The list of commands, and usage."""

import subprocess
import sys

import pytest

import mddag
from mddag.cli.app import COMMANDS, app
from mddag.cli.exits import Exit


def test_help_names_every_command_and_the_exit_codes(run):
    shown = run("--help")
    assert shown.code == 0
    assert all(command.__name__ in shown.out for command in COMMANDS)
    assert "130 interrupted" in " ".join(shown.out.split())


def test_without_arguments_it_is_help(run):
    assert run().out == run("--help").out


def test_the_version(run):
    assert run("--version").out.strip() == mddag.__version__


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_every_command_has_help_and_the_shared_options(run, command):
    shown = run(command, "--help")
    assert shown.code == 0
    assert all(option in shown.out for option in ("--json", "--quiet", "--debug"))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["polish"], "No such command 'polish'"),
        (["inspect"], "Missing argument 'MODEL'"),
        (["inspect", "m.txt", "--colour"], "No such option: --colour"),
        (["train", "r.csv", "-o", "m.mddag", "--rounds", "many"], "Invalid value for '--rounds'"),
        (["train", "r.csv", "-o", "m.mddag", "--rounds", "0"], "Invalid value for '--rounds'"),
        (["sparsify", "m.txt", "r.csv", "--beta", "1"], "Missing option '--out' / '-o'"),
    ],
)
def test_usage_is_one_line(run, arguments, line):
    ended = run(*arguments)
    assert ended.code == Exit.USAGE
    assert line in ended.line
    assert ended.out == ""


@pytest.mark.parametrize(
    ("words", "completed"),
    [("mddag sp", "sparsify"), ("mddag sparsify m.txt r.csv --solver por", "portfolio")],
)
def test_completion_knows_commands_and_values(words, completed):
    from typer.testing import CliRunner

    place = str(len(words.split()) - 1)
    told = CliRunner().invoke(
        app,
        env={"_MDDAG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place},
        prog_name="mddag",
    )
    assert completed in told.output


def test_the_program_imports_no_heavy_library_for_help():
    heavy = ["sklearn", "pandas", "matplotlib", "lightgbm", "treelite"]
    code = (
        "import sys\nfrom mddag.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip().endswith("[]"), told.stdout[-200:]


@pytest.mark.parametrize("absent", ["typer", "rich"])
def test_without_typer_it_says_what_to_install(absent):
    code = f"import sys; sys.modules['{absent}'] = None\nfrom mddag.cli import main; main([])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.returncode == Exit.ABSENT
    assert told.stderr.count("\n") == 1
    assert f"need {absent}" in told.stderr
    assert "pip install 'mddag[cli]'" in told.stderr
