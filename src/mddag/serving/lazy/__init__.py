"""Prediction with features that are fetched as rows need them.

A ``Session`` says which groups are wanted by which rows, wave by wave, and takes the answers; what
calls the user's function is beside it: ``calls`` one by one, ``concurrent_calls`` several at a
time. ``predictions`` has the methods of a Predictor. Start with ``session``."""
