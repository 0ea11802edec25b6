"""Exported Rust decides as the library does, bit by bit."""

import json

import pytest

from tests.serving.export.bits import assert_same_bits
from tests.serving.export.cases import cases, categorical_model
from tests.serving.export.encoders import REFUSED, ROWS, check
from tests.serving.export.programs import Rust, called


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    program = Rust()
    program.require()
    return program.answers(tmp_path_factory.mktemp("rust"), cases())


def test_all_models_equal_the_library(answers):
    for case in cases():
        assert_same_bits(case, answers[case.name])


def test_rows_by_name_are_encoded_as_by_the_library(tmp_path):
    Rust().require()
    categorical_model().export(tmp_path / "model.rs", "rust")
    rows = ",\n".join(
        "vec![" + ", ".join(f"({json.dumps(k)}, {category(v)})" for k, v in row.items()) + "]"
        for row in ROWS + REFUSED
    )
    (tmp_path / "main.rs").write_text(
        "mod model;\nuse model::Category::*;\n\nfn main() {\n"
        f"    for row in [\n{rows}] {{\n"
        "        match model::encode(&row.into_iter().collect()) {\n"
        '            Ok(x) => println!("{}", x.map(|v| v.to_string()).join(" ")),\n'
        '            Err(_) => println!("refused"),\n        }\n    }\n}\n'
    )
    called(["rustc", "--edition", "2021", "-A", "unused", "main.rs"], cwd=tmp_path)
    check(called([tmp_path / "main"]))


def category(value):
    if isinstance(value, str):
        return f"Text({json.dumps(value, ensure_ascii=False)})"
    return "Missing" if value is None else f"Number({float(value)!r})"
