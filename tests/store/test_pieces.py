"""The state of several partitions: each keeps its piece, the driver's frame makes them count, and all of it is read."""

from __future__ import annotations

import pickle
import random
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pyarrow import fs

from tests.store.disks import File, MemoryDisk, MemoryStore
from tests.store.stories import EPOCHS, PROGRAM, Facts, expected, facts_of
from tests.store.team import SCHEMA, STORY, Team, run_alone, words
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import EngineError, StateError, StateWarning
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.work import EpochWork
from tidelog.program import Program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.store import Durable, EpochRecord, FileStore, ObjectStore, Store
from tidelog.store.base.frame import EPOCH, Bytes, framed
from tidelog.store.folder.history import log_entries, texts_of, view_changes
from tidelog.store.folder.piece import Piece
from tidelog.store.folder.state_reader import part_of
from tidelog.store.log.markers import PieceNote, counts_of, partitions_of
from tidelog.store.log.piece_log import PieceLog

STATES = cache(expected)


def grown(path: Path | Store, snapshots: tuple[int, ...] = ()) -> Engine:
    """The story of `stories` on two partitions."""
    db = Engine(PROGRAM, path=path, partitions=2)
    for number, change in enumerate(EPOCHS, 2):
        with db.epoch() as e:
            change(e)
        if number in snapshots:
            db.snapshot()
    return db


def files_of(disk: MemoryDisk, under: str) -> list[str]:
    return sorted(name for name in disk.files if name.startswith(under))


def test_every_partition_loads_its_piece_and_goes_on(tmp_path: Path) -> None:
    for number, change in enumerate(EPOCHS, 2):
        with Engine(PROGRAM, path=tmp_path, partitions=2) if number == 2 else Engine(path=tmp_path) as db:
            assert facts_of(db) == STATES()[number - 1]
            with db.epoch() as e:
                change(e)
            if number == 4:
                db.snapshot()
    with Engine(path=tmp_path) as db:
        assert facts_of(db) == STATES()[-1]
    assert {entry.name for entry in tmp_path.iterdir()} >= {"part-0", "part-1", "log", "snapshots"}


def test_a_reader_in_one_process_reads_every_epoch_of_all_pieces(tmp_path: Path) -> None:
    grown(tmp_path, snapshots=(3, 5)).close()
    for number, facts in enumerate(STATES()[1:], 1):
        assert facts_of(Engine(path=tmp_path, at=number)) == facts
    assert facts_of(Engine(path=tmp_path, at=-2)) == STATES()[-2]
    with pytest.raises(StateError, match="there is no epoch 99; the last epoch is 6"):
        Engine(path=tmp_path, at=99)


def test_a_reader_answers_why_for_recursion_negation_and_min(tmp_path: Path) -> None:
    grown(tmp_path).close()
    reader = Engine(path=tmp_path, at=4)
    for fact in ('cost("b", 4)', "reach(1, 4)", 'quiet("park")'):
        assert reader.why(fact).root.premises
    assert sorted(reader.query("reach(1, X), !edge(1, X)")) == [(3,), (4,)]


def test_changes_and_log_tell_what_one_embedded_partition_tells(tmp_path: Path) -> None:
    with grown(tmp_path / "two", snapshots=(4,)) as two, Engine(PROGRAM, path=tmp_path / "one") as one:
        for change in EPOCHS:
            with one.epoch() as e:
                change(e)
        reader = Engine(path=tmp_path / "two", at=-1)
        for db in (two, reader):
            for name in one.relations:
                assert Counter(db.changes(name)) == Counter(one.changes(name)), name
            assert db.changes("edge", since=5) == one.changes("edge", since=5)
            for mine, other in zip(db.log(), one.log(), strict=True):
                assert (mine.asserted, mine.retracted, mine.changed) == (other.asserted, other.retracted, other.changed)
                assert (mine.epoch, mine.added, mine.removed) == (other.epoch, other.added, other.removed)


