"""The default solver: it runs other solvers in several arrangements of the base classifiers, and
rows held out choose among their candidates (``judge``). Start with ``portfolio``."""
