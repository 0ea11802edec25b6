"""Which committed numbers does this code give again? Parts of the tables, made again and compared.

    MDDAG_DATA=... MDDAG_ANCHORS=... python -m benchmarks.reproduced [--only 'quality/*' ...]
                                                                     [--list] [--out FOLDER]

A part is some rows of a CSV under benchmarks/results or experiments/results, mostly of one data set
and seed 0; `parts` has them all. Cells are compared as text with those of the committed rows,
columns of time excepted. Nothing committed is written: rows and trained models go to FOLDER,
out/reproduced. Fails if a cell differs. Numbers of trained models depend on the versions of their
libraries and, in the last digits, on the processor: where they differ, run the code before the
change on the same machine.
"""