def test_the_size_in_the_log_is_that_of_all_pieces(tmp_path: Path) -> None:
    with grown(tmp_path) as db:
        total = sum(file.stat().st_size for file in tmp_path.rglob("*.log"))
        assert sum(entry.size for entry in db.log()) == total


def test_a_relation_on_every_partition_is_told_once() -> None:
    disk = MemoryDisk()
    team = Team(disk)
    team.commit(STORY[0])
    (entry,) = log_entries(team.durable)
    assert entry.asserted == {"p": 4, "q": 1}
    assert entry.changed == {"p": (4, 0), "q": (1, 0)}
    assert [change.fact for change in view_changes(team.durable, "q", 0, texts_of(team.durable), team.rules)] == [(7,)]
    facts = {change.fact for change in view_changes(team.durable, "p", 0, texts_of(team.durable), team.rules)}
    assert facts == {(1, "a"), (2, "b"), (3, "c"), (4, "a")}


def test_notes_of_mirrored_relations_count_once() -> None:
    notes = [
        PieceNote(asserted={"m": 2, "p": 1}, changed={"m": (2, 1), "p": (1, 0)}),
        PieceNote(asserted={"m": 2, "p": 4}),
    ]
    told = counts_of(notes, {"m": -2, "p": 0})
    assert told == {"asserted": {"m": 2, "p": 5}, "retracted": {}, "changed": {"m": (2, 1), "p": (1, 0)}}


def test_another_number_of_partitions_is_an_epoch_that_changes_nothing(tmp_path: Path) -> None:
    made = grown(tmp_path / "two")
    facts, last = {name: sorted(made[name]) for name in made.relations}, made.epoch_number
    made.close()
    for count in (3, 1, None, 2):
        with Engine(path=tmp_path / "two", partitions=count) as db:
            assert {name: sorted(db[name]) for name in db.relations} == facts
            last += count is not None
            assert db.epoch_number == last
            assert not db.log()[-1].changed
    assert Engine(path=tmp_path / "two", at=-1).log()[-1].note == (
        "1 to 2 partitions: facts were moved with their ranks and counts, and new ranks were computed for reach"
    )


def test_what_partitions_left_that_never_came_is_removed_at_the_next_opening(tmp_path: Path) -> None:
    grown(tmp_path).close()
    (tmp_path / "part-2" / "log").mkdir(parents=True)
    (tmp_path / "part-2" / "log" / "000000000009-0a1b2c3d.log").write_bytes(b"leftover")
    Engine(path=tmp_path).close()
    assert not any((tmp_path / "part-2").rglob("*.log"))
    assert any((tmp_path / "part-1").rglob("*.log"))


def test_files_of_partitions_that_are_no_more_go_with_the_epochs_that_need_them(tmp_path: Path) -> None:
    made = grown(tmp_path)
    made.close()
    with Engine(path=tmp_path, partitions=1, history=0) as db:
        assert any((tmp_path / "part-1").rglob("*.log"))
        for number in range(3):
            with db.epoch() as e:
                e.insert("more", [(number,)])
            db.snapshot()
        assert not any((tmp_path / "part-1").rglob("*.log"))
    with Engine(path=tmp_path) as db:
        assert len(db["more"]) == 3


def test_one_resident_partition_has_a_piece_too(tmp_path: Path) -> None:
    with_piece = Durable.open(tmp_path, None, partitions=lambda _: 1)
    node, piece, rules = EmbeddedRuntime(FUNCTIONS), Piece(with_piece.store, 0), Ruleset(Program(), FUNCTIONS)
    node.adopt({"p": 2}, [], [])
    for number in (1, 2):
        node.run(_inserted((number, "a")))
        notes = [piece.write(number, node.partition, SCHEMA, bases=number == 1)]
        with_piece.record_pieces(number, notes, node.node, rules, EpochRecord(), {})
        node.commit()
    with_piece.close()
    again = EmbeddedRuntime(FUNCTIONS)
    Piece(tmp_path, 0).load(2, again.partition)
    assert again.partition.rows("p").tolist() == node.partition.rows("p").tolist()


