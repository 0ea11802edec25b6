"""Object detection: learn a detector from patches, or reject rows early at a wanted rate.

| name | purpose |
|---|---|
| Detector | learns an object from patches and finds it in images; reads cascade files of OpenCV |
| sparsify | makes a trained ensemble a cascade of rejects for a wanted FPR or TPR |
| Rejection | the solver that learns these cascades |
| Haar | the learner of stumps and trees on patches |
| VJCascadeClassifier, SoftCascadeClassifier, FCBoostClassifier, WaldBoostClassifier | the classic cascades, as scikit-learn estimators |

A `WindowClassifier` says which windows of a scanned image hold the object. It comes from training
(`training`) or from a cascade file of OpenCV (`opencv`). The public names are listed in
``__init__.pyi`` and loaded when first used: a detector is read and run without scikit-learn.
"""  # noqa: E501

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
