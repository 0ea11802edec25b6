import numpy as np

from mddag.serving.lazy.result import Fault
from tests.serving.lazy.stores import Table
from tests.serving.lazy.test_predictions import priced


def test_a_result_says_what_it_is():
    predictor, X = priced("prices")
    result = predictor.predict_lazy(Table(predictor, X), n_rows=len(X), return_details=True)
    assert len(result) == len(X)
    assert repr(result).startswith(f"<LazyResult of {len(X)} rows: ")
    assert "of 5 groups each on average" in repr(result)
    assert "failed" not in repr(result)


def test_a_fault_says_what_failed():
    fault = Fault("bank", np.arange(3), OSError("gone"))
    assert str(fault) == "group 'bank', 3 rows: OSError: gone"
