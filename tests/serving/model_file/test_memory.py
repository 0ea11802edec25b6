"""Loading takes memory in proportion to the file, whatever the file announces."""

import subprocess
import sys

import numpy as np
import pytest

from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.serving.model_file import Model
from mddag.serving.model_file.container import pack, unpack
from tests.serving.model_file.kinds import whole_model
from tests.serving.model_file.memory import LIMITED

pytestmark = pytest.mark.skipif(not LIMITED, reason="only Linux limits memory")


def within_limits(content, tmp_path):
    """What a new process says of the file, with memory as docs/serving.md allows."""
    path = tmp_path / "model.mddag"
    path.write_bytes(content)
    command = [sys.executable, "-m", "tests.serving.model_file.memory", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_header(text):
    return len(text).to_bytes(8, "little") + text


def in_metadata(text):
    """A header whose metadata is the text."""
    return with_header(b'{"__metadata__":{"mddag":"' + text.replace(b'"', b'\\"') + b'"}}')


TEXTS = {
    "objects": lambda n: b'{"a":[' + b"{}," * n + b"1]}",
    "lists": lambda n: b'{"a":[' + b"[]," * n + b"1]}",
    "keys": lambda n: b"{" + b",".join(b'"%x":1' % i for i in range(n // 2)) + b"}",
    "short strings": lambda n: b'{"a":[' + b'"ab",' * n + b"1]}",
    "depth": lambda n: b'{"a":' * n,
}


@pytest.mark.parametrize("placed", [with_header, in_metadata])
@pytest.mark.parametrize("text", TEXTS)
def test_json_that_would_fill_memory_is_refused(text, placed, tmp_path):
    said = within_limits(placed(TEXTS[text](4_000_000)), tmp_path)
    assert "MB of memory for" in said
    assert "wanted at most 10 times as much" in said


def model_of(n_trees=5, names=None, n_features=1, **more):
    tree = TreeBuilder()
    stump = tree.finish(tree.split(0, 0.0, tree.leaf([1.0]), tree.leaf([-1.0]), True))
    features = Features(n_features, names)
    return Model(compile_dag(Ensemble.from_trees([stump] * n_trees, features=features, **more)))


@pytest.mark.parametrize("name", ["x{}", '{{{}}}: ["\\', "\U0001f600{}"])
def test_a_million_names_are_read(name, tmp_path):
    names = tuple(name.format(i) for i in range(1_000_000))
    said = within_limits(model_of(names=names, n_features=len(names)).to_bytes(), tmp_path)
    assert said.startswith("loaded classifier of 5 base classifiers")


@pytest.mark.parametrize("feature", [0, 2**30 - 1])
def test_features_that_no_tree_reads_take_no_memory(feature, tmp_path):
    tree = TreeBuilder()
    inner = tree.split(0, 0.0, tree.leaf([1.0]), tree.leaf([2.0]), missing_left=True)
    trees = [tree.finish(tree.split(feature, 0.5, tree.leaf([-1.0]), inner, missing_left=True))]
    for trees_of in (trees, [model_of().dag.ensemble.tree(0)] * 9):
        wide = Ensemble.from_trees(trees_of, features=Features(2**30))
        said = within_limits(Model(compile_dag(wide)).to_bytes(), tmp_path)
        assert said.startswith("loaded")
        assert "1073741824 features" in said


def test_decisions_about_many_steps_take_no_table_of_steps(tmp_path):
    n_steps, grid = 20_000, Grid(np.arange(9_999.0))
    ensemble = Ensemble.from_trees([], features=Features(1), rounds=np.zeros(n_steps + 1, int))
    actions = np.where(np.arange(grid.n_cells) % 2, EVAL, QUIT)[None]
    policy = Policy(actions, grid, np.arange(n_steps), every=n_steps)
    content = Model(Dag(ensemble, policy)).to_bytes()
    assert len(content) < 2**20
    assert within_limits(content, tmp_path).startswith("loaded")


def test_a_grid_without_steps_cannot_be_huge(tmp_path):
    empty = Ensemble.from_trees([], features=Features(1), bias=np.zeros(9000), kind="regressor")
    metadata, tensors = unpack(Model(compile_dag(empty)).to_bytes())
    tensors["policy.edges"] = np.arange(9000.0)
    tensors["policy.actions"] = np.empty((0, 9001 * 9000), np.uint8)
    said = within_limits(pack(metadata, tensors), tmp_path)
    assert "the grid has 81009000 cells and the policy no step; wanted at most 1048576" in said


def test_labels_far_wider_than_they_are_long_are_refused(tmp_path):
    metadata, tensors = unpack(whole_model().to_bytes())
    metadata["classes"]["dtype"] = "U99999999"
    assert "labels of 99999999 characters each are too long" in within_limits(
        pack(metadata, tensors), tmp_path
    )


def test_many_small_trees_are_read(tmp_path):
    tree = TreeBuilder()
    leaf = tree.finish(tree.leaf([1.0]))
    many = Ensemble.from_trees([leaf] * 100_000, features=Features(1), rounds=[0, 100_000])
    for content in (Model(compile_dag(many)).to_bytes(), model_of(30_000).to_bytes()):
        assert within_limits(content, tmp_path).startswith("loaded")
