"""Choice: ``.decl p(x: T, y: U) choice-domain x`` has one fact for each x among those that its rules derive.

Law: rules and assertions produce candidates, in a separate relation. Of the candidates that share a key, one is shown.
It stays as long as it is a candidate; when it is removed, or if nothing is shown yet, the least candidate, compared
column by column, whose keys are free is shown. With several keys (``choice-domain x, y``) a fact is shown if all of its
keys are free, and every candidate that is not shown shares a key with one that is. So the view depends on the history,
not only on the candidates: it is a choice, not the model. The same history leads to the same choice.

    __may_p(x, y) :- ...                          the rules of p
    __pick_p/1(x, choice<y>) :- __may_p(x, y).    one for each key (`partition.pick`)
    p(x, y) :- __pick_p/1(x, y).

A key that contains another one is redundant, and so is one of all columns. A choice must not depend on itself (TL509),
and its candidates must not also be closed, subsumed or inlined (TL510).
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.graph.equivalence import EDGE, edge_name, equivalences
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import Declaration
from tidelog.program.values.term import CHOICE, Aggregate

MAY, PICK = "__may_", "__pick_"
Domains = tuple[tuple[int, ...], ...]


def choices(program: Program) -> dict[str, Declaration]:
    """The relations declared with a choice that can exclude facts, with a minimal set of keys.

    >>> from tidelog.syntax import parse_program
    >>> found = choices(parse_program(".decl p(x: number, y: number) choice-domain x, (x, y)"))
    >>> found["p"].domains
    ((0,),)
    """
    found: dict[str, Declaration] = {}
    for declared in program.declarations:
        domains = _fewest(declared.domains, len(declared.columns))
        if domains:
            found[declared.relation] = replace(declared, domains=domains)
    return found


def _fewest(domains: Domains, width: int) -> Domains:
    """The keys that are not redundant: not of all columns, and none that contains another."""
    known = sorted({domain for domain in domains if len(domain) < width})
    return tuple(one for one in known if not any(set(other) < set(one) for other in known))


def split_relations(program: Program) -> dict[str, str]:
    """The relations whose asserted facts are kept elsewhere: equivalence relations, and those with a choice."""
    found = {name: edge_name(name) for name in equivalences(program)}
    return found | {name: f"{MAY}{name}" for name in choices(program)}


def users_relation(name: str) -> str | None:
    """The relation whose asserted facts an auxiliary relation keeps; None if it keeps none.

    >>> users_relation("__may_p"), users_relation("__edge_same"), users_relation("__all_p")
    ('p', 'same', None)
    """
    return next((name.removeprefix(prefix) for prefix in (EDGE, MAY) if name.startswith(prefix)), None)


def declaration_behind(program: Program, label: str) -> Declaration | None:
    """The declaration from which a rule with this label was generated; None if the rule is written in the text."""
    name = label.rpartition("/")[0]
    return equivalences(program).get(name) or choices(program).get(name)


def choice_of(rule: Rule) -> Aggregate | None:
    """The choice that a rule makes, if it is such a rule."""
    found = (arg for arg in rule.head.args if isinstance(arg, Aggregate) and arg.kind == CHOICE)
    return next(found, None)


def chosen_for(rule: Rule) -> str:
    """The user's relation that a rule makes a choice for."""
    return (rule.label or "").rpartition("/")[0]


def choice_place(rule: Rule) -> int | None:
    """The first column that all keys of a choice share, by which it is divided; None if it is made over all facts."""
    choice = choice_of(rule)
    assert choice is not None
    return min(set[int].intersection(*map(set, choice.domains)), default=None)


def as_copy(rule: Rule) -> Rule:
    """A choice as the plain rule that derives all candidates; any other rule is unchanged."""
    choice = choice_of(rule)
    if choice is None or choice.value is None:
        return rule
    value = choice.value
    return replace(rule, head=replace(rule.head, args=tuple(value if a is choice else a for a in rule.head.args)))
