"""Batch scoring where the rows are: frames of Dask and Spark, datasets of Ray.

    scored = mddag.distributed.score(frame, model, keep=["id"])  # the same kind of frame, lazy

A frame lies in parts on several workers, each of them a process. ``door`` checks the arguments,
``plan`` says which columns are read and written, ``sent_model`` brings the model to a worker once;
``dask``, ``spark`` and ``ray`` are the engines, one function each. No engine is imported before a
frame of it is given. Start with ``door``."""

from mddag.serving.distributed.door import score as score

__all__ = ["score"]
