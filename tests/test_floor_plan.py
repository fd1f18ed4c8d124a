"""The floor plan stays as it is drawn: a room for every concept, doors where the plan has them.

What these tests can notice: modules outside the packages, files that import in a circle (imports for types and late
ones counted), a drawing that is not the contract, and calls to partitions that no type checker sees.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tidelog"
OVERVIEW = (ROOT / "docs" / "design" / "overview.md").read_text("utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONTRACTS = {c["name"]: c for c in SETTINGS["tool"]["importlinter"]["contracts"]}
PACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
BESIDE = {"client", "testing"}  # the client and the judges: they stand beside the layers
AREAS = {"benchmarks", "chaos", "docs", "examples", "law", "mutants", "proofs"}  # tests of what is no package of src
RUNTIMES = {"Runtime", "EmbeddedRuntime", "Coordinator"}


@cache  # parsed when a test asks, since every worker imports this file
def sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules of Tidelog that a module imports, at its top, late, or for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tidelog":
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "tidelog")


# The tree


def test_no_loose_modules_at_the_top() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} <= {"__init__.py", "__main__.py", "py.typed"}


def test_packages_are_those_of_the_map() -> None:
    page = (PACKAGE.parent.parent / "docs" / "design" / "overview.md").read_text("utf-8")
    rows = [line.split("|")[1].strip().strip("`") for line in page.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(PACKAGES)


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.rglob("test_*.py"))}
    assert folders == {*PACKAGES, *AREAS}


# Direction of imports


def package_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for path, tree in sources().items():
        own = path.relative_to(PACKAGE).parts[0]
        if own in graph:
            graph[own] |= {parts[1] for name in imported(tree) if len(parts := name.split(".")) > 1} & graph.keys() - {
                own
            }
    return graph


def test_packages_import_in_no_circle() -> None:
    assert len(list(TopologicalSorter(package_graph()).static_order())) == len(PACKAGES)


def file_graph() -> dict[str, set[str]]:
    """Which file imports which; `from package import module` imports the module."""
    modules = {module_name(path): tree for path, tree in sources().items()}
    return {name: set(imported_files(tree, modules.keys())) - {name} for name, tree in modules.items()}


def imported_files(tree: ast.AST, modules: Collection[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else node.module for name in names if node.module in modules)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def module_name(path: Path) -> str:
    parts = ("tidelog", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_files_import_in_no_circle() -> None:
    cycle = find_cycle(file_graph())
    assert not cycle, "each file below is imported by the next one:\n" + "\n".join(cycle)


def test_a_circle_is_found() -> None:
    graph = file_graph()
    graph["tidelog.program.values.term"].add("tidelog.engine.engine")  # which imports it, in many steps
    assert {"tidelog.program.values.term", "tidelog.engine.engine"} <= set(find_cycle(graph))


def drawn_layers() -> list[list[str]]:
    block = re.search(r"## Direction of imports\n.*?\n\n((?:    [^\n]+\n)+)", OVERVIEW, re.DOTALL)
    assert block is not None
    return [re.split(r" *\| *", line.strip()) for line in block[1].splitlines()]


def test_drawing_of_the_layers_is_the_contract() -> None:
    contract = CONTRACTS["layers from the command line down to the errors"]["layers"]
    assert drawn_layers() == [re.split(r" *\| *", line.replace("tidelog.", "")) for line in contract]
    assert {name for line in drawn_layers() for name in line} | BESIDE == set(PACKAGES)


def test_every_package_has_a_row_on_the_map() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", OVERVIEW, re.MULTILINE)
    assert sorted(rows) == PACKAGES


def test_type_only_imports_count() -> None:
    assert SETTINGS["tool"]["importlinter"]["exclude_type_checking_imports"] is False


@pytest.mark.parametrize("name", CONTRACTS)
def test_contracts_are_lists_of_packages(name: str) -> None:
    contract = CONTRACTS[name]
    named = {*contract.get("source_modules", ()), *(m for m in contract.get("forbidden_modules", ()))}
    inside = {m.removeprefix("tidelog.").split(".")[0] for m in named if m.startswith("tidelog.")}
    assert inside <= set(PACKAGES)


def test_only_spark_imports_pyspark() -> None:
    contract = CONTRACTS["PySpark is imported in tidelog.spark only"]
    assert {m.removeprefix("tidelog.") for m in contract["source_modules"]} == {*PACKAGES} - {"spark"}


def test_the_layout_of_memory_is_known_to_kernel_and_partition_only() -> None:
    knowing = {path for path, tree in sources().items() if "tidelog.kernel.layout" in set(imported(tree))}
    assert {path.relative_to(PACKAGE).parts[0] for path in knowing} <= {"kernel", "partition"}


# Classes and calls


def test_no_class_is_a_bag_of_borrowed_attributes() -> None:
    for path, tree in sources().items():
        described = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
        assert not [node for node in described if "attributes are the" in (ast.get_docstring(node) or "")], path


def calls() -> Iterator[tuple[ast.Call, str]]:
    """Every call in the sources, and where it is."""
    for path, tree in sources().items():
        yield from ((node, f"{relative(path)}:{node.lineno}") for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_nobody_asks_what_kind_of_runtime_it_is() -> None:
    for node, place in calls():
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "hasattr", "getattr"):
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            assert not (node.func.id == "isinstance" and names & RUNTIMES), place
            assert not (node.func.id != "isinstance" and "runtime" in names), place


def test_calls_to_partitions_are_typed() -> None:
    for node, place in calls():
        if isinstance(node.func, ast.Attribute) and node.func.attr.startswith("ask"):
            assert not any(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in node.args), place


# What looks in from outside


OUTSIDE = sorted(path for folder in ("tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py"))
INNER = re.compile(r"\b(?:db|engine|again|reader|other|twin)\._(?!asdict)[a-z]\w*")


def test_nobody_outside_reaches_into_an_engine() -> None:
    found = {str(path.relative_to(ROOT)): INNER.findall(path.read_text("utf-8")) for path in OUTSIDE}
    assert {path: names for path, names in found.items() if names} == {}
