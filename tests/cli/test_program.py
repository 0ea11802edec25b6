"""The program itself: its list of commands, usage, exit codes, what it prints; docs/cli.md."""

import errno
import json
import re
import shlex
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mddag
from mddag import metrics, solvers
from mddag.cli import options
from mddag.cli.app import COMMANDS, app
from mddag.cli.options import complain
from mddag.cli.output import AbsentError, ExitCode, InputError, Output, UsageError, exit_of
from tests.shipped import needed

NAMES = [command.__name__ for command in COMMANDS]


def test_help_names_every_command_and_the_exit_codes(run):
    shown = run("--help")
    assert shown.code == 0
    assert all(name in shown.out for name in NAMES)
    assert "130 interrupted" in " ".join(shown.out.split())
    assert run().out == shown.out
    assert run("--version").out.strip() == mddag.__version__


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_and_the_shared_options(run, name):
    shown = run(name, "--help")
    assert shown.code == 0
    assert all(option in shown.out for option in ("--json", "--quiet", "--debug"))


SPARSIFY = ("sparsify", "model.txt", "rows.csv", "-o", "s.mddag")
SWEEP = ("sweep", "model.txt", "rows.csv", "-o", "c.csv")
TRAIN = ("train", "train.csv", "-o", "b.mddag")
EXPORT = ("export", "sparse.mddag")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["polish"], ["polish"]),
        (["inspect"], ["MODEL"]),
        (["inspect", "m.txt", "--colour"], ["--colour"]),
        ([*TRAIN, "--rounds", "many"], ["--rounds"]),
        ([*TRAIN, "--rounds", "0"], ["--rounds"]),
        ([*TRAIN, "--learner", "forest"], ["--learner", "forest", "stump"]),
        ([*SPARSIFY[:3], "--beta", "1"], ["--out"]),
        (SPARSIFY, ["none", "--beta, --budget"]),
        ([*SPARSIFY, "--beta", "1", "--budget", "2"], ["--beta, --budget"]),
        ([*SPARSIFY, "--budget", "0"], ["--budget is 0"]),
        ([*SPARSIFY, "--beta", "-1"], ["--beta"]),
        ([*SPARSIFY, "--beta", "1", "--objective", "beauty"], ["--objective", "beauty"]),
        ([*SPARSIFY, "--max-loss", "0.1", "--confidence", "0.2"], ["--confidence", "0.2"]),
        ([*SPARSIFY, "--beta", "1", "--threads", "0"], ["--threads is 0"]),
        ([*SPARSIFY, "--beta", "1", "--solver", "magic"], ["--solver", "magic", "portfolio"]),
        ([*SPARSIFY, "--beta", "1", "--metric", "beauty"], ["--metric", "beauty"]),
        ([*SPARSIFY, "--beta", "1", "--metric", "ndcg:0"], ["--metric", "ndcg:0"]),
        ([*SWEEP, "--betas", "a"], ["--betas", "a"]),
        ([*SWEEP, "-t", "label", "--solver", "margin", "--betas", "1,-1"], ["--betas[1] is -1"]),
        ([*SWEEP, "--plot", "c.doc"], ["--plot", "c.doc", ".png"]),
        ([*SWEEP, "--drop", "label"], ["--target"]),
        ([*EXPORT, "n.h", "--name", "a b"], ["--name", "a b"]),
        ([*EXPORT, "n.h", "--language", "cobol"], ["--language", "cobol"]),
        ([*EXPORT, "n.cobol"], ["n.cobol", "--language"]),
        ([*EXPORT, "n.rs", "--name", "net"], ["--name", "rust"]),
        ([*EXPORT, "n.rs", "--integer-thresholds"], ["--integer-thresholds", "rust"]),
        (["validate", "sparse.mddag"], ["OTHER", "--run"]),
        ([*EXPORT, "sparse.mddag", "--language", "c"], ["sparse.mddag", "reads"]),
        (["predict", "model.txt", "rows.csv", "-o", "rows.csv"], ["rows.csv", "reads"]),
        (["report", "model.txt", "-o", "model.txt"], ["model.txt", "reads"]),
        ([*SWEEP[:3], "-t", "label", "--test", "train.csv", "-o", "train.csv"], ["train.csv"]),
        (["train", "train.csv", "-t", "label", "-o", "./train.csv"], ["train.csv", "reads"]),
    ],
)
def test_usage_is_one_line_and_changes_nothing(run, folder, arguments, parts):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ended = run(*arguments)
    assert ended.code == ExitCode.USAGE, ended.err
    assert all(part in ended.line for part in parts), ended.line
    assert ended.out == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


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


