"""Work at equal error compared with what a good engineer would do instead: the yardstick.

    MDDAG_DATA=... python -m benchmarks.quality [--only electricity ...] [--libraries LightGBM ...]
        [--seeds 0 1 ...] [--parts rivals sparsify train] [--again] [--quick]
    MDDAG_DATA=... python -m benchmarks.quality.times

A full model is tuned on validation rows, its shape included (`tuning`). Rivals make it cheaper in
every way that needs no mddag: smaller models of any shape, with and without a margin rule, and
prefix, margin rule, LightGBM's early stop and QWYC on the full one (`rivals`). `ours` are sparsify
and train. Costs are counted in base classifiers and in nodes (`nodes`), and measured as time
(`times`). Each method's settings are chosen on policy rows; test rows only read its curve
(`curves`). Docs: docs/yardstick.md.

What is finished is kept in out/quality and not done again, unless --again says so, for the parts
that are named. After each problem the tables and the picture, benchmarks/results/quality, are made
again.
"""
