"""Features from a store, fetched only where a row needs them, against fetching everything.

    python examples/costly_features [--stores sqlite postgres redis] [--latency 0 0.5 5]

SQLite runs inside the process; its latency is slept. PostgreSQL and Redis are started on free local
ports where they are installed, behind a proxy that adds the latency; else a line says so.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.costly_features import servers
from examples.costly_features.applicants import applicants, groups
from examples.costly_features.latency import delayed
from examples.costly_features.measured import HEAD, Line, batches, single_rows
from examples.costly_features.model import buying_model
from examples.costly_features.stores import PostgresStore, RedisStore, SqliteStore
from mddag.serving.predictor import Predictor

SERVERS = {"postgres": servers.postgres, "redis": servers.redis}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stores", nargs="+", default=["sqlite", *SERVERS])
    parser.add_argument("--latency", nargs="+", type=float, default=[0.0, 0.5, 5.0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--single", type=int, default=100)
    given = parser.parse_args()
    predictor = buying_model()
    X, y = applicants(given.rows, seed=1)
    print(predictor, HEAD, sep="\n")
    for name in given.stores:
        if name == "sqlite":
            for latency in given.latency:
                run = with_sqlite(predictor, X, y, given.single, latency / 1e3)
                show(name, latency, asyncio.run(run))
            continue
        try:
            with SERVERS[name]() as server:
                asyncio.run(fill(name, server.port, X))
                for latency in given.latency:
                    with delayed(server.port, latency / 1e3) as port:
                        run = with_server(predictor, name, port, y, given.single)
                        show(name, latency, asyncio.run(run))
        except (servers.Unavailable, ModuleNotFoundError) as why:
            print(f"{name}: skipped, {why}")


def show(name: str, latency: float, lines: list[Line]) -> None:
    print(f"{name}, {latency:g} ms of latency")
    print(*lines, sep="\n")


async def opened(name: str, port: int) -> PostgresStore | RedisStore:
    return RedisStore(port) if name == "redis" else await PostgresStore.open(port, groups())


async def fill(name: str, port: int, X) -> None:
    store = await opened(name, port)
    await store.fill(X, groups())
    await store.close()


async def with_server(predictor: Predictor, name: str, port: int, y, n_single: int) -> list[Line]:
    store = await opened(name, port)
    try:
        batch = await batches(predictor, store.fetch, y)
        return batch + await single_rows(predictor, store.fetch, y, n_single)
    finally:
        await store.close()


async def with_sqlite(
    predictor: Predictor, X, y, n_single: int, seconds: float = 0.0
) -> list[Line]:
    """Every fetch sleeps so many seconds, as if the store were elsewhere."""
    store = SqliteStore(X, groups())

    async def fetch(group, rows):
        if seconds:
            await asyncio.sleep(seconds)
        return store.fetch(group, rows)

    batch = await batches(predictor, fetch, y)
    return batch + await single_rows(predictor, fetch, y, n_single)


if __name__ == "__main__":
    main()
