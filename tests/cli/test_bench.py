"""``mddag bench``."""

from mddag.cli.bench import percentiles

FEW = ("--loads", "3", "--singles", "50", "--batches", "3", "--target", "label")


def test_percentiles_of_three_things(run, made):
    ended = run("bench", made / "sparse.mddag", made / "rows.csv", *FEW, "--batch", "100", "--json")
    assert ended.code == 0
    fields = ended.fields
    for name in ("load_ms", "one_row_us", "batch_ns_per_row"):
        times = [fields[name][p] for p in ("p50", "p90", "p99", "p99.9")]
        assert 0 < times[0] <= times[-1]
        assert times == sorted(times)
    assert fields["batch"] == 100
    assert 0 < fields["evaluations_per_row"] < 20


def test_the_table(run, made):
    ended = run("bench", made / "model.txt", made / "rows.csv", *FEW)
    assert "batch of 1800, ns per row" in ended.out
    assert "evaluations per row: 20.0; LightGBM" in ended.out


def test_the_first_calls_are_left_out():
    calls = []
    found = percentiles(calls.append, 5, 1.0)
    assert calls == [0, 1, 2, 0, 1, 2, 3, 4]
    assert found["n"] == 5
