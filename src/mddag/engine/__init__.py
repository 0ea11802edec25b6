"""The engine runs a policy over an ensemble: rows in, scores and classification paths out.

``compile`` makes a ``Dag``; its ``Program`` is what the executors run, all with the same result to
the last bit; the cost model chooses among them. Start with ``dag``.
"""
