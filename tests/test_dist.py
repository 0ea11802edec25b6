"""The sdist builds, installs and imports in an empty environment, and carries what it should."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command, cwd=ROOT):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ROOT)
    return next(folder.glob("*.tar.gz"))


def test_the_sdist_holds_sources_alone(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"native/module.cpp", "src/mddag/py.typed", "LICENSE", "CMakeLists.txt"} <= names
    assert not [n for n in names if n.endswith((".npz", ".so", ".csv.gz")) or "/build/" in n]
    roots = {n.partition("/")[0] for n in names if "/" in n}
    assert roots == {"native", "src", "tests"}


def test_the_tests_of_the_sdist_are_all_found(sdist, tmp_path):
    """Skipped as a whole are those of docs, which are not shipped, and of engines that are not
    installed; none fails to be imported."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    found = run(sys.executable, "-m", "pytest", "--collect-only", "-q", "-rs", cwd=unpacked)
    assert "docs/ is not part of the source distribution" in found
    tests = {Path(line.partition("::")[0]) for line in found.splitlines() if "::" in line}
    shipped = {path.relative_to(unpacked) for path in unpacked.glob("tests/**/test_*.py")}
    engines = {Path("tests/clusters") / name for name in ("test_spark.py", "test_ray.py")}
    pages = ("test_docs.py", "test_docstrings.py", "test_types.py", "clusters/test_page.py")
    docs = {Path("tests") / page for page in pages}
    assert docs <= shipped - tests <= docs | engines


def test_the_sdist_installs_and_imports_in_an_empty_environment(sdist, tmp_path):
    wheel = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    run(sys.executable, *wheel, "--wheel-dir", tmp_path, sdist)
    built = next(tmp_path.glob("mddag-*.whl"))
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    stubs = {"mddag/py.typed", "mddag/__init__.pyi", "mddag/_core.pyi"}
    assert stubs | {"mddag/ensemble/ensemble.py"} <= set(names)
    templates = {str(path.relative_to(ROOT / "src")) for path in ROOT.glob("src/**/templates/*")}
    assert "mddag/inspection/report/templates/page.html" in templates
    assert templates <= set(names)
    assert not [n for n in names if n.startswith(("native", "tests", "nanobind"))]

    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    needed = ["numpy", "lazy_loader", built]
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", *needed, cwd=tmp_path)
    code = "import numpy as np, mddag; h = [lambda X: X[:, 0]]; "
    code += "print(mddag.Ensemble.from_callables(h, n_features=1).scores(np.ones((1, 1))))"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "[[1.]]"
