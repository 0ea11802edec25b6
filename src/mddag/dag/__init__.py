"""An ensemble and a policy come in, scores and classification paths of rows go out.

``compile`` makes a ``Dag``; executors run it, all with the same result to the last bit; the cost
model chooses among them; ``Trace`` is what a run leaves. Start with ``dag``."""
