"""Durable states: a folder that holds every committed epoch, and how an engine writes, reads and recovers it."""

from tidelog.store.durable import HISTORY, Durable, EpochRecord
from tidelog.store.files import FileStore
from tidelog.store.objects import ObjectStore
from tidelog.store.store import Store, open_store

__all__ = ["HISTORY", "Durable", "EpochRecord", "FileStore", "ObjectStore", "Store", "open_store"]
