"""Work at equal error: how many base classifiers a method evaluates to match the full ensemble.

    MDDAG_DATA=... python -m benchmarks.quality [--only electricity ...] [--ensembles LightGBM]
                                                [--seeds 0 1 ...] [--resume | --again] [--quick]
                                                [--train] [--fresh]

Eight data sets (four others with --fresh), two ensembles, five seeds. `split` says how rows are
parted, `models` what is trained, `curves` how curves are read, `rivals` and `methods` what
competes. Test rows are only read. Trained models and finished problems are kept in out/quality
(out/quality_fresh), so that Ctrl-C loses nothing: --resume goes on, --train only trains, and a
changed solver needs neither training nor, with --again, the rivals solved anew. After each problem
the tables and the picture, main.* and fresh.* of benchmarks/results/quality, are made anew from all
that is there.
"""
