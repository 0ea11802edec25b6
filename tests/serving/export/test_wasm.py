"""WebAssembly decides as the library does, bit by bit, and imports nothing."""

import pytest

from mddag.serving.export import export, wasm
from tests.serving.export.bits import NAMES, assert_same_bits
from tests.serving.export.cases import cases
from tests.serving.export.programs import Wasm, called
from tests.serving.model_file.models import whole_model

ABOUT = """
import fs from "node:fs";
const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const [section] = WebAssembly.Module.customSections(module, "mddag");
const about = JSON.parse(new TextDecoder().decode(section));
const imports = WebAssembly.Module.imports(module).length;
console.log(imports, about.classes.join(), about.feature_names.length, about.categories[1].join());
"""


@pytest.fixture(scope="module")
def some():
    """Each takes a run of clang, so of random models there are few."""
    return [case for case in cases() if case.name in (*NAMES, "random1", "random4", "random8")]


@pytest.fixture(scope="module")
def answers(tmp_path_factory, some):
    program = Wasm()
    program.require()
    return program.answers(tmp_path_factory.mktemp("wasm"), some)


def test_models_equal_the_library(answers, some):
    for case in some:
        assert_same_bits(case, answers[case.name])


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


@pytest.mark.parametrize(("number", "coded"), [(0, b"\x00"), (127, b"\x7f"), (128, b"\x80\x01")])
def test_lengths(number, coded):
    assert wasm._length(number) == coded
