"""Object detection: learn a detector from patches, or reject rows early at a wanted rate.

The public names are in ``__init__.pyi`` and loaded when first used: a detector is read and run
without scikit-learn.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
