"""The panels of Figure 2."""


def drawn(*a): ...
