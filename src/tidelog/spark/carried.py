"""The closed set of classes whose objects may be sent between processes in the calls of a service.

Law: every data class and named tuple of the modules below and in the signatures of the service may be sent, and in
addition only plain values, arrays and the few classes named here. All of them are values: creating one reads no file
and runs no user code. User functions are not sent in calls; Spark sends them to the tasks with the stage
(`resident_node`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pyarrow.fs

from tidelog import errors
from tidelog.partition.base import limits, net_changes
from tidelog.partition.code import plan_counts
from tidelog.partition.phases import running_rule
from tidelog.partition.reading import fact_pages
from tidelog.partition.texts import packed_cells
from tidelog.plan import steps, work
from tidelog.program.values import path, rule, term
from tidelog.program.values.variant import Variant
from tidelog.rewrite import name_paths
from tidelog.runtime.base import outcome, request
from tidelog.runtime.base.call import MARK, admit, hints_of
from tidelog.runtime.protocol import service
from tidelog.spark.resident.kinds import carry, carry_fields
from tidelog.spark.resident.resident_failures import NOT_CARRIED, NOT_READABLE
from tidelog.store.base.disk import LocalDisk
from tidelog.store.base.files import FileStore
from tidelog.store.base.objects import ObjectStore
from tidelog.store.base.store import Store
from tidelog.store.base.temporary_state import TemporaryDisk, temporary_store
from tidelog.store.image import image
from tidelog.store.log import markers, snapshot
from tidelog.verify import report

MODULES = (
    errors,
    term,
    path,
    rule,
    name_paths,
    steps,
    work,
    fact_pages,
    limits,
    net_changes,
    plan_counts,
    running_rule,
    request,
    outcome,
    service,
    report,
    image,
    markers,
    snapshot,
)
FILE_SYSTEMS = ("LocalFileSystem", "S3FileSystem", "GcsFileSystem", "AzureFileSystem", "HadoopFileSystem")


def carry_all() -> None:
    """Register all these classes; both sides do this when they import the module that serves or calls."""
    for module in MODULES:
        carry_fields(*_values_of(module))
    for method in vars(service.Service).values():
        if MARK in getattr(method, "__dict__", {}):
            carry_fields(*(named for hint in hints_of(method).values() for named in _classes_in(hint)))
    carry(packed_cells.PackedStructure, lambda value: (tuple(value),), packed_cells.PackedStructure, by_columns=True)
    carry(Variant, lambda value: (value.constructor, *value.parts), Variant)
    carry(outcome.RowChanges, lambda value: (dict(value),), outcome.read_changes)
    carry(FileStore, _folder_of, _store_in)
    carry(ObjectStore, _files_of, _objects_in)
    admit(Store, FileStore, ObjectStore)


def _values_of(module: ModuleType) -> list[type]:
    """The data classes and named tuples that a module defines."""
    own = (each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__)
    return [each for each in own if _is_value(each)]


def _is_value(cls: type) -> bool:
    return is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def _classes_in(hint: Any) -> Iterator[type]:
    """The data classes and named tuples that a hint names."""
    if isinstance(hint, type) and hint.__module__.startswith("tidelog.") and _is_value(hint):
        yield hint
    for part in get_args(hint):
        yield from _classes_in(part)


def _folder_of(store: FileStore) -> tuple[str, bool]:
    """The absolute path of the folder, valid in any process, and whether it is temporary."""
    if type(store.disk) not in (LocalDisk, TemporaryDisk):
        raise NOT_CARRIED.error(kind=f"state folder on a `{type(store.disk).__qualname__}`")
    return str(store.root.absolute()), isinstance(store.disk, TemporaryDisk)


def _store_in(root: str, is_temporary: bool) -> FileStore:
    _check_absolute(root)
    return temporary_store(root) if is_temporary else FileStore(Path(root))


def _check_absolute(root: str) -> None:
    """Raise unless a path is absolute: the folder must be the same wherever a process runs."""
    if not Path(root).is_absolute():
        raise NOT_READABLE.error(what=f"a state folder {root[:100]!r} whose path is not absolute")


def _files_of(store: ObjectStore) -> tuple[object, ...]:
    """The kind of file system with its settings, and the folder."""
    kind = type(store.filesystem)
    if getattr(pyarrow.fs, kind.__name__, None) is not kind or kind.__name__ not in FILE_SYSTEMS:
        raise NOT_CARRIED.error(kind=f"state folder on a `{kind.__qualname__}`")
    settings = () if kind is pyarrow.fs.LocalFileSystem else store.filesystem.__reduce__()[1]
    return kind.__name__, tuple(settings), store.root


def _objects_in(kind: str, settings: tuple[Any, ...], root: str) -> ObjectStore:
    if kind not in FILE_SYSTEMS:
        raise NOT_CARRIED.error(kind=f"state folder on a `{kind}`")
    if kind == pyarrow.fs.LocalFileSystem.__name__:
        _check_absolute(root)
    filesystem = getattr(pyarrow.fs, kind)
    return ObjectStore(filesystem._reconstruct(*settings) if settings else filesystem(), root)


carry_all()
