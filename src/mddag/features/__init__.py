"""What X is: arrays and frames come in, float rows that the kernels read go out.

``Features`` describes the columns of a model and turns X into ``Rows``, which carry the mark of the
check, and reads single rows in any form; ``categories`` turns the values of nominal columns into
codes; ``checks`` has scikit-learn's checks of X and y. Start with ``features``."""
