"""The example with costly features: stores give what was put in, servers start and end, and a
server that is killed in mid-run leaves rows with what they have, marked."""

import asyncio
import socket
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import mddag
from examples.costly_features import servers
from examples.costly_features.applicants import PRICES, SIZES, applicants, groups
from examples.costly_features.latency import delayed
from examples.costly_features.measured import batches, everything, single_rows
from examples.costly_features.model import buying_model
from examples.costly_features.stores import PostgresStore, RedisStore, SqliteStore
from mddag import DoubtfulResult
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

N = 60


@pytest.fixture(scope="module")
def predictor():
    """Two stumps for each group, the cheap groups first; rows quit when they are sure."""
    trees, features = [], Features(sum(SIZES.values()))
    for columns in groups().values():
        for column in columns[:2]:
            tree = TreeBuilder()
            leaves = tree.leaf(np.array([-0.6])), tree.leaf(np.array([0.6]))
            trees.append(tree.finish(tree.split(column, 0.1 * column, *leaves, missing_left=True)))
    ensemble = Ensemble.from_trees(trees, features=features, bias=0.1, classes=[0, 1])
    actions = np.tile([QUIT, EVAL, QUIT], (len(trees), 1))
    policy = Policy(actions, Grid([-1.0, 1.0]), np.arange(len(trees)))
    model = Predictor(Model(mddag.compile(ensemble, policy)))
    return model.with_prices(PRICES, groups(), 0.2)


def test_the_model_of_the_example_buys():
    """Quickly: few rows, and one thread, since several wait for each other on a busy machine."""
    with threadpool_limits(1):
        model = buying_model(1200, max_iter=3)
    X, _ = applicants(N, seed=1)
    store = SqliteStore(X, groups())
    np.testing.assert_array_equal(model.predict_lazy(store.fetch, n_rows=N), model.predict(X))
    assert model.feature_prices.names == tuple(PRICES)


@pytest.fixture(scope="module")
def rows():
    return applicants(N, seed=1)


@pytest.fixture(scope="module")
def postgres_data():
    """Made once: that takes longer than to start a server. None where it cannot be made."""
    try:
        with servers.postgres_data() as folder:
            yield folder
    except servers.Unavailable:
        yield None


@pytest.fixture(params=["postgres", "redis"])
def server(request, postgres_data):
    """A server of each kind, where it is installed."""
    pytest.importorskip({"postgres": "asyncpg", "redis": "redis"}[request.param])
    started = {"postgres": lambda: servers.postgres(postgres_data), "redis": servers.redis}
    try:
        with started[request.param]() as running:
            running.__dict__["name"] = request.param
            yield running
    except servers.Unavailable as why:
        pytest.skip(str(why))


async def opened(name, port):
    return RedisStore(port) if name == "redis" else await PostgresStore.open(port, groups(), 2)


def test_applicants_are_always_the_same():
    X, y = applicants(50)
    np.testing.assert_array_equal(X, applicants(50)[0])
    assert np.isnan(X).any()
    assert set(y) == {0, 1}
    assert groups().keys() == PRICES.keys()


def test_sqlite(predictor, rows):
    X, _ = rows
    store = SqliteStore(X, groups())
    wanted = np.array([5, 2, 7])
    np.testing.assert_array_equal(store.fetch("bank", wanted), X[wanted][:, groups()["bank"]])
    result = predictor.predict_lazy(store.fetch, n_rows=N, return_details=True)
    np.testing.assert_array_equal(result.predictions, predictor.predict(X))
    assert result.feature_cost.mean() < predictor.feature_prices.costs.sum()
    one = predictor.predict_one_lazy(lambda group: store.fetch(group, np.array([3]))[0])
    assert one == predictor.predict(X[3:4])[0]
    with pytest.raises(ValueError, match=r"gave shape .*; wanted numbers of shape"):
        predictor.predict_lazy(lambda g, r: store.fetch(g, r + N), n_rows=2)  # rows not there


def test_servers_behind_latency(predictor, rows, server):
    X, y = rows

    async def work():
        store = await opened(server.name, server.port)
        await store.fill(X, groups())
        np.testing.assert_array_equal(await everything(predictor, store.fetch, np.arange(N)), X)
        await store.close()
        with delayed(server.port, 5e-3) as port:
            store = await opened(server.name, port)
            began = time.perf_counter()
            await store.fetch("form", np.arange(3))
            assert time.perf_counter() - began >= 5e-3
            lines = await batches(predictor, store.fetch, y)
            lines += await single_rows(predictor, store.fetch, y, 3)
            await store.close()
        return lines

    lazy, full, one_lazy, one_full = asyncio.run(work())
    assert lazy.accuracy == full.accuracy
    assert lazy.groups < full.groups == len(PRICES)
    assert one_lazy.calls <= one_full.calls == len(PRICES)


@pytest.mark.parametrize("on_error", ["quit", "raise"])
def test_a_server_killed_in_mid_run(predictor, rows, server, on_error):
    """After the first fetch nothing answers: rows have the form, and say that they want more."""
    X, _ = rows
    calls = []

    async def work():
        store = await opened(server.name, server.port)
        await store.fill(X, groups())

        async def fetch(group, wanted):
            found = await store.fetch(group, wanted)
            calls.append(group)
            if len(calls) == 1:
                server.kill()
            return found

        try:
            return await predictor.predict_lazy_async(
                fetch, n_rows=N, on_error=on_error, timeout=5, return_details=True
            )
        finally:
            await store.close()

    if on_error == "raise":
        with pytest.raises(Exception, match=r".") as caught:
            asyncio.run(work())
        assert "was fetched for" in caught.value.__notes__[0]
        return
    began = time.monotonic()
    with pytest.warns(DoubtfulResult, match="rows quit early, since a fetch failed"):
        result = asyncio.run(work())
    assert time.monotonic() - began < 30
    trace, form = predictor.run(X), result.names.index("form")
    assert calls == ["form"]
    assert result.failed.any()
    np.testing.assert_array_equal(result.failed, trace.groups.sum(axis=1) > 1)
    assert result.groups.sum(axis=1).tolist() == [1] * N
    assert result.groups[:, form].all()
    well = ~result.failed
    np.testing.assert_array_equal(result.predictions[well], predictor.predict(X)[well])
    np.testing.assert_array_equal(result.predictions, (result.scores[:, 0] > 0).astype(int))


def test_servers_end_with_their_use(server):
    server.kill()
    with socket.socket() as tried:
        assert tried.connect_ex(("127.0.0.1", server.port)) != 0


def test_a_server_that_is_not_installed_says_so(monkeypatch):
    monkeypatch.setattr(servers.shutil, "which", lambda *_, **__: None)
    with pytest.raises(servers.Unavailable, match="there is no redis-server; on Debian"):
        servers.redis().__enter__()
