"""What every package may use and no user needs. Arguments come in, checked arguments go out
(``checks``, ``weights``); beside them are read-only arrays, parameter objects, progress bars,
samples of rows, Ctrl-C, warnings, and files that are written whole. Nothing here depends on an
ensemble. Start with ``checks``."""
