"""Durable states: a folder that holds every committed epoch, and how an engine writes, reads and recovers it."""

from tidelog.store.durable import HISTORY, Durable, EpochRecord
from tidelog.store.files import FileStore
from tidelog.store.markers import PieceNote
from tidelog.store.objects import ObjectStore
from tidelog.store.piece import Piece
from tidelog.store.store import Store, open_store

__all__ = ["HISTORY", "Durable", "EpochRecord", "FileStore", "ObjectStore", "Piece", "PieceNote", "Store", "open_store"]
