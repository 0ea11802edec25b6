"""A Trace or a Curve comes in, a picture goes out; matplotlib is imported when one is drawn.

Start with ``plotting.graph``, the DAG as counts of paths, which two of the pictures show.
``versions`` says what runs here: the machine, the level of kernels, the packages."""
