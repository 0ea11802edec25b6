"""What every package may use and no user needs: checks of arguments, read-only arrays, parameters
as scikit-learn knows them, progress, sampling of rows, weights of rows, Ctrl-C, files that are
written whole. Nothing here knows what an ensemble is. Start with ``checks``."""