def test_changes_cannot_be_tried_out_on_pieces_put_together(tmp_path: Path) -> None:
    grown(tmp_path).close()
    reader = Engine(path=tmp_path, at=-1)
    assert core_of(reader).durable is not None
    with pytest.raises(EngineError, match="has 2 partitions, which were combined for reading") as failed:
        core_of(reader).durable.must_be_exact()
    assert failed.value.code == "TL4902"
    with pytest.raises(EngineError, match="opened read-only at epoch 6"), reader.epoch() as e:
        e.insert("edge", [(1, 1)])


def test_a_partition_without_work_writes_nothing() -> None:
    disk = MemoryDisk()
    team = Team(disk)
    team.commit(STORY[0])
    sizes = {name: len(file.content) for name, file in disk.files.items() if name.startswith("part-")}
    team.commit(STORY[1])
    after = {name: len(file.content) for name, file in disk.files.items() if name.startswith("part-")}
    assert sum(sizes[name] != after[name] for name in sizes) == 1
    assert [marker.size > 0 for marker in team.durable.markers].count(True) == 1
    assert Team(disk.after_kill()).held() == team.held()


def test_pieces_of_an_epoch_that_was_never_committed_are_ignored() -> None:
    disk = MemoryDisk()
    team = Team(disk)
    team.commit(STORY[0])
    committed = team.held()
    for node in team.nodes:
        node.partition.begin()
    run_alone(team.nodes[0], _inserted((50, "a"), (51, "b")))
    run_alone(team.nodes[1], _inserted((52, "a")))
    notes = team._write(2, bases=False)
    assert all(note.size for note in notes)
    for node in team.nodes:
        node.rollback()
    assert Team(disk.after_kill()).held() == committed
    team.commit(STORY[1])  # the same epoch with other facts
    again = Team(disk.after_kill())
    assert again.held() == team.held()
    again.commit(STORY[2])
    assert Team(disk.after_kill()).held() != again.held()  # `again` works on a copy of the disk


def _inserted(*pairs: tuple[int, str]) -> EpochWork:
    return EpochWork(inserts={"p": np.array(words(*pairs), np.int64)})


def test_a_partition_given_up_for_lost_cannot_spoil_what_another_has_written() -> None:
    disk = MemoryDisk()
    Team(disk).commit(STORY[0])
    lost, successor = Team(disk), Team(disk)
    for change in STORY[1:4]:
        successor.commit(change)
    for node, piece in zip(lost.nodes, lost.pieces, strict=True):  # it wakes up and goes on with epoch 2
        run_alone(node, _inserted((60, "a")))
        assert piece.write(2, node.partition, SCHEMA, bases=False).size
    assert Team(disk.after_kill()).held() == successor.held()


def test_files_of_pieces_go_when_all_that_counts_in_them_is_old() -> None:
    disk = MemoryDisk()
    store = part_of(MemoryStore(disk), 0)
    first, second = PieceLog(store), PieceLog(store)
    checksums = {}
    for log, epoch, text in ((first, 1, "a"), (first, 2, "b"), (first, 3, "never"), (second, 3, "c"), (second, 5, "d")):
        parts, checksums[epoch] = framed(EPOCH, epoch, 0, {"clock": 1, "text": text}, [])
        log.append(epoch, parts)
    lost = PieceLog(store)
    lost.append(3, framed(EPOCH, 3, 0, {"clock": 1, "text": "lost"}, [])[0])
    second.begin_file()
    parts, checksums[6] = framed(EPOCH, 6, 0, {"clock": 1, "text": "e"}, [])
    second.append(6, parts)
    for before, files, texts in ((2, 4, "abcde"), (3, 3, "cde"), (5, 3, "de"), (6, 1, "e"), (9, 1, "e")):
        second.remove_before(before)
        assert len(second.files()) == files, before
        wanted = dict(list(checksums.items())[-len(texts) :])
        assert "".join(frame.header["text"] for frame in second.frames(wanted)) == texts, before


