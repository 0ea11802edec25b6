"""Docstrings of everything public are numpydoc, complete, and their examples run."""

import doctest
import functools
import importlib
import inspect
import re
import warnings

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator

from tests.shipped import needed

REFERENCE = needed("docs") / "api.rst"
PACKAGES = ["learners", "losses", "metrics", "policy", "solvers"]

# Modules whose public docstrings are still to be written. It only shrinks: an entry whose
# docstrings are complete fails a test until it is removed.
PENDING: set[str] = set()


def public_objects():
    """Every public class and function by the place where it is defined."""
    names = set()
    for package, listed in re.findall(
        r"currentmodule:: (\S+)\n\n.. autosummary::(.*?)(?=\n\n\S|\Z)", REFERENCE.read_text(), re.S
    ):
        names |= {(package, name) for name in re.findall(r"^   (\w+)$", listed, re.MULTILINE)}
    for package in ["mddag", *(f"mddag.{name}" for name in PACKAGES)]:
        exported = getattr(importlib.import_module(package), "__all__", [])
        names |= {(package, name) for name in exported if not name.startswith("_")}
    objects = [getattr(importlib.import_module(package), name) for package, name in sorted(names)]
    return {place(o): o for o in objects if inspect.isclass(o) or inspect.isfunction(o)}


def place(documented):
    return f"{documented.__module__}.{documented.__qualname__}"


def methods_of(public):
    """Public methods and properties of a class that are this package's own, by their place."""
    found = {}
    for name in dir(public) if inspect.isclass(public) else ():
        if name.startswith("_") and name != "__call__":
            continue
        member = inspect.getattr_static(public, name)
        if isinstance(member, property | functools.cached_property):
            function = member.fget if isinstance(member, property) else member.func
        else:
            function = inspect.unwrap(getattr(member, "__func__", member))
        if inspect.isfunction(function) and function.__module__.startswith("mddag"):
            found[place(function)] = member if function is not member else function
    return found


def faults(documented, *, is_method):
    """What is missing from a docstring, as numpydoc's error codes name it."""
    is_property = isinstance(documented, property | functools.cached_property)
    documented = getattr(documented, "__func__", documented)
    if not inspect.getdoc(documented):
        return ["GL08 no docstring"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            doc = Validator(get_doc_object(documented, config={"show_class_members": False}))
        except Warning as warning:
            return [f"GL06 {warning}"]
    found = []
    if not doc.summary.endswith(".") or doc.num_summary_lines != 1:
        found.append(f"SS03 wants a summary of one line that ends with a period: {doc.summary!r}")
    if is_property:
        return found
    if not getattr(documented, "_is_protocol", False):
        found += [": ".join(error) for error in doc.parameter_mismatches]
    for name, (kind, text) in doc.doc_all_parameters.items():
        if not kind or not "".join(text):
            found.append(f"PR04 parameter {name} wants a type and a description")
    if inspect.isfunction(documented):
        first = doc.summary.split(" ")[0]
        if first.endswith("s") and not first.endswith("ss"):
            found.append(f"SS05 wants an imperative, got {first!r}")
        produces = doc.method_returns_something and not doc.is_generator_function
        if produces and not doc.returns:
            found.append("RT01 no Returns")
    if not is_method and not doc.examples:
        found.append("EX01 no Examples")
    return found


PUBLIC = public_objects()
MEMBERS = {}
for public in PUBLIC.values():
    MEMBERS |= methods_of(public)


def all_faults():
    found = {name: faults(obj, is_method=False) for name, obj in PUBLIC.items()}
    found |= {name: faults(obj, is_method=True) for name, obj in MEMBERS.items()}
    return {name: of_one for name, of_one in found.items() if of_one}


def module_of(name):
    """The module of a place: the part before the first class or function in it."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        try:
            return importlib.import_module(module).__name__
        except ModuleNotFoundError:
            continue
    raise AssertionError(name)


def test_docstrings_are_complete():
    absent = {n: f for n, f in all_faults().items() if module_of(n) not in PENDING}
    assert not absent, "\n".join(f"{name}: {fault}" for name in absent for fault in absent[name])


def test_modules_whose_docstrings_are_complete_are_not_pending():
    assert not PENDING - {module_of(name) for name in all_faults()}


WITH_EXAMPLES = {
    f"{place(public)}{found.name.removeprefix(public.__name__)}": found
    for public in PUBLIC.values()
    for found in doctest.DocTestFinder(exclude_empty=True).find(public)
    if found.examples
}
NEEDED = {"mddag.integrations.mlflow": "mlflow", "mddag.integrations.distributed": "dask"}


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of few rows, which are quick
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_docstrings_run(name, tmp_path, monkeypatch):
    if module_of(name) in NEEDED:
        pytest.importorskip(NEEDED[module_of(name)])
    monkeypatch.chdir(tmp_path)  # where some of them write files
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failures = []
    runner.run(WITH_EXAMPLES[name], out=failures.append)
    assert not failures, "".join(failures)
