"""A slow, obvious run in virtual time, the judge of `lab.network`.

Law: the sections Transitions and Rules of `docs/design/events.md`, read literally: rules are matched against lists of
rows, a group is counted again by looking at all rows, and nothing is compiled, indexed or planned. It covers what
`random_timed` writes: bodies at one node with a trigger and at most one other atom, in the order of the text.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tidelog.lab.network.program import (
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
    Program,
    ProgramVariable,
    Rule,
    Term,
)
from tidelog.lab.network.read import DELETE, INSERT, ScriptStep

Row = tuple[Any, ...]
Values = dict[str, Any]
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "%": lambda a, b: a % b,
    ">": lambda a, b: a > b,
    "!=": lambda a, b: a != b,
}
BROADCAST = "Broadcast"


class Work(NamedTuple):
    """What a node has to do: insert (or raise), retract, delete or expire a row."""

    kind: str
    relation: str
    row: Row
    reason: Any = None


Todo = list[tuple[str, Work]]  # where, and what
Fact = tuple[str, Row]


class Stored:
    """A row of a table with all that is known of it."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.expires: float | None = None
        self.turn = 0
        self.reasons: set[Any] = set()


class Place:
    """A running node."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables: dict[str, list[Stored]] = {}
        self.derived: list[tuple[frozenset[tuple[str, Row]], str, Work]] = []
        self.groups: dict[tuple[str, Row], tuple[str, Work]] = {}


class NaiveRun:
    """A run of a program over a topology and a script, with a fixed delay of messages."""

    def __init__(self, program: Program, topology: Program, script: Iterable[ScriptStep], delay: float = 0.01) -> None:
        self.rules = program.rules
        self.declared = {table.relation: table for table in program.tables}
        self.delay, self.now, self.messages = delay, 0.0, 0
        self.places: dict[str, Place] = {}
        self.near: dict[str, list[str]] = {}
        self.due: list[tuple[float, int, Callable[[], None]]] = []
        self.count = 0
        names: list[str] = []
        for fact in topology.facts:
            names += [_ground(fact.atom.place), *(_row(fact.atom)[:2] if fact.atom.relation == "link" else ())]
            self._connect(fact.atom, INSERT)
            self._at(0.0, lambda atom=fact.atom: self._give(atom))
        for name in dict.fromkeys(names):
            self._place(name)
        for step in script:
            self._at(step.time, lambda step=step: self._play(step))

    def run(self, until: float) -> None:
        """Everything up to a time."""
        while self.due and self.due[0][0] <= until:
            self.now, _, action = heapq.heappop(self.due)
            action()
        self.now = until

    def rows(self, relation: str) -> dict[str, set[Row]]:
        """The rows of a table at every node that has some."""
        found = {name: {s.row for s in place.tables.get(relation, ())} for name, place in self.places.items()}
        return {name: rows for name, rows in found.items() if rows}

    # ---- what comes from outside

    def _at(self, time: float, action: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.due, (time, self.count, action))

    def _place(self, name: str) -> Place:
        if name not in self.places:
            self.places[name] = place = Place(name)
            for rule in self.rules:
                for atom in rule.body:
                    if isinstance(atom, Atom) and atom.relation == PERIODIC:
                        period, count = (_ground(arg) for arg in atom.args[2:])
                        self._at(self.now + period, lambda r=rule, p=period, c=count: self._tick(place, r, p, c, 1))
        return self.places[name]

    def _tick(self, place: Place, rule: Rule, period: float, count: int, number: int) -> None:
        if self.places.get(place.name) is not place:
            return
        if count == 0 or number < count:
            self._at(self.now + period, lambda: self._tick(place, rule, period, count, number + 1))
        trigger = next(atom for atom in rule.body if isinstance(atom, Atom) and atom.relation == PERIODIC)
        place_variable = trigger.args[0]
        assert isinstance(place_variable, ProgramVariable)
        self._work(
            place, [], lambda todo: self._fire(place, rule, trigger, {place_variable.name: place.name}, [], todo)
        )

    def _play(self, step: ScriptStep) -> None:
        name = _ground(step.atom.place)
        if step.action == INSERT:
            self._connect(step.atom, INSERT)
            self._give(step.atom)
        elif step.action == DELETE:
            self._connect(step.atom, DELETE)
            if name in self.places:
                self._work(self.places[name], [Work("retract", step.atom.relation, _row(step.atom))])
        else:
            self.places.pop(name, None)

    def _give(self, atom: Atom) -> None:
        self._work(self._place(_ground(atom.place)), [Work("insert", atom.relation, _row(atom))])

    def _connect(self, atom: Atom, action: str) -> None:
        if atom.relation == "link":
            start, end = _row(atom)[:2]
            known = self.near.setdefault(start, [])
            if action == INSERT and end not in known:
                known.append(end)
            elif action == DELETE and end in known:
                known.remove(end)

    # ---- what a node does

    def _work(self, place: Place, first: list[Work], begin: Callable[[Todo], None] | None = None) -> None:
        """Tables before events, each in order; then expiries are arranged, and messages leave."""
        waiting, sent, fresh = list(first), Todo(), list[Fact]()
        todo: Todo = []
        if begin is not None:
            begin(todo)
        while True:
            waiting += [work for target, work in todo if target == place.name]
            sent += [(target, work) for target, work in todo if target != place.name]
            todo = []
            if not waiting:
                break
            work = next((each for each in waiting if each.relation in self.declared), waiting[0])
            waiting.remove(work)
            self._do(place, work, todo, fresh)
        for relation, row in fresh:
            for stored in place.tables.get(relation, ()):
                if stored.row == row and stored.expires is not None:
                    self._expire(place, relation, row, stored.expires)
        for target, work in sent:
            self.messages += 1
            self._at(self.now + self.delay, lambda target=target, work=work: self._arrive(target, work))

    def _arrive(self, target: str, work: Work) -> None:
        if target in self.places:
            self._work(self.places[target], [work])

    def _expire(self, place: Place, relation: str, row: Row, time: float) -> None:
        def expire() -> None:
            if self.places.get(place.name) is place:
                self._work(place, [Work("expire", relation, row)])

        self._at(time, expire)

    def _do(self, place: Place, work: Work, todo: Todo, fresh: list[Fact]) -> None:
        if work.relation not in self.declared:
            if work.kind == "insert":
                self._changed(place, work.relation, work.row, todo, refreshed=False)
            return
        rows = place.tables.setdefault(work.relation, [])
        stored = next((each for each in rows if each.row == work.row), None)
        if work.kind == "insert":
            self._insert(place, work, stored, todo, fresh)
        elif work.kind == "delete":
            for each in [s for s in rows if all(b is None or a == b for a, b in zip(s.row, work.row, strict=True))]:
                rows.remove(each)
                self._removed(place, work.relation, each.row, todo)
        elif stored is not None:
            if work.kind == "retract":
                stored.reasons.discard(work.reason)
            is_over = stored.expires is not None and stored.expires <= self.now
            if (work.kind == "expire" and is_over) or (work.kind == "retract" and not stored.reasons):
                rows.remove(stored)
                self._removed(place, work.relation, work.row, todo)

    def _insert(
        self,
        place: Place,
        work: Work,
        stored: Stored | None,
        todo: Todo,
        fresh: list[Fact],
    ) -> None:
        table, rows = self.declared[work.relation], place.tables[work.relation]
        is_new, gone = stored is None, list[Stored]()
        if stored is None:
            stored = Stored(work.row)
            same = [each for each in rows if table.keys and all(each.row[k] == work.row[k] for k in table.keys)]
            for each in same:
                rows.remove(each)
            gone += same
            rows.append(stored)
        self.count += 1
        stored.turn = self.count
        stored.expires = None if table.lifetime is None else self.now + table.lifetime
        stored.reasons.add(work.reason)
        if table.size is not None and len(rows) > table.size:
            oldest = min(rows, key=lambda each: each.turn)
            rows.remove(oldest)
            gone.append(oldest)
        for each in gone:
            self._removed(place, work.relation, each.row, todo)
        if is_new or table.lifetime is not None:
            fresh.append((work.relation, work.row))
            self._changed(place, work.relation, work.row, todo, refreshed=not is_new)

    def _removed(self, place: Place, relation: str, row: Row, todo: Todo) -> None:
        gone = (relation, row)
        withdrawn = dict.fromkeys((target, work) for rows, target, work in place.derived if gone in rows)
        place.derived = [each for each in place.derived if (each[1], each[2]) not in withdrawn or gone not in each[0]]
        todo += [(target, work._replace(kind="retract")) for target, work in withdrawn]
        for rule in self.rules:
            for literal in rule.body:
                if isinstance(literal, Deletion) and literal.atom.relation == relation:
                    for values in self._match(literal.atom, row, {}):
                        self._fire(place, rule, literal, values, [], todo)
        for rule in self.rules:
            first = next(iter(rule.body), None)
            is_read = isinstance(first, Atom) and first.relation == relation
            if is_read and _aggregate(rule) is not None and self._is_over_tables(rule):
                self._regroup(place, rule, row, todo, refreshed=False)

    def _changed(self, place: Place, relation: str, row: Row, todo: Todo, *, refreshed: bool) -> None:
        for rule in self.rules:
            over_tables = self._is_over_tables(rule)
            for literal in rule.body:
                if not isinstance(literal, Atom) or literal.relation != relation:
                    continue
                if over_tables and _aggregate(rule) is not None:
                    self._regroup(place, rule, row, todo, refreshed=refreshed)
                elif over_tables or relation not in self.declared:
                    for values in self._match(literal, row, {}):
                        self._fire(place, rule, literal, values, [(relation, row)], todo)

    def _is_over_tables(self, rule: Rule) -> bool:
        relations = [literal.relation for literal in rule.body if isinstance(literal, Atom)]
        return relations != [] and all(relation in self.declared for relation in relations)

    # ---- rules

    def _fire(
        self,
        place: Place,
        rule: Rule,
        trigger: Atom | Deletion,
        values: Values,
        rows: list[Fact],
        todo: Todo,
    ) -> None:
        rest = [literal for literal in rule.body if literal is not trigger]
        found = list(self._solutions(place, rest, values, rows))
        aggregate = _aggregate(rule)
        if aggregate is None:
            for each, used in found:
                self._derive(place, rule, each, used, todo)
            return
        column, what = aggregate
        groups: dict[Row, list[Row]] = {}
        for each, _ in found:
            groups.setdefault(self._group(rule, each), []).append(_candidate(rule, each))
        made = [_folded(what.kind, column, members) for members in groups.values()]
        if not found and what.kind == "count" and not any(_is_open(arg, values) for arg in rule.head.args):
            made = [tuple(0 if at == column else _value(arg, values) for at, arg in enumerate(rule.head.args))]
        todo += [(row[0], Work("insert", rule.head.relation, row)) for row in made]

    def _group(self, rule: Rule, values: Values) -> Row:
        """The columns of a group: with a key, a minimum or maximum brings the columns outside the key along."""
        head, table = rule.head, self.declared.get(rule.head.relation)
        column, what = _aggregate(rule) or (0, Aggregate("count", None))
        keys = table.keys if table is not None and what.kind != "count" else ()
        others = [(at, arg) for at, arg in enumerate(head.args) if at != column]
        return tuple(_value(arg, values) for at, arg in others if not keys or at in keys or arg == head.place)

    def _derive(self, place: Place, rule: Rule, values: Values, used: list[Fact], todo: Todo) -> None:
        target = rule.head.place
        assert isinstance(target, ProgramVariable)
        is_broadcast = target.name == BROADCAST
        for name in self.near.get(place.name, []) if is_broadcast else [values[target.name]]:
            known = {**values, BROADCAST: name}
            row = tuple(None if rule.deletes and _is_open(a, known) else _value(a, known) for a in rule.head.args)
            work = Work("delete" if rule.deletes else "insert", rule.head.relation, row)
            if self._is_maintained(rule):
                work = work._replace(reason=(rule.label, place.name, frozenset(used)))
                derived = (frozenset(used), name, work)
                if derived not in place.derived:
                    place.derived.append(derived)
            todo.append((name, work))

    def _is_maintained(self, rule: Rule) -> bool:
        relations = [literal.relation for literal in (rule.head, *rule.body) if isinstance(literal, Atom)]
        hard = all(name in self.declared and self.declared[name].lifetime is None for name in relations)
        return hard and not rule.deletes and not any(isinstance(x, Absence | Deletion) for x in rule.body)

    def _regroup(self, place: Place, rule: Rule, row: Row, todo: Todo, *, refreshed: bool) -> None:
        """The group of a row, counted again over the whole table."""
        (atom, *rest), aggregate = rule.body, _aggregate(rule)
        assert isinstance(atom, Atom)
        assert aggregate is not None
        column, what = aggregate
        for values in self._match(atom, row, {}):
            group, members = self._group(rule, values), []
            for stored in place.tables.get(atom.relation, ()):
                for start in self._match(atom, stored.row, {}):
                    for each, _ in self._solutions(place, rest, start, []):
                        members += [_candidate(rule, each)] if self._group(rule, each) == group else []
            before = place.groups.pop((rule.label, group), None)
            now = None
            if members:
                made = _folded(what.kind, column, members)
                now = (made[0], Work("insert", rule.head.relation, made, (rule.label, place.name, group, made)))
                place.groups[rule.label, group] = now
            if before is not None and before != now and rule.head.relation in self.declared:
                todo.append((before[0], before[1]._replace(kind="retract")))
            if now is not None and (before != now or refreshed):
                todo.append(now)

    def _solutions(
        self, place: Place, literals: Sequence[object], values: Values, rows: list[Fact]
    ) -> Iterator[tuple[Values, list[Fact]]]:
        """All ways to make the literals true; absences are tested last."""
        waiting = sorted(literals, key=lambda literal: isinstance(literal, Absence))
        if not waiting:
            yield values, rows
            return
        first, rest = waiting[0], waiting[1:]
        if isinstance(first, Atom):
            for stored in list(place.tables.get(first.relation, ())):
                for each in self._match(first, stored.row, values):
                    yield from self._solutions(place, rest, each, [*rows, (first.relation, stored.row)])
        elif isinstance(first, Absence):
            table = place.tables.get(first.atom.relation, ())
            if not any(True for stored in table for _ in self._match(first.atom, stored.row, values)):
                yield from self._solutions(place, rest, values, rows)
        elif isinstance(first, Assignment):
            yield from self._solutions(place, rest, {**values, first.variable.name: _value(first.value, values)}, rows)
        elif isinstance(first, Condition) and _value(first.test, values):
            yield from self._solutions(place, rest, values, rows)

    def _match(self, atom: Atom, row: Row, values: Values) -> Iterator[Values]:
        """The values after matching a row, if it matches."""
        known = dict(values)
        for arg, value in zip(atom.args, row, strict=True):
            if isinstance(arg, Anything):
                continue
            if isinstance(arg, ProgramVariable) and arg.name not in known:
                known[arg.name] = value
            elif _value(arg, known) != value:
                return
        yield known


def _aggregate(rule: Rule) -> tuple[int, Aggregate] | None:
    return next(((at, arg) for at, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate)), None)


def _candidate(rule: Rule, values: Values) -> Row:
    """The head of one solution, with what is aggregated in place of the aggregate."""
    terms = (arg.value if isinstance(arg, Aggregate) else arg for arg in rule.head.args)
    return tuple(None if term is None else _value(term, values) for term in terms)


def _folded(kind: str, column: int, members: list[Row]) -> Row:
    """The count, or the least row among those with the best value."""
    if kind == "count":
        return (*members[0][:column], len(members), *members[0][column + 1 :])
    best = (min if kind == "min" else max)(row[column] for row in members)
    return min(row for row in members if row[column] == best)


def _is_open(term: Term, values: Values) -> bool:
    return isinstance(term, Anything) or (isinstance(term, ProgramVariable) and term.name not in values)


def _value(term: Term, values: Values) -> Any:
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, ProgramVariable):
        return values[term.name]
    assert isinstance(term, Apply)
    return SIGNS[term.function](*(_value(arg, values) for arg in term.args))


def _ground(term: Term) -> Any:
    return _value(term, {})


def _row(atom: Atom) -> Row:
    return tuple(map(_ground, atom.args))
