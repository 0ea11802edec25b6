"""A fitted model leaves scikit-learn: a ``Predictor``, a file, or source code of another language.

``model_file`` writes and reads files without running code, ``predictor`` predicts, ``export``
writes C. Nothing here imports scikit-learn. Start with ``predictor``."""
