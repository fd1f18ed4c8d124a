"""The program and the server, described for clients.

Law: everything in one response belongs to one epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tidelog.engine.core.core import Core
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.look_up import size
from tidelog.program import Program
from tidelog.program.graph.dependency import POSITIVE, dependencies
from tidelog.program.graph.inline import inline_relations
from tidelog.program.graph.strata import Stratum, stratify
from tidelog.serve.hub import Hub
from tidelog.serve.values import type_names
from tidelog.syntax import print_atom, print_literal, print_program, print_rule


def program_json(db: Engine, hub: Hub, incomplete: Sequence[str] = ()) -> dict[str, Any]:
    """Rules, relations and how they depend on each other; ``incomplete`` ones lack rows of their sources."""
    core = core_of(db)
    committed = core.committed
    program = committed.rules.program
    strata = stratify(program.rules)
    edges = _edges(program)
    level = {name: number for number, stratum in enumerate(strata, 1) for name in stratum.relations}
    return {
        "text": print_program(replace(program, facts=())),
        "convention": program.convention,
        "epoch": committed.number,
        "rules": [_rule_json(program, place, level) for place in range(len(program.rules))],
        "relations": _relations(core, strata, level, hub, _missing_by_relation(edges, incomplete)),
        "edges": edges,
    }


def _rule_json(program: Program, place: int, level: dict[str, int]) -> dict[str, Any]:
    rule = program.rules[place]
    return {
        "label": rule.label,
        "text": print_rule(rule, program.convention),
        "head": print_atom(rule.head, program.convention),
        "body": [print_literal(literal, program.convention) for literal in rule.body],
        "stratum": level[rule.head.predicate],
    }


def _missing_by_relation(edges: Sequence[dict[str, Any]], incomplete: Sequence[str]) -> dict[str, list[str]]:
    """For each relation, the incomplete relations among itself and those that it depends on.

    >>> _missing_by_relation([{"from": "a", "to": "b"}, {"from": "b", "to": "b"}, {"from": "c", "to": "d"}], ["a"])
    {'a': ['a'], 'b': ['a']}
    """
    readers: dict[str, list[str]] = {}
    for edge in edges:
        readers.setdefault(edge["from"], []).append(edge["to"])
    missing: dict[str, list[str]] = {}
    for name in incomplete:
        pending, reached = [name], {name}
        while pending:
            new = [reader for reader in readers.get(pending.pop(), ()) if reader not in reached]
            pending += new
            reached |= set(new)
        for reader in sorted(reached):
            missing.setdefault(reader, []).append(name)
    return missing


def _relations(
    core: Core, strata: tuple[Stratum, ...], level: dict[str, int], hub: Hub, missing: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    recursive = {
        name: number for number, stratum in enumerate(strata, 1) if stratum.recursive for name in stratum.relations
    }
    unheld = inline_relations(core.rules.program)
    relations = []
    for name in core.relations:
        types = core.rules.schema[name]
        columns = zip(core.columns(name), type_names(types), strict=True)
        change = hub.changed.get(name)
        relations.append(
            {
                "name": name,
                "columns": [{"name": column, "type": type_} for column, type_ in columns],
                "base": name not in level,
                "stratum": level.get(name, 0),
                "recursive": recursive.get(name),
                "size": 0 if name in unheld else size(core, name),
                "incomplete": missing.get(name, []),
                "last_change": None if change is None else dict(zip(("epoch", "plus", "minus"), change, strict=True)),
            }
        )
    return relations


def _edges(program: Program) -> list[dict[str, Any]]:
    negated_by_edge: dict[tuple[str, str], bool] = {}
    for edge in dependencies(program.rules):
        key = edge.source, edge.target
        negated_by_edge[key] = negated_by_edge.get(key, False) or edge.kind != POSITIVE
    return [{"from": source, "to": target, "negated": negated} for (source, target), negated in negated_by_edge.items()]
