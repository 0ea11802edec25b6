"""Objects in pictures: windows of all places and scales, classified, and overlapping hits grouped.

A `WindowClassifier` says which windows of a scanned picture hold the object. It comes from training
or from a cascade file of OpenCV (`read_cascade`).
"""
