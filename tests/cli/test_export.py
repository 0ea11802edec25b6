"""``mddag export``."""


def test_a_header(run, made, folder):
    ended = run("export", "sparse.mddag", "net.h", "--name", "net", "--json")
    assert ended.code == 0
    assert ended.fields["language"] == "c"
    assert "net_predict" in (folder / "net.h").read_text()
    assert ended.fields["n_bytes"] == (folder / "net.h").stat().st_size


def test_other_languages_by_the_end_of_the_name(run, folder):
    for name, language in (("Net.java", "java"), ("net.rs", "rust"), ("net.mjs", "javascript")):
        ended = run("export", "sparse.mddag", name, "--json")
        assert ended.fields["language"] == language
    ended = run("export", "sparse.mddag", "net.txt", "--language", "go", "--name", "net", "--json")
    assert ended.fields["language"] == "go"
    assert "package net" in (folder / "net.txt").read_text()


def test_tools_that_are_not_there(run, folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    ended = run("export", "sparse.mddag", "net.wasm")
    assert (ended.code, "wasm takes clang and wasm-ld" in ended.line) == (5, True)


def test_names_are_checked(run, folder):
    assert "wanted an identifier" in run("export", "sparse.mddag", "n.h", "--name", "a b").line
    assert run("export", "sparse.mddag", "n.h", "--language", "cobol").code == 2
    assert run("export", "sparse.mddag", "n.rs", "--name", "net").code == 2
    assert run("export", "sparse.mddag", "n.rs", "--integer-thresholds").code == 2
    ended = run("export", "sparse.mddag", "net.cobol")
    assert (ended.code, "wanted a name with" in ended.line) == (2, True)
