"""The trained ensemble H = (h_1 … h_N), its features, and its votes on rows.

``Ensemble`` holds the base classifiers as flat arrays, ``Votes`` their votes on some rows,
``Features`` describes the columns of X. Start with ``ensemble``.
"""
