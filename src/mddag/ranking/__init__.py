"""Ranking: the documents of a query quit where they can hardly change its order any more.

    fast = mddag.ranking.sparsify(ranker, X, y, qid=qid, max_disagreement=0.005)
    fast.predict(X_new, qid_new)   # to sort the documents of each query by

| module | what it has |
|---|---|
| tuning | ``sparsify``: one target in, a fitted MDDAGRanker out |
| estimator | ``MDDAGRanker``, the same for scikit-learn |
| front | settings of exits, cross-fitted, for a target to choose from |
| exits | ``UrgencyExits`` and ``ProximityExits``: how documents quit |
| problem | votes on documents by query; the order of trees and the readings fitted from them |
| states | readings, and the numbers of documents that policies decide by |
| executor | runs a policy on all documents of a query together |
| predictor, model_file, report | serving a ranker, its part of a model file and of a report |

Metrics are in ``mddag.metrics``. Names are loaded when first used: loading a model file needs no
scikit-learn.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
