"""Entries of the kernel: all that Python calls are listed, and each takes what it declares or nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import tidelog
from tidelog.kernel import batches, layout, relation, route, settle, support, warm
from tidelog.kernel.memory import Kernel

SOURCES = Path(tidelog.__file__).parent
LISTED = {kernel for kernel, _ in warm.KERNELS}
EPOCHS = """
import sys
from tidelog import Engine
with Engine("reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z). n(count<X>) :- reach(X, _).") as db:
    with db.epoch() as epoch:
        epoch.insert("edge", [(1, 2), (2, 3)])
    with db.epoch() as epoch:
        epoch.delete("edge", [(1, 2)])
        label = epoch.add_rule("back(Y, X) :- reach(X, Y).")
    with db.epoch() as epoch:
        epoch.remove_rule(label)
    print(sorted(db["reach"]), [name for name in ("numba", "llvmlite") if name in sys.modules])
"""


def named_kernels(path: Path) -> set[Kernel]:
    """Kernels that a module names: imported by name, or as attributes of an imported module of kernels."""
    tree, modules, found = ast.parse(path.read_text()), {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tidelog.kernel"):
            home = import_module(node.module or "")
            for alias in node.names:
                value = getattr(home, alias.name, None)
                if isinstance(value, Kernel):
                    found.add(value)
                elif node.module == "tidelog.kernel":
                    modules[alias.asname or alias.name] = import_module(f"tidelog.kernel.{alias.name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            value = getattr(modules[node.value.id], node.attr, None)
            found |= {value} if isinstance(value, Kernel) else set()
    return found


def test_every_kernel_that_python_calls_is_an_entry() -> None:
    outside = [path for path in SOURCES.rglob("*.py") if "kernel" not in path.relative_to(SOURCES).parts]
    named = {kernel for path in outside for kernel in named_kernels(path)}
    assert batches.run_queue in named
    assert relation.find in named
    assert named <= LISTED


def test_an_epoch_runs_without_the_compiler() -> None:
    warm.make_ready()
    ended = subprocess.run([sys.executable, "-c", EPOCHS], capture_output=True, text=True, check=True, timeout=120)
    assert ended.stdout.split("\n")[0] == "[(2, 3)] []"


def test_results_come_as_numbers_truths_tuples_and_none() -> None:
    directory = np.zeros((1, layout.DIRECTORY_FIELDS), np.int64)
    directory[0, layout.FIRST] = -1
    indexes = np.zeros((1, layout.INDEX_FIELDS), np.int64)
    cells = np.zeros(4, np.int64)
    assert settle.net_changes(directory, 0, 0, cells, cells) == (0, 0)
    assert support.remember(directory, indexes, 0, 0) is False
    assert settle.commit(directory, indexes, 0) is None
    assert relation.hash_cells(0, 0) == relation.hash_cells(0, np.int64(0))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(4, np.int32),
        np.zeros((2, 2), np.int64),
        np.zeros(8, np.int64)[::2],
        [1, 2],
        None,
    ],
    ids=["narrow", "two dimensions", "strides", "list", "none"],
)
def test_entry_refuses_what_is_not_an_array_of_cells(wrong: object) -> None:
    right = np.zeros(4, np.int64)
    before = sys.getrefcount(right)
    for _ in range(50):
        with pytest.raises((TypeError, ValueError, BufferError)):
            route.owners(right, 2, wrong)
        with pytest.raises((TypeError, ValueError, BufferError)):
            route.owners(wrong, 2, right)
    assert sys.getrefcount(right) == before


def test_entry_refuses_other_numbers_of_arguments_and_other_numbers() -> None:
    cells = np.zeros(4, np.int64)
    with pytest.raises(TypeError):
        route.owners(cells, 2)
    with pytest.raises(TypeError):
        route.owners(cells, "2", cells)
    with pytest.raises(TypeError):
        route.owners(cells, 2.5, cells)
    with pytest.raises(OverflowError):
        route.owners(cells, 2**70, cells)
    route.owners(cells, 2, cells)  # and no error is left behind


def test_entry_holds_nothing_afterwards() -> None:
    cells, found = np.arange(4), np.zeros(4, np.int64)
    before = sys.getrefcount(cells), sys.getrefcount(found)
    for _ in range(100):
        route.owners(cells, 2, found)
    assert (sys.getrefcount(cells), sys.getrefcount(found)) == before
