"""The rules of an engine as a value: the user's rules, the rules they were rewritten to, and the types of all columns.

Law: a rule set is never changed; a change of rules or of known types creates a new one and returns the difference, so
that a failed epoch leaves the old one in force. Removing a label removes every core rule that only it needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, compress
from operator import is_not
from typing import Any, NamedTuple, TypeVar

from tidelog.errors import Diagnostic, EngineError, ProgramError
from tidelog.plan import plan_failures as failures
from tidelog.plan.count_rows import count_rows
from tidelog.plan.fold_rows import LiftedRules, fold_rows, ranging
from tidelog.plan.layers import Groups, Layers
from tidelog.plan.strata import core_edges, unasked_edges
from tidelog.program import Negation, Program, Rule, Var
from tidelog.program.check import CheckedProgram, check_program, check_question, learn_types
from tidelog.program.elaborate.close_equivalences import close_equivalences
from tidelog.program.functions.table import Function
from tidelog.program.graph.bundles import depending_on
from tidelog.program.graph.choice import split_relations
from tidelog.program.graph.constraint import HIDDEN
from tidelog.program.graph.inline import inline_relations
from tidelog.program.graph.lifetime import EXPIRIES, Retention, retentions
from tidelog.program.graph.strata import check_strata, strata_of_edges
from tidelog.program.graph.subsumption import input_name, subsumed_relations
from tidelog.program.graph.undefined_readers import uncertainty
from tidelog.program.graph.well_founded import bundled, modelled, negation_cycles
from tidelog.program.types.arity import check_names
from tidelog.program.types.assign import infer_types
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.pragmas import MAGIC, NO_MAGIC, values_of
from tidelog.program.values.scope import atoms, flat_literals, rule_literals, scope_names
from tidelog.program.values.source_types import Origin
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.demand.demanded_relations import demanded_relations
from tidelog.rewrite.demand.restrict import Demand, restrict_to_demand
from tidelog.rewrite.label_rules import label_rules
from tidelog.rewrite.names import is_requested_result
from tidelog.rewrite.pipeline import to_core_rule

Schema = Mapping[str, tuple[str | None, ...]]
Bound = dict[tuple[str, int], str]
T = TypeVar("T")


class FactPolicies:
    """A program's policies for its facts: where and how long they are kept, and which declarations concern rules.

    Most of it depends only on declarations, and is copied from the program ``before`` if its declarations are the same.
    """

    __slots__ = (
        "asserted_elsewhere",
        "inline",
        "is_on_demand",
        "modelled",
        "program",
        "retentions",
        "split_names",
        "subsumed",
    )

    def __init__(self, program: Program, modelled: frozenset[str], before: FactPolicies | None = None) -> None:
        self.program, self.modelled = program, modelled
        self.retentions: Mapping[str, Retention]
        self.is_on_demand: bool
        self.split_names: Mapping[str, str]
        self.inline: frozenset[str]
        if before is not None and _are_declared_alike(before.program, program):
            self.retentions, self.is_on_demand = before.retentions, before.is_on_demand
            self.split_names, self.inline = before.split_names, before.inline
        else:
            self.retentions, self.is_on_demand = retentions(program), bool(values_of(program, MAGIC))
            self.split_names, self.inline = split_relations(program), inline_relations(program)
        self.subsumed = frozenset(subsumed_relations(program.rules))
        apart = sorted(self.subsumed | modelled)
        self.asserted_elsewhere = {**{name: input_name(name) for name in apart}, **self.split_names}


def _are_declared_alike(one: Program, other: Program) -> bool:
    """Whether two programs have identical declarations."""
    return (
        one.declarations is other.declarations
        and one.keys is other.keys
        and one.lifetimes is other.lifetimes
        and one.pragmas is other.pragmas
    )


@dataclass(frozen=True, slots=True)
class Outline:
    """What a change of rules needs to know about all other rules, maintained so that these are not searched again.

    ``layers`` are those of the core rules before aggregates are folded over rows.
    """

    layers: Layers
    folding: frozenset[str]  # labels of core rules whose aggregates may range over other rows
    mentions: Mapping[str, int]  # the number of atoms in the user's rules that name each relation

    @classmethod
    def of(cls, rules: Iterable[Rule], core: Mapping[str, Rule], layers: Layers) -> Outline:
        """The outline of rules whose strata are known."""
        return cls(layers, ranging(core), Counter(name for rule in rules for name in _mentioned(rule)))

    def changed(
        self, add: Iterable[Rule], remove: Iterable[Rule], more: Mapping[str, Rule], fewer: Mapping[str, Rule]
    ) -> Outline:
        """The outline after adding and removing user rules, with the core rules that are added and removed."""
        mentions = dict(self.mentions)
        for rules, sign in ((remove, -1), (add, 1)):
            for name in (name for rule in rules for name in _mentioned(rule)):
                mentions[name] = mentions.get(name, 0) + sign
                if not mentions[name]:
                    del mentions[name]
        layers = self.layers.without(list(fewer.values())) if fewer else self.layers
        layers = layers.with_rules(list(more.values()))[0] if more else layers
        return Outline(layers, (self.folding - fewer.keys()) | ranging(more), mentions)


def _mentioned(rule: Rule) -> Iterator[str]:
    """The relations that a user rule names, once per occurrence."""
    yield rule.head.predicate
    for atom in atoms(rule_literals(rule)):
        yield atom.predicate


class ConstraintRules(NamedTuple):
    """The core rules that derive violations of constraints, by hidden relation."""

    core: Mapping[str, Rule]
    constraints: Mapping[str, Rule]

    @classmethod
    def of(cls, core: Mapping[str, Rule]) -> ConstraintRules:
        """The constraint rules among all core rules."""
        return cls(core, _violations(core.values()))

    def changed(self, core: Mapping[str, Rule], more: Mapping[str, Rule], fewer: Mapping[str, Rule]) -> ConstraintRules:
        """The constraint rules after some core rules were added and removed."""
        left = {name: rule for name, rule in self.constraints.items() if rule.label not in fewer}
        return ConstraintRules(core, {**left, **_violations(more.values())})


def _violations(rules: Iterable[Rule]) -> dict[str, Rule]:
    return {rule.head.predicate: rule for rule in rules if rule.head.predicate.startswith(HIDDEN)}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All rules in force. ``core`` holds the core rules by label, ``core_labels`` those of each rule.

    ``lifted`` holds both as they were before aggregates were folded over rows; None if none was.
    ``inlined`` holds, by label, the rules that are not evaluated as written, because they read inline relations.
    ``checked`` is the result of the check if it covered all rules: new types from data then need no other check.
    """

    program: Program
    functions: Mapping[str, tuple[Function, ...]]
    used: frozenset[str] = frozenset()
    bound: Mapping[tuple[str, int], str] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    core_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    core: Mapping[str, Rule] = field(default_factory=dict)
    lifted: LiftedRules | None = None
    inlined: Mapping[str, Rule] = field(default_factory=dict)
    schema: Schema = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    cyclic: frozenset[str] = frozenset()  # relations that depend on their own negation (`graph.well_founded`)
    bundled: frozenset[str] = frozenset()  # relations that depend on their own count, sum or mean (`graph.bundles`)
    above_bundles: frozenset[str] = frozenset()  # those and all that depend on them
    cycle_readers: Mapping[str, str] = field(default_factory=dict)  # must have no undefined facts, by reader
    orders: Mapping[str, Rule] = field(default_factory=dict)  # relations that must stay empty, with the rule watched
    demand: Demand | None = None  # the demands on relations that are evaluated on demand
    origins: Mapping[str, Origin] = field(default_factory=dict)  # names and types of the original data
    checked: CheckedProgram | None = field(default=None, compare=False, repr=False)
    governing: FactPolicies | None = field(default=None, compare=False, repr=False)
    watched: ConstraintRules | None = field(default=None, compare=False, repr=False)
    outline: Outline | None = field(default=None, compare=False, repr=False)  # None: not computed yet

    def __post_init__(self) -> None:
        """Compute once what every epoch needs to know about the program."""
        known = self.governing
        apart = self.modelled
        if known is None or known.program is not self.program or known.modelled != apart:
            object.__setattr__(self, "governing", FactPolicies(self.program, apart, known))
        if self.watched is None or self.watched.core is not self.core:
            object.__setattr__(self, "watched", ConstraintRules.of(self.core))

    @property
    def modelled(self) -> frozenset[str]:
        """The relations whose facts come from a model of instances."""
        return self.cyclic | self.bundled

    @property
    def constraints(self) -> Mapping[str, Rule]:
        """The rules that derive violations, by hidden relation."""
        assert self.watched is not None
        return self.watched.constraints

    @property
    def asserted_elsewhere(self) -> Mapping[str, str]:
        """The relations in which asserted facts are kept instead of in their own."""
        assert self.governing is not None
        return self.governing.asserted_elsewhere

    @property
    def retentions(self) -> Mapping[str, Retention]:
        """The relations whose facts expire."""
        assert self.governing is not None
        return self.governing.retentions

    @property
    def restricted(self) -> frozenset[str]:
        """The relations that contain only demanded facts: a query about them is a rule with a demand."""
        return frozenset() if self.demand is None else frozenset(self.demand.patterns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the user's rules, in order."""
        return tuple(rule.label or "" for rule in self.program.rules)

    @property
    def declared(self) -> frozenset[str]:
        """The relations that the program declares."""
        return frozenset(d.relation for d in self.program.declarations)

    def declaring(self, program: Program, renewed: Iterable[str] = ()) -> Ruleset:
        """The rule set with other declarations; knowledge about relations that are no longer declared is dropped.

        So is that about ``renewed`` relations, which are declared with other columns.
        """
        changed = replace(self, program=program, checked=None)
        gone = (self.declared - changed.declared) | set(renewed)
        elsewhere = {other for name, other in self.asserted_elsewhere.items() if name in gone}
        gone |= elsewhere | {EXPIRIES + name for name in gone}
        known = {name: arity for name, arity in self.known.items() if name not in gone}
        bound = {place: type_ for place, type_ in self.bound.items() if place[0] not in gone}
        origins = {name: origin for name, origin in self.origins.items() if name not in gone}
        return replace(changed, known=known, bound=bound, origins=origins)

    def rule(self, label: str) -> Rule:
        """The user's rule with a label."""
        for rule in self.program.rules:
            if rule.label == label:
                return rule
        raise unknown_label(label, self.labels)

    def changed(
        self,
        add: Sequence[Rule] = (),
        remove: Sequence[str] = (),
        bound: Mapping[tuple[str, int], str] | None = None,
        known: Mapping[str, int] | None = None,
        *,
        whole: bool = False,
        checked: CheckedProgram | None = None,
    ) -> Ruleset:
        """The rule set after adding labelled rules, removing labels and learning types; raises all findings at once.

        With ``whole`` everything is checked again, since declarations have changed. ``checked`` is an earlier check of
        the resulting program, used instead of checking again.
        """
        removed = set(remove)
        for label in remove:
            if label not in self.core_labels:
                raise unknown_label(label, self.labels)
        kept_rules = tuple([r for r in self.program.rules if r.label not in removed]) if removed else self.program.rules
        rules = (*kept_rules, *add)
        program = replace(self.program, rules=rules)
        if checked is None or not _is_same_text(checked.program, program):
            checked = None if whole or add or remove else self.checked
        if (
            (add or remove)
            and not bound
            and not known
            and checked is None
            and not self._needs_whole(add, removed, whole)
        ):
            kept = self._without(kept_rules, removed) if removed else self
            extended = kept._with(add) if add else kept
            if extended is not None:
                return extended
        bound = {**self.bound, **(bound or {})}
        columns = {name: len(self.schema[name]) for name, _ in bound if name in self.schema}
        known = {**columns, **self.known, **(known or {})}
        checked = self._checked(program, bound, known, checked)
        return self._rebuilt(program, checked, bound, known, {r.label for r in add if r.label})

    def _needs_whole(self, add: Sequence[Rule], removed: set[str], whole: bool) -> bool:
        """Whether a change of rules requires a check of the whole program."""
        return (
            whole
            or not self.core  # the start: there are no other rules
            or self._concerns_inline(add, removed)
            or self._means_more()
            or any(map(_speaks_of_others, add))
        )

    def _concerns_inline(self, add: Sequence[Rule], removed: set[str]) -> bool:
        """Whether added rules read or derive inline relations, or removed rules derive one; other rules then change."""
        assert self.governing is not None
        names = self.governing.inline
        if not names:
            return False
        used = {a.predicate for rule in add for a in (rule.head, *atoms(rule_literals(rule)))}
        used |= {rule.head.predicate for rule in self.program.rules if rule.label in removed}
        return bool(used & names)

    def _checked(
        self, program: Program, bound: Bound, known: Mapping[str, int], checked: CheckedProgram | None = None
    ) -> CheckedProgram:
        """The program, checked; a change reports only its own errors, not findings about earlier rules."""
        try:
            if checked is not None:
                return learn_types(checked, program, self.functions, bound, known)
            return check_program(program, self.functions, bound=bound, known=known)
        except ProgramError as error:
            own = [d for d in error.diagnostics if d.severity == "error" or not self.program.rules]
            raise ProgramError(own) from None

    def _without(self, rules: tuple[Rule, ...], removed: set[str]) -> Ruleset:
        """The rule set with fewer rules, which needs no check; types of removed rules last until a full check."""
        before, outline = self.before_folds, self._outlined()
        needed = _without_labels(before.core_labels, removed)
        kept = set(chain.from_iterable(needed.values()))
        fewer = {label: before.core[label] for label in before.core.keys() - kept}
        core = _without_labels(before.core, fewer)
        gone = [rule for rule in self.program.rules if rule.label in removed]
        outline = outline.changed((), gone, {}, fewer)
        named = {name for rule in (*gone, *fewer.values()) for name in _mentioned(rule)}
        unnamed = {
            n for n in named if n not in self.known and n not in outline.mentions and not outline.layers.names(n)
        }
        schema = _without_labels(self.schema, unnamed - self.declared)
        program = replace(self.program, rules=rules)
        reduced = replace(self, program=program, schema=schema, checked=None, outline=outline)
        return reduced._running(needed, core, outline.folding, {}, fewer)

    def _outlined(self) -> Outline:
        """The outline of the rules, computed when rules first change."""
        if self.outline is not None:
            return self.outline
        core = self.before_folds.core
        strata = strata_of_edges(list(core.values()), core_edges(core.values()))
        layers = Layers.of(core.values(), [frozenset(stratum.relations) for stratum in strata])
        return Outline.of(self.program.rules, core, layers)

    @property
    def before_folds(self) -> LiftedRules:
        """The core rules before aggregates are folded over rows."""
        return self.lifted or LiftedRules(self.core, self.core_labels)

    def _running(
        self,
        needed: Mapping[str, tuple[str, ...]],
        core: Mapping[str, Rule],
        folding: frozenset[str],
        more: Mapping[str, Rule] | None = None,
        fewer: Mapping[str, Rule] | None = None,
    ) -> Ruleset:
        """The rule set with these core rules in the form in which they run; ``more`` were added, ``fewer`` removed."""
        runs: Mapping[str, Rule] = core
        counted: Schema = {}
        if folding:
            runs, counted = count_rows(fold_rows(core, self.schema, folding), self.schema, folding)
        if runs is core:
            watched = None
            if more is not None and fewer is not None and self.lifted is None and self.watched is not None:
                watched = self.watched.changed(core, more, fewer)
            return replace(self, core_labels=needed, core=core, lifted=None, watched=watched)
        used = {label: tuple(name for name in made if name in runs) for label, made in needed.items()}
        schema = {**self.schema, **counted} if counted else self.schema
        return replace(self, core_labels=used, core=runs, schema=schema, lifted=LiftedRules(core, needed))

    def _means_more(self) -> bool:
        """Whether the meaning of rules depends on others or on declarations, so that the whole program is checked."""
        governing = self.governing
        assert governing is not None
        return bool(self.orders or governing.asserted_elsewhere or governing.is_on_demand)

    def _with(self, add: Sequence[Rule]) -> Ruleset | None:
        """The rule set with more rules over relations of known types; only the new rules and the strata are checked.

        None if the whole program has to be checked: for open types, and for findings about strata.
        """
        names = {atom.predicate for rule in add for atom in (rule.head, *atoms(rule_literals(rule)))}
        known = {name: self.schema[name] for name in names if name in self.schema}
        if any(None in types for types in known.values()) or any(r.label in self.core_labels for r in add):
            return None
        assert self.governing is not None
        if any(rule.subsumes for rule in add) or names & self.governing.subsumed:
            return None
        before, outline, inline = self.before_folds, self._outlined(), self.governing.inline
        if not outline.layers.stays_positive(add) or not _are_typed(add, known.keys()):
            return None  # before anything is checked, so that no rule is checked twice
        if any(d.relation not in self.schema and d.relation not in inline for d in self.program.declarations):
            # the start: nothing is known yet
            return None
        bound = {(name, i): t for name, types in known.items() for i, t in enumerate(types) if t is not None}
        arities = {name: len(types) for name, types in known.items()}
        declarations = tuple(d for d in self.program.declarations if d.relation in names)
        pragmas = tuple(each for each in self.program.pragmas if each[0] not in (MAGIC, NO_MAGIC))
        keys = tuple(key for key in self.program.keys if key.relation in names)
        lifetimes = tuple(each for each in self.program.lifetimes if each.relation in names)
        known_parts = replace(
            self.program, directives=(), keys=keys, declarations=declarations, pragmas=pragmas, lifetimes=lifetimes
        )
        alone = replace(known_parts, rules=tuple(add), facts=())
        checked = check_program(alone, self.functions, bound=bound, known=arities)
        needed, core = _core_of_program(checked)
        core = {label: rule for label, rule in core.items() if label not in before.core}
        read = {atom.predicate for rule in core.values() for atom in atoms(rule.body)}
        known = {**known, **{name: self.schema[name] for name in read if name in self.schema}}  # including shared ones
        bound = {(name, i): t for name, types in known.items() for i, t in enumerate(types) if t is not None}
        arities = {name: len(types) for name, types in known.items()}
        schema, core = _typed(alone, core, self.functions, bound, arities)
        if any(None in schema[rule.head.predicate] for rule in core.values()):
            return None
        schema = {**checked.schema, **schema}  # the text may name relations that no core rule needs
        program = replace(self.program, rules=(*self.program.rules, *add))
        outline = outline.changed(add, (), core, {})
        grown = replace(
            self,
            program=program,
            used=self.used | {rule.label for rule in add if rule.label},
            schema={**self.schema, **schema},
            checked=None,
            outline=outline,
        )
        core_labels, all_core = {**before.core_labels, **needed}, {**before.core, **core}
        return grown._running(core_labels, all_core, outline.folding, core, {})

    def asking(self, question: Sequence[Rule], arities: Mapping[str, int]) -> Ruleset:
        """The rule set with the rules of a query, whose own relations have these numbers of columns.

        No other rule reads what a query derives, so it is checked separately, over relations whose types are known, and
        is not added to the program.
        """
        read = {atom.predicate for rule in question for atom in atoms(rule_literals(rule))}
        names = read - arities.keys()
        known = {name: self.schema.get(name, (None,)) for name in names}
        assert self.governing is not None
        if self.governing.is_on_demand or any(None in types for types in known.values()):
            return self.changed(add=tuple(question), known=arities)
        declarations = [replace(d, qualifiers=(), domains=()) for d in self.program.declarations if d.relation in names]
        surroundings = Program(
            declarations=tuple(declarations),
            types=self.program.types,
            pragmas=self.program.pragmas,
            functors=self.program.functors,
            convention=self.program.convention,
        )
        declared = {d.relation for d in declarations}  # these determine column types, unless facts already did
        columns = ((name, i, t) for name, types in known.items() for i, t in enumerate(types))
        bound = {(name, i): t for name, i, t in columns if t and (name not in declared or (name, i) in self.bound)}
        counts = {**arities, **{name: len(types) for name, types in known.items()}}
        checked = check_question(question, surroundings, self.functions, bound, counts)
        needed, core = _core_of_program(checked)
        before = self.before_folds
        own = {label: rule for label, rule in core.items() if label not in before.core}
        schema = checked.schema
        if tuple(own.values()) != checked.rules:  # there are auxiliary relations
            read = {atom.predicate for rule in own.values() for atom in atoms(rule.body)} & self.schema.keys()
            held = {name: self.schema[name] for name in read} | known
            auxiliary, own = _typed(surroundings, own, self.functions, *_known(held, bound, counts))
            schema = {**schema, **auxiliary}
        if any(None in schema[rule.head.predicate] for rule in own.values()):
            return self.changed(add=tuple(question), known=arities)
        schema = {**self.schema, **{name: types for name, types in schema.items() if name not in self.schema}}
        folding = self._outlined().folding
        if any(map(is_aggregate_rule, own.values())):
            folding |= ranging(own)
        asked = replace(self, schema=schema, outline=None)
        return asked._running({**before.core_labels, **needed}, {**before.core, **own}, folding)

    def holding(self, relations: Iterable[str]) -> Ruleset:
        """The rule set once these relations hold base facts; their columns and types then no longer depend on rules."""
        held = {name: self.schema[name] for name in relations}
        known = {name: len(types) for name, types in held.items() if name not in self.known}
        columns = (((name, i), t) for name, types in held.items() for i, t in enumerate(types))
        bound = {place: t for place, t in columns if t is not None and place not in self.bound}
        if not known and not bound:
            return self
        return replace(self, known={**self.known, **known}, bound={**self.bound, **bound})

    def _rebuilt(
        self,
        program: Program,
        checked: CheckedProgram,
        bound: Mapping[tuple[str, int], str],
        known: Mapping[str, int],
        fresh: set[str],
    ) -> Ruleset:
        needed, core = _core_of_program(checked)
        cyclic = modelled(checked.rules)
        inlined = {r.label: r for r in checked.rules if r.label and r.origin is not None and r.origin.label == r.label}
        groups = _check_core_strata(core)
        demand = _on_demand(program, core)
        if demand is None:
            schema, core = _typed(program, core, self.functions, bound, known)
        else:  # rules without demand do not exist, and determine no types
            needed = {label: tuple(new for n in names for new in demand.labels[n]) for label, names in needed.items()}
            schema, core = _typed(program, demand.rules, self.functions, *_known(checked.schema, bound, known))
        schema = {**checked.schema, **schema}  # the text may name relations that no core rule needs
        for name in inline_relations(program):
            schema.pop(name, None)
        outline = None if demand is not None else Outline.of(program.rules, core, Layers.of(core.values(), groups))
        built = replace(
            self,
            program=program,
            used=self.used | fresh,
            bound=bound,
            known=known,
            core_labels=needed,
            core=core,
            lifted=None,
            inlined=inlined,
            schema=schema,
            warnings=checked.warnings,
            checked=checked,
            demand=demand,
            cyclic=cyclic,
            bundled=bundled(checked.rules),
            cycle_readers=_opaque_readers(checked) if cyclic else {},
            above_bundles=depending_on(checked.rules, bundled(checked.rules)),
            orders={rule.head.predicate: rule for rule in checked.orders},
            outline=outline,
        )
        return built if outline is None else built._running(needed, core, outline.folding)

    def label(self, rules: Sequence[Rule], taken: Sequence[str] = ()) -> tuple[Rule, ...]:
        """Assign labels to rules without one; a label is never used twice (D4)."""
        used = {*self.used, *taken}
        return label_rules(rules, used)


def changed_names(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """The names whose value is a different object than before, compared by identity because there may be many names.

    >>> same = ("number",)
    >>> changed_names({"a": same, "b": (None,), "c": same}, {"a": same, "b": same, "d": same})
    ['b', 'd']
    """
    return list(compress(new, map(is_not, new.values(), map(old.get, new))))


def changed_types(old: Schema, new: Schema) -> Schema:
    """The types that columns had before an epoch, for relations where the epoch changes or drops them.

    A relation that is added again with another number of columns had none: all its facts were removed.

    >>> dict(changed_types({"a": ("float",), "b": (None,), "c": ("number",)}, {"a": (None,), "b": ("number",)}))
    {'a': ('float',), 'c': ('number',)}
    >>> changed_types({"a": ("float",)}, {"a": ("float", "number")})
    {}
    """
    found = {name: old[name] for name in changed_names(new, old)}
    changed = {n: types for n, types in found.items() if new.get(n) != types and len(new.get(n, types)) == len(types)}
    known = {name: tuple(map(_older, types, new.get(name, types))) for name, types in changed.items()}
    return {name: types for name, types in known.items() if new.get(name) != types}


def _older(old: str | None, new: str | None) -> str | None:
    return new if old is None else old


def _speaks_of_others(rule: Rule) -> bool:
    """Whether the meaning of a rule depends on declarations, as those of keys and references do."""
    return rule.constraint is not None and rule.constraint.says is not None


def unknown_label(label: str, labels: Sequence[str]) -> EngineError:
    """The error for a label that names no rule."""
    shown = ", ".join(f"`{x}`" for x in labels[:10]) + (", ..." if len(labels) > 10 else "")
    return failures.UNKNOWN_LABEL.error(label=label, known=shown or "none")


@lru_cache(maxsize=20_000)
def _core_of(rule: Rule) -> tuple[Rule, ...]:
    """The core rules of a rule, cached because most rules stay when some change."""
    return to_core_rule(rule)


def _core_rules(rules: Iterable[Rule]) -> tuple[dict[str, tuple[str, ...]], dict[str, Rule]]:
    """The core labels that each rule needs, and the core rules by label."""
    needed: dict[str, tuple[str, ...]] = {}
    core: dict[str, Rule] = {}
    for rule in rules:
        assert rule.label is not None
        made = _core_of(rule)
        needed[rule.label] = tuple(r.label or "" for r in made)
        core.update({r.label: r for r in made if r.label})
    return needed, core


def _opaque_readers(checked: CheckedProgram) -> Mapping[str, str]:
    """The relations that must have no undefined facts, each with the head of a rule that cannot read these."""
    rules = checked.stages[close_equivalences].program.rules
    return uncertainty(rules, negation_cycles(rules)).readers


def _on_demand(program: Program, core: Mapping[str, Rule]) -> Demand | None:
    """The core rules restricted to what is demanded, if the program requests that.

    A program in which a recursion demands the groups of an aggregate is evaluated whole: its restricted rules have no
    strata by which they could be certified.
    """
    if any(is_requested_result(rule.head.predicate) for rule in core.values()):
        return None
    demanded = demanded_relations(program, core.values())
    return restrict_to_demand(core, demanded) if demanded else None


def _known(
    schema: Schema, bound: Mapping[tuple[str, int], str], known: Mapping[str, int]
) -> tuple[Bound, dict[str, int]]:
    """The known types and numbers of columns, including those that the text determines."""
    types = {(name, i): t for name, row in schema.items() for i, t in enumerate(row) if t is not None}
    return {**types, **bound}, {**{name: len(row) for name, row in schema.items()}, **known}


def _core_of_program(checked: CheckedProgram) -> tuple[dict[str, tuple[str, ...]], dict[str, Rule]]:
    """As `_core_rules`, for a whole program: rules made from a rule are needed by that rule."""
    needed: dict[str, tuple[str, ...]] = {rule.label or "": () for rule in checked.program.rules}
    core: dict[str, Rule] = {}
    for rule in (*checked.rules, *checked.orders):
        made, more = _core_rules((rule,))
        owner = rule.users_label or ""
        needed[owner] = (*needed.get(owner, ()), *(label for labels in made.values() for label in labels))
        core.update(more)
    return needed, core


def _are_typed(rules: Sequence[Rule], known: Iterable[str]) -> bool:
    """Whether every column of the rules' relations certainly has a type, provided the known ones have types.

    A rule that leaves some open requires the types of the whole program.
    """
    typed, waiting = set(known), list(rules)
    while waiting:
        settled = [rule for rule in waiting if _is_typed(rule, typed)]
        if not settled:
            return False
        typed.update(rule.head.predicate for rule in settled)
        waiting = [rule for rule in waiting if rule not in settled]
    return True


def _is_typed(rule: Rule, typed: set[str]) -> bool:
    """Whether all relations that a rule reads have types, and therefore the variables of its head."""
    positive = (literal for literal in flat_literals(rule.body) if not isinstance(literal, Negation))
    variables = scope_names(positive)
    read = {atom.predicate for atom in atoms(rule_literals(rule))}
    return read <= typed | {rule.head.predicate} and all(
        not isinstance(arg, Var) or arg.name in variables for arg in rule.head.args
    )


def _is_same_text(checked: Program, program: Program) -> bool:
    """Whether a program equals a checked one, apart from facts and parts that rules do not depend on."""
    left_out: dict[str, Any] = {"facts": (), "directives": (), "pragmas": (), "components": (), "instances": ()}
    left_out["prefixes"] = ()
    return replace(checked, **left_out) == replace(program, **left_out)


def _check_core_strata(core: Mapping[str, Rule]) -> Groups:
    """Check that the core of a stratified program is stratified; a recursion may demand aggregates that it contains.

    Returns the relations of each stratum.
    """
    rules, edges = list(core.values()), core_edges(core.values())
    whole = [edge for edge in edges if not is_requested_result(edge.target)]
    held, strata = unasked_edges(edges), strata_of_edges(rules, edges)
    findings = check_strata(whole, strata)
    if not findings and len(held) < len(edges):
        findings = check_strata(held, strata_of_edges(rules, held))
    assert not findings, f"rules are checked before they are rewritten: {findings[0].message}"
    return tuple(frozenset(stratum.relations) for stratum in strata)


def _without_labels(mapping: Mapping[str, T], names: Iterable[str]) -> dict[str, T]:
    left = dict(mapping)
    for name in names:
        left.pop(name, None)
    return left


def _typed(
    program: Program,
    core: Mapping[str, Rule],
    functions: Mapping[str, tuple[Function, ...]],
    bound: Mapping[tuple[str, int], str],
    known: Mapping[str, int],
) -> tuple[Schema, dict[str, Rule]]:
    """Types of all columns, auxiliary relations included, and the core rules with their literals typed."""
    whole = replace(program, rules=tuple(core.values()))
    names = check_names(whole, functions, dict(known))
    typing = infer_types(whole, names.arity, TypeNames(program.types), functions, bound)
    typed = dict(zip(core, typing.program.rules, strict=True))
    schema = {name: (None,) * arity for name, arity in known.items()}
    return {**schema, **typing.schema}, typed
