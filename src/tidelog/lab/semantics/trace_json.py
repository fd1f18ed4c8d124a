"""Traces as JSON: saved, and read back to be replayed.

Law: reading what was saved yields an equal trace, program text included; `trace.check` then judges it as if it had just
been made. A text that is not a saved trace is a `DataError` that says what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.annotation import PLAIN, TREES, Annotation, Tree
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.derivation_sets import DERIVATION_SETS
from tidelog.lab.semantics.fact import Fact, Occurrence, Update
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.state import State
from tidelog.lab.semantics.trace import RunTrace, TraceStep
from tidelog.program import Value
from tidelog.syntax import parse_program, print_program

FORMAT = "tidelog trace 1"
ANNOTATIONS: Mapping[str, Annotation] = {"plain": PLAIN, "derivation sets": DERIVATION_SETS, "trees": TREES}


def trace_to_json(trace: RunTrace) -> str:
    """The trace as a JSON text."""
    semantics = trace.semantics
    names = {id(annotation): name for name, annotation in ANNOTATIONS.items()}
    document = {
        "format": FORMAT,
        "program": print_program(semantics.network.program),
        "central": semantics.network.central,
        "annotation": names[id(semantics.annotation)],
        "sets": semantics.sets,
        "start": _configuration_out(trace.start),
        "steps": [[s.command, _update_out(s.update), [_update_out(u) for u in s.sent]] for s in trace.steps],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def trace_from_json(text: str) -> RunTrace:
    """The trace that a JSON text holds; it still has to be checked."""
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise failures.TRACE_FORMAT.error(found=document["format"], wanted=FORMAT)
        network = prepare(parse_program(document["program"]), central=document["central"])
        semantics = Semantics(network, ANNOTATIONS[document["annotation"]], document["sets"])
        steps = tuple(TraceStep(c, _update_in(u), tuple(map(_update_in, sent))) for c, u, sent in document["steps"])
        return RunTrace(semantics, _configuration_in(semantics, document["start"]), steps)
    except (KeyError, ValueError, TypeError) as error:
        raise failures.TRACE_BROKEN.error(kind=type(error).__name__, error=error) from error


def _configuration_out(configuration: Configuration) -> dict[str, Any]:
    return {
        "old": _state_out(configuration.old),
        "new": _state_out(configuration.new),
        "updates": [_update_out(update) for update in configuration.waiting()],
        "picked": [_update_out(update) for update in configuration.picked],
        "fired": [_update_out(update) for update in configuration.fired],
    }


def _configuration_in(semantics: Semantics, document: Mapping[str, Any]) -> Configuration:
    configuration = Configuration(
        old=_state_in(semantics, document["old"]),
        new=_state_in(semantics, document["new"]),
        picked=Bag(map(_update_in, document["picked"])),
        fired=Bag(map(_update_in, document["fired"])),
    )
    return configuration.sent(semantics.network, map(_update_in, document["updates"]))


def _state_out(state: State) -> list[Any]:
    return [[_out(o.fact), _out(o.note), count] for _, o, count in state.occurrences()]


def _state_in(semantics: Semantics, rows: list[Any]) -> State:
    items = [Occurrence(_fact(fact), _in(note)) for fact, note, count in rows for _ in range(count)]
    return State.of(semantics.network, items)


def _update_out(update: Update) -> list[Any]:
    return [update.sign, _out(update.fact), _out(update.note)]


def _update_in(row: list[Any]) -> Update:
    sign, fact, note = row
    return Update(sign, _fact(fact), _in(note))


def _out(value: object) -> Any:
    """Values as themselves, lists as arrays; facts, trees and sets as objects with one key that says what they are."""
    if isinstance(value, Fact):
        return {"fact": [value.relation, [_out(v) for v in value.row]]}
    if isinstance(value, Tree):
        return {"tree": [value.label, _out(value.fact), [_out(tree) for tree in value.body]]}
    if isinstance(value, frozenset):
        return {"set": sorted((_out(item) for item in value), key=str)}
    return [_out(part) for part in value] if isinstance(value, tuple) else value


def _in(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(map(_in, value))
    if not isinstance(value, dict):
        plain: Value = value
        return plain
    ((kind, content),) = value.items()
    if kind == "fact":
        return Fact(content[0], tuple(map(_in, content[1])))  # type: ignore[arg-type]  # a row holds values only
    if kind == "tree":
        return Tree(content[0], _fact(content[1]), tuple(map(_in, content[2])))  # type: ignore[arg-type]  # trees only
    return frozenset(map(_in, content))


def _fact(value: Any) -> Fact:
    fact = _in(value)
    if not isinstance(fact, Fact):
        raise failures.TRACE_FACT.error(value=value)
    return fact
