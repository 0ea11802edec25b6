"""SentModel: a model on its way to workers, as the bytes of its file, under their hash.

An engine brings the bytes to a worker once. Every part of the rows that is scored there names the
hash; ``loaded`` reads the bytes for the first of them and keeps the Predictor for the others, in
the process, for its threads together. A model file runs no code when it is read, so nothing but
data is sent.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor, predictor_of

MOST_LOADED = 4  # workers live long: the model that was used longest ago makes room

_loaded: OrderedDict[str, Predictor] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class SentModel:
    """The bytes of a model file, and their SHA-256."""

    digest: str
    content: bytes

    @classmethod
    def of(cls, model: Model) -> SentModel:
        content = model.to_bytes()
        return cls(hashlib.sha256(content).hexdigest(), content)

    def predictor(self) -> Predictor:
        """The model, loaded once in a process."""
        return loaded(self.digest, lambda: self.content)


def loaded(digest: str, fetch: Callable[[], bytes]) -> Predictor:
    """The model of that hash; its bytes are fetched where this process has not loaded it."""
    with _lock:
        if digest not in _loaded:
            _loaded[digest] = predictor_of(Model.from_bytes(fetch()), n_threads=1)
            while len(_loaded) > MOST_LOADED:
                _loaded.popitem(last=False)
        _loaded.move_to_end(digest)
        return _loaded[digest]
