"""States whose checksums fit and whose content does not: refused by name, never a crash and never a raw error."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.store.disks import File, MemoryDisk, MemoryStore
from tests.store.forger import Files, Part, batches_of, bound, found_wrong, parts_of, put_batches, written
from tidelog import Engine
from tidelog.errors import StateError
from tidelog.store.base.corruption import ImpossibleError
from tidelog.store.base.header import read_header
from tidelog.store.folder.scrub import scrub
from tidelog.store.image import delta
from tidelog.store.image.duplicate_facts import IN, OUT, check_changes, check_distinct
from tidelog.store.image.image import Image

BEST = "best(X, min<C>) :- cost(X, C).\nbest(Y, min<C>) :- best(X, C), step(X, Y)."  # in a recursion: groups are shown
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


def stored(files: Files) -> MemoryStore:
    disk = MemoryDisk()
    disk.files = {name: File(content) for name, content in files.items() if name != "lock"}
    return MemoryStore(disk)


def opened(files: Files, partitions: int = 1) -> Engine:
    return Engine(path=stored(files), partitions=partitions)


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

    with pytest.raises(StateError, match="are inconsistent") as caught:
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
        (-2, 0b1111 | 64, "a fact of an unfinished epoch"),
        (-2, (1 << 60) | 71, "rank is not between"),
        (-2, -(1 << 40) | 71, "rank is not between"),
        (-1, 0, "a wrong support count"),
        (-1, (1 << 32) | 2, "a wrong support count"),
        (-1, -1, "a wrong support count"),
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
        ("memos", {"name": 1}, "`memos`"),
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

    with pytest.raises(StateError, match="cannot load the rules of the state") as caught:
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
    with pytest.warns(Warning, match="has invalid content"), opened(bound(files, parts)) as db:
        assert len(db["edge"]) > 0


# Facts that are there twice, and changes of facts that are not there


def history(partitions: int = 1) -> Files:
    """A state without snapshots: facts come in epoch 2, some more in 3, and some go in 4 and 5."""
    disk = MemoryDisk()
    with Engine("p(X) :- q(X, _).", path=MemoryStore(disk), partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("q", [(i, i) for i in range(20)])
            e.insert("l", [([1, 2],), ([3],)])
        with db.epoch() as e:
            e.insert("q", [(i, i) for i in range(20, 24)])
        for gone in (20, 21):
            with db.epoch() as e:
                e.delete("q", [(gone, gone)])
    return {name: bytes(file.content) for name, file in disk.files.items()}


def in_epoch(files: Files, epoch: int, relation: str, change: Callable[[dict[str, Any]], object]) -> Files:
    """The files with a change in what an epoch records about a relation, where that is recorded first."""
    parts = parts_of(files)
    for part in parts:
        batches = batches_of(part)
        for number, (kind, batch) in enumerate(batches):
            records = batch.to_pylist()
            own = [record for record in records if kind == "deltas" and record["relation"] == relation]
            if part.frame.epoch == epoch and own:
                change(own[0])
                batches[number] = kind, pa.RecordBatch.from_pylist(records, batch.schema)
                put_batches(part, batches)
                return bound(files, parts)
    raise AssertionError("nothing is told of it")


def fact_of(record: dict[str, Any], first: int) -> list[int]:
    """The cells of a new record whose first column is this."""
    table = np.array(record["added"]).reshape(-1, record["arity"] + 2)
    return table[table[:, 0] == first][0].tolist()


def refused(files: Files, told: str, partitions: int = 1) -> None:
    """Opening refuses files, and so does scrubbing."""
    with pytest.raises(StateError, match=told) as caught:
        opened(files, partitions)
    assert caught.value.code == "TL5180"
    assert any(re.search(told, line) for line in scrub(stored(files)).wrong)


@pytest.mark.parametrize("relation", ["q", "p", "best", "__shown best/min2"])
def test_fact_that_a_snapshot_holds_twice_is_refused(relation: str) -> None:
    files = files_of(f"p(X) :- q(X).\n{BEST}", q=[(1,), (2,)], cost=[(1, 5), (2, 3)])

    def forge(table: np.ndarray) -> None:
        table[1, :-2] = table[0, :-2]

    refused(changed(files, cells(relation, forge)), "contains a fact twice")


def test_fact_that_two_of_many_rows_hold_is_refused() -> None:
    files = files_of("p(X) :- q(X).", q=[(i,) for i in range(100_000)])

    def forge(table: np.ndarray) -> None:
        table[99_999, 0] = table[50, 0]

    with pytest.raises(StateError, match="`q` contains a fact twice"):
        opened(changed(files, cells("q", forge)))
    with opened(changed(files, cells("q", lambda table: None))) as db:  # some of them have the same hash
        assert len(db["q"]) == 100_000


@pytest.mark.parametrize("epoch", [2, 3])
def test_fact_that_an_epoch_puts_in_twice_is_refused(epoch: int) -> None:
    def forge(record: dict[str, Any]) -> None:
        record["added"][8:10] = record["added"][4:6]

    refused(in_epoch(history(), epoch, "q", forge), "`q` contains a fact twice")


@pytest.mark.parametrize("row", [3, 0], ids=["that stays", "that goes later"])
def test_fact_that_an_epoch_puts_in_where_it_is_already_is_refused(row: int) -> None:
    """Also if one of the two goes again in a later epoch."""
    files = history()

    def insert(record: dict[str, Any]) -> None:
        record["added"][4 * row : 4 * row + 2] = [7, 7]

    def delete(record: dict[str, Any]) -> None:
        record["removed"][1:] = [7, 7]

    files = in_epoch(files, 3, "q", insert)
    refused(files if row else in_epoch(files, 4, "q", delete), "`q` (contains a fact twice|does not contain the fact)")


def test_fact_that_goes_and_was_another_is_refused() -> None:
    def forge(record: dict[str, Any]) -> None:
        record["removed"][1] += 1

    refused(in_epoch(history(), 4, "q", forge), "`q` does not contain the fact to delete in its row")


@pytest.mark.parametrize("column", ["removed", "changed"])
def test_change_of_a_row_without_a_fact_is_refused(column: str) -> None:
    def forge(record: dict[str, Any]) -> None:
        record[column] = [20, *record["removed"][1:]] if column == "removed" else [20, 71, (1 << 32) | 1]

    refused(in_epoch(history(), 5, "q", forge), "`q` contains no fact in a row that changes")


def test_relation_that_an_epoch_tells_of_twice_is_refused() -> None:
    def forge(record: dict[str, Any]) -> None:
        record["relation"] = "p"

    refused(in_epoch(history(), 3, "q", forge), "occur twice|columns, but receives facts")


def test_relation_with_facts_gets_none_with_other_columns() -> None:
    def forge(record: dict[str, Any]) -> None:
        record.update(arity=1, types="", rows=[0], added=[9, 71, (1 << 32) | 1], removed=[], changed=[])

    refused(in_epoch(history(), 3, "q", forge), "`q` has 2 columns, but receives facts with 1")


def entries_forged(change: Callable[[list[dict[str, Any]]], object]) -> Files:
    """The history with a change in the dictionary's entries of its second epoch."""
    files = history()
    parts = parts_of(files)
    part = next(part for part in parts if part.frame.epoch == 2)
    batches = batches_of(part)
    number = next(i for i, (kind, _) in enumerate(batches) if kind == "entries")
    records = batches[number][1].to_pylist()
    change(records)
    batches[number] = "entries", pa.RecordBatch.from_pylist(records, batches[number][1].schema)
    put_batches(part, batches)
    return bound(files, parts)


