"""The two small files beside the frames: the format of a folder, and an epoch up to which it is known to be committed.

Law: both are JSON with a checksum. The format file is written once and read first. The note is a lower bound, written
when a writer closes: a log that ends before it was shortened by someone. Damage to either loses nothing and is a
warning.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from tidelog.errors import StateWarning
from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import FORMAT, checksum_of
from tidelog.store.base.store import Store

FORMAT_FILE = "tidelog.json"
NOTE_FILE = "committed.json"


def write_note(store: Store, name: str, values: dict[str, Any]) -> None:
    """Write a small file with its checksum."""
    store.write(name, [json.dumps({**values, "checksum": _checksum(values)}, indent=1).encode() + b"\n"])


def _checksum(values: dict[str, Any]) -> str:
    return f"{checksum_of([json.dumps(values, sort_keys=True).encode()]):016x}"


def read_note(store: Store, name: str) -> dict[str, Any] | None:
    """The values of a small file; None if it is missing or damaged; damage causes a warning."""
    try:
        raw = store.read(name)
    except FileNotFoundError:
        return None
    try:
        values: dict[str, Any] = json.loads(bytes(raw))
        if values.pop("checksum") == _checksum(values):
            return values
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    warnings.warn(f"{store.name}/{name} is damaged; it is not needed and was ignored", StateWarning, stacklevel=2)
    return None


def check_format(store: Store) -> bool:
    """Whether the folder holds a state; refuses newer formats and folders that hold something else."""
    values = read_note(store, FORMAT_FILE)
    if values is not None:
        found = values.get("format")
        if not isinstance(found, int) or found > FORMAT:
            raise failures.NEWER_FORMAT.error(name=store.name, found=found, known=FORMAT)
        return True
    if store.names("log") or store.names("snapshots") or FORMAT_FILE in store.names(""):
        return True
    others = store.names("")
    if others:
        raise failures.NOT_A_STATE.error(name=store.name, others=", ".join(others[:3]))
    return False


def write_format(store: Store) -> None:
    """Mark the folder as a state of this format."""
    write_note(store, FORMAT_FILE, {"format": FORMAT})
