"""The examples of docs/export.md, compiled and run: all print the same numbers."""

import re
import shutil
import subprocess

import pytest

from tests.serving.export.programs import called
from tests.shipped import needed

BUILDS = {
    "c": (("gcc",), "main.c", [["gcc", "-Wall", "-Werror", "main.c", "-lm"], ["./a.out"]]),
    "java": (
        ("javac", "java"),
        "Main.java",
        [["javac", "Main.java", "Model.java"], ["java", "Main"]],
    ),
    "go": (("go",), "main.go", [["go", "run", "main.go"]]),
    "rust": (("rustc",), "main.rs", [["rustc", "--edition", "2021", "main.rs"], ["./main"]]),
    "javascript": (("node",), "main.mjs", [["node", "main.mjs"]]),
    "wasm": (("node", "clang", "wasm-ld"), "wasm.mjs", [["node", "wasm.mjs"]]),
}


@pytest.fixture(scope="module")
def page():
    return (needed("docs") / "export.md").read_text()


@pytest.fixture(scope="module")
def exported(page, tmp_path_factory):
    """A folder with the models, and the numbers that Python has."""
    folder = tmp_path_factory.mktemp("page")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    given = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        exec(example, given)
    predictor, row = given["fast"].predictor(), given["row"]
    (folder / "go.mod").write_text("module example\n\ngo 1.18\n")
    X = predictor.encode(
        given["table"].iloc[:1].assign(**row).astype({"town": given["town"].dtype})
    )
    wanted = [predictor.codes(X)[0], predictor.n_evaluated(X)[0], predictor.predict_proba(X)[0, 1]]
    return folder, wanted


@pytest.mark.parametrize("language", BUILDS)
def test_an_example_prints_what_python_says(language, page, exported):
    tools, file, commands = BUILDS[language]
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"there is no {' and no '.join(absent)}")
    folder, wanted = exported
    fence = "javascript" if language == "wasm" else language
    blocks = re.findall(rf"```{fence}\n(.*?)```", page, re.DOTALL)
    (folder / file).write_text(blocks[-1] if language == "wasm" else blocks[0])
    for command in commands:
        told = called(command, cwd=folder)
    assert [float(number) for number in told.split()] == wanted


def test_the_programs_are_run_as_the_page_says(page):
    assert "`cc main.c -lm`" in page
    assert subprocess.list2cmdline(BUILDS["go"][2][0]) in page
