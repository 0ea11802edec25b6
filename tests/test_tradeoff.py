import csv
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.losses import Exponential
from mddag.mdp import MDP
from mddag.policy import Policy
from mddag.tradeoff import Curve, sweep_policies

BETAS = [0.0, 0.003, 0.02, 0.3]


class BestPrefix:
    """Solves by trying every prefix on the training rows."""

    def solve(self, mdp, selection=None):
        prefixes = [Policy.prefix(j, mdp.n_steps, mdp.grid) for j in range(mdp.n_steps + 1)]
        return min(prefixes, key=lambda policy: mdp.evaluate(policy).objective)


@dataclass(frozen=True)
class OfBeta:
    """The MDP of noisy votes at a beta."""

    seed: int
    n_steps: int = 12
    loss: object = None
    n_rows: int = 300

    def __call__(self, beta):
        rng = np.random.default_rng(self.seed)
        labels = rng.integers(0, 2, self.n_rows)
        votes = 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(self.n_rows, self.n_steps))
        return MDP(votes, labels, beta=beta, loss=self.loss)


@pytest.fixture(scope="module")
def curve():
    return sweep_policies(OfBeta(0), BestPrefix(), BETAS, selection=OfBeta(1), test=OfBeta(2))


def points(cost, loss):
    columns = {"beta": np.zeros(len(cost))}
    columns |= {"train_cost": np.array(cost, float), "train_loss": np.array(loss, float)}
    return Curve(columns, (None,) * len(cost))


def test_every_column_is_what_the_mdp_says_of_the_policy(curve):
    for row, beta in enumerate(BETAS):
        for name, seed in [("train", 0), ("selection", 1), ("test", 2)]:
            mdp = OfBeta(seed)(beta)
            for prefix, policy in [("", curve.policies[row]), ("full_", mdp.evaluate_all())]:
                evaluation = mdp.evaluate(policy)
                for measure in ("loss", "cost", "objective", "n_evaluated"):
                    got = getattr(curve, f"{prefix}{name}_{measure}")[row]
                    assert got == getattr(evaluation, measure)


def test_a_higher_price_buys_fewer_evaluations(curve):
    assert (np.diff(curve.train_cost) <= 0).all()
    assert curve.train_cost[0] > curve.train_cost[-1]


def test_jobs_do_not_change_the_result(curve):
    again = sweep_policies(
        OfBeta(0), BestPrefix(), BETAS, selection=OfBeta(1), test=OfBeta(2), n_jobs=2
    )
    assert list(again.columns) == list(curve.columns)
    for name, column in again.columns.items():
        np.testing.assert_array_equal(column, curve.columns[name])


def test_samples_that_are_not_given_have_no_columns():
    alone = sweep_policies(OfBeta(0), BestPrefix(), 0.01)
    assert alone.samples == ("train",)
    assert alone.chooser == "train"
    with pytest.raises(AttributeError, match="no column 'test_loss'; it has beta, train_loss"):
        _ = alone.test_loss


def test_the_selection_rows_choose(curve):
    assert curve.chooser == "selection"
    np.testing.assert_array_equal(curve.envelope(), curve.envelope("selection"))


def test_the_solver_sees_the_selection_rows_and_never_the_test_rows():
    seen = []

    class Listening(BestPrefix):
        def solve(self, mdp, selection=None):
            seen.append((mdp.n_instances, selection.n_instances, selection.beta))
            return super().solve(mdp)

    sizes = {"selection": OfBeta(1, n_rows=200), "test": OfBeta(2, n_rows=100)}
    sweep_policies(OfBeta(0), Listening(), [0.1, 0.2], **sizes)
    assert seen == [(300, 200, 0.1), (300, 200, 0.2)]


def test_the_curve_knows_its_loss():
    curve = sweep_policies(OfBeta(0, loss=Exponential()), BestPrefix(), [0.1])
    assert curve.loss == Exponential()


whole = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=9)


@given(whole)
@settings(deadline=None)
def test_the_envelope_is_what_nothing_beats(pairs):
    cost, loss = np.array(pairs).T
    front = points(cost, loss).envelope()
    assert (np.diff(cost[front]) > 0).all()
    kept = {pairs[i] for i in front}
    for c, v in pairs:
        beaten = any(a <= c and b <= v and (a, b) != (c, v) for a, b in pairs)
        assert ((c, v) in kept) == (not beaten)


@given(whole)
@settings(deadline=None)
def test_the_convex_envelope_lies_below_every_chord(pairs):
    curve = points(*np.array(pairs).T)
    front = [pairs[i] for i in curve.envelope()]
    hull = {pairs[i] for i in curve.envelope(convex=True)}
    for c, v in front:
        under_a_chord = all(
            v * (b[0] - a[0]) < a[1] * (b[0] - c) + b[1] * (c - a[0])
            for a in front
            for b in front
            if a[0] < c < b[0]
        )
        assert ((c, v) in hull) == under_a_chord


def test_the_csv_reads_back_the_same(curve, tmp_path):
    curve.to_csv(tmp_path / "curve.csv")
    with open(tmp_path / "curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(curve.columns)
    for name, column in curve.columns.items():
        np.testing.assert_array_equal([float(row[name]) for row in rows], column)


def test_the_table_marks_the_envelope_and_ends_with_the_full_ensemble(curve):
    head, *lines, full = str(curve).splitlines()
    assert head.split() == [
        *("beta", "train", "loss", "cost", "selection", "loss", "cost", "test", "loss", "cost")
    ]
    starred = [row for row, line in enumerate(lines) if line.startswith("*")]
    assert starred == sorted(curve.envelope().tolist())
    assert full.split()[:3] == ["full", f"{curve.full_train_loss[0]:.4f}", "12.00"]
    assert len({len(line) for line in [head, *lines, full]}) == 1


def test_a_curve_survives_pickling(curve):
    again = pickle.loads(pickle.dumps(curve))
    np.testing.assert_array_equal(again.test_loss, curve.test_loss)
    assert "test_loss" in dir(again)
    assert len(again) == len(BETAS)


@pytest.mark.parametrize(
    ("betas", "message"),
    [
        ([], r"betas has shape \(0,\); wanted a list of at least one price"),
        ([[0.1]], r"betas has shape \(1, 1\)"),
        ([0.1, -1.0], r"betas\[1\] is -1.0; wanted finite prices, 0 or more"),
        ([np.nan], r"betas\[0\] is nan"),
    ],
)
def test_bad_betas_are_named(betas, message):
    with pytest.raises(ValueError, match=message):
        sweep_policies(OfBeta(0), BestPrefix(), betas)


def test_votes_of_two_ensembles_are_refused():
    with pytest.raises(ValueError, match="test rows have votes of 7 base classifiers"):
        sweep_policies(OfBeta(0), BestPrefix(), [0.1], test=OfBeta(0, n_steps=7))
