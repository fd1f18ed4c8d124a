"""Backups: a copy of a state folder, made while another process writes it.

Law: a copy is the state at one committed epoch, not earlier than the last one when the copy was begun, and every file
of it has been read and checked. Snapshots are copied before the log and the log before the parts of partitions, so
that each file finds in the copy what it refers to; if a writer removes files meanwhile, copying begins again.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

from tidelog.errors import StateError
from tidelog.store.base import store_failures as failures
from tidelog.store.base.notes import FORMAT_FILE, NOTE_FILE, check_format
from tidelog.store.base.store import Store, open_store
from tidelog.store.folder.durable import Durable
from tidelog.store.folder.scrub import ScrubResult, scrub
from tidelog.store.folder.state_reader import part_of
from tidelog.store.log.log import FOLDER as LOG_FOLDER
from tidelog.store.log.markers import partitions_of
from tidelog.store.log.snapshot import FOLDER as SNAPSHOT_FOLDER

ATTEMPTS = 5
FOLDERS = ("", SNAPSHOT_FOLDER, LOG_FOLDER)


def back_up(place: str | Path | Store, to: str | Path | Store) -> ScrubResult:
    """Copy a state into a new or empty folder; returns what a check of the copy found besides problems."""
    source, target = open_store(place), open_store(to)
    if not check_format(source):
        raise failures.NO_STATE.error(name=source.name)
    others = [name for folder in FOLDERS for name in target.names(folder)]
    if others:
        raise failures.NOT_A_STATE.error(name=target.name, others=", ".join(others[:3]))
    problems: StateError | FileNotFoundError | None = None
    for _ in range(ATTEMPTS):
        target.lock()
        try:
            _copy(source, target)
        except FileNotFoundError as error:
            problems = error
            _clear(target)
            continue
        finally:
            target.unlock()
        try:
            Durable.open(target, None).close()  # cuts off an epoch of which only a part was written yet
        except StateError as error:
            problems = error
        else:
            found = scrub(target)
            if not found.wrong:
                return found
            problems = failures.DAMAGED.error(file=source.name, what=found.wrong[0])
        _clear(target)
    if isinstance(problems, StateError):
        raise problems
    raise failures.FILE_MISSING.error(name=source.name, error=problems)


def _copy(source: Store, target: Store) -> None:
    names = source.names("")
    for name in (FORMAT_FILE, NOTE_FILE):
        if name in names:
            target.write(name, [source.read(name)])
    _copy_folders(source, target)
    for number in count():
        part = part_of(source, number)
        if not _copy_folders(part, part_of(target, number)) and number >= partitions_of(source):
            return


def _copy_folders(source: Store, target: Store) -> int:
    """Copy snapshots, then the log, as they are listed; returns how many files there were."""
    found = 0
    for folder in (SNAPSHOT_FOLDER, LOG_FOLDER):
        for name in source.names(folder):
            target.write(f"{folder}/{name}", [source.read(f"{folder}/{name}")])
            found += 1
    return found


def _clear(target: Store) -> None:
    for place in (target, *(part_of(target, number) for number in range(partitions_of(target)))):
        for folder in FOLDERS:
            for name in place.names(folder):
                place.remove(f"{folder}/{name}" if folder else name)
