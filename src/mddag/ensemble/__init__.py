"""H = (h_1 … h_N): trees or callables come in, votes and scores of rows go out.

``Ensemble`` holds the base classifiers as flat arrays, ``Votes`` their votes on some rows,
``Nodes`` one tree. ``rescaling`` changes weights and constants of base classifiers, ``costs`` has
the nodes and groups of features that they read, ``tasks`` what scores stand for.
Start with ``ensemble``."""
