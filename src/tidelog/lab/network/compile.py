"""Programs made ready to run: local rules as strands, one for each literal that can fire them.

A strand is an event-condition-action rule, as P2 and RapidNet execute them: it is given a row of its trigger, joins
the tables of the node and computes the head.

Law: every derivation of a rule by a new row is found by the strand of that row. A rule is *maintained* (its heads are
withdrawn with the rows they come from) if its head and all its body are tables without lifetimes, and an aggregate over
tables always is; the heads of all other rules are asserted once and live as long as their table lets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

from tidelog.errors import ProgramError
from tidelog.lab.network.functions import FUNCTIONS, RANDOM, Surroundings
from tidelog.lab.network.localise import LocalisedRule, atom_of, binds, is_broadcast, known, localise, uses
from tidelog.lab.network.network_catalogue import AGGREGATE, FUNCTION, TIMER, UNBOUND
from tidelog.lab.network.program import (
    BROADCAST,
    COUNT,
    MAX,
    MIN,
    PERIODIC,
    Absence,
    Aggregate,
    Anything,
    Apply,
    Assignment,
    Atom,
    Condition,
    Constant,
    Deletion,
    Literal,
    Program,
    ProgramVariable,
    Rule,
    TableDeclaration,
    Term,
    Value,
    variables,
)

Bindings: TypeAlias = dict[str, Value]
Evaluator: TypeAlias = Callable[[Bindings, Surroundings], Value]
HERE = "@here"
"""The variable that holds the address of the node where a rule fires."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """How the columns of an atom are matched: `bound` columns are computed, `free` ones bind, the rest is ignored."""

    relation: str
    width: int
    bound: tuple[tuple[int, Evaluator], ...]
    free: tuple[tuple[int, str], ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns by which rows are looked up."""
        return tuple(column for column, _ in self.bound)


@dataclass(frozen=True, slots=True)
class Join:
    """Continue with every row of a table that matches."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Lack:
    """Continue if no row matches."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Compute:
    """Assign, or with no name continue if the value is true."""

    name: str | None
    value: Evaluator


Step: TypeAlias = Join | Lack | Compute


@dataclass(frozen=True, slots=True)
class Head:
    """What a rule does: `place` computes the address, None for a broadcast."""

    relation: str
    args: tuple[Evaluator, ...]
    place: Evaluator | None
    deletes: bool
    is_table: bool
    said: bool = False
    encrypted: bool = False
    holes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HeadAggregate:
    """The aggregate of a head: its column, the columns of the group, and the value that is aggregated."""

    kind: str
    column: int
    group: tuple[int, ...]
    value: Evaluator | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A local rule with its whole body as steps, for aggregates, which are computed again for a group."""

    label: str
    head: Head
    place: str | None
    constant: Value
    is_maintained: bool
    grouping: HeadAggregate | None
    has_event: bool
    body: Callable[[frozenset[str]], tuple[Step, ...]] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Strand:
    """A rule and the literal that fires it."""

    rule: CompiledRule
    trigger: Pattern
    on_deletion: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Timer:
    """`periodic`: an event of its own for every rule. A count of 0 means forever."""

    relation: str
    period: float
    count: int
    delay: float
    spread: float


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A program ready to run."""

    tables: Mapping[str, TableDeclaration]
    strands: Mapping[str, tuple[Strand, ...]]
    deletions: Mapping[str, tuple[Strand, ...]]
    timers: tuple[Timer, ...]
    said: frozenset[str]
    derived: frozenset[str]


def compile_program(program: Program, facts: Iterable[str] = ()) -> CompiledProgram:
    """Make a program ready; `facts` are the relations that have facts elsewhere.

    >>> from tidelog.lab.network.read import read_program
    >>> compiled = compile_program(read_program("p(@X, Y) :- q(@X, Y), e(@X). materialize(q, 10, infinity, keys(1))."))
    >>> sorted(compiled.tables), sorted(compiled.strands)
    (['q'], ['e'])
    """
    said = frozenset(atom.relation for rule in program.rules for atom in _atoms(rule) if atom.sayer is not None)
    program = replace(program, rules=tuple(_with_sayers(rule, said) for rule in program.rules))
    tables = {table.relation: table for table in program.tables}
    for name in (*(fact.atom.relation for fact in program.facts), *facts):
        tables.setdefault(name, TableDeclaration(name))
    timers: list[Timer] = []
    rules = tuple(_with_timers(rule, number, timers) for number, rule in enumerate(program.rules, 1))
    local, made = localise(replace(program, rules=rules), tables)
    tables |= {table.relation: table for table in made}
    strands: dict[str, list[Strand]] = {}
    deletions: dict[str, list[Strand]] = {}
    for one in local:
        for strand in _strands(one, tables):
            (deletions if strand.on_deletion else strands).setdefault(strand.trigger.relation, []).append(strand)
    derived = frozenset(rule.head.relation for rule in program.rules if not rule.deletes)
    return CompiledProgram(
        tables,
        {name: tuple(found) for name, found in strands.items()},
        {name: tuple(found) for name, found in deletions.items()},
        tuple(timers),
        said,
        derived,
    )


