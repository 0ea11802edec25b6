"""Detection in pictures: OpenCV's cascades, ours beside OpenCV 4."""
