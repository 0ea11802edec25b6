"""What mddag is worth, measured: a folder per subject, run as modules from the repository root.

    python -m benchmarks.fidelity         are converted models the same models?
    python -m benchmarks.speed            how fast, and other libraries; .builds, .languages
    python -m benchmarks.quality          work at equal error compared with tuned rivals; .times
    python -m benchmarks.ablation sparsify  what each part of a default is worth; train, acquire
    python -m benchmarks.adaboost         AdaBoost.MH: test errors, training time, growth
    python -m benchmarks.detection.training   Haar features: time and memory of training
    python -m benchmarks.parts.executors  parts of mddag; .learners, .learning
    python -m benchmarks.detection.opencv OpenCV's cascades compared with OpenCV
    python -m benchmarks.costs            price of the features bought, at equal error
    python -m benchmarks.clusters         rows per second of Dask, Spark and Ray
    python -m benchmarks.reproduced       which committed numbers does this code give again?

Tables and pictures are committed in benchmarks/results/<subject>; models that take long to train
are kept in out/. What the subjects share stands next to them: `data` (real data), `table` (printing
and writing results), `sections` (subjects of several tables), `clock` and `places`.
"""
