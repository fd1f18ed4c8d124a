"""Changing facts and rules, and the history of changes.

Law: one request is one epoch, or a part of an open one; a dry run changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tidelog.engine.ask.revert import reverting_epoch
from tidelog.engine.engine import core_of
from tidelog.engine.write.durable import log
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import StateError
from tidelog.serve import schemas
from tidelog.serve.epoch_writer import collect, collect_rows, finish, new_epoch, read_rows
from tidelog.serve.feeds import counts_json
from tidelog.serve.grants import RULES, WRITE, Grant
from tidelog.serve.limits import PAGE, TEXT
from tidelog.serve.operation import CREATED, JSON, NO_CONTENT, Lane, Operation, Reply, RequestCall
from tidelog.serve.service import Service
from tidelog.serve.values import ARROW
from tidelog.store.base.store_failures import CHANGES_NOT_KEPT
from tidelog.store.folder.history import LogEntry

ENTRIES = 100  # of history by default


def rehearsal_of(service: Service, call: RequestCall) -> Callable[[], None] | None:
    """The rehearsal of the declarations and rules of a request; None if it has none."""
    declared, added = call.body.get("declare"), call.body.get("add_rules", ())
    if declared is None and not added:
        return None
    texts = [each if isinstance(each, str) else each["text"] for each in added]
    return partial(service.workers.rehearse_rules, call.grant.access, core_of(service.engine).rules, declared, texts)


def rehearsal_of_open(service: Service, call: RequestCall) -> Callable[[], None] | None:
    """The rehearsal of all rules of an open epoch together; None if it has none."""
    rules = service.staging.rules(call.path["id"])
    if not rules:
        return None
    return partial(service.workers.rehearse_rules, call.grant.access, core_of(service.engine).rules, None, rules)


def check_changes(grant: Grant, body: Mapping[str, Any]) -> None:
    """Raise unless a token allows the changes of a request."""
    grant.check_writes((*body.get("insert", ()), *body.get("delete", ())))
    if any(body.get(field) for field in ("declare", "add_rules", "remove_rules")):
        grant.check_scope(RULES)


def commit(service: Service, call: RequestCall) -> Reply:
    """Commit or preview one epoch."""
    db, body = service.engine, call.body
    check_changes(call.grant, body)
    epoch = new_epoch(db, body, call.grant)
    labels = collect(db, epoch, body)
    limits, dry_run = service.limits.of_epochs, body.get("dry_run", False)
    return Reply(finish(db, epoch, labels, body.get("rows", PAGE), limits=limits, grant=call.grant, dry_run=dry_run))


def change_rows(service: Service, call: RequestCall, sign: int) -> Reply:
    """Commit or preview rows of one relation, or add them to an open epoch."""
    db, name, query = service.engine, call.path["name"], call.query
    call.grant.check_writes((name,))

    def collect_into(epoch: Epoch) -> None:
        rows = read_rows(db, name, call.body, epoch) if isinstance(call.body, list) else call.body
        collect_rows(epoch, name, sign, rows, query.get("nulls"))

    if "open" in query:
        with service.staging.use(query["open"], call.size) as staged:
            collect_into(staged.epoch)
            return Reply({"id": query["open"]})
    epoch = new_epoch(db, query, call.grant)
    collect_into(epoch)
    limits, dry_run = service.limits.of_epochs, query.get("dry_run", False)
    return Reply(finish(db, epoch, (), query.get("rows", PAGE), limits=limits, grant=call.grant, dry_run=dry_run))


def revert(service: Service, call: RequestCall) -> Reply:
    """Commit or preview an epoch that undoes others."""
    db, body = service.engine, call.body
    call.grant.check_scope(RULES)
    call.grant.check_writes(core_of(db).rules.schema)
    about = {"since": body.get("since"), "note": body.get("note"), "author": body.get("author") or call.grant.name}
    with core_of(db).writing:
        epoch = reverting_epoch(core_of(db), body.get("epoch"), **about)
        limits, dry_run = service.limits.of_epochs, body.get("dry_run", False)
        return Reply(finish(db, epoch, (), body.get("rows", PAGE), limits=limits, grant=call.grant, dry_run=dry_run))


def begin(service: Service, call: RequestCall) -> Reply:
    """Open an epoch."""
    return Reply({"id": service.staging.begin(new_epoch(service.engine, call.body, call.grant))}, CREATED)


def add(service: Service, call: RequestCall) -> Reply:
    """Add changes to an open epoch."""
    check_changes(call.grant, call.body)
    with service.staging.use(call.path["id"], call.size) as staged:
        collected = staged.epoch.collected
        staged.epoch.collected = replace(
            collected, facts=[*collected.facts], added=[*collected.added], removed=[*collected.removed]
        )
        try:
            labels = collect(service.engine, staged.epoch, call.body)
        except BaseException:
            staged.epoch.collected = collected  # a refused request must not change the open epoch
            raise
        staged.labels += labels
        return Reply({"id": call.path["id"], "labels": labels})


def commit_open(service: Service, call: RequestCall) -> Reply:
    """Commit an open epoch, or preview it and leave it open."""
    rows, name, db = call.body.get("rows", PAGE), call.path["id"], service.engine
    end = partial(finish, db, limit=rows, limits=service.limits.of_epochs, grant=call.grant)
    if call.body.get("dry_run"):
        with service.staging.use(name) as staged:
            return Reply(end(staged.epoch, staged.labels, dry_run=True))
    staged = service.staging.end(name)
    return Reply(end(staged.epoch, staged.labels))


def discard(service: Service, call: RequestCall) -> Reply:
    """Discard an open epoch."""
    service.staging.end(call.path["id"])
    return Reply(status=NO_CONTENT)


def history(service: Service, call: RequestCall) -> Reply:
    """Epochs, the most recent first."""
    limit = call.query.get("limit", ENTRIES)
    before = min(call.query.get("before", service.engine.epoch_number + 1), service.engine.epoch_number + 1)
    entries = _kept_entries(service, max(0, before - 1 - limit), before - 1)
    oldest = entries[0].epoch if entries else 0
    following = oldest if oldest > 1 and len(entries) == limit else None
    return Reply({"epochs": [_entry(entry) for entry in reversed(entries)], "next": following})


def _kept_entries(service: Service, after: int, until: int) -> list[LogEntry]:
    """The epochs after one and up to another, as far as they are kept."""
    core = core_of(service.engine)
    try:
        return log(core, after, until)
    except StateError as error:
        if error.code != CHANGES_NOT_KEPT.code:
            raise
        return log(core, until=until)


def _entry(entry: LogEntry) -> dict[str, Any]:
    names = {**entry.asserted, **entry.retracted}
    facts = {name: (entry.asserted.get(name, 0), entry.retracted.get(name, 0)) for name in names}
    return {
        "epoch": entry.epoch,
        "time": entry.time,
        "seconds": entry.seconds,
        "source": entry.source,
        "offset": entry.offset,
        "author": entry.author,
        "note": entry.note,
        "rules": {"added": list(entry.added), "removed": list(entry.removed)},
        "facts": counts_json(facts),
        "changes": counts_json(dict(entry.changed)),
    }


_RULE = {
    "type": ["string", "object"],
    "properties": {
        "text": schemas.text("The rule."),
        "label": schemas.text("A label that has never been used. Generated by default.", 200),
        "replaces": schemas.text("The label of the rule to replace.", 200),
    },
    "required": ["text"],
    "additionalProperties": False,
    "maxLength": TEXT,
}
_NULLS = schemas.text("How nulls are handled: `refuse` (the default), `skip`, or replacements: `mgr=none`.", 10_000)
_CHANGES = {
    "declare": schemas.text("Declarations to add, such as `.decl vip(person: symbol)`, with their rules and facts."),
    "insert": schemas.by_name(schemas.ROWS),
    "delete": schemas.by_name(schemas.ROWS),
    "nulls": schemas.by_name(_NULLS),
    "add_rules": schemas.list_of(_RULE),
    "remove_rules": schemas.list_of(schemas.text("The label of a rule.", 200)),
}
ABOUT = {
    "source": schemas.text(
        "The name of the input's source. Together with `offset`, it ensures that input is applied once.", 1000
    ),
    "offset": schemas.whole("The position in the source. Input up to the last committed offset is skipped."),
    "author": schemas.text("Who makes the change. Stored in the history.", 1000),
    "note": schemas.text("Why the change is made. Stored in the history.", 10_000),
}
ROW_LIMIT = schemas.whole(
    "Maximum number of changed rows to return for each relation. The counts include all rows.", 0, 100_000
)
DRY_RUN = schemas.flag(
    "Report what would change, and which constraints would refuse the commit, without changing anything."
)
RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "epoch": {"type": ["integer", "null"], "description": "The number of the epoch; null for a dry run."},
        "repeated": {"type": "boolean", "description": "The input was already committed and was skipped."},
        "dry_run": {"type": "boolean"},
        "seconds": {"type": "number"},
        "labels": schemas.list_of({"type": "string"}),
        "nulls": schemas.by_name({"type": "object", "description": "Rows skipped, and nulls replaced by column."}),
        "ignored_columns": schemas.by_name(schemas.list_of({"type": "string"})),
        "refused": {"type": "boolean", "description": "A commit of this dry run would be refused by a constraint."},
        "violations": schemas.list_of(schemas.VIOLATED),
        "changes": schemas.by_name({"type": "object"}),
        "statistics": {"type": "object"},
    },
}

OPERATIONS = (
    Operation(
        "POST",
        "/v1/epochs",
        commit,
        "Commit or preview an epoch that changes facts and rules",
        access=WRITE,
        lane=Lane.commit,
        body=schemas.fields({**_CHANGES, **ABOUT, "dry_run": DRY_RUN, "rows": ROW_LIMIT}),
        answer=RESULT,
        rehearsal=rehearsal_of,
    ),
    Operation(
        "GET",
        "/v1/epochs",
        history,
        "The history of epochs, latest first",
        lane=Lane.ask,
        query={
            "before": schemas.whole("Return only epochs before this one.", 1),
            "limit": schemas.whole("Maximum number of epochs.", 1, 10_000),
        },
    ),
    Operation(
        "POST",
        "/v1/revert",
        revert,
        "Undo epochs by committing the inverse of their changes",
        access=WRITE,
        lane=Lane.write,
        body=schemas.fields(
            {
                "epoch": schemas.whole("The epoch to undo. Defaults to the last one.", 1),
                "since": schemas.whole("Undo all epochs after this one, up to `epoch`.", 0),
                "author": ABOUT["author"],
                "note": ABOUT["note"],
                "dry_run": DRY_RUN,
                "rows": ROW_LIMIT,
            }
        ),
        answer=RESULT,
    ),
    Operation(
        "POST",
        "/v1/epochs/open",
        begin,
        "Open an epoch",
        access=WRITE,
        lane=Lane.write,
        body=schemas.fields(ABOUT),
        answer=schemas.fields({"id": {"type": "string"}}, ("id",)),
        created=True,
    ),
    Operation(
        "POST",
        "/v1/epochs/open/{id}",
        add,
        "Add changes to an open epoch",
        access=WRITE,
        lane=Lane.write,
        body=schemas.fields(_CHANGES),
        rehearsal=rehearsal_of,
    ),
    Operation(
        "POST",
        "/v1/epochs/open/{id}/commit",
        commit_open,
        "Commit an open epoch",
        access=WRITE,
        lane=Lane.write,
        body=schemas.fields({"dry_run": DRY_RUN, "rows": ROW_LIMIT}),
        answer=RESULT,
        rehearsal=rehearsal_of_open,
    ),
    Operation(
        "DELETE",
        "/v1/epochs/open/{id}",
        discard,
        "Discard an open epoch",
        access=WRITE,
        lane=Lane.write,
    ),
    *(
        Operation(
            "POST",
            f"/v1/relations/{{name}}/{change}",
            partial(change_rows, sign=sign),
            f"{change.capitalize()} rows of one relation, as JSON or as an Arrow stream",
            access=WRITE,
            lane=Lane.commit,
            query={
                **ABOUT,
                "open": schemas.text("The id of an open epoch.", 80),
                "nulls": _NULLS,
                "dry_run": DRY_RUN,
                "rows": ROW_LIMIT,
            },
            body=schemas.ROWS,
            takes=(JSON, ARROW),
            answer=RESULT,
        )
        for change, sign in (("insert", 1), ("delete", -1))
    ),
)
