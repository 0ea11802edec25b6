"""``mddag export``."""


def test_a_header(run, made, folder):
    ended = run("export", "sparse.mddag", "net.h", "--name", "net", "--json")
    assert ended.code == 0
    assert ended.fields["language"] == "c"
    assert "net_predict" in (folder / "net.h").read_text()
    assert ended.fields["bytes"] == (folder / "net.h").stat().st_size


def test_names_are_checked(run, folder):
    assert "wanted an identifier" in run("export", "sparse.mddag", "n.h", "--name", "a b").line
    ended = run("export", "sparse.mddag", "net.cobol")
    assert (ended.code, "wanted a name with" in ended.line) == (2, True)
