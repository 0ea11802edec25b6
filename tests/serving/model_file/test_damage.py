"""Whatever is in a file: it is refused with a ModelFileError, or all executors agree on its model.

`make fuzz` runs ten times as many cases.
"""

import os
import signal

import pytest

from mddag.serving.model_file import ModelFileError
from mddag.serving.model_file.container import unpack
from tests.serving.model_file import fuzz as fuzzing
from tests.serving.model_file.agreement import check
from tests.serving.model_file.fuzz import Worker, fuzz, outcome
from tests.serving.model_file.kinds import KINDS
from tests.serving.model_file.mutations import mutated

CASES = int(os.environ.get("MDDAG_FUZZ", "300"))


@pytest.mark.parametrize("kind", KINDS)
def test_executors_agree_on_the_models_themselves(kind):
    check(KINDS[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_or_run(kind):
    counts, failures = fuzz(kind, 0, CASES)
    assert not failures, (
        f"python -m tests.serving.model_file.fuzz --kind {kind} --case N: {failures[:5]}"
    )
    assert counts.total() == CASES
    assert counts["loaded"] > 0.1 * CASES  # most damage is found; what is not must be run
    assert counts["refused"] > 0.5 * CASES


def test_a_case_is_always_the_same_file():
    content = KINDS["classes"]().to_bytes()
    files = [mutated(content, number) for number in range(60)]
    assert files == [mutated(content, number) for number in range(60)]
    assert len(set(files)) > 50


def test_every_tensor_and_every_field_is_changed():
    metadata, tensors = unpack(KINDS["whole_model"]().to_bytes())
    wanted, changed = {*metadata, *tensors}, set()
    for number in range(CASES):
        try:
            parts = unpack(mutated(KINDS["whole_model"]().to_bytes(), number))
        except ModelFileError:
            continue
        for before, after in zip((metadata, tensors), parts, strict=True):
            same = {name for name in before if name in after and _same(before[name], after[name])}
            changed |= before.keys() - same
    assert changed == wanted


def _same(a, b):
    return a.tobytes() == b.tobytes() if hasattr(a, "tobytes") else a == b


@pytest.fixture
def whole():
    return KINDS["whole_model"]().to_bytes()


def test_what_fails_is_counted(monkeypatch, whole):
    def fails(error):
        def check(model):
            raise error

        return check

    for error, name in ((MemoryError(), "memory breaches"), (IndexError(), "other errors")):
        monkeypatch.setattr(fuzzing, "check", fails(error))
        assert outcome(whole)[0] == name
    assert outcome(b"")[0] == "refused"


def test_workers_that_die_or_hang_are_counted(monkeypatch):
    """The first worker is killed, the second stopped, the third left alone."""
    sent = iter([signal.SIGKILL, signal.SIGSTOP])

    class Doomed(Worker):
        def __iter__(self):
            for i, line in enumerate(super().__iter__()):
                yield line
                if i == 2 and (its := next(sent, None)):
                    self.process.send_signal(its)
                    if its == signal.SIGSTOP:
                        self.patience = 0.1

    monkeypatch.setattr(fuzzing, "Worker", Doomed)
    counts, failures = fuzz("whole_model", 0, 150)
    assert [name for name, *_ in failures] == ["crashes", "hangs"]
    assert "exit code -9" in failures[0][2]
    assert counts.total() == 150
