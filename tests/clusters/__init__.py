"""Engines of clusters, run for real: equal results, and workers that are killed."""
