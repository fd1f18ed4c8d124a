"""Durable states: a folder that holds every committed epoch, and how an engine writes, reads and recovers it.

Law: names are imported on first use, so that an engine without a state folder loads none of this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.store.base.files import FileStore
    from tidelog.store.base.objects import ObjectStore
    from tidelog.store.base.store import HISTORY, Store, open_store
    from tidelog.store.folder.durable import Durable, EpochRecord
    from tidelog.store.folder.piece import Piece
    from tidelog.store.log.markers import PieceNote

__all__ = ["HISTORY", "Durable", "EpochRecord", "FileStore", "ObjectStore", "Piece", "PieceNote", "Store", "open_store"]

_HOMES = {
    "HISTORY": "base.store",
    "Durable": "folder.durable",
    "EpochRecord": "folder.durable",
    "FileStore": "base.files",
    "ObjectStore": "base.objects",
    "Piece": "folder.piece",
    "PieceNote": "log.markers",
    "Store": "base.store",
    "open_store": "base.store",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `tidelog.store` has no attribute `{name}`")
    return getattr(import_module(f"tidelog.store.{_HOMES[name]}"), name)
