"""What every package may use and no user needs: checks of arguments and parameter objects
(``checks``), read-only arrays and weights (``arrays``), warnings, whole files and progress bars
(``output``). Nothing here depends on an ensemble. Start with ``checks``."""
