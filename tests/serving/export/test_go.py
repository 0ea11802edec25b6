"""Exported Go decides as the library does, bit by bit."""

import json

import pytest

from tests.serving.export.bits import assert_same_bits
from tests.serving.export.cases import cases, categorical_model
from tests.serving.export.encoders import REFUSED, ROWS, check, literal
from tests.serving.export.programs import Go, called


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    program = Go()
    program.require()
    return program.answers(tmp_path_factory.mktemp("go"), cases())


def test_all_models_equal_the_library(answers):
    for case in cases():
        assert_same_bits(case, answers[case.name])


def test_rows_by_name_are_encoded_as_by_the_library(tmp_path):
    Go().require()
    (tmp_path / "model").mkdir()
    categorical_model().export(tmp_path / "model" / "model.go", "go")
    rows = ",\n".join(
        "{" + ", ".join(f"{json.dumps(k)}: {literal(v, none='nil')}" for k, v in row.items()) + "}"
        for row in ROWS + REFUSED
    )
    (tmp_path / "go.mod").write_text("module drive\n\ngo 1.18\n")
    (tmp_path / "main.go").write_text(
        'package main\n\nimport (\n\t"drive/model"\n\t"fmt"\n\t"strings"\n)\n\nfunc main() {\n'
        f"\tfor _, row := range []map[string]any{{\n{rows},\n}} {{\n"
        '\t\tif x, err := model.Encode(row); err != nil {\n\t\t\tfmt.Println("refused")\n'
        '\t\t} else {\n\t\t\tfmt.Println(strings.Trim(fmt.Sprint(x), "[]"))\n\t\t}\n\t}\n}\n'
    )
    check(called(["go", "run", "."], cwd=tmp_path))
