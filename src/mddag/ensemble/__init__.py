"""H = (h_1 … h_N): trees or callables come in, votes and scores of rows go out.

``Ensemble`` holds the base classifiers as flat arrays, ``Votes`` their votes on some rows,
``Nodes`` one tree, ``callables`` base classifiers that are no trees. ``rescaling`` changes weights
and constants of base classifiers, ``partial_sums`` walks through f^(0) … f^(N), ``tasks`` has what
scores stand for. Start with ``ensemble``."""
