"""States whose checksums fit and whose content does not: refused by name, never a crash and never a raw error."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.store.disks import File, MemoryDisk, MemoryStore
from tests.store.forger import Files, Part, bound, found_wrong, parts_of, written
from tidelog import Engine
from tidelog.errors import StateError
from tidelog.store import delta

BEST = "best(X, min<C>) :- cost(X, C)."
SOURCES = Path(__file__).parents[2] / "src" / "tidelog"


def files_of(program: str, **facts: list[tuple[object, ...]]) -> Files:
    """A small state with one snapshot."""
    disk = MemoryDisk()
    with Engine(program, path=MemoryStore(disk)) as db:
        with db.epoch() as e:
            for name, rows in facts.items():
                e.insert(name, rows)
        db.snapshot()
    return {name: bytes(file.content) for name, file in disk.files.items()}


def opened(files: Files) -> Engine:
    disk = MemoryDisk()
    disk.files = {name: File(content) for name, content in files.items() if name != "lock"}
    return Engine(path=MemoryStore(disk))


def changed(files: Files, change: Callable[[Part], object]) -> Files:
    """The files with a change in the last snapshot, and without the log that could replace it."""
    parts = [part for part in parts_of(files) if part.file.endswith(".snapshot")]
    change(parts[-1])
    return {name: content for name, content in bound(files, parts).items() if not name.startswith("log/")}


def cells(relation: str, forge: Callable[[np.ndarray], object], column: str = "added") -> Callable[[Part], None]:
    """Change the cells of new records of a relation."""

    def change(part: Part) -> None:
        at, body = 0, b""
        for kind, size in part.frame.header["body"]:
            message = part.body[at : at + size]
            at += size
            if kind == "deltas":
                batch = pa.ipc.read_record_batch(pa.py_buffer(message), delta.SCHEMA)
                if batch.column(0)[0].as_py() == relation:
                    record = batch.to_pylist()[0]
                    width = 1 if column == "rows" else record["arity"] + 2
                    table = np.array(record[column], np.int64).reshape(-1, width)
                    forge(table)
                    record[column] = table.ravel().tolist()
                    message = bytes(pa.RecordBatch.from_pylist([record], delta.SCHEMA).serialize())
            body += message
        part.body = body

    return change


@pytest.mark.parametrize("row", [-(2**62), -5, 0, 5, 2**20, 2**32, 2**40, 2**62])
def test_a_forged_row_number_of_a_minimum_is_refused(row: int) -> None:
    files = files_of(BEST, cost=[(1, 5), (2, 3), (2, 4)])
    names = [d[0] for d in shown_of(files)]

    def forge(table: np.ndarray) -> None:
        table[0, -1] = row

    with pytest.raises(StateError, match="are not those of a state") as caught:
        opened(changed(files, cells(names[0], forge)))
    assert caught.value.code == "TL5182"


def shown_of(files: Files) -> list[tuple[str, int]]:
    """The relations of groups in the last snapshot."""
    found = []
    for part in parts_of(files):
        at = 0
        for kind, size in part.frame.header["body"]:
            if kind == "deltas" and part.file.endswith(".snapshot"):
                batch = pa.ipc.read_record_batch(pa.py_buffer(part.body[at : at + size]), delta.SCHEMA)
                found += [(name, size) for name in batch.column(0).to_pylist() if name.startswith("__shown ")]
            at += size
    return found


def test_another_candidate_than_that_of_the_group_is_refused() -> None:
    files = files_of(BEST, cost=[(1, 5), (2, 3)])

    def exchange(table: np.ndarray) -> None:
        table[:, -1] = table[::-1, -1].copy()

    with pytest.raises(StateError, match="a candidate of another group"):
        opened(changed(files, cells(shown_of(files)[0][0], exchange)))


@pytest.mark.parametrize(
    ("place", "cell", "told"),
    [
        (-2, 0b1111 | 64, "in the middle of an epoch"),
        (-2, (1 << 60) | 71, "rank is not between"),
        (-2, -(1 << 40) | 71, "rank is not between"),
        (-1, 0, "supports are miscounted"),
        (-1, (1 << 32) | 2, "supports are miscounted"),
        (-1, -1, "supports are miscounted"),
    ],
)
def test_flags_ranks_and_counts_are_those_of_facts_at_rest(place: int, cell: int, told: str) -> None:
    files = files_of("p(X) :- q(X).", q=[(1,), (2,)])

    def forge(table: np.ndarray) -> None:
        table[0, place] = cell

    with pytest.raises(StateError, match=told) as caught:
        opened(changed(files, cells("p", forge)))
    assert caught.value.code == "TL5180"


def test_a_symbol_that_the_dictionary_does_not_know_is_refused() -> None:
    files = files_of("p(X) :- q(X).", q=[("a",), ("b",)])

    def forge(table: np.ndarray) -> None:
        table[0, 0] ^= 4

    with pytest.raises(StateError, match="`q` has a symbol that the dictionary does not know"):
        opened(changed(files, cells("q", forge)))


def test_rows_for_which_there_is_no_memory_are_refused() -> None:
    files = files_of("p(X) :- q(X).", q=[(1,), (7,)])

    def forge(table: np.ndarray) -> None:
        table[0, 0] = 2**31 - 8

    with pytest.raises(StateError, match="`q`"):
        opened(changed(files, cells("q", forge, "rows")))


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("clock", "3", "`clock`"),
        ("clock", 2**70, "`clock`"),
        ("clock", None, "`clock`"),
        ("strata", [["p", 1]], "`strata`"),
        ("arities", {"p": -1}, "`arities`"),
        ("rules", {"program": 1}, "`rules`"),
        ("body", [["deltas", 2**62]], "do not add up"),
        ("offsets", {"source": 1.5}, "`offsets`"),
        ("pieces", [[1]], "`pieces`"),
    ],
)
def test_fields_of_headers_have_their_forms(field: str, value: object, told: str) -> None:
    def change(part: Part) -> None:
        assert isinstance(part.header, dict)
        part.header[field] = value

    with pytest.raises(StateError, match=told):
        opened(changed(files_of("p(X) :- q(X).", q=[(1,)]), change))


def test_rules_that_are_none_are_refused() -> None:
    def change(part: Part) -> None:
        assert isinstance(part.header, dict)
        part.header["rules"]["program"] = "p(X :- q"

    with pytest.raises(StateError, match="the rules that it holds cannot be taken over") as caught:
        opened(changed(files_of("p(X) :- q(X).", q=[(1,)]), change))
    assert caught.value.code == "TL5181"


def test_strata_in_the_wrong_order_are_refused() -> None:
    def change(part: Part) -> None:
        assert isinstance(part.header, dict)
        part.header["strata"].reverse()

    files = files_of("p(X) :- q(X).\nr(X) :- s(X), !p(X).", q=[(1,)], s=[(1,), (2,)])
    with pytest.raises(StateError, match="`r` is derived before `p`"):
        opened(changed(files, change))


def test_counts_that_are_wrong_are_found_by_the_epoch_that_meets_them() -> None:
    files = files_of("p(X) :- q(X, _).", q=[(1, 1), (1, 2), (2, 2)])

    def forge(table: np.ndarray) -> None:
        table[table[:, 0] == 1, -1] = (1 << 32) | 1

    with opened(changed(files, cells("p", forge))) as db:
        with pytest.raises(StateError, match="do not balance") as caught, db.epoch() as e:
            e.delete("q", [(1, 1), (1, 2)])
        assert len(db["q"]) == 3
    assert caught.value.code == "TL5183"


def test_a_forged_snapshot_gives_way_to_an_older_one() -> None:
    files = written(1)
    parts = parts_of(files)

    def forge(table: np.ndarray) -> None:
        table[0, -1] = -1

    cells("edge", forge)(next(part for part in parts if part.file.endswith(".snapshot")))
    with pytest.warns(Warning, match="holds what no state has"), opened(bound(files, parts)) as db:
        assert len(db["edge"]) > 0


def test_forgeries_are_refused_or_open() -> None:
    assert found_wrong(60, seed=1_000_000) == []


@pytest.mark.long
def test_many_forgeries_are_refused_or_open() -> None:
    assert found_wrong(400, seed=0) == []


def test_nothing_that_is_read_from_a_state_folder_is_code() -> None:
    """No module that reads or writes states can unpickle, or run, what it reads."""
    refused = {"pickle", "cPickle", "marshal", "shelve", "cloudpickle", "dill", "runpy"}
    for file in sorted((SOURCES / "store").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & refused, file
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), file
