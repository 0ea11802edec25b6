"""The default solver: an MDP comes in; the best candidate of several solvers, in several
arrangements of the base classifiers, goes out.

``portfolio`` has the plan: start there. ``arranged_rows`` makes an MDP for each arrangement,
``refitting`` fits leaf values again, ``descent_member`` decides where descents run, ``candidates``
estimates losses on held-out rows and keeps the candidates. ``log_loss`` has what is different for a
loss of probabilities.
"""
