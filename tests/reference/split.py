"""The best split of a set of rows, by trying all: whole numbers and no histogram."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Split:
    feature: int
    cut: int  # unused where `members` is a set
    members: frozenset | None  # categories that go left
    missing_left: bool
    left_codes: frozenset


def signed_weights(targets, weights):
    """q_ik as Python integers, [i][k]."""
    half = Fraction(1, 2)
    return [
        [int(Fraction(float(w)) * 2**60 + half) * int(y) for y, w in zip(ys, ws, strict=True)]
        for ys, ws in zip(targets, weights, strict=True)
    ]


def sums(rows, q):
    """Of each class over the rows."""
    return [sum(q[i][k] for i in rows) for k in range(len(q[0]))]


def sign(a):
    return -1.0 if a < 0 else 1.0


def splits(columns, f, rows, q):
    """Every split of column f that is tried, in the order in which ties are resolved."""
    n_codes = int(columns.n_codes[f])
    sides = (True, False) if columns.missing[f] else (True,)

    def split(cut, members, codes, missing_left):
        codes = frozenset(codes) | ({n_codes} if missing_left and columns.missing[f] else set())
        return Split(int(f), cut, members, missing_left, codes)

    if not columns.nominal[f]:
        for cut in range(n_codes):
            for missing_left in sides:
                yield split(cut, None, range(cut + 1), missing_left)
        return
    sets = [{c} for c in range(n_codes)]
    by_code = [sums([i for i in rows if columns.codes[f, i] == c], q) for c in range(n_codes)]
    sets += [{c for c in range(n_codes) if by_code[c][k] > 0} for k in range(len(q[0]))]
    sets += [set()] if columns.missing[f] else []
    for members in sets:
        for missing_left in sides:
            yield split(0, frozenset(members), members, missing_left)


def best_split(columns, rows, q, worth, to_beat):
    """The split that is worth most and more than `to_beat`, with its worth, or None.

    A split worth exactly what the constant vote is worth counts as none.
    """
    constant = sum(abs(t) for t in sums(rows, q))
    most, best = to_beat, None
    for f in columns.candidates:
        for split in splits(columns, f, rows, q):
            left, right = sides(columns, rows, split)
            value = worth(sums(left, q), sums(right, q))
            if value > most and value != constant:
                most, best = value, split
    return most, best


def sides(columns, rows, split):
    """The rows that go left, and those that go right."""
    goes_left = {i for i in rows if int(columns.codes[split.feature, i]) in split.left_codes}
    return [i for i in rows if i in goes_left], [i for i in rows if i not in goes_left]
