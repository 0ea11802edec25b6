"""Data sets of the paper's experiments that are drawn at random, not downloaded: a seed comes in,
rows and labels go out. There is one, ``two_clusters``."""

from mddag.datasets.two_clusters import two_clusters as two_clusters

__all__ = ["two_clusters"]
