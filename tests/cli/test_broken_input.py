"""Broken input of many kinds: the right exit code, one line, no traceback, no file written."""

import gzip
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from mddag.cli.output import ExitCode

pytest.importorskip("pyarrow")

PREDICT = ("predict", "sparse.mddag")
SPARSIFY = ("--solver", "margin", "--beta", "0.01", "-o", "s.mddag")


def rows(name, **changed):
    """A file of rows with other columns, or without those that are None."""
    frame = pd.read_csv("rows.csv")
    for column, values in changed.items():
        frame = frame.drop(columns=column) if values is None else frame.assign(**{column: values})
    written = {".csv": frame.to_csv, ".parquet": frame.to_parquet}[os.path.splitext(name)[1]]
    written(name, index=False)


def text(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def read(name):
    with open(name, "rb") as file:
        return file.read()


def part(name, source, share=0.6):
    content = read(source)
    text(name, content[: int(len(content) * share)])


def changed_byte(name, source):
    content = bytearray(read(source))
    content[-100] ^= 255
    text(name, bytes(content))


def packed(name):
    text(name, gzip.compress(read("rows.csv"))[:2000])


def objects(name):
    np.savez(name, X=np.array([[{}]], object), y=[0])


# What is broken: how the file is made, the command, a part of the line.
INPUTS = {
    "no file": (None, (*PREDICT, "none.csv"), "'none.csv' is no file"),
    "a folder": (lambda: os.mkdir("d.csv"), (*PREDICT, "d.csv"), "is a folder; wanted a file"),
    "an empty file": (lambda: text("e.csv", ""), (*PREDICT, "e.csv"), "'e.csv': EmptyDataError"),
    "a row that is too long": (
        lambda: text("r.csv", "a,b\n1,2\n1,2,3\n"), (*PREDICT, "r.csv"), "Expected 2 fields"),
    "a field before all others": (
        lambda: text("d.csv", "x0,x1,x2,x3,town\n0,1,2,3,4,ulm\n"), (*PREDICT, "d.csv"),
        "ParserWarning"),
    "text that is not UTF-8": (
        lambda: text("l.csv", b"x0,town\n1,K\xf6ln\n"), (*PREDICT, "l.csv"), "UnicodeDecodeError"),
    "a column that is missing": (
        lambda: rows("m.csv", x2=None), (*PREDICT, "m.csv"),
        "lacks 1 of the 5 columns that the model reads: x2"),
    "no column of labels": (
        lambda: rows("t.csv", label=None), (*PREDICT, "t.csv", "-t", "label"),
        "has no column 'label' for --target; it has x0"),
    "a label that is missing": (
        lambda: rows("n.csv", label=[None, *[1] * 1799]), (*PREDICT, "n.csv", "-t", "label"),
        "has no label in row 0"),
    "text among numbers": (
        lambda: rows("x.csv", x0=["much"] + ["1"] * 1799), (*PREDICT, "x.csv"), "x0"),
    "numbers where categories are": (
        lambda: rows("c.parquet", town=np.arange(1800)), (*PREDICT, "c.parquet"),
        "column 'town' holds numbers"),
    "a packed file cut short": (
        lambda: packed("p.csv.gz"), (*PREDICT, "p.csv.gz"), "EOFError"),
    "an unknown end": (
        lambda: text("rows.xlsx", "PK"), (*PREDICT, "rows.xlsx"), "has no known end"),
    "no npz": (lambda: text("a.npz", "abc"), (*PREDICT, "a.npz"), "cannot read"),
    "a model without probabilities": (
        None, ("predict", "model.txt", "rows.csv", "--proba"), "no calibrated probabilities"),
    "npz without rows": (
        lambda: np.savez("b.npz", Y=np.zeros(3)), (*PREDICT, "b.npz"), "no array 'X'"),
    "npz with objects": (lambda: objects("c.npz"), (*PREDICT, "c.npz"), "allow_pickle=False"),
    "npz with other labels than rows": (
        lambda: np.savez("d.npz", X=np.zeros((4, 5)), y=np.zeros(3)), (*PREDICT, "d.npz"),
        "has 4 rows, but y is of shape (3,)"),
    "npz with further columns": (
        lambda: np.savez("f.npz", X=np.zeros((4, 6))), (*PREDICT, "f.npz"),
        "has 6 columns of features, but the model reads 5"),
    "no row that was asked for": (
        None, (*PREDICT, "rows.csv", "--rows", "9000:"), "no rows (that were asked for)"),
    "a column to drop that is not there": (
        None, (*PREDICT, "rows.csv", "--drop", "size"), "has no column 'size' for --drop"),
    "labels that the model does not have": (
        lambda: rows("y.csv", label=[7] * 900 + [8] * 900),
        ("sparsify", "model.txt", "y.csv", "-t", "label", *SPARSIFY), "label"),
    "labels of one class for training": (
        lambda: rows("o.csv", label=1),
        ("train", "o.csv", "-t", "label", "-o", "b.mddag"), "class"),
    "weights below zero": (
        lambda: rows("w.csv", w=-1.0),
        ("sparsify", "model.txt", "w.csv", "-t", "label", "--weight", "w", *SPARSIFY), "weight"),
    "rows too few for a guarantee": (
        None, ("sparsify", "model.txt", "rows.csv", "-t", "label", "--rows", "0:100", "--max-loss",
               "0.001", "--solver", "margin", "-o", "s.mddag"), "100 rows are too few"),
    "no model but text": (
        lambda: text("m1.txt", "a poem"), ("inspect", "m1.txt"), "holds no known format"),
    "a model of LightGBM cut short": (
        lambda: part("m2.txt", "model.txt"), ("inspect", "m2.txt"), "m2.txt"),
    "a model that crashes LightGBM": (
        lambda: text("m8.txt", read("model.txt").replace(b"num_leaves=5", b"num_leaves=9")),
        ("inspect", "m8.txt"), "m8.txt': its library crashed"),
    "our model with a changed byte": (
        lambda: changed_byte("m4.mddag", "sparse.mddag"), ("inspect", "m4.mddag"), "m4.mddag"),
    "a pickle": (
        lambda: text("m5.txt", pickle.dumps([1])), ("inspect", "m5.txt"), "is a pickle"),
    "JSON of another kind": (
        lambda: text("m6.json", '{"a": 1}'), ("inspect", "m6.json"), "is JSON of another kind"),
    "a model under a wrong name": (
        lambda: shutil.copy("model.txt", "m7.json"), ("inspect", "m7.json"), "rename it"),
    "a model that is sparse already": (
        None, ("sparsify", "sparse.mddag", "rows.csv", "-t", "label", *SPARSIFY),
        "is sparse already"),
    "a row that is not there": (
        None, ("explain", "sparse.mddag", "rows.csv", "--row", "99999"), "has 1800 rows"),
    "no header of ours": (
        lambda: text("a.h", "int main;"), ("validate", "sparse.mddag", "a.h"), "is no header"),
    "a model of other rows": (
        lambda: None, ("validate", "sparse.mddag", "plain.mddag"), "reads 3 features, the model 5"),
    "a program that is not there": (
        None, ("validate", "sparse.mddag", "--run", "./none"), "cannot run './none'"),
    "a program that fails": (
        None, ("validate", "sparse.mddag", "--run", "false"), "'false' ended with 1"),
}  # fmt: skip


def plain_model(run):
    """A model without names of columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    np.savez("plain.npz", X=X, y=(X[:, 0] > 0).astype(int))
    assert run("train", "plain.npz", "-o", "plain.mddag", "--rounds", "3", "-q").code == 0


@pytest.mark.parametrize("kind", INPUTS)
def test_bad_input_is_code_3_and_one_line(run, folder, kind):
    make, arguments, line = INPUTS[kind]
    if "plain.mddag" in arguments:
        plain_model(run)
    if make is not None:
        make()
    before = sorted(os.listdir())
    ended = run(*arguments)
    assert ended.code == ExitCode.INPUT, ended.err
    assert ended.line.startswith("mddag: ")
    assert line in ended.line
    assert ended.out == ""
    assert sorted(os.listdir()) == before


def test_a_damaged_arrow_file_is_read_or_refused(folder):
    """In a process of its own: pyarrow crashed on some of these files."""
    pd.read_csv("rows.csv")[:60].to_feather("whole.feather", compression="uncompressed")
    code = """
import numpy as np
from mddag.cli import main
whole, rng = open("whole.feather", "rb").read(), np.random.default_rng(0)
codes = set()
for _ in range(60):
    damaged = bytearray(whole)
    for place in rng.integers(len(whole), size=3):
        damaged[place] = rng.integers(256)
    open("damaged.feather", "wb").write(bytes(damaged))
    try:
        main(["predict", "sparse.mddag", "damaged.feather", "-o", "p.csv"])
    except SystemExit as ended:
        codes.add(int(ended.code))
print(sorted(codes))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-300:]
    assert ended.stdout.splitlines()[-1] == "[0, 3]"


