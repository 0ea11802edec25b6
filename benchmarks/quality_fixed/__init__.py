"""Work at equal error where all trees have one shape: evaluations that match the full ensemble.

    MDDAG_DATA=... python -m benchmarks.quality_fixed [--only electricity ...] [--seeds 0 1 ...]
        [--ensembles LightGBM] [--resume | --again] [--quick] [--train] [--fresh]

The older of two tables: full models and retrained rivals alike have trees of 8 leaves, so it does
not show what a user gains by deeper trees (benchmarks.quality does). It compares the members of
the portfolio with each other.

Eight data sets (four others with --fresh), two ensembles, five seeds. `split` says how rows are
parted, `models` what is trained, `curves` how curves are read, `rivals` and `methods` what
competes. Test rows are only read. Trained models and finished problems are kept in
out/quality_fixed (out/quality_fixed_fresh), so that Ctrl-C loses nothing: --resume goes on, --train
only trains, and a changed solver needs neither training nor, with --again, the rivals solved anew.
After each problem the tables and the picture, main.* and fresh.* of
benchmarks/results/quality_fixed, are made anew from all that is there.
"""
