"""Detection measured: training on Haar features of patches, faces in pictures, OpenCV's cascades.

    MDDAG_DATA=... python -m benchmarks.detection.training [--rounds 200] [--threads 2]
    MDDAG_DATA=... python -m benchmarks.detection.opencv
    MDDAG_DATA=... python -m benchmarks.detection.faces

Tables go to benchmarks/results/detection.
"""
