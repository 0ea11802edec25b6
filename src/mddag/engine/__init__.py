"""An ensemble and a policy come in, scores and classification paths of rows go out.

``compile`` makes a ``Dag`` of them; its ``Program`` is what executors run, all with the same result
to the last bit; the cost model chooses among them; ``Trace`` is what a run leaves. Start with
``dag``."""
