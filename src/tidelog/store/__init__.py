"""Durable states: a folder that holds every committed epoch, and how an engine writes, reads and recovers it.

Law: names are imported when they are asked for, so that an engine without a state folder loads nothing of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.store.durable import Durable, EpochRecord
    from tidelog.store.files import FileStore
    from tidelog.store.markers import PieceNote
    from tidelog.store.objects import ObjectStore
    from tidelog.store.piece import Piece
    from tidelog.store.store import HISTORY, Store, open_store

__all__ = ["HISTORY", "Durable", "EpochRecord", "FileStore", "ObjectStore", "Piece", "PieceNote", "Store", "open_store"]

_HOMES = {
    "HISTORY": "store",
    "Durable": "durable",
    "EpochRecord": "durable",
    "FileStore": "files",
    "ObjectStore": "objects",
    "Piece": "piece",
    "PieceNote": "markers",
    "Store": "store",
    "open_store": "store",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `tidelog.store` has no attribute `{name}`")
    return getattr(import_module(f"tidelog.store.{_HOMES[name]}"), name)
