"""Are converted models the same models? Largest score difference and differing labels, by library.

    [MDDAG_DATA=...] python -m benchmarks.fidelity [--out FILE]

Trains every supported kind of model (`cases`) on real data (`tasks`; synthetic rows of the same
shapes without MDDAG_DATA), converts it and compares on every test row. Prints Markdown and writes
benchmarks/results/fidelity/models.csv, out/fidelity/synthetic.csv without data; fails if a label
differs.
"""
