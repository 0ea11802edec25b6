"""Detection measured: training on Haar features of patches.

    MDDAG_DATA=... python -m benchmarks.detection.training [--rounds 200] [--threads 2]

Tables go to benchmarks/results/detection.
"""
