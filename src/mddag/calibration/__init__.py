"""Scores come in, probabilities (or means) go out, by the exit: the step at which a row quit.

``Calibration`` multiplies scores by a factor for each group of exits. ``platt`` fits one factor,
``by_exit`` one for each group. Start with ``calibration``."""
