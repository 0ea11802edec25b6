from mddag.sampling import spaced_rows


def test_spaced_rows():
    assert spaced_rows(3, 5).tolist() == [0, 1, 2]
    assert spaced_rows(101, 3).tolist() == [0, 50, 100]
