"""One row of bad input: an id, a call, the exception, and words of its message.

Every message is a sentence that says what was got, and none is what Python or numpy says by itself.
"""

import re

import pytest

RAW = r"has no attribute|object is not|not supported between|could not convert|truth value of"


def each(rows):
    """A test's arguments (call, error, words), once per row."""
    cases = [pytest.param(*row[1:], id=row[0]) for row in rows]
    return pytest.mark.parametrize(("call", "error", "words"), cases)


def said(call, error):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def check(call, error, words):
    message = said(call, error)
    assert re.search(words, message)
    assert not re.search(RAW, message)
