"""The page about state folders: names of files, layout of frames, keys of headers and columns are those on disk."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, read
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.write.commit import sync_epochs
from tidelog.store.base.frame import HEAD, HEAD_SIZE, TAIL, Frame, decode_frame
from tidelog.store.image import delta, entries

PAGE = read(DOCS / "reference" / "state-format.md")
ARROW = {"bool": "boolean", "large_list<item: int64>": "large list of int64", "large_binary": "large binary"}
RARE = {"columns changed", "renewed", "ranks closed", "anew", "before", "parts"}  # the last three: other partitions


def make_state(place: Path, partitions: int) -> Path:
    with Engine("p(X) :- q(X). q(a).", path=place, partitions=partitions) as db:
        with db.epoch(source="feed", offset=1, author="ann", note="more") as epoch:
            epoch.insert("q", [("b",)])
            epoch.memos["feed"] = "a memo"
        with db.epoch() as epoch:
            epoch.remove_rule("r1")
            epoch.add_rule("p(X) :- q(X), X != a.")
        core = core_of(db)
        core.sync_later = lambda: None
        for value in "cd":  # a group
            epoch = db.epoch()
            epoch.waits = True
            with epoch:
                epoch.insert("q", [(value,)])
        sync_epochs(core)
        db.snapshot()
    return place


def frames(place: Path) -> list[Frame]:
    """The frames of the driver, in the log and in snapshots."""
    found = []
    for file in sorted((*place.glob("log/*"), *place.glob("snapshots/*"))):
        data, start = memoryview(file.read_bytes()), 0
        while start < len(data):
            found.append(decode_frame(data, start))
            start = found[-1].end
    return found


def rows(heading: str) -> list[tuple[str, str]]:
    """The first two cells of the rows of the table below a line."""
    table = PAGE[re.search(rf"^(?:#+ )?{heading}", PAGE, re.MULTILINE).end() :].lstrip()  # type: ignore[union-attr]
    table = re.split(r"\n\n(?!\|)", table[table.index("|") :])[0]
    return re.findall(r"^\| (.*?) ?\| (.*?) ?\|", table, re.MULTILINE)[1:]


@pytest.mark.parametrize("partitions", [1, 2])
def test_keys_of_headers_are_those_on_disk(partitions: int, tmp_path: Path) -> None:
    told = {key for cell, _ in rows("Header") for key in re.findall(r"`([^`]+)`", cell)} - RARE
    seen = {key for frame in frames(make_state(tmp_path / "state", partitions)) for key in frame.header}
    assert seen == told - ({"pieces", "placements"} if partitions == 1 else set())


@pytest.mark.parametrize("partitions", [1, 2])
def test_files_are_called_as_the_page_says(partitions: int, tmp_path: Path) -> None:
    drawn = re.findall(r"^ {6,8}([\w./-]+)", PAGE.partition("## ")[0], re.MULTILINE)
    shapes = {re.sub(r"\d{12}", "N", re.sub(r"-[0-9a-f]{8}\.", "-T.", name)) for name in drawn}
    place = make_state(tmp_path / "state", partitions)
    for file in place.rglob("*"):
        if file.is_file():
            inner = re.sub(r"^part-\d+/", "", str(file.relative_to(place)))
            assert re.sub(r"\d{12}", "N", re.sub(r"-[0-9a-f]+\.", "-T.", inner)) in shapes


def test_sizes_of_head_and_tail_are_told() -> None:
    sizes = [int(size) for _, size in rows("Every epoch and every snapshot is one frame") if size.isdigit()]
    assert sum(sizes) == HEAD_SIZE + TAIL.size
    assert f"checksum of the {HEAD.size} bytes above" in PAGE


@pytest.mark.parametrize(("module", "heading"), [(delta, "`deltas`, one line"), (entries, "`entries`, one line")])
def test_columns_are_told_in_their_order(module: ModuleType, heading: str) -> None:
    columns = [(f"`{each.name}`", ARROW.get(str(each.type), str(each.type))) for each in module.SCHEMA]
    assert rows(heading) == columns
