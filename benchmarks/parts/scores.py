"""How fast is Ensemble.scores? The same 1000 trees of 8 leaves as LightGBM's own predict.

    python -m benchmarks.parts.scores [--rows 20000] [--repeats 7] [--loads 3]

Both run in one process, turn by turn, on the same float64 and float32 rows with the same number of
threads. Speed of a LightGBM model depends on where its trees lie in memory, so it is loaded several
times and the fastest load counts. Prints the ratio LightGBM / ours: above 1 means ours is faster.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification

from benchmarks.clock import turns
from benchmarks.table import line, markdown
from mddag import as_ensemble

HEAD = ("rows", "threads", "LightGBM, s", "mddag, s", "LightGBM / mddag", "spread over repeats")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--loads", type=int, default=3)
    options = parser.parse_args()
    X, y = make_classification(options.rows, 50, n_informative=20, random_state=0)
    model = lgb.LGBMClassifier(n_estimators=1000, num_leaves=8, verbose=-1, n_jobs=1).fit(X, y)
    text = model.booster_.model_to_string()
    boosters = [lgb.Booster(model_str=text) for _ in range(options.loads)]
    ensemble = as_ensemble(model)
    print(*markdown(HEAD, []), sep="\n")
    for dtype in (np.float64, np.float32):
        rows = X.astype(dtype)
        for n_jobs in (1, 2):
            calls: list[Callable[[], object]] = [
                lambda b=booster, n=n_jobs, r=rows: b.predict(r, raw_score=True, num_threads=n)
                for booster in boosters
            ]
            calls.append(lambda n=n_jobs, r=rows: ensemble.scores(r, n_jobs=n))
            taken = turns(calls, options.repeats).T
            theirs, ours = taken[:-1].min(axis=0), taken[-1]
            ratios = theirs / ours
            times = f"{theirs.min():.3f}", f"{ours.min():.3f}", f"{theirs.min() / ours.min():.2f}"
            spread = f"{ratios.min():.2f} to {ratios.max():.2f}"
            print(line([np.dtype(dtype).name, n_jobs, *times, spread]))


if __name__ == "__main__":
    main()