def _atoms(rule: Rule) -> list[Atom]:
    body = [x if isinstance(x, Atom) else x.atom for x in rule.body if isinstance(x, Atom | Deletion | Absence)]
    return [rule.head, *body]


def _with_sayers(rule: Rule, said: frozenset[str]) -> Rule:
    """`X says p(Y)` as `p(Y, X)`: a head without a sayer is said by its node, a body atom without one by anybody."""
    if not said:
        return rule

    def extend(atom: Atom, default: Term) -> Atom:
        if atom.relation not in said:
            return atom
        return replace(atom, args=(*atom.args, default if atom.sayer is None else atom.sayer))

    body = tuple(
        extend(x, Anything()) if isinstance(x, Atom)
        else replace(x, atom=extend(x.atom, Anything())) if isinstance(x, Deletion | Absence)
        else x
        for x in rule.body
    )  # fmt: skip
    return replace(rule, head=extend(rule.head, ProgramVariable(HERE)), body=body)


def _with_timers(rule: Rule, number: int, timers: list[Timer]) -> Rule:
    """The rule with an event of its own for `periodic`."""
    body: list[Literal] = []
    for literal in rule.body:
        if not isinstance(literal, Atom) or literal.relation != PERIODIC:
            body.append(literal)
            continue
        numbers = [arg.value for arg in literal.args[2:] if isinstance(arg, Constant)]
        amounts = [float(value) for value in numbers if isinstance(value, int | float)]
        if not 3 <= len(literal.args) <= 6 or len(amounts) != len(literal.args) - 2:
            raise ProgramError([TIMER.diagnostic(literal.span, rule=rule.label)])
        period, count, delay, spread = (*amounts, *(0.0, -1.0, 0.0)[len(amounts) - 1 :])
        name = f"{PERIODIC}/{number}"
        timers.append(Timer(name, period, int(count), period if delay < 0 else delay, spread))
        body.append(replace(literal, relation=name, args=literal.args[:2]))
    return replace(rule, body=tuple(body))


def _strands(local: LocalisedRule, tables: Mapping[str, TableDeclaration]) -> list[Strand]:
    rule, place = local.rule, local.place
    compiled = _compiled(local, tables)
    triggers = [local.trigger] if local.trigger is not None else [x for x in rule.body if isinstance(x, Atom)]
    found: list[Strand] = []
    for trigger in triggers:
        atom = atom_of(trigger)
        start = frozenset(v.name for v in variables(place)) | {HERE}
        others = [literal for literal in rule.body if literal is not trigger]
        found.append(
            Strand(
                compiled,
                _pattern(atom, start),
                isinstance(trigger, Deletion),
                _plan(rule, others, start | binds(trigger)),
            )
        )
    return found


def _compiled(local: LocalisedRule, tables: Mapping[str, TableDeclaration]) -> CompiledRule:
    rule, place = local.rule, local.place
    names = known(rule.body, place) | {HERE}
    head = _head(rule, names, tables)
    grouping = _grouping(rule, tables)
    body = [literal for literal in rule.body if isinstance(literal, Atom)]
    hard = [tables[atom.relation].lifetime is None for atom in body if atom.relation in tables]
    is_maintained = (
        local.trigger is None
        and head.is_table
        and not rule.deletes
        and tables[rule.head.relation].lifetime is None
        and all(hard)
        and not any(isinstance(literal, Absence) for literal in rule.body)
    )
    return CompiledRule(
        rule.label,
        head,
        place.name if isinstance(place, ProgramVariable) else None,
        place.value if isinstance(place, Constant) else None,
        is_maintained,
        grouping,
        local.trigger is not None,
        cache(lambda bound: _plan(rule, rule.body, bound)),
    )


def _head(rule: Rule, names: set[str], tables: Mapping[str, TableDeclaration]) -> Head:
    atom = rule.head
    local = {v.name for v in variables(atom.place)} - names - {BROADCAST}
    holes: list[int] = []
    args: list[Evaluator] = []
    for column, arg in enumerate(atom.args):
        if rule.deletes and (isinstance(arg, Anything) or (isinstance(arg, ProgramVariable) and arg.name not in names)):
            holes.append(column)
            args.append(lambda _bindings, _surroundings: None)
            continue
        term = (Constant(0) if arg.value is None else arg.value) if isinstance(arg, Aggregate) else arg
        for variable in variables(term):
            if variable.name not in names | local | {BROADCAST}:
                raise ProgramError([UNBOUND.diagnostic(rule.span, name=variable.name, rule=rule.label)])
        args.append(evaluator(_here(term, local)))
    place = None if is_broadcast(rule) else evaluator(_here(atom.place, local))
    is_table = atom.relation in tables
    said = atom.sayer is not None
    return Head(atom.relation, tuple(args), place, rule.deletes, is_table, said, atom.encrypted, tuple(holes))


