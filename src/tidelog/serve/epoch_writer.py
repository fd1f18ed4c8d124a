"""Make epochs from requests.

Law: a request is one epoch, applied as a whole or not at all; with a source and an offset it is applied once, however
often it is sent. A dry run reports what would change, what that costs and what a commit would refuse, and changes
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from tidelog.engine.base.own_limits import within
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.view import ChangeSet, Rows
from tidelog.engine.write.epoch import Epoch
from tidelog.partition.base.limits import Limits
from tidelog.program.types.subtypes import TypeNames, declared_types
from tidelog.program.values.column_names import column_names
from tidelog.program.values.rule import REFUSE
from tidelog.serve.grants import Grant
from tidelog.serve.proofs import violations_json, without_rows
from tidelog.serve.values import rows_from_json, rows_to_json


def new_epoch(db: Engine, body: Mapping[str, Any], grant: Grant) -> Epoch:
    """An epoch with the source, offset and note of a request, and its author: by default the name of its token."""
    author = body.get("author") or grant.name
    epoch = db.epoch(body.get("source"), body.get("offset"), author=author, note=body.get("note"))
    epoch.waits = True  # no response is sent before it is durable (`syncer`)
    epoch.warns = False  # the response reports it
    return epoch


def collect(db: Engine, epoch: Epoch, body: Mapping[str, Any]) -> list[str]:
    """Collect the changes of a request, declarations first; returns the labels of the added rules."""
    nulls = body.get("nulls", {})
    labels = epoch.declare(body["declare"]) if "declare" in body else []
    for name, rows in body.get("insert", {}).items():
        epoch.insert(name, read_rows(db, name, rows, epoch), nulls=nulls.get(name))
    for name, rows in body.get("delete", {}).items():
        epoch.delete(name, read_rows(db, name, rows, epoch), nulls=nulls.get(name))
    for label in body.get("remove_rules", ()):
        epoch.remove_rule(label)
    return [*labels, *(_add_rule(epoch, rule) for rule in body.get("add_rules", ()))]


def read_rows(db: Engine, name: str, rows: Sequence[Any], epoch: Epoch | None = None) -> list[Any]:
    """Rows of a relation in the form that the engine accepts.

    A relation that the epoch declares has the types of its declaration; a relation without types infers them from the
    rows.
    """
    core = core_of(db)
    types = core.rules.schema.get(name)
    declared = None if epoch is None else epoch.collected.program
    if types is None and declared is not None and (names := declared_types(declared).get(name)):
        types = tuple(map(TypeNames(declared.types).base, names))
        return rows_from_json(rows, column_names(declared, name, len(types)), types)
    return rows_from_json(rows, () if types is None else core.columns(name), types)


def _add_rule(epoch: Epoch, rule: Any) -> str:
    """Add a rule, given as a text or with a label; it may replace another rule."""
    if isinstance(rule, str):
        return epoch.add_rule(rule)
    if "replaces" in rule:
        epoch.remove_rule(rule["replaces"])
    return epoch.add_rule(rule["text"], rule.get("label"))


def collect_rows(epoch: Epoch, name: str, sign: int, rows: pa.Table | Sequence[Any], nulls: str | None = None) -> None:
    """Collect rows of one relation."""
    (epoch.insert if sign > 0 else epoch.delete)(name, rows, nulls=nulls)


def finish(
    db: Engine,
    epoch: Epoch,
    labels: Sequence[str],
    limit: int,
    *,
    limits: Limits,
    grant: Grant,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Commit or preview an epoch within limits.

    Returns the changes of the relations that the token may read, with a limited number of rows for each.
    """
    core = core_of(db)
    with core.writing, within(lambda: core.runtime, limits):
        if dry_run:
            db.preview(epoch)
        else:
            epoch.commit()
    statistics = epoch.statistics
    return {
        "epoch": epoch.number,
        "repeated": epoch.number is None and not dry_run,
        "dry_run": dry_run,
        "seconds": statistics.seconds,
        "labels": list(labels),
        "nulls": {n: {"skipped": c.skipped, "replaced": dict(c.replaced)} for n, c in epoch.nulls.items()},
        "ignored_columns": {name: list(columns) for name, columns in epoch.ignored.items()},
        "refused": any(violated.severity == REFUSE for violated in epoch.violations),
        "violations": violations_json(epoch.violations if grant.reads_all else without_rows(epoch.violations)),
        "changes": {name: change_json(change, limit) for name, change in epoch.changes.items() if grant.may_read(name)},
        "statistics": {
            "supports": dict(statistics.supports),
            "suspended": statistics.suspended,
            "revived": statistics.revived,
            "strata": [
                {
                    "relations": list(stratum.relations),
                    "seconds": stratum.seconds,
                    "supports": stratum.supports,
                    "suspended": stratum.suspended,
                    "revived": stratum.revived,
                    "rebuilt": stratum.rebuilt,
                }
                for stratum in statistics.strata
                if (not all(name.startswith("__") for name in stratum.relations))
            ],
        },
    }


def change_json(change: ChangeSet, limit: int) -> dict[str, Any]:
    """The changes of an epoch in a relation."""
    return {
        "columns": list(change.inserted.columns),
        "plus": _some(change.inserted, limit),
        "minus": _some(change.deleted, limit),
        "plus_count": len(change.inserted),
        "minus_count": len(change.deleted),
    }


def _some(rows: Rows, limit: int) -> list[Any]:
    return rows_to_json(list(islice(iter(rows), limit)), rows.types)
