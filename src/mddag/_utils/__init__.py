"""Helpers of every package: argument checks, read-only arrays and weights, warnings, output.

Nothing here depends on an ensemble. Start with ``checks``.
"""
