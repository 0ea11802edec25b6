"""Exported JavaScript decides as the library does, bit by bit."""

import json

import pytest

from tests.serving.export.bits import assert_same_bits
from tests.serving.export.cases import cases, categorical_model
from tests.serving.export.encoders import REFUSED, ROWS, check
from tests.serving.export.programs import JavaScript, called


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    program = JavaScript()
    program.require()
    return program.answers(tmp_path_factory.mktemp("javascript"), cases())


def test_all_models_equal_the_library(answers):
    for case in cases():
        assert_same_bits(case, answers[case.name])


def test_rows_by_name_are_encoded_as_by_the_library(tmp_path):
    JavaScript().require()
    categorical_model().export(tmp_path / "m.mjs", "javascript")
    (tmp_path / "main.mjs").write_text(
        'import { encode } from "./m.mjs";\n'
        f"for (const row of {json.dumps(ROWS + REFUSED)}) {{\n"
        "  try {\n    console.log(Array.from(encode(row)).join(' '));\n"
        "  } catch (error) {\n    console.log(error instanceof TypeError ? 'refused' : error);\n"
        "  }\n}\n"
    )
    check(called(["node", tmp_path / "main.mjs"]))
