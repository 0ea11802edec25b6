"""``mddag demo``."""

from mddag.cli import demo


def test_every_command_is_shown_and_runs(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("N_TRAIN", "N_POLICY", "N_TEST"):
        monkeypatch.setattr(demo, name, 600)
    quick = [c.replace("--budget", "--solver margin --budget") for c in demo.COMMANDS]
    quick = [c.replace("bench", "bench --singles 50") for c in quick]
    monkeypatch.setattr(demo, "COMMANDS", quick)
    ended = run("demo", "--trees", "20")
    assert ended.code == 0, ended.err
    assert ended.out.count("$ mddag") == len(demo.COMMANDS)
    made = {path.name for path in (tmp_path / "mddag-demo").iterdir()}
    assert {"sparse.mddag", "sparse.h", "curve.csv", "predictions.csv", "report.html"} <= made
