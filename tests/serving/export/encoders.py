"""Rows by name for the encoders of exported languages, and what they must become."""

import json
import math

import numpy as np

from tests.serving.export.cases import categorical_model

ROWS = [
    {"colour": "red", "weight": 0.1, "size": 50},
    {"colour": "bl\u00fce", "weight": -3, "size": 1},
    {"colour": '"', "weight": None, "size": None},
    {"colour": None, "weight": 1e30, "size": 2.0},
    {"colour": "violet", "weight": True, "size": 7},
]
REFUSED = [
    {"colour": "red", "weight": 0.1},
    {"colour": "red", "weight": 0.1, "size": 50, "age": 3},
    {"colour": 2, "weight": 0.1, "size": 50},
    {"colour": "red", "weight": "heavy", "size": 50},
]


def wanted():
    """The library's rows, float32, of ROWS; then one line for each that is refused."""
    features = categorical_model().predictor().model.dag.ensemble.features
    rows = [
        [
            features.nominal[i].code(v) if i in features.nominal else number(v)
            for i, v in enumerate(row.values())
        ]
        for row in ROWS
    ]
    return np.array(rows, np.float32)


def number(value):
    return math.nan if value is None else float(value)


def read(text):
    """Lines of numbers, or `refused`, that a program printed."""
    lines = text.split("\n")[: len(ROWS) + len(REFUSED)]
    assert lines[len(ROWS) :] == ["refused"] * len(REFUSED)
    return np.array([[float(v) for v in line.split()] for line in lines[: len(ROWS)]], np.float32)


def check(text):
    np.testing.assert_array_equal(read(text), wanted())


def literal(value, text=json.dumps, none="null", flags=("false", "true")):
    """A value in a language."""
    if value is None:
        return none
    if isinstance(value, bool):
        return flags[value]
    return text(value) if isinstance(value, str) else repr(float(value))