def test_list_under_another_id_than_its_own_is_refused() -> None:
    def forge(records: list[dict[str, Any]]) -> None:
        records.append({**records[0], "cell": records[0]["cell"] ^ 4})

    refused(entries_forged(forge), r"the value \(1, 2\) does not have its id")


def test_entry_that_is_told_again_changes_nothing() -> None:
    with opened(entries_forged(lambda records: records.append(records[0]))) as db:
        assert sorted(db["l"].rows()) == [((1, 2),), ((3,),)]


def test_id_that_stands_for_two_values_is_refused() -> None:
    image = Image()
    image.enter([(5, (1,)), (6, (2,))])
    image.enter([(5, (1,))])
    for entries in ([(5, (1.0,))], [(7, (1,)), (7, (2,))]):
        with pytest.raises(ImpossibleError, match="two values with the id"):
            image.enter(entries)


def test_fact_of_another_partition_is_refused() -> None:
    """Its owner may hold it as well: it would be there twice."""

    def forge(record: dict[str, Any]) -> None:
        table = np.array(record["added"]).reshape(-1, 4)
        table[:, :2] = np.arange(len(table))[:, None]
        record["added"] = table.ravel().tolist()

    files = in_epoch(history(2), 2, "q", forge)
    refused(files, "`q` contains a fact that belongs to another partition", 2)


