"""A forger: changes one thing in a state and makes all checksums fit again.

`python -m tests.store.forger --cases 2000 --seed 1` opens this many forged states, in separate processes, reads all
views of each and runs an epoch. Each must be a StateError or go on as an engine does: whatever else is raised, and
every process that dies, is reported with its seed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pyarrow as pa

from tests.store.disks import File, MemoryDisk, MemoryStore
from tests.store.stories import EPOCHS, PROGRAM
from tidelog import Engine
from tidelog.errors import StateError, TidelogError
from tidelog.store.base.frame import Frame, decode_frame, encode_frame
from tidelog.store.image import delta, entries

BATCH = 200
Files = dict[str, bytes]
MORE = """
.type Point = [x: number, label: symbol]
.decl at(p: Point)
.decl worth(x: symbol, c: number)
.decl best(x: symbol, c: number)
.decl total(n: number)
.decl label(l: symbol)
best(x, c) :- worth(x, _), c = min d : { worth(x, d) }.
total(n) :- n = count : { worth(_, _) }.
label(l) :- at([_, l]).
label(cat(x, "!")) :- worth(x, _), !at([1, x]).
"""


@cache
def written(partitions: int, program: str = "story") -> Files:
    """The files of a small state: a history, or records and minima, of one partition or several."""
    disk = MemoryDisk()
    text = PROGRAM if program == "story" else MORE
    with Engine(text, path=MemoryStore(disk), partitions=partitions) as db:
        if program == "story":
            for number, change in enumerate(EPOCHS, 2):
                with db.epoch() as e:
                    change(e)
                if number == 4:
                    db.snapshot()
        else:
            with db.epoch() as e:
                e.insert("worth", [("a", 5), ("a", 3), ("b", 4), ("c", 1)])
                e.insert("at", [((1, "a"),), ((2, "z"),)])
            db.snapshot()
            with db.epoch() as e:
                e.delete("worth", [("a", 3)])
                e.insert("worth", [("b", 2)])
    return {name: bytes(file.content) for name, file in disk.files.items()}


@dataclass
class Part:
    """One frame on its way: its file, the frame as it was, what it is to say."""

    file: str
    frame: Frame
    header: object
    body: bytes


def parts_of(files: Files) -> list[Part]:
    """All frames, pieces first, then the log, then snapshots: each names only those before it."""
    names = [name for name in files if name.endswith((".log", ".snapshot"))]
    names.sort(key=lambda name: (not name.startswith("part-"), name.endswith(".snapshot"), name))
    return [
        Part(name, frame, json.loads(json.dumps(frame.header)), bytes(frame.body))
        for name in names
        for frame in _frames(files[name])
    ]


def _frames(content: bytes) -> Iterator[Frame]:
    at = 0
    while at < len(content):
        frame = decode_frame(memoryview(content), at)
        yield frame
        at = frame.end


def bound(files: Files, parts: list[Part]) -> Files:
    """The files with these frames, whose checksums fit."""
    known: dict[int, int] = {}
    written: dict[str, bytes] = {part.file: b"" for part in parts}
    for part in parts:
        header = part.header
        if isinstance(header, dict) and isinstance(header.get("pieces"), list):
            for marker in header["pieces"]:
                if isinstance(marker, list) and marker and isinstance(marker[0], int):
                    marker[0] = known.get(marker[0], marker[0])
        old = part.frame
        found, checksum = encode_frame(old.kind, old.epoch, known.get(old.previous, old.previous), header, [part.body])  # type: ignore[arg-type]  # a forged one is of any form
        known[old.checksum] = checksum
        written[part.file] += b"".join(bytes(each) for each in found)
    return {**files, **written}


# What is changed

NUMBERS = (-(2**63), -(2**40), -5, -1, 0, 1, 2, 3, 7, 2**20, 2**31 - 1, 2**32, 2**40, 2**62, 2**63 - 1)
VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2**70,
    1.5,
    "",
    "x",
    "../x",
    "edge",
    "__shown x",
    [],
    [1],
    [[]],
    {},
    {"a": 1},
    "\ud800",
    "a(1) :- .",
)


def _some(rng: random.Random) -> int:
    return rng.choice(NUMBERS) if rng.random() < 0.7 else rng.getrandbits(64) - 2**63


def a_field(part: Part, rng: random.Random) -> str:
    """Another value somewhere in the header."""
    place: object = part.header
    path = []
    while isinstance(place, dict | list) and place:
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        path.append(key)
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.25:
            action = rng.random()
            if action < 0.15:
                del place[key]
            elif action < 0.3 and isinstance(inner, str):
                cut = rng.randrange(len(inner) + 1)
                place[key] = inner[:cut] + rng.choice(["", "x", '"', ".", "edge", "\n", "!"]) + inner[cut + 1 :]
            elif action < 0.5 and isinstance(inner, list):
                rng.shuffle(inner)
            elif isinstance(inner, int) and action < 0.8:
                place[key] = _some(rng)
            else:
                place[key] = rng.choice(VALUES)
            break
        place = inner
    return f"header {path}"


def a_cell(part: Part, rng: random.Random) -> str:
    """Another cell in a delta or an entry."""
    batches, place = batches_of(part), 0
    if not batches:
        return a_field(part, rng)
    number = rng.randrange(len(batches))
    kind, batch = batches[number]
    columns, told = [c.to_pylist() for c in batch.columns], ""
    if batch.num_rows:
        place, row = rng.randrange(len(columns)), rng.randrange(batch.num_rows)
        columns[place][row] = _forged(columns[place][row], rng)
        told = f"{kind} {batch.schema.names[place]} of {columns[0][row]}"
    if rng.random() < 0.05 and batch.num_rows:
        for column in columns:
            column.append(column[rng.randrange(len(column))])
    try:
        batches[number] = (
            kind,
            pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, batch.schema, strict=True)], batch.schema),
        )
    except (pa.ArrowException, OverflowError, TypeError, UnicodeEncodeError):
        return told + " (no Arrow)"
    put_batches(part, batches)
    return told


def _forged(value: object, rng: random.Random) -> object:
    match value:
        case bool():
            return not value
        case int():
            return _some(rng) if rng.random() < 0.8 else None
        case str():
            return rng.choice(
                [
                    "",
                    "x",
                    "edge",
                    "reach",
                    "number",
                    "list,list",
                    "symbol,number",
                    "__shown r2",
                    "__function cat(symbol) symbol",
                    None,
                ]
            )
        case bytes():
            return rng.choice(
                [b"", b"[", b"[1]", b"\xff", b"{}", b'{"cells": [1]}', b"null", value + b"x", value[::-1]]
            )
        case list():
            cells = list(value)
            if cells and rng.random() < 0.85:
                place = rng.randrange(len(cells))
                cells[place] = _some(rng) if rng.random() < 0.6 else cells[place] ^ (1 << rng.randrange(64))
                cells[place] = (cells[place] + 2**63) % 2**64 - 2**63
            elif cells and rng.random() < 0.4:  # what is said in one place is said in another
                length = rng.choice([1, 3, 4, 5])
                here, there = (rng.randrange(0, len(cells), length) for _ in range(2))
                cells[here : here + length] = cells[there : there + length]
            elif rng.random() < 0.5:
                cells.append(_some(rng))
            else:
                cells = cells[: rng.randrange(len(cells) + 1)]
            return cells
    return value


def batches_of(part: Part) -> list[tuple[str, pa.RecordBatch]]:
    """The messages in the body of a frame, by kind."""
    found, at = [], 0
    for kind, size in part.frame.header["body"]:
        schema = delta.SCHEMA if kind == "deltas" else entries.SCHEMA
        found.append((kind, pa.ipc.read_record_batch(pa.py_buffer(part.body[at : at + size]), schema)))
        at += size
    return found


def put_batches(part: Part, batches: list[tuple[str, pa.RecordBatch]]) -> None:
    """Give a frame another body."""
    messages = [(kind, bytes(batch.serialize())) for kind, batch in batches]
    part.body = b"".join(message for _, message in messages)
    if isinstance(part.header, dict):
        part.header["body"] = [[kind, len(message)] for kind, message in messages]


def a_word(part: Part, rng: random.Random) -> str:
    """Other bytes in the body, where Arrow keeps lengths and offsets."""
    if not part.body:
        return a_field(part, rng)
    body = bytearray(part.body)
    at = rng.randrange(len(body) // 8) * 8
    body[at : at + 8] = np.array([_some(rng)], np.int64).tobytes()
    part.body = bytes(body)
    return f"word {at}"


def a_length(part: Part, rng: random.Random) -> str:
    """A body that is longer or shorter than the header says."""
    part.body = part.body[: -8 * rng.randrange(1, 4)] if part.body and rng.random() < 0.5 else part.body + bytes(8)
    return "length"


def an_order(part: Part, rng: random.Random) -> str:
    """Another kind of frame, or epoch."""
    part.frame = replace(
        part.frame, **rng.choice([{"kind": 3 - part.frame.kind}, {"epoch": part.frame.epoch + 1}, {"epoch": -3}])
    )
    return "head"


CHANGES: tuple[tuple[Callable[[Part, random.Random], str], float], ...] = (
    (a_cell, 0.55), (a_field, 0.25), (a_word, 0.14), (a_length, 0.03), (an_order, 0.03),
)  # fmt: skip


def forged(seed: int) -> tuple[Files, int, str]:
    """The files of a state with one thing changed, how many partitions it has, and what was changed."""
    rng = random.Random(seed)
    partitions, program = rng.choice([1, 1, 2]), rng.choice(["story", "more"])
    files = written(partitions, program)
    parts = parts_of(files)
    part = rng.choice(parts)
    change = rng.choices([c for c, _ in CHANGES], [w for _, w in CHANGES])[0]
    told = change(part, rng)
    new = bound(files, parts)
    if ".log" in part.file:
        new = {name: content for name, content in new.items() if not _hides(name, part.frame.epoch)}
    return new, partitions, f"{program} on {partitions}: {part.file} epoch {part.frame.epoch}: {told}"


def _hides(name: str, epoch: int) -> bool:
    """Whether a file is a snapshot from which opening begins without reading the log at an epoch."""
    stem = name.rpartition("/")[2].removesuffix(".snapshot")
    return name.endswith(".snapshot") and int(stem) >= epoch


def tried(files: Files, partitions: int) -> str:
    """What comes of opening a state, reading it and running an epoch: `refused` or `opened`."""
    disk = MemoryDisk()
    disk.files = {name: File(content) for name, content in files.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            db = Engine(path=MemoryStore(disk), partitions=partitions)
        except StateError:
            return "refused"
        with db:
            for name in db.relations:
                db[name].rows()
                db.changes(name)
            list(db.log())
            _go_on(db)
            for name in db.relations:
                db[name].rows()
        return "opened"


def _go_on(db: Engine) -> None:
    """An epoch that touches what there is; an error of Tidelog's is one that engines give."""
    try:
        with db.epoch() as e:
            if "worth" in db.relations:
                e.delete("worth", [("c", 1)])
                e.insert("worth", [("a", 1), ("d", 1)])
            elif "road" in db.relations:
                e.delete("road", [("a", "c", 1)])
                e.insert("road", [("a", "b", 1)])
                e.delete("edge", [(2, 3)])
                e.insert("edge", [(1, 2), (4, 2)])
    except TidelogError:
        pass


