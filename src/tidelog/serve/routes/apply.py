"""Make the served state match an edited program, files of facts, or one epoch of a change script.

Law: the difference is found and committed in one turn, so that no other epoch can interfere; a dry run reports the same
and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any

from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.view import Rows, fact_writer
from tidelog.engine.write.epoch import Epoch
from tidelog.engine.write.script import take_script
from tidelog.serve import schemas
from tidelog.serve import serve_failures as failures
from tidelog.serve.epoch_writer import finish, new_epoch, read_rows
from tidelog.serve.grants import RULES, WRITE, Grant
from tidelog.serve.limits import TEXT
from tidelog.serve.operation import Lane, Operation, Reply, RequestCall
from tidelog.serve.routes.epochs import ABOUT, DRY_RUN, RESULT, ROW_LIMIT
from tidelog.serve.service import Service
from tidelog.syntax import FactChange, parse_changes
from tidelog.syntax.changes import Epoch as Script
from tidelog.syntax.changes import Preview

EXAMPLES = 3  # facts of a relation that are returned as text
KINDS = ("program", "facts", "script")


def rehearsal_of(service: Service, call: RequestCall) -> Callable[[], None] | None:
    """The rehearsal of the program or the rules of a request; None if it has none."""
    rules, workers = core_of(service.engine).rules, service.workers
    if "program" in call.body:
        columns = call.body.get("columns", {})
        return partial(workers.rehearse_program, call.grant.access, rules, call.body["program"], columns)
    if "script" in call.body:
        return partial(workers.rehearse_script, call.grant.access, rules, call.body["script"])
    return None


def apply(service: Service, call: RequestCall) -> Reply:
    """Commit or preview the difference between the state and what a request contains."""
    db, body = service.engine, call.body
    given = [kind for kind in KINDS if kind in body]
    if len(given) != 1:
        raise failures.NOT_ONE_INPUT.error(found=", ".join(f"`{kind}`" for kind in given) or "none of them")
    dry_run = body.get("dry_run", False)
    check_grant(call.grant, db, body)
    with core_of(db).writing:
        epoch, lines = _COLLECT[given[0]](db, new_epoch(db, body, call.grant), body)
        matches = given[0] == "program" and not lines
        limits = service.limits.of_epochs
        done = finish(db, epoch, (), body.get("rows", 0), limits=limits, grant=call.grant, dry_run=dry_run or matches)
    examples = {
        name: _examples(change, name, db.convention)
        for name, change in epoch.changes.items()
        if name in done["changes"]
    }
    repeated = {} if not matches else {"repeated": False}
    return Reply({**done, **repeated, "dry_run": dry_run, "difference": lines, "matches": matches, "facts": examples})


def check_grant(grant: Grant, db: Engine, body: Mapping[str, Any]) -> None:
    """Raise unless a token allows what a request changes and shows."""
    grant.check_writes(body.get("facts", ()))
    if "program" in body:  # it may change everything, and its difference shows rules and facts
        grant.check_scope(RULES)
        grant.check_writes(core_of(db).rules.schema)
        grant.check_reads(None)
    if "script" in body:
        changes = one_epoch(body["script"], db.convention)
        grant.check_writes(change.atom.predicate for change in changes if isinstance(change, FactChange))
        if not all(isinstance(change, FactChange | Preview) for change in changes):
            grant.check_scope(RULES)


def _take_program(db: Engine, epoch: Epoch, body: Mapping[str, Any]) -> tuple[Epoch, list[str]]:
    found, difference = db.epoch_to(body["program"], body.get("columns"))
    found.source, found.offset, found.signature, found.warns = epoch.source, epoch.offset, epoch.signature, False
    return found, difference.lines(db.convention)


def _take_facts(db: Engine, epoch: Epoch, body: Mapping[str, Any]) -> tuple[Epoch, list[str]]:
    """Replace the facts of these relations. The signs of an unchanged fact add up to 0 (D3)."""
    for name, rows in body["facts"].items():
        epoch.insert(name, read_rows(db, name, rows, epoch))
        epoch.delete(name, db.asserted(name).rows() if name in db else [])
    return epoch, []


def _take_script(db: Engine, epoch: Epoch, body: Mapping[str, Any]) -> tuple[Epoch, list[str]]:
    take_script(epoch, one_epoch(body["script"], db.convention), core_of(db).opened.functions)
    return epoch, []


def one_epoch(text: str, convention: str) -> Script:
    """The changes of a script of one epoch."""
    epochs = parse_changes(text, convention=convention)
    if len(epochs) != 1:
        raise failures.NOT_ONE_EPOCH.error(found=len(epochs))
    return epochs[0]


_COLLECT: dict[str, Callable[[Engine, Epoch, Mapping[str, Any]], tuple[Epoch, list[str]]]] = {
    "program": _take_program,
    "facts": _take_facts,
    "script": _take_script,
}


def _examples(change: Any, name: str, convention: str) -> dict[str, list[str]]:
    return {"plus": _texts(change.inserted, name, convention), "minus": _texts(change.deleted, name, convention)}


def _texts(rows: Rows, name: str, convention: str) -> list[str]:
    return list(map(fact_writer(rows, name, convention), islice(iter(rows), EXAMPLES)))


_VALUE = {
    "type": ["string", "null"],
    "maxLength": TEXT,
    "description": "With `program`: the value of a changed column, over the former columns; null for a dropped one.",
}

OPERATIONS = (
    Operation(
        "POST",
        "/v1/apply",
        apply,
        "Make the state match an edited program or files of facts, or apply one epoch of a change script",
        access=WRITE,
        lane=Lane.write,
        body=schemas.fields(
            {
                "program": schemas.text("The text of the whole program. Rules are compared by their text."),
                "columns": schemas.by_name(schemas.by_name(_VALUE)),
                "facts": schemas.by_name(schemas.ROWS),
                "script": schemas.text("A change script of one epoch."),
                **ABOUT,
                "dry_run": DRY_RUN,
                "rows": ROW_LIMIT,
            }
        ),
        answer={
            "type": "object",
            "properties": {
                **RESULT["properties"],
                "difference": schemas.list_of({"type": "string", "description": "A line of the program, with sign."}),
                "matches": {"type": "boolean", "description": "The program was the same; nothing was committed."},
                "facts": schemas.by_name({"type": "object", "description": "Some changed facts, as text."}),
            },
        },
        rehearsal=rehearsal_of,
    ),
)
