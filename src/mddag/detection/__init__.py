"""Objects in pictures: windows of all places and scales, classified, and overlapping hits grouped.

``cascades`` has the classic cascades of detection, each of them a `Dag`.
"""