def test_a_piece_goes_to_another_process_by_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = FileStore(Path("state"))
    store.lock()
    piece = pickle.loads(pickle.dumps(Piece(store, 3)))
    monkeypatch.chdir("/")
    assert piece.number == 3
    assert piece._part.name == str(tmp_path / "state" / "part-3")
    place = ObjectStore(fs.LocalFileSystem(), str(tmp_path / "objects"))
    assert pickle.loads(pickle.dumps(Piece(place, 0)))._part.name == f"local:{tmp_path}/objects/part-0"
    store.unlock()


def test_pieces_lie_on_another_file_system_as_on_local_files(tmp_path: Path) -> None:
    place = ObjectStore(fs.LocalFileSystem(), str(tmp_path))
    for number, change in enumerate(EPOCHS, 2):
        with Engine(PROGRAM, path=place, partitions=2) if number == 2 else Engine(path=place) as db:
            with db.epoch() as e:
                change(e)
            if number == 4:
                db.snapshot()
    assert len(place.names("part-0/log")) >= 5  # every piece is a separate file
    for number in range(1, len(STATES())):
        assert facts_of(Engine(path=place, at=number)) == STATES()[number]
    assert len(Engine(path=place, at=-1).changes("reach")) > 5
    (tmp_path / "part-1" / "log" / "half.log.tmp").write_bytes(b"half")
    Engine(path=place).close()
    assert not list((tmp_path / "part-1" / "log").glob("*.tmp"))


def test_old_pieces_are_removed_only_when_no_kept_epoch_needs_them() -> None:
    disk = MemoryDisk()
    db = Engine("p(X) :- q(X), !r(X).", path=MemoryStore(disk), history=4, partitions=2)
    states = {}
    for number in range(1, 26):
        with db.epoch() as e:
            e.insert("q", [(number,), (number + 100,)])
            e.insert("r", [(number - 3,)])
        states[db.epoch_number] = facts_of(db)
        if number % 2:
            db.snapshot()
        for back in range(min(4, len(states))):
            assert facts_of(Engine(path=MemoryStore(disk), at=db.epoch_number - back)) == states[db.epoch_number - back]
    for part in ("part-0", "part-1"):
        assert len(files_of(disk, f"{part}/snapshots")) <= 6
        assert files_of(disk, f"{part}/log")[0] > f"{part}/log/000000000010"
    with pytest.raises(StateError, match=r"epoch 3 is no longer kept"):
        Engine(path=MemoryStore(disk), at=3)


def test_snapshots_of_pieces_are_taken_when_the_logs_outgrow_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.store.folder.durable.MARGIN", 3000)
    disk = MemoryDisk()
    db = Engine("p(X) :- q(X).", path=MemoryStore(disk), partitions=2)
    for number in range(20):
        with db.epoch() as e:
            e.insert("q", [(number,)])
    assert 2 <= len(disk.names("snapshots")) <= 12
    assert disk.names("part-0/snapshots") == disk.names("part-1/snapshots") == disk.names("snapshots")
    assert facts_of(Engine(path=MemoryStore(disk), at=-1)) == facts_of(db)


def test_a_flipped_bit_in_any_file_is_named_or_makes_no_difference() -> None:
    disk = MemoryDisk()
    grown(MemoryStore(disk), snapshots=(3, 5)).close()
    rng = random.Random(4)
    for name, file in disk.files.items():
        content = bytes(file.content)
        for place in rng.sample(range(len(content)), 5):
            flipped = bytearray(content)
            flipped[place] ^= 1 << rng.randrange(8)
            damaged = MemoryDisk()
            damaged.files = {n: File(bytes(f.content)) for n, f in disk.files.items()} | {name: File(bytes(flipped))}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", StateWarning)
                found = _opened_or_told(damaged)
            assert name in found or found == STATES()[-1], f"{name}, byte {place}"


