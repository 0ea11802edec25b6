import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from mddag._internal.read_only import ReadOnlyArrays, read_only


@dataclass(frozen=True, eq=False)
class Pair(ReadOnlyArrays):
    numbers: np.ndarray


def test_a_read_only_array_is_a_copy_that_cannot_be_written():
    source = np.arange(3)
    kept = read_only(source, np.float64)
    source[0] = 7
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


@pytest.mark.parametrize("again", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_stay_read_only(again):
    pair = Pair(read_only(np.arange(3), None))
    object.__setattr__(pair, "derived", 1)
    other = again(pair)
    assert not other.numbers.flags.writeable
    assert not hasattr(other, "derived")
