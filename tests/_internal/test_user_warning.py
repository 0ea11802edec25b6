import warnings

from mddag._internal.user_warning import warn_user


def test_a_warning_names_the_line_outside_of_the_package():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user("look here", UserWarning)
    assert [str(w.message) for w in caught] == ["look here"]
    assert caught[0].filename == __file__