def test_debug_shows_where_it_came_from(folder, capsys):
    from mddag.cli import main

    with pytest.raises(Exception, match="is no file"):
        main(["predict", "sparse.mddag", "none.csv", "--debug"])


OUTPUTS = {
    "a folder that is not there": "none/p.csv",
    "a folder": "folder.csv",
    "a full disk": "full.csv",
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_what_cannot_be_written_is_code_4(run, folder, kind):
    if kind == "a full disk":
        if not os.path.exists("/dev/full"):
            pytest.skip("there is no /dev/full")
        os.symlink("/dev/full", "full.csv")
    os.mkdir("folder.csv")
    ended = run("predict", "sparse.mddag", "rows.csv", "-o", OUTPUTS[kind])
    assert ended.code == ExitCode.OUTPUT
    assert OUTPUTS[kind] in ended.line
    if kind == "a full disk":
        assert "the disk is full" in ended.line


def test_a_full_standard_output_is_code_4(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    command = [sys.executable, "-m", "mddag.cli", "predict", "sparse.mddag", "rows.csv"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == ExitCode.OUTPUT
    assert "Traceback" not in ended.stderr
    assert "the disk is full" in ended.stderr


@pytest.mark.parametrize(
    ("module", "file"), [("pandas", "rows.csv"), ("pyarrow.parquet", "rows.parquet")]
)
def test_what_is_not_installed_is_code_5(run, folder, monkeypatch, module, file):
    if file.endswith("parquet"):
        rows(file)
    monkeypatch.setitem(sys.modules, module, None)
    ended = run("train", file, "-t", "label", "-o", "b.mddag")
    assert ended.code == ExitCode.ABSENT
    assert f"pip install {module.partition('.')[0]}" in ended.line


def test_without_a_compiler_a_header_is_code_5(run, folder, monkeypatch):
    assert run("export", "sparse.mddag", "s.h", "-q").code == 0
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    ended = run("validate", "sparse.mddag", "s.h")
    assert (ended.code, "C compiler" in ended.line) == (ExitCode.ABSENT, True)
