"""SentModel: the bytes of a model file, loaded once in a process."""

import pickle

import pytest

import mddag
from mddag.serving.distributed import sent_model
from mddag.serving.distributed.sent_model import MOST_LOADED, SentModel, loaded
from mddag.serving.model_file import Model
from tests.messages.models import X, fast, regressor


@pytest.fixture(autouse=True)
def nothing_loaded():
    sent_model._loaded.clear()


def sent():
    return SentModel.of(fast().predictor().model)


def test_the_same_model_has_the_same_hash():
    assert sent() == sent()
    assert pickle.loads(pickle.dumps(sent())) == sent()


def test_the_loaded_model_is_the_same():
    assert (sent().predictor().predict(X) == fast().predict(X)).all()
    assert sent().predictor().n_threads == 1


def test_bytes_are_fetched_once():
    calls = []

    def fetch():
        calls.append(1)
        return sent().content

    assert loaded("a", fetch) is loaded("a", fetch)
    assert len(calls) == 1


def test_the_model_used_longest_ago_makes_room():
    for name in range(MOST_LOADED):
        loaded(str(name), lambda: sent().content)
    loaded("0", lambda: pytest.fail("it is there"))
    loaded("another", lambda: sent().content)
    assert list(sent_model._loaded) == [*map(str, range(2, MOST_LOADED)), "0", "another"]


def test_a_failed_fetch_leaves_nothing_behind():
    with pytest.raises(OSError, match="gone"):
        loaded("a", lambda: (_ for _ in ()).throw(OSError("gone")))
    assert loaded("a", lambda: sent().content).predict(X).shape == (len(X),)


def test_regressors_are_sent_too():
    model = Model(mddag.compile(mddag.as_ensemble(regressor())))
    assert SentModel.of(model).predictor().classes_ is None
