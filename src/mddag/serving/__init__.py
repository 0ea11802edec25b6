"""Prediction without scikit-learn: a ``Dag`` with calibration and labels, or a file of one, comes
in; a ``Predictor``, a model file or a C header goes out.

``model_file`` writes and reads files without running code, ``predictor`` predicts, ``export``
writes C; ``distributed`` scores rows that lie on clusters, ``mlflow`` keeps models in MLflow.
Nothing here imports scikit-learn. Start with ``predictor``."""