def _opened_or_told(disk: MemoryDisk) -> Facts | str:
    """The facts, or what is wrong."""
    try:
        return facts_of(Engine(path=MemoryStore(disk)))
    except StateError as error:
        return str(error)


def test_a_damaged_snapshot_of_a_piece_gives_way_to_an_older_one_and_is_removed() -> None:
    disk = MemoryDisk()
    grown(MemoryStore(disk), snapshots=(3, 5)).close()
    name = "part-1/snapshots/000000000005.snapshot"
    disk.files[name].content[-20] ^= 1
    with pytest.warns(
        StateWarning,
        match=f"{name} is damaged: the checksum .* the exact state was restored from an older snapshot and the log",
    ):
        db = Engine(path=MemoryStore(disk))
    assert facts_of(db) == STATES()[-1]
    assert name not in disk.files


def test_pieces_of_another_state_are_not_taken_for_those_of_this_one() -> None:
    disk, other = MemoryDisk(), MemoryDisk()
    grown(MemoryStore(disk), snapshots=(5,)).close()
    db = Engine("p(X) :- q(X).", path=MemoryStore(other), partitions=2)
    for number in range(5):
        with db.epoch() as e:
            e.insert("q", [(number,)])
    db.snapshot()
    disk.files["part-0/snapshots/000000000006.snapshot"] = other.files["part-0/snapshots/000000000006.snapshot"]
    with pytest.warns(StateWarning, match="it does not belong to epoch 6 of this state"):
        assert facts_of(Engine(path=MemoryStore(disk))) == STATES()[-1]


def test_a_reader_of_pieces_overtaken_by_snapshots_and_removals_starts_over() -> None:
    disk = MemoryDisk()
    db = Engine("p(X) :- q(X).", path=MemoryStore(disk), partitions=2, history=0)

    def grow() -> None:
        for number in range(4):
            with db.epoch() as e:
                e.insert("q", [(10 * db.epoch_number + number,)])
            db.snapshot()

    class Meddled(MemoryStore):
        """A disk on which a writer is busy while a reader reads its first piece."""

        busy = False

        def read(self, name: str) -> Bytes:
            if name.startswith("snapshots/") and not Meddled.busy:
                Meddled.busy = True
                content = super().read(name)
                grow()
                return content
            return super().read(name)

    grow()
    assert facts_of(Engine(path=Meddled(disk), at=-1)) == facts_of(db)
    assert Meddled.busy


def test_a_lost_piece_is_named() -> None:
    disk = MemoryDisk()
    grown(MemoryStore(disk)).close()
    (name,) = files_of(disk, "part-1/log")
    shorter = disk.after_kill()
    del shorter.files[name].content[-30:]
    with pytest.raises(StateError, match=rf"{name} is damaged: it ends .* bytes before the end of epoch 6"):
        Engine(path=MemoryStore(shorter))
    gone = disk.after_kill()
    del gone.files[name]
    with pytest.raises(StateError, match="part-1: the part of epoch 1 is missing") as failed:
        Engine(path=MemoryStore(gone))
    assert failed.value.code == "TL5116"


def test_how_many_partitions_made_a_state_is_read_off_any_frame(tmp_path: Path) -> None:
    assert partitions_of(FileStore(tmp_path / "new")) == 0
    Engine("p(1).", path=tmp_path / "embedded").close()
    assert partitions_of(FileStore(tmp_path / "embedded")) == 0
    grown(tmp_path / "two", snapshots=(3, 6)).close()
    store = FileStore(tmp_path / "two")
    files = [*(tmp_path / "two" / "log").iterdir(), *(tmp_path / "two" / "snapshots").iterdir()]
    for damaged in sorted(files):
        assert partitions_of(store) == 2
        damaged.write_bytes(b"not a frame" * 10)
    with pytest.raises(StateError, match="is damaged"):
        partitions_of(store)
