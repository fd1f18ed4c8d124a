"""Placement: core rules become localised rules, each read from the local facts of one partition.

Law: the localised rules mean what the core rules mean, and every ground body is found on exactly one partition. The
relations of the program keep their facts where they are; a rule that wants a relation elsewhere reads a *copy*, a
derived relation with the same facts, ``__edge_by_2(V1, V2) :- edge(V1, V2).``, shared by all rules that want it. Copies
are ranked and counted like all other relations. A copied relation is below every relation that negates it, and so is
its copy. The localised form of a rule depends only on the rule and on the placements of its relations, and a placement
never changes: so the form of a rule in force does not change while other rules are added and removed. `place_infer`
decides the placements of relations, `place_sites` where a rule fires.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from tidelog.program import Atom, Literal, Negation, Rule, Var
from tidelog.program.graph.well_founded import is_of_model
from tidelog.rewrite import rewrite_failures as failures
from tidelog.rewrite.place.heavy import HeavyColumns, place_around
from tidelog.rewrite.place.infer import infer
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement
from tidelog.rewrite.place.sites import SiteChoice, body_atoms, moved, site_of


@dataclass(frozen=True, slots=True)
class PlacedRules:
    """Localised rules by label, and the placements of all relations.

    ``everywhere``: labels of the rules that fire on every partition, each of which keeps the heads that it owns.
    ``sends``: for each label, the destination of its messages, or the empty text if there are none.
    ``local_labels``: for each label of a core rule the labels of the localised rules that it needs, the copies first.
    """

    core: Mapping[str, Rule]
    placements: Mapping[str, Placement]
    everywhere: frozenset[str]
    sends: Mapping[str, str]
    local_labels: Mapping[str, tuple[str, ...]]


def place(
    core: Mapping[str, Rule],
    arities: Mapping[str, int],
    known: Mapping[str, Placement],
    located: Mapping[str, int],
    base: Collection[str] = (),
    before: PlacedRules | None = None,
    heavy: HeavyColumns | None = None,
) -> PlacedRules:
    """Assign a placement to every relation and localise every core rule.

    ``known`` placements are kept. A relation that is not known is placed by its column of ``located``, if it has one;
    the relations of ``base`` hold, or may hold, asserted facts. ``before`` saves work: rules that were placed then,
    with placements that are all known now, keep their form. Unknown relations are placed around their ``heavy``
    columns.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> rules = parse_program("r1: reach(@S, D) :- link(@S, D). r2: reach(@S, D) :- link(@S, Z), reach(@Z, D).").rules
    >>> core = {rule.label: rule for rule in rules}
    >>> placed = place(core, {"link": 2, "reach": 2}, {}, {"link": 0, "reach": 0})
    >>> for label, rule in placed.core.items():
    ...     print(print_rule(rule), "sends", placed.sends[label] or "nothing")
    r1: reach(@S, D) :- link(@S, D). sends nothing
    __link_by_2: __link_by_2(V1, V2) :- link(V1, V2). sends to the owner of __link_by_2 by column 2
    r2: reach(@S, D) :- __link_by_2(S, Z), reach(@Z, D). sends to the owner of reach by column 1
    """
    arities = {**arities, **_arities(rule for label, rule in core.items() if not _is_kept(label, rule, before))}
    asked = {name: Placement(column) for name, column in located.items() if name in arities}
    asked |= {name: Placement(SINGLE) for name in arities if is_of_model(name)}
    rules = list(core.values())
    if heavy:
        placements = place_around(rules, arities, known, asked, base, heavy)
    else:
        placements = infer(rules, arities, asked | dict(known), base)
    work = _Localisation(placements, before)
    needed = {label: work.localise(label, rule) for label, rule in core.items()}
    _check_names(core, work.core)
    return PlacedRules(work.core, placements, frozenset(work.everywhere), work.sends, needed)


def _arities(rules: Iterable[Rule]) -> dict[str, int]:
    return {atom.predicate: len(atom.args) for rule in rules for atom in (rule.head, *body_atoms(rule))}


def _check_names(core: Mapping[str, Rule], localised: Mapping[str, Rule]) -> None:
    """Refuse a copy with the name of another auxiliary relation: `val_a` by column 1, beside a rule labelled `a_by`."""
    heads = {rule.head.predicate: rule for rule in core.values()}
    for name in localised.keys() - core.keys():
        if name in heads:
            label = heads[name].users_label
            raise failures.COPY_NAME.error(name=name, label=label)


def _is_kept(label: str, rule: Rule, before: PlacedRules | None) -> bool:
    """Whether this very rule was placed before: a rule that reads copies is the origin of its form."""
    if before is None or label not in before.local_labels:
        return False
    form = before.core[label]
    return (form if len(before.local_labels[label]) == 1 else form.origin) is rule


class _Localisation:
    """The localised rules made so far; copies are added to ``placements``."""

    def __init__(self, placements: dict[str, Placement], before: PlacedRules | None) -> None:
        self.placements, self.before = placements, before
        self.core: dict[str, Rule] = {}
        self.everywhere: set[str] = set()
        self.sends: dict[str, str] = {}

    def localise(self, label: str, rule: Rule) -> tuple[str, ...]:
        """Add the localised rule and the copies it reads; returns all their labels, its own last."""
        if self.before is not None and _is_kept(label, rule, self.before):
            return self._kept(label, self.before)
        return self._place_rule(label, rule)

    def _kept(self, label: str, before: PlacedRules) -> tuple[str, ...]:
        for name in before.local_labels[label]:
            self._add(name, before.core[name], before.sends[name], name in before.everywhere)
            if name != label:
                self.placements[name] = before.placements[name]
        return before.local_labels[label]

    def _place_rule(self, label: str, rule: Rule) -> tuple[str, ...]:
        _, choice = site_of(rule, self.placements)
        wants = iter(choice.wants)
        copies: dict[str, None] = {}
        body: list[Literal] = []
        for literal in rule.body:
            want = next(wants) if isinstance(literal, Atom | Negation) else None
            if want is not None:
                name = self._copy(literal.atom if isinstance(literal, Negation) else literal, want, rule)
                copies[name] = None
                literal = moved(literal, name)
            body.append(literal)
        self._choose(label, replace(rule, body=tuple(body), origin=rule) if copies else rule, choice)
        return (*copies, label)

    def _copy(self, atom: Literal, column: int, reader: Rule) -> str:
        """The name of the copy; its rule is added with its first reader."""
        assert isinstance(atom, Atom)
        name = copy_name(atom.predicate, column)
        if name not in self.core:
            self.placements[name] = Placement(column)
            args = tuple(Var(f"V{i}") for i in range(1, len(atom.args) + 1))
            rule = Rule(Atom(name, args), (Atom(atom.predicate, args, span=atom.span),), name, reader.span, reader)
            self._choose(name, rule, site_of(rule, self.placements)[1])
        return name

    def _choose(self, label: str, rule: Rule, choice: SiteChoice) -> None:
        sends = _target(rule.head.predicate, self.placements) if choice.sends else ""
        self._add(label, rule, sends, choice.site == MIRRORED)

    def _add(self, label: str, rule: Rule, sends: str, everywhere: bool) -> None:
        self.core[label] = rule
        self.sends[label] = sends
        if everywhere:
            self.everywhere.add(label)


def _target(name: str, placements: Mapping[str, Placement]) -> str:
    """The destination of the messages of a head."""
    home = placements[name]
    if home.is_mirrored:
        return "to every partition"
    return "to partition 0" if home.is_single else f"to the owner of {name} {home}"


def copy_name(relation: str, column: int) -> str:
    """The name of the copy of a relation with the given placement; never one of a relation in a text.

    >>> copy_name("edge", 1), copy_name("edge", MIRRORED), copy_name("edge", SINGLE)
    ('__edge_by_2', '__edge_on_all', '__edge_on_one')
    """
    place = {MIRRORED: "on_all", SINGLE: "on_one"}.get(column, f"by_{column + 1}")
    return f"__{relation}_{place}"
