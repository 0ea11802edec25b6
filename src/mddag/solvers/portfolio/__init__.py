"""The default solver, which takes the best candidate of several solvers in several orders.

``portfolio`` has the plan: start there. ``arranged_rows`` makes an MDP for each arrangement,
``candidates`` estimates losses on held-out rows and keeps the candidates.
"""
