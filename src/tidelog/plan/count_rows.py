"""Rows that aggregates only count or add up: stored without what distinguishes them, with their number.

Laws (D12). A count, sum or mean ranges over the distinct valuations of its body. Where one rule derives them and its
head has every variable of its atoms, a support of the rule is one valuation, and the other way round. So the relation
may be projected to what the aggregates read, group and values: the number of supports of a projected fact is the
number of valuations that it stands for, and is maintained like that of any other fact. The only readers of such a
*counted* relation are folds, which fold a fact as often as it has supports. A sum over a join stores a fact for each
value in a group, a count one for each group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from tidelog.plan.body import is_generator, literal_variables
from tidelog.plan.plan_rule import aggregate_of
from tidelog.plan.term_types import Schema
from tidelog.program import Atom, Const, Rule, Term, Var
from tidelog.program.values.scope import atoms
from tidelog.program.values.term import SUM, WRAPPING_SUM
from tidelog.rewrite.names import COUNTED, VALUES

Types = Mapping[str, tuple[str | None, ...]]
KINDS = frozenset({"count", "mean", SUM, WRAPPING_SUM})


def count_rows(core: Mapping[str, Rule], schema: Schema, folding: Iterable[str]) -> tuple[Mapping[str, Rule], Types]:
    """The rules as they run, and the types of counted relations; ``core`` itself if there are none.

    Such rows are made and read only by the core rules of one rule, whose labels begin alike. ``folding`` are the labels
    of the rules whose rows may be counted.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> from tidelog.rewrite import to_core
    >>> rules = to_core(parse_program("r1: n(G, sum<V>) :- sale(K, G, V), open(G).").rules)
    >>> types = {"__val_r1_0": ("number", "float", "symbol")}
    >>> core, counted = count_rows({rule.label: rule for rule in rules}, types, ["r1/2"])
    >>> print(*map(print_rule, core.values()), sep="\\n")
    r1/1: __counted_r1_0(G, V) :- sale(K, G, V), open(G).
    r1/2: n(G, sum<V>) :- __counted_r1_0(G, V).
    >>> dict(counted)
    {'__counted_r1_0': ('number', 'float')}
    """
    readers = _readers(core, folding)
    if not readers:
        return core, {}
    users = tuple({f"{label.rpartition('/')[0]}/" for labels in readers.values() for label in labels})
    near = [rule for label, rule in core.items() if label.startswith(users)]  # the core rules of the same rules
    makers: dict[str, list[Rule]] = {name: [] for name in readers}
    reads = dict.fromkeys(readers, 0)
    for rule in near:
        if rule.head.predicate in makers:
            makers[rule.head.predicate].append(rule)
        for atom in atoms(rule.body):
            if atom.predicate in reads:
                reads[atom.predicate] += 1
    changed: dict[str, Rule] = {}
    types: dict[str, tuple[str | None, ...]] = {}
    for name, labels in readers.items():
        columns = tuple(sorted({place for label in labels for place in _columns(core[label])}))
        if len(makers[name]) != 1 or reads[name] != len(labels) or not _is_counted(makers[name][0], columns):
            continue
        maker = makers[name][0]
        changed[maker.label or ""] = _projected(maker, columns)
        changed.update((label, _over(core[label], columns)) for label in labels)
        known = schema.get(name, (None,) * len(maker.head.args))
        types[COUNTED + name.removeprefix(VALUES)] = tuple(known[place] for place in columns)
    return ({label: changed.get(label, rule) for label, rule in core.items()}, types) if changed else (core, {})


def _readers(core: Mapping[str, Rule], folding: Iterable[str]) -> dict[str, list[str]]:
    """The rules that only count or add up rows of a relation made for that, by its name."""
    found: dict[str, list[str]] = {}
    for label in sorted(folding):
        rule = core.get(label)
        aggregate = None if rule is None else aggregate_of(rule)
        if rule is not None and aggregate is not None and aggregate.kind in KINDS:
            (source,) = atoms(rule.body)
            if source.predicate.startswith(VALUES) and source.location is None:
                found.setdefault(source.predicate, []).append(label)
    return found


def _columns(rule: Rule) -> list[int]:
    """The columns of its source that an aggregate rule reads: group and values."""
    aggregate, (source,) = aggregate_of(rule), atoms(rule.body)
    assert aggregate is not None
    read = [*(arg for arg in rule.head.args if arg is not aggregate), *aggregate.measured]
    return [source.args.index(arg) for arg in read]


@lru_cache(maxsize=20_000)
def _is_counted(maker: Rule, columns: tuple[int, ...]) -> bool:
    """Whether every support of a rule is one valuation, and its head has more columns than these."""
    head = maker.head
    if head.location is not None or len(columns) == len(head.args):
        return False
    known: set[Term] = set(head.args)
    for literal in maker.body:
        if isinstance(literal, Atom):
            if not all(arg in known for arg in literal.args if isinstance(arg, Var)):
                return False
            if any(not isinstance(arg, Var | Const) for arg in literal.args):
                return False
        elif is_generator(literal) and not all(Var(name) in known for name in literal_variables(literal)):
            return False
    return True


@lru_cache(maxsize=20_000)
def _projected(maker: Rule, columns: tuple[int, ...]) -> Rule:
    """The rule of the counted relation; the same rules yield the same object, as in `fold_rows`."""
    name = COUNTED + maker.head.predicate.removeprefix(VALUES)
    args = tuple(maker.head.args[place] for place in columns)
    return replace(maker, head=replace(maker.head, predicate=name, args=args))


@lru_cache(maxsize=20_000)
def _over(rule: Rule, columns: tuple[int, ...]) -> Rule:
    """The aggregate rule over the counted relation."""
    (source,) = atoms(rule.body)
    name = COUNTED + source.predicate.removeprefix(VALUES)
    args = tuple(source.args[place] for place in columns)
    return replace(rule, body=(replace(source, predicate=name, args=args),))
