"""Twin of mddag/detection/thresholds.py: the same minimum by trying every cut."""

from itertools import pairwise


def paid(sums, positive, thresholds, start, theta, lam, beta, n_positive, n_negative):
    """What one row pays from step `start` on; it is taken to stand behind the evaluation of it."""
    steps = 0
    for t in range(start, len(sums)):
        last = t == len(sums) - 1
        if not last and sums[t] <= thresholds[t]:
            break
        if last:
            miss = positive and not sums[t] > theta
            false = not positive and sums[t] > theta
            return (
                miss / n_positive
                + lam * false / n_negative
                + price(positive, steps, beta, n_negative)
            )
        steps += 1
    return positive / n_positive + price(positive, steps, beta, n_negative)


def price(positive, steps, beta, n_negative):
    return 0.0 if positive else beta * steps / n_negative


def objective(rows, positive, thresholds, start, theta, lam, beta):
    """Over all rows, as if all of them stood at step `start`."""
    counts = sum(positive), len(positive) - sum(positive)
    return sum(
        paid(row, p, thresholds, start, theta, lam, beta, *counts)
        for row, p in zip(rows, positive, strict=True)
    )


def reject_thresholds(rows, positive, theta, lam, beta):
    """From the last step but one down, the threshold with the smallest objective, by trial."""
    n_steps = len(rows[0])
    thresholds = [float("-inf")] * n_steps
    for t in range(n_steps - 2, -1, -1):
        values = sorted({row[t] for row in rows})
        cuts = [float("-inf")]
        cuts += [(a + b) / 2 for a, b in pairwise(values)]
        cuts += [values[-1] + 1e-9 * max(values[-1] - values[0], abs(values[-1]), 1e-300)]
        tried = [[*thresholds[:t], cut, *thresholds[t + 1 :]] for cut in cuts]
        found = [objective(rows, positive, trial, t, theta, lam, beta) for trial in tried]
        best = min(range(len(cuts)), key=lambda c: (found[c] > min(found) + 1e-9, c))
        thresholds = tried[best]
    return thresholds
