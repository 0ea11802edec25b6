"""Whatever is in a file: it is refused with a ModelFileError, or all executors agree on its model.

`make fuzz` runs ten times as many cases.
"""

import os

import pytest

from mddag.serving.model_file import ModelFileError
from mddag.serving.model_file.container import unpack
from tests.serving.model_file.agreement import check
from tests.serving.model_file.fuzz import fuzz
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
