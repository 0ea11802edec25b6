"""Data sets of the paper's experiments: rows and labels go out, nothing is downloaded.

``two_clusters`` is drawn at random from a seed; ``load_letor`` reads the folds of LETOR 4.0 from
the files of a folder."""

from mddag.datasets.letor import load_letor as load_letor
from mddag.datasets.two_clusters import two_clusters as two_clusters

__all__ = ["load_letor", "two_clusters"]
