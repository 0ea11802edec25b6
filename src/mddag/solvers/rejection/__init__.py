"""Rejection: one threshold per step below which a row is rejected, for detection.

``thresholds`` finds them by backward induction, ``operating_point`` says what they are for,
``cascades`` are the candidates, ``rejection`` is the solver: start there.
"""