def run(first: int, last: int) -> None:
    """Try the forgeries of some seeds; each is printed before it is tried, and its result afterwards."""
    for seed in range(first, last):
        print(seed, end=" ", flush=True)
        files, partitions, told = forged(seed)
        try:
            print(tried(files, partitions), flush=True)
        except StateError:
            print("refused later", flush=True)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(
                f"WRONG {told}: {type(error).__name__}: {str(error)[:200]} ({place.filename}:{place.lineno})",
                flush=True,
            )


def found_wrong(cases: int, seed: int, tell: Callable[[str], object] = lambda _: None) -> list[str]:
    """What is wrong with this many forgeries, tried in separate processes; a process that dies is wrong."""
    wrong, first, last = [], seed, seed + cases
    while first < last:
        words = [
            sys.executable,
            "-X",
            "faulthandler",
            "-m",
            "tests.store.forger",
            "--from",
            str(first),
            "--to",
            str(min(last, first + BATCH)),
        ]
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
        lines = ended.stdout.splitlines()
        wrong += [line for line in lines if "WRONG" in line]
        reached = int(lines[-1].split()[0]) if lines else first
        if ended.returncode:
            told = f"the process ended with {ended.returncode}: {ended.stderr[-2000:]}"
            wrong.append(f"{reached} WRONG {forged(reached)[2]}: {told}")
        tell("\n".join(lines))
        first = reached + 1
    return wrong


def main() -> None:
    """The command line."""
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--from", type=int, dest="first")
    options.add_argument("--to", type=int, dest="last")
    given = options.parse_args()
    if given.first is not None:
        run(given.first, given.last)
        return
    outcomes: list[str] = []
    wrong = found_wrong(given.cases, given.seed, outcomes.append)
    lines = "\n".join(outcomes).splitlines()
    print("\n".join(wrong))
    kinds = ("opened", "refused", "refused later")
    print(
        len(lines),
        "tried:",
        {kind: sum(line.split(" ", 1)[1] == kind for line in lines) for kind in kinds},
        len(wrong),
        "wrong",
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
