"""What X is: arrays and frames come in, float rows that the kernels read go out.

``Features`` describes the columns of a model and turns X into ``Rows``, which carry the mark of the
check; ``categories`` turns the values of nominal columns into codes; ``one_row`` reads a single row
in any form; ``checks`` has scikit-learn's checks of X and y. Start with ``features``."""
