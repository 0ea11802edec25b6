"""``mddag inspect``."""


def test_a_sparse_model(run, made):
    ended = run("inspect", made / "sparse.mddag")
    assert ended.code == 0
    assert "by sparsify(beta=0.003)" in ended.out
    assert "category columns: town" in ended.out


def test_a_model_of_lightgbm_as_json(run, made):
    fields = run("inspect", made / "model.txt", "--json").fields
    assert (fields["library"], fields["kind"], fields["n_trees"]) == ("LightGBM", "classifier", 20)
    assert fields["feature_names"] == ["x0", "x1", "x2", "x3", "town"]
    assert fields["categories"] == {"town": ["bonn", "rome", "ulm"]}
    assert fields["policy"]["evaluates_all"]
    assert fields["summary"] is None
    assert run("inspect", made / "sparse.mddag", "--json").fields["summary"]["knob"] == "beta"
