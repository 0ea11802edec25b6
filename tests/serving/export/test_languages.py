"""Exported code decides as the library does, bit by bit: Java, Go, Rust, JavaScript, WebAssembly.

C has test_c.py."""

import json

import numpy as np
import pytest

from mddag.serving.export import export, wasm
from tests.serving.export.cases import cases, categorical_model
from tests.serving.export.programs import (
    Go,
    Java,
    JavaScript,
    Rust,
    Wasm,
    assert_same_bits,
    called,
)
from tests.serving.model_file.kinds import whole_model


def some():
    """WebAssembly takes a run of clang for each, so of random models there are few."""
    return [case for case in cases() if case.name not in ("every_two", "skips", "calibrated")]


@pytest.mark.parametrize("program", [Java, Go, Rust, JavaScript, Wasm])
def test_models_equal_the_library(program, tmp_path):
    program().require()
    models = some() if program is Wasm else cases()
    answers = program().answers(tmp_path, models)
    for case in models:
        assert_same_bits(case, answers[case.name])


def test_rows_by_name_in_java(tmp_path):
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


def test_rows_by_name_in_go(tmp_path):
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


def test_rows_by_name_in_rust(tmp_path):
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


def test_rows_by_name_in_javascript(tmp_path):
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


ABOUT = """
import fs from "node:fs";
const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const [section] = WebAssembly.Module.customSections(module, "mddag");
const about = JSON.parse(new TextDecoder().decode(section));
const imports = WebAssembly.Module.imports(module).length;
console.log(imports, about.classes.join(), about.feature_names.length, about.categories[1].join());
"""


def test_names_and_classes_are_in_a_section(tmp_path):
    Wasm().require()
    whole_export(tmp_path)
    (tmp_path / "about.mjs").write_text(ABOUT)
    told = called(["node", tmp_path / "about.mjs", tmp_path / "m.wasm"])
    assert told.split() == ["0", "a,b,ccc", "2", "ulm,7,2.5,1"]


def test_without_a_compiler_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(wasm, "TOOLS", ("clang-of-nobody", "wasm-ld-of-nobody"))
    with pytest.raises(RuntimeError, match="apt-get install clang lld"):
        whole_export(tmp_path)
    assert not list(tmp_path.iterdir())


def whole_export(folder):
    export(whole_model().dag, folder / "m.wasm", "wasm")


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
            features.nominal[i].code(v)
            if i in features.nominal
            else float("nan" if v is None else v)
            for i, v in enumerate(row.values())
        ]
        for row in ROWS
    ]
    return np.array(rows, np.float32)


def check(text):
    """Compare lines of numbers, or `refused`, that a program printed."""
    lines = text.split("\n")[: len(ROWS) + len(REFUSED)]
    assert lines[len(ROWS) :] == ["refused"] * len(REFUSED)
    found = [[float(v) for v in line.split()] for line in lines[: len(ROWS)]]
    np.testing.assert_array_equal(np.array(found, np.float32), wanted())


def literal(value, none="null"):
    """A value in a language."""
    if value is None:
        return none
    return json.dumps(value) if isinstance(value, bool | str) else repr(float(value))
