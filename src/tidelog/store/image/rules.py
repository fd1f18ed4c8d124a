"""Rules in a state folder: written as the program's text with what the engine has learnt, and read back.

Law: the core rules of a rule depend only on its text and its label (`rewrite.pipeline`), so that text, labels and known
types are enough; supports already counted stay counted. Another version of a user function would make them wrong (D13).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from tidelog.plan.ruleset import Ruleset
from tidelog.program import Call
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.values.source_types import Origin, is_outside
from tidelog.store.base import store_failures as failures
from tidelog.syntax import parse_program, print_program


def ruleset_to_values(rules: Ruleset) -> dict[str, Any]:
    """The rule set as plain values for JSON."""
    return {
        "program": print_program(rules.program),
        "used": sorted(rules.used),
        "bound": [[name, column, type_] for (name, column), type_ in rules.bound.items()],
        "known": dict(rules.known),
        "origins": {name: [origin.names, origin.types] for name, origin in rules.origins.items()},
        "functions": versions(rules),
    }


def ruleset_from_values(
    values: Mapping[str, Any], functions: Mapping[str, tuple[Function, ...]], place: str
) -> Ruleset:
    """The rule set that was stored; refused if the engine's functions are of other versions."""
    _check_versions(values["functions"], functions, place)
    program = parse_program(values["program"], f"<rules of {place}>")
    base = dataclasses.replace(program, rules=())
    bound = {(name, column): type_ for name, column, type_ in values["bound"]}
    empty = Ruleset(base, functions, frozenset(values["used"]), origins=_origins(values, place))
    return empty.changed(program.rules, bound=bound, known=values["known"])


def _origins(values: Mapping[str, Any], place: str) -> dict[str, Origin]:
    """The names and types that data came with; older states have none."""
    found: dict[str, Origin] = {}
    for relation, (names, types) in values.get("origins", {}).items():
        if not all(map(is_outside, types)) or not (names is None or all(isinstance(name, str) for name in names)):
            raise failures.DAMAGED.error(file=place, what=f"`{relation}` has invalid types")
        found[relation] = Origin(None if names is None else tuple(names), tuple(types))
    return found


def versions(rules: Ruleset) -> dict[str, str]:
    """The versions of the user functions that the rules call, by signature."""
    called = {call.function for rule in rules.program.rules for call in _calls(rule)}
    own = [f for name in sorted(called & rules.functions.keys() - FUNCTIONS.keys()) for f in rules.functions[name]]
    return {_signature(f): f.version for f in own}


def _signature(function: Function) -> str:
    return f"{function.name}({', '.join(function.params)})"


def _calls(value: object) -> Iterator[Call]:
    """All applications of functions inside a rule or a part of one."""
    if isinstance(value, Call):
        yield value
    if isinstance(value, tuple):
        for part in value:
            yield from _calls(part)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.compare:  # spans and origins are no part of a rule's meaning
                yield from _calls(getattr(value, field.name))


def _check_versions(stored: Mapping[str, str], functions: Mapping[str, tuple[Function, ...]], place: str) -> None:
    here = {_signature(f): f.version for fs in functions.values() for f in fs}
    wrong = [
        f"`{signature}` version {version} (here: {'version ' + here[signature] if signature in here else 'none'})"
        for signature, version in stored.items()
        if here.get(signature) != version
    ]
    if wrong:
        raise failures.OTHER_FUNCTIONS.error(place=place, wrong=", ".join(wrong))