@pytest.mark.parametrize(
    ("relation", "partitions"), [("__shown best/min2", 1), ("__shown best/min2", 2), ("best", 1), ("best", 2)]
)
@pytest.mark.parametrize("columns", [0, 3])
def test_relation_with_other_columns_than_those_of_the_rules_is_refused(
    relation: str, partitions: int, columns: int
) -> None:
    disk = MemoryDisk()
    with Engine(BEST, path=MemoryStore(disk), partitions=partitions) as db, db.epoch() as e:
        e.insert("cost", [(i, i + 5) for i in range(9)])
    files = {name: bytes(file.content) for name, file in disk.files.items()}

    def forge(record: dict[str, Any]) -> None:
        state = record["added"][-2:]
        record.update(arity=columns, types="", rows=record["rows"][:1], added=[7] * columns + state)

    with pytest.raises(StateError, match="columns"):
        opened(in_epoch(files, 2, relation, forge), partitions)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("name", ["../x", "nosuch", "quiet"])
def test_strata_in_the_log_name_relations_that_there_are_once(partitions: int, name: str) -> None:
    files = written(partitions)
    parts = parts_of(files)
    last = [part for part in parts if part.file.startswith("log/") and "strata" in part.frame.header][-1]
    assert isinstance(last.header, dict)
    last.header["strata"][1][0] = name
    new = {n: content for n, content in bound(files, parts).items() if not n.endswith(".snapshot")}
    with pytest.raises(StateError, match="is in") as caught:
        opened(new, partitions)
    assert caught.value.code == "TL5180"


def test_field_that_a_header_gives_twice_is_refused() -> None:
    with pytest.raises(ImpossibleError, match="occurs twice"):
        read_header(b'{"clock": 3, "body": [], "clock": 4}', 0)


def test_column_with_two_types_is_refused() -> None:
    def change(part: Part) -> None:
        assert isinstance(part.header, dict)
        part.header["rules"]["bound"] = [["q", 0, "symbol"], ["q", 0, "number"]]

    with pytest.raises(StateError, match="a column of a relation has two types"):
        opened(changed(files_of("p(X) :- q(X).", q=[(1,)]), change))


@pytest.mark.parametrize(
    ("told", "held", "twice"),
    [
        ([], [1], False),
        ([(IN, [2])], [1, 2], False),
        ([(OUT, [1]), (IN, [1]), (OUT, [1])], [2], False),
        ([(OUT, [1]), (IN, [1])], [1], False),
        ([(IN, [2, 2])], [2], True),
        ([(IN, [2]), (IN, [2])], [2], True),
        ([(IN, [1]), (OUT, [1])], [1], True),
        ([(OUT, [1])], [1], True),
    ],
)
def test_changes_that_put_in_what_is_there(told: list[tuple[int, list[int]]], held: list[int], twice: bool) -> None:
    rows = np.array(held)[:, None] * [1, 10]
    columns = [(sign, np.array(facts)[:, None] * [1, 10]) for sign, facts in told]
    expected = pytest.raises(ImpossibleError, match="`q` contains a fact twice") if twice else nullcontext()
    with expected:
        check_changes("q", columns or [(IN, rows[:0])], rows, np.ones(len(rows), bool))


def test_facts_that_have_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.store.image.duplicate_facts._hashes", lambda facts: np.zeros(len(facts), np.uint64))
    rows = np.array([[3, 1], [1, 2], [3, 2], [1, 1]])
    check_distinct("q", rows)
    check_changes("q", [(OUT, rows[:2]), (IN, rows[:1])], rows[[0, 2]], np.ones(2, bool))
    with pytest.raises(ImpossibleError):
        check_distinct("q", rows[[0, 1, 2, 0]])
    with pytest.raises(ImpossibleError):
        check_changes("q", [(OUT, rows[:2])], rows[1:], np.ones(3, bool))


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
