"""Scores come in, probabilities (or means) go out, by the exit: the step at which a row quit.

``Calibration`` multiplies scores by a factor for each group of exits; ``by_exit`` fits them.
"""
