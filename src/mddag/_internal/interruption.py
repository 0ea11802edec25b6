"""Interruption: what Ctrl-C does to work under way.

It raises KeyboardInterrupt, and nothing is changed. With on_interrupt="return" what was found by
then is returned, with the warning `Interrupted`; before there is anything it raises all the same.
The outermost call decides which of the two; calls inside it only report that Ctrl-C came.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mddag._internal.checks import check_one_of
from mddag._internal.user_warning import warn_user

WAYS = ("raise", "return")


class Interrupted(UserWarning):
    """Ctrl-C came, and what was found by then is returned: on_interrupt is "return"."""


def check_on_interrupt(on_interrupt: Any) -> None:
    """Refuse what is none of WAYS."""
    check_one_of("on_interrupt", on_interrupt, WAYS)


@contextmanager
def ending_all() -> Iterator[None]:
    """One Ctrl-C ends everything inside: `Interrupted` is raised, not warned of.

    Filters of warnings belong to all threads, and only the main one is ever interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", Interrupted)
        yield


@contextmanager
def keeping(on_interrupt: str, kept: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C, of a solver inside too, ends what is inside: by an error, or, with "return", by a
    warning, and what was found by then is kept.

    kept : what that is, for the warning; "" where there is nothing yet, so that it is an error
    """
    try:
        with ending_all():
            yield
    except (KeyboardInterrupt, Interrupted):
        message = kept() if on_interrupt == "return" else ""
        if not message:
            raise KeyboardInterrupt from None
        warn_user(message, Interrupted)
