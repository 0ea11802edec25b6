"""The default solver: an MDP comes in; the best candidate of several solvers, in several
arrangements of the base classifiers, goes out.

``portfolio`` has the plan: start there. ``arranged_rows`` makes an MDP for each arrangement,
``descent_member`` decides where descents run, ``judge`` estimates the loss of each candidate on
held-out rows, ``entries`` keeps candidates and estimates. For a loss of probabilities ``reading``,
``mixture`` and ``log_odds`` define what scores stand for, which targets are learned, and which base
classifiers stand for all.
"""
