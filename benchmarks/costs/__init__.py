"""Costly features: mean price of the features bought, at equal error, against rivals.

    python -m benchmarks.costs            measure what is missing, then write tables and picture
    python -m benchmarks.costs --report   tables and picture of what was measured

Every data set has a stated price list (`price_lists`). Per seed, rows are drawn again for training,
policy and test; models of feature sets are trained once and serve all methods. Whatever is tuned is
tuned on policy rows. Curves are kept in out/costs, seed by seed, and joined in
benchmarks/results/costs/curves.csv.
"""
