"""Exported Java decides as the library does, bit by bit."""

import json

import pytest

from tests.serving.export.bits import assert_same_bits
from tests.serving.export.cases import cases, categorical_model
from tests.serving.export.encoders import REFUSED, ROWS, check, literal
from tests.serving.export.programs import Java, called


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    program = Java()
    program.require()
    return program.answers(tmp_path_factory.mktemp("java"), cases())


def test_all_models_equal_the_library(answers):
    for case in cases():
        assert_same_bits(case, answers[case.name])


def test_rows_by_name_are_encoded_as_by_the_library(tmp_path):
    Java().require()
    categorical_model().export(tmp_path / "Model.java", "java")
    puts = "\n".join(
        "    row = new java.util.HashMap<>();\n"
        + "\n".join(f"    row.put({json.dumps(k)}, {literal(v)});" for k, v in row.items())
        + "\n    show(row);"
        for row in ROWS + REFUSED
    )
    (tmp_path / "Main.java").write_text(
        "public class Main {\n  static void show(java.util.Map<String, Object> row) {\n"
        '    try {\n      for (float v : Model.encode(row)) System.out.print(v + " ");\n'
        "      System.out.println();\n    } catch (IllegalArgumentException error) {\n"
        '      System.out.println("refused");\n    }\n  }\n'
        "  public static void main(String[] arguments) {\n"
        f"    java.util.Map<String, Object> row;\n{puts}\n  }}\n}}\n"
    )
    called(["javac", "-d", ".", "Main.java", "Model.java"], cwd=tmp_path)
    check(called(["java", "-cp", ".", "Main"], cwd=tmp_path).replace(" \n", "\n"))
