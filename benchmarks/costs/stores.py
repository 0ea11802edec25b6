"""Real stores: fetching as needed against fetching everything, batches and single rows.

    python -m benchmarks.costs.stores [--repeats 3]

The model, rows and stores of examples/costly_features: SQLite in the process, PostgreSQL and Redis
on local ports. Latency is added to each round trip, by a proxy, or by sleeping where SQLite is
asked. Times are medians of the repeats, on an otherwise idle machine. Written to
benchmarks/results/costs: stores.csv and stores.md.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np

from benchmarks.places import RESULTS
from benchmarks.table import kept, markdown
from examples.costly_features import servers
from examples.costly_features.__main__ import SERVERS, fill, with_server, with_sqlite
from examples.costly_features.applicants import applicants
from examples.costly_features.latency import delayed
from examples.costly_features.measured import Line
from examples.costly_features.model import buying_model
from mddag.serving.predictor import Predictor

LATENCIES = (0.0, 0.5, 5.0)  # milliseconds
N_ROWS, N_SINGLE = 2000, 100
FIELDS = ("store", "latency_ms", "mode", "accuracy", "groups", "waves", "calls", "milliseconds")
HEAD = ("store", "latency, ms", "fetching", "accuracy", "groups", "waves", "calls", "ms a row")
PLACE = RESULTS / "costs"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    n_repeats = parser.parse_args().repeats
    rows = kept(PLACE / "stores.csv", FIELDS, measured(buying_model(), n_repeats))
    text = ["# Features from stores: as needed, and all of them", ""]
    text += [
        f"Made by `python -m benchmarks.costs.stores`: batches of {N_ROWS} rows, and {N_SINGLE}"
    ]
    text += ["rows one after the other. Groups, waves, calls and milliseconds are per row.", ""]
    text += markdown(HEAD, ([row[field] for field in FIELDS] for row in rows))
    (PLACE / "stores.md").write_text("\n".join(text) + "\n")


def measured(predictor: Predictor, n_repeats: int) -> Iterator[dict[str, object]]:
    """A row for each store, latency and way of fetching."""
    X, y = applicants(N_ROWS, seed=1)
    for latency in LATENCIES:
        run = [
            asyncio.run(with_sqlite(predictor, X, y, N_SINGLE, latency / 1e3))
            for _ in range(n_repeats)
        ]
        yield from _told("sqlite", latency, run)
    for name, started in SERVERS.items():
        try:
            with started() as server:
                asyncio.run(fill(name, server.port, X))
                for latency in LATENCIES:
                    with delayed(server.port, latency / 1e3) as port:
                        run = [
                            asyncio.run(with_server(predictor, name, port, y, N_SINGLE))
                            for _ in range(n_repeats)
                        ]
                        yield from _told(name, latency, run)
        except (servers.Unavailable, ModuleNotFoundError) as why:
            print(f"{name}: skipped, {why}")


def _told(store: str, latency: float, runs: list[list[Line]]) -> Iterator[dict[str, object]]:
    for same in zip(*runs, strict=True):
        middle = float(np.median([line.milliseconds for line in same]))
        line = asdict(replace(same[0], milliseconds=middle))
        rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in line.items()}
        yield {"store": store, "latency_ms": latency} | rounded


if __name__ == "__main__":
    main()