def _here(term: Term, local: set[str]) -> Term:
    """A head at a place that no literal binds is at the node itself."""
    return ProgramVariable(HERE) if isinstance(term, ProgramVariable) and term.name in local else term


def _grouping(rule: Rule, tables: Mapping[str, TableDeclaration]) -> HeadAggregate | None:
    found = [(at, arg) for at, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate)]
    if not found:
        return None
    if len(found) > 1 or rule.deletes:
        problem = "an aggregate in a `delete` rule" if rule.deletes else "several aggregates"
        raise ProgramError([AGGREGATE.diagnostic(rule.span, rule=rule.label, problem=problem)])
    column, aggregate = found[0]
    keys = tables[rule.head.relation].keys if rule.head.relation in tables else ()
    others = [at for at in range(len(rule.head.args)) if at != column]
    if aggregate.kind in (MIN, MAX) and keys:
        group = tuple(at for at in others if at in keys or rule.head.args[at] == rule.head.place)
    else:
        group = tuple(others)
    value = None if aggregate.value is None else evaluator(aggregate.value)
    if value is None and aggregate.kind != COUNT:
        raise ProgramError([AGGREGATE.diagnostic(rule.span, rule=rule.label, problem=f"{aggregate.kind} of nothing")])
    names = frozenset(v.name for at in group for v in variables(rule.head.args[at]))
    return HeadAggregate(aggregate.kind, column, group, value, names)


def _plan(rule: Rule, literals: Sequence[Literal], bound: Iterable[str]) -> tuple[Step, ...]:
    """The steps for literals when some variables are bound: what can be computed at once, then the best join."""
    names = set(bound)
    left = list(literals)
    steps: list[Step] = []
    while left:
        ready = next((literal for literal in left if _is_ready(literal, names, left)), None)
        if ready is None:
            joins = [literal for literal in left if isinstance(literal, Atom)]
            if not joins:
                missing = next(name for literal in left for name in uses(literal) if name not in names)
                raise ProgramError([UNBOUND.diagnostic(rule.span, name=missing, rule=rule.label)])
            ready = max(joins, key=lambda atom: len(_pattern(atom, names).bound))
        left.remove(ready)
        steps.append(_step(ready, names))
        names |= binds(ready)
    return tuple(steps)


def _is_ready(literal: Literal, names: set[str], left: Sequence[Literal]) -> bool:
    if isinstance(literal, Assignment | Condition):
        term = literal.value if isinstance(literal, Assignment) else literal.test
        if is_random(term) and any(isinstance(other, Atom) for other in left):
            return False  # every solution draws for itself
        return all(name in names for name in uses(literal))
    if isinstance(literal, Absence):
        return not any(isinstance(other, Atom | Assignment) for other in left)
    return False


def _step(literal: Literal, names: set[str]) -> Step:
    if isinstance(literal, Assignment):
        return Compute(literal.variable.name, evaluator(literal.value))
    if isinstance(literal, Condition):
        return Compute(None, evaluator(literal.test))
    if isinstance(literal, Absence):
        return Lack(_pattern(literal.atom, names))
    assert isinstance(literal, Atom)
    return Join(_pattern(literal, names))


def _pattern(atom: Atom, names: Iterable[str]) -> Pattern:
    known_names = set(names) | {v.name for v in variables(atom.place)}
    bound: list[tuple[int, Evaluator]] = []
    free: list[tuple[int, str]] = []
    for column, arg in enumerate(atom.args):
        if isinstance(arg, ProgramVariable) and arg.name not in known_names:
            free.append((column, arg.name))
        elif not isinstance(arg, Anything):
            bound.append((column, evaluator(arg)))
    return Pattern(atom.relation, len(atom.args), tuple(bound), tuple(free))


def is_random(term: Term) -> bool:
    """Whether a term draws from the random stream of the node."""
    return isinstance(term, Apply) and (term.function in RANDOM or any(map(is_random, term.args)))


def evaluator(term: Term) -> Evaluator:
    """A function that computes a term from bindings."""
    if isinstance(term, Constant):
        value = term.value
        return lambda _bindings, _surroundings: value
    if isinstance(term, ProgramVariable):
        name = term.name
        return lambda bindings, _surroundings: bindings[name]
    assert isinstance(term, Apply), "aggregates and `_` have no value"
    args = tuple(evaluator(arg) for arg in term.args)
    if term.function == "list":
        return lambda bindings, s: tuple(arg(bindings, s) for arg in args)
    if term.function == "||":
        return lambda bindings, s: bool(args[0](bindings, s)) or bool(args[1](bindings, s))
    if term.function == "&&":
        return lambda bindings, s: bool(args[0](bindings, s)) and bool(args[1](bindings, s))
    if term.function == "?:":
        return lambda bindings, s: args[1 if args[0](bindings, s) else 2](bindings, s)
    function = FUNCTIONS.get((term.function, len(args)))
    if function is None:
        raise ProgramError([FUNCTION.diagnostic(term.span, name=term.function, count=len(args))])
    return lambda bindings, s: function(s, *(arg(bindings, s) for arg in args))
