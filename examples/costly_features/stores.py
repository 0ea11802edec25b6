"""Stores of features: each group is a table by row number, and one query fetches many rows.

    SqliteStore    plain fetch; the standard library's, in memory
    PostgresStore  async fetch by asyncpg, on a pool of connections
    RedisStore     async fetch by redis-py; a row of a group is one value, packed float64

Rows come back in the order in which they are asked for, NULL as NaN. A row that is not there is an
error, never a missing value.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np

Groups = dict[str, list[int]]


class SqliteStore:
    """A table for each group in a database of the process."""

    def __init__(self, X: np.ndarray, groups: Groups) -> None:
        self.connection = sqlite3.connect(":memory:")
        for name, columns in groups.items():
            fields = ", ".join(f"c{c} REAL" for c in columns)
            self.connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {fields})")
            holes = ", ".join("?" * (len(columns) + 1))
            rows = zip(range(len(X)), *X[:, columns].T.tolist(), strict=True)
            self.connection.executemany(f"INSERT INTO {name} VALUES ({holes})", rows)
        self.fields = {name: ", ".join(f"c{c}" for c in cols) for name, cols in groups.items()}

    def fetch(self, group: str, rows: np.ndarray) -> np.ndarray:
        query = (
            f"SELECT {self.fields[group]} FROM json_each(?) AS wanted "
            f"JOIN {group} ON {group}.id = wanted.value ORDER BY wanted.key"
        )
        found = self.connection.execute(query, [json.dumps(rows.tolist())]).fetchall()
        return np.array(found, float)


class PostgresStore:
    """The same in PostgreSQL; made by ``await PostgresStore.open(...)``."""

    def __init__(self, pool: Any, groups: Groups) -> None:
        self.pool = pool
        self.fields = {name: ", ".join(f"c{c}" for c in cols) for name, cols in groups.items()}

    @classmethod
    async def open(cls, port: int, groups: Groups, connections: int = 8) -> PostgresStore:
        import asyncpg

        dsn = f"postgresql://mddag@127.0.0.1:{port}/postgres"
        pool = await asyncpg.create_pool(dsn, min_size=connections, max_size=connections)
        return cls(pool, groups)

    async def fill(self, X: np.ndarray, groups: Groups) -> None:
        async with self.pool.acquire() as connection:
            for name, columns in groups.items():
                fields = ", ".join(f"c{c} float8" for c in columns)
                await connection.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, {fields})")
                records = [(i, *row) for i, row in enumerate(X[:, columns].tolist())]
                await connection.copy_records_to_table(name, records=records)
            await connection.execute("ANALYZE")

    async def fetch(self, group: str, rows: np.ndarray) -> np.ndarray:
        query = (
            f"SELECT {self.fields[group]} FROM unnest($1::int[]) WITH ORDINALITY AS w(id, place) "
            f"JOIN {group} USING (id) ORDER BY place"
        )
        found = await self.pool.fetch(query, rows.tolist())
        return np.array([tuple(record) for record in found], float)

    async def close(self) -> None:
        self.pool.terminate()


class RedisStore:
    """Values by key "group:row"."""

    def __init__(self, port: int) -> None:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        once = Retry(NoBackoff(), 0)  # a fetch that fails is the predictor's to handle
        self.redis = Redis(host="127.0.0.1", port=port, retry=once)

    async def fill(self, X: np.ndarray, groups: Groups) -> None:
        for name, columns in groups.items():
            values = {f"{name}:{i}": row.tobytes() for i, row in enumerate(X[:, columns])}
            await self.redis.mset(values)

    async def fetch(self, group: str, rows: np.ndarray) -> np.ndarray:
        found = await self.redis.mget([f"{group}:{i}" for i in rows])
        return np.frombuffer(b"".join(found)).reshape(len(rows), -1)

    async def close(self) -> None:
        await self.redis.aclose()