def test_names_of_solvers_and_metrics():
    for name in options.SolverName:
        made = options.solver_of(name, 2)
        assert type(made) is getattr(solvers, name.name)
        assert getattr(made, "n_jobs", 2) == 2
    found = [options.metric_of(name) for name in ("ndcg", "ndcg:5", "roc_auc", None)]
    assert found == [metrics.NDCG(10), metrics.NDCG(5), "roc_auc", None]


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
    assert told.returncode == ExitCode.ABSENT
    assert told.stderr.count("\n") == 1
    assert f"need {absent}" in told.stderr
    assert "pip install 'mddag[cli]'" in told.stderr


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("so"), ExitCode.USAGE, "so"),
        (InputError("a\nb"), ExitCode.INPUT, "a b"),
        (AbsentError("x"), ExitCode.ABSENT, "x"),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, "nothing was written"),
        (BrokenPipeError(), ExitCode.OUTPUT, ""),
        (ImportError("no pandas"), ExitCode.ABSENT, "no pandas"),
        (ValueError("X has 3 features"), ExitCode.INPUT, "X has 3 features"),
        (MemoryError(), ExitCode.INPUT, "--rows"),
        (OSError(errno.ENOSPC, "No space left", "a.csv"), ExitCode.OUTPUT, "the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "a.csv"), ExitCode.OUTPUT, "'a.csv'"),
        (ZeroDivisionError("by zero"), ExitCode.BUG, "ZeroDivisionError: by zero"),
    ],
)
def test_errors_become_exit_codes_and_one_line(error, code, line):
    found, text = exit_of(error)
    assert found == code
    assert line in text
    assert bool(line) == bool(text)


def test_a_reader_that_has_gone_gets_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    complain("")
    print("lost")
    sys.stdout.close()
    assert capsys.readouterr() == ("", "")


def test_results_go_to_standard_output_and_all_else_to_the_other(capsys):
    Output().result({"a": 1}, "one")
    assert capsys.readouterr().out == "one\n"
    Output(as_json=True).result({"a": np.arange(2), "b": np.float32(0.5)}, "one")
    assert json.loads(capsys.readouterr().out) == {"a": [0, 1], "b": 0.5}
    Output().note("begun")
    Output(quiet=True).note("hidden")
    with Output().warning():
        warnings.warn("two\nlines", UserWarning, stacklevel=1)
    assert capsys.readouterr() == ("", "begun\nwarning: two lines\n")


@pytest.fixture
def page():
    return (needed("docs") / "cli.md").read_text()


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_page_runs(run, page, tmp_path, monkeypatch):
    """The commands of docs/cli.md, one after the other, on the files that it makes."""
    if shutil.which("cc") is None:
        pytest.skip("without a C compiler")
    monkeypatch.chdir(tmp_path)
    (files,) = blocks(page, "python")
    exec(files, {})
    for block in blocks(page, "console"):
        parts = re.split(r"^\$ mddag (.*)\n", block, flags=re.MULTILINE)[1:]
        for line, shown in zip(parts[::2], parts[1::2], strict=True):
            arguments, _, wanted = line.partition("  # exit code ")
            ended = run(*shlex.split(arguments))
            assert ended.code == int(wanted or 0), arguments + ended.err
            for text in shown.splitlines():
                assert text in ended.out, arguments


def test_the_page_names_every_command_and_exit_code(page):
    assert all(f"`{name}`" in page for name in NAMES)
    assert set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE)) == {
        str(int(code)) for code in ExitCode
    }
