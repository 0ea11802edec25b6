"""Packages in layers and families of members.

A package imports only from layers below its own, so that every part can be read, tested and used
without the parts above it, and no circle can form. A member of a family never imports another
member, so that adding or deleting one touches one file.
"""

import ast
import importlib
import inspect
from collections import defaultdict
from pathlib import Path

import pytest

from mddag._utils import applications

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "mddag"

BELOW_ALL = {"_core", "_utils"}
LAYERS = [
    {"losses", "datasets"},
    {"ensemble", "metrics"},
    {"adapters", "learners", "policy"},
    {"boosting", "solvers", "engine"},
    {"serving"},
    {"estimators", "inspection"},
    {"tuning"},
    {"acquisition", "detection", "ranking", "cli", "integrations", "__init__"},
]
FAMILIES = [
    "mddag.adapters",
    "mddag.detection",
    "mddag.solvers",
]
MOST_LAYERS, MOST_ENTRIES, MOST_PARAMETERS = 8, 20, 16
PUBLIC_PACKAGES = ["detection", "learners", "losses", "metrics", "policy", "ranking", "solvers"]

# What is still to be mended. The sets only shrink: a test fails until what is mended is removed.
TWICE: set[str] = set()  # class names
TINY = {"_utils/applications.py", "_utils/cached.py"}
# Signatures: acquire has six parameters of its own beyond those that all main functions share.
LONG: set[tuple[str, str, str | None]] = {("mddag", "acquire", None)}

APPLICATIONS = {"acquisition", "detection", "ranking"}  # what the core runs of them, it looks up
CORE = {"engine", "policy", "serving", "tuning"}

MODULES = sorted(p for p in PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The file or folder directly below the package that `path` belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def layer(name: str) -> int:
    if name in BELOW_ALL:
        return -1
    return next(i for i, names in enumerate(LAYERS) if name in names)


def imported(path: Path) -> set[str]:
    """Dotted names below mddag that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mddag"):
            inside = node.module.removeprefix("mddag").lstrip(".")
            names |= {inside} if inside else {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            names |= {a.name[6:] for a in node.names if a.name.startswith("mddag.")}
    return names


def is_protocol(kind: type) -> bool:
    return getattr(kind, "_is_protocol", False)


def members(family: str) -> dict[str, str]:
    """The modules of a family's classes that can be made into objects, and their names."""
    package = importlib.import_module(family)
    found = {name: getattr(package, name) for name in package.__all__}
    if family == "mddag.adapters":
        found = {type(member).__name__: type(member) for member in package.MEMBERS}
    return {
        member.__module__: name
        for name, member in found.items()
        if inspect.isclass(member) and not (inspect.isabstract(member) or is_protocol(member))
    }


def test_the_plan_is_small():
    rooms = {room(path) for path in MODULES} - {"__init__"}
    assert rooms - BELOW_ALL == set().union(*LAYERS) - {"__init__"}, "give the package a layer"
    assert len(LAYERS) <= MOST_LAYERS
    assert len(rooms) <= MOST_ENTRIES


def test_every_package_says_what_it_is():
    for path in MODULES:
        if path.name == "__init__.py":
            assert ast.get_docstring(ast.parse(path.read_text())), path


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    for name in imported(path):
        target = name.split(".")[0]
        if target == room(path) or room(path) == "__init__":
            continue
        assert layer(target) < layer(room(path)), f"{path.name} reaches up or sideways to {name}"


def test_the_core_does_not_know_the_applications():
    for path in MODULES:
        if room(path) in CORE:
            known = {name.split(".")[0] for name in imported(path)} & APPLICATIONS
            assert not known, f"{path.relative_to(PACKAGE)} imports {known}"


def test_applications_define_what_the_core_runs():
    for table, name in (
        (applications.FILES, "of_content"),
        (applications.PREDICTORS, "predictor_of"),
        (applications.SECTIONS, "section"),
    ):
        for key in table:
            assert callable(getattr(applications.part(table, key), name)), key
    for state in applications.STATES:
        assert state in {f.name for f in applications.part(applications.STATES, state).FORMATS}


@pytest.mark.parametrize("family", FAMILIES)
def test_members_do_not_import_each_other(family):
    files = members(family)
    assert len(files) > 1
    for module in files:
        if module == "mddag.solvers.portfolio":  # it chooses among the others
            continue
        path = PACKAGE.parent / (module.replace(".", "/") + ".py")
        others = {f"mddag.{name}" for name in imported(path)} & (set(files) - {module})
        assert not others, f"{module} imports another member: {others}"


def test_no_class_name_twice():
    homes = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert twice.keys() == TWICE, twice


def test_no_module_is_tiny():
    short = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if path.stem not in {"__init__", "__main__"} and path.read_text().count("\n") < 40
    }
    assert short == TINY


def test_no_public_signature_is_long():
    functions = {}
    for place in ["mddag", *(f"mddag.{name}" for name in PUBLIC_PACKAGES)]:
        module = importlib.import_module(place)
        for name in module.__all__:
            found = getattr(module, name)
            members = vars(found) if inspect.isclass(found) else {None: found}
            functions |= {(place, name, key): m for key, m in members.items()}
    long = {
        place
        for place, function in functions.items()
        if inspect.isfunction(function)
        and len([p for p in inspect.signature(function).parameters if p != "self"])
        > MOST_PARAMETERS
    }
    assert long == LONG


def test_no_file_without_an_idea():
    assert not {p.stem for p in MODULES} & {"utils", "common", "base", "helpers", "misc"}
