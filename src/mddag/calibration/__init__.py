"""Scores come in, probabilities (or means) go out, by the step at which a row left.

``Calibration`` applies the numbers, ``platt`` fits one factor of log-odds, ``by_exit`` one for each
group of exits. Start with ``calibration``."""
