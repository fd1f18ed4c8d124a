"""The plain Python checker: one pass over all supports of all rules.

Law. Stratum by stratum, lower ones first: every fact that a rule derives from the state is held (closed), and every
fact held is asserted or has a support whose facts of the same stratum all have a lower rank (founded). For rules with
aggregates: their results over the state are held, and the support of a min or max is the support of a best candidate.
For a choice, the state holds a valid one (`choices`), and everything above it is the model over that choice.
docs/design/certificate.md proves that a state that passes is exactly the least (perfect) model. The pass stops at the
first violation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from tidelog.errors import EvaluationError
from tidelog.program import Aggregate, Path, Program, Term, Value
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.graph.well_founded import model_of
from tidelog.program.values.state import EngineState
from tidelog.program.values.term import MODEL
from tidelog.verify.choices import candidates_of, chosen_relation, wrong_choice
from tidelog.verify.claim import Base, Claim, to_claim
from tidelog.verify.folds import fold, is_better
from tidelog.verify.normal import Clause, Scan
from tidelog.verify.relations import LOWEST, Relation, Row
from tidelog.verify.report import (
    BASE,
    NOT_CLOSED,
    REFUSED,
    UNDEFINED,
    UNFOUNDED,
    Certificate,
    Ground,
    Verdict,
    Violation,
)
from tidelog.verify.report import label_of as label
from tidelog.verify.solve import Context, Scope, Step, contribution, solver
from tidelog.verify.strata import sources
from tidelog.verify.terms import Overloads, Registers
from tidelog.verify.walks import Walks

PYTHON = "Python"
NEVER: dict[Row, int] = {}
ComparedColumns = tuple[
    tuple[int, str], ...
]  # columns of a head with min or max: a value, and those that decide between equal values
Elsewhere = Callable[[Claim, int], tuple[Violation | None, int] | None]  # of a stratum; None: it is not checked there
Best = tuple[Row, int, Clause]  # the values of such columns, the lowest rank that yields them, and a rule that does
Pool = dict[tuple[str, tuple[ComparedColumns, ...]], dict[Row, list[Best]]]


def verify(
    program: Program,
    base: Base | None,
    state: EngineState,
    functions: Overloads = FUNCTIONS,
    elsewhere: Elsewhere | None = None,
) -> Verdict:
    """Certify that the state is the model of the program over the base facts (None: those that the state marks).

    Strata that are checked ``elsewhere`` need not be checked here.

    >>> from tidelog.program.values.state import FactState
    >>> from tidelog.syntax import parse_program
    >>> program = parse_program("p(X) :- e(X). p(X) :- p(X).")
    >>> types = {"e": ("number",), "p": ("number",)}
    >>> held = {"e": {(1,): FactState(0, 1, 1, True)}, "p": {(1,): FactState(1, 2, 1, False)}}
    >>> bool(verify(program, None, EngineState(held, (), (), types)))
    True
    >>> held["p"][(2,)] = FactState(2, 1, 1, False)
    >>> print(verify(program, None, EngineState(held, (), (), types)))
    unfounded: p(2) has no support of lower rank
    """
    began = time.perf_counter()
    return check_claim(to_claim(program, base, state, functions), began, elsewhere)


def check_claim(claim: Claim, began: float, elsewhere: Elsewhere | None = None) -> Verdict:
    """Certify a claim, or name the first violation."""
    violation = check_bases(claim)
    if violation is not None:
        return violation
    supports = 0
    for place in range(len(claim.strata)):
        found = None if elsewhere is None else elsewhere(claim, place)
        violation, more = check_stratum(claim, place) if found is None else found
        if violation is not None:
            return violation
        supports += more
        claim.taken.let_go(claim.unread_after(place))
    seconds = time.perf_counter() - began
    return Certificate(PYTHON, *claim.counts, supports, seconds, claim.chosen)


def check_stratum(claim: Claim, place: int) -> tuple[Violation | None, int]:
    """The first violation in a stratum, given that lower ones are certified, and the number of supports examined."""
    check = Check(claim)
    try:
        check.stratum(*claim.strata[place])
    except ViolationFound as found:
        return found.violation, check.supports
    return None, check.supports


def check_bases(claim: Claim) -> Violation | None:
    """The first violation by asserted facts or relations without rules, if any."""
    try:
        Check(claim).bases()
    except ViolationFound as found:
        return found.violation
    return None


class ViolationFound(Exception):
    """Ends the check; carries the violation."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(str(violation))
        self.violation = violation


class StratumFacts:
    """The facts as one stratum reads them: its own with ranks, all others below every rank."""

    def __init__(self, claim: Claim, own: frozenset[str]) -> None:
        self._claim, self._own = claim, own
        self._relations: dict[str, Relation] = {}
        self._walks: dict[Path, Walks] = {}

    def source(self, name: str | Path) -> Relation | Walks:
        """The relation, or the pairs of a path."""
        if isinstance(name, str):
            return self._relation(name)
        if name not in self._walks:
            self._walks[name] = Walks(name, self._walked)
        return self._walks[name]

    def is_ranked(self, name: str | Path) -> bool:
        """Whether these facts belong to the stratum."""
        return not self._own.isdisjoint(sources(name))

    def _relation(self, name: str) -> Relation:
        if name not in self._relations:
            self._relations[name] = Relation(self._claim.ranks.get(name, NEVER))
        return self._relations[name]

    def _walked(self, name: str) -> Relation:
        """The steps of a path; those of lower strata are below every rank."""
        if name in self._own:
            return self._relation(name)
        return Relation(dict.fromkeys(self._claim.ranks.get(name, NEVER), LOWEST))


class Check:
    """The state of a check: the results so far."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self.supports = 0

    def bases(self) -> None:
        """Check that asserted facts are held, that relations without rules hold nothing else, and the constraints."""
        marked = self._claim.base is self._claim.taken.asserted  # then they are held
        for name, rows in () if marked else self._claim.base.items():
            held = self._claim.ranks.get(name, NEVER)
            missing = next((row for row in rows if row not in held), None)
            if missing is not None:
                raise ViolationFound(Violation(BASE, (name, missing)))
            self._claim.taken.let_go([name])
        for name, constraint in self._claim.refusing.items():
            if self._claim.ranks.get(name, NEVER):
                raise ViolationFound(Violation(REFUSED, rule=constraint))
        for name in sorted(self._claim.ranks.keys() - self._claim.derived):
            if marked and self._claim.taken.all_asserted(name):
                continue
            self._check_founded(name, self._claim.ranks[name], self._claim.base.get(name, frozenset()))
            self._claim.taken.let_go([name])

    def stratum(self, relations: frozenset[str], clauses: Iterable[Clause]) -> None:
        """Check that the rules of a stratum are closed and its facts founded."""
        context = Context(StratumFacts(self._claim, relations), self._claim.schema, self._claim.functions)
        founded = {name: set(self._claim.base.get(name, ())) for name in relations}
        pool: Pool = {}
        for clause in clauses:
            try:
                self._rule(clause, context, founded[clause.rule.head.predicate], pool)
            except EvaluationError as error:
                raise ViolationFound(Violation(UNDEFINED, rule=label(clause.rule), detail=str(error))) from None
        for (name, shape), groups in pool.items():
            self._check_best(name, shape, groups, founded[name])
        for name in sorted(relations):
            self._check_founded(name, self._claim.ranks.get(name, NEVER), founded[name])

    def _check_founded(self, name: str, held: Mapping[Row, int], founded: set[Row] | frozenset[Row]) -> None:
        if len(founded) == len(held):
            return
        row = next(row for row in held if row not in founded)
        detail = "" if name in self._claim.derived else "is not asserted, and its relation has no rules"
        raise ViolationFound(Violation(UNFOUNDED, (name, row), detail=detail))

    def _rule(self, clause: Clause, context: Context, founded: set[Row], pool: Pool) -> None:
        kinds = {aggregate.kind for aggregate in clause.folded.values()}
        if chosen_relation(clause) is not None:
            self._choice(clause, founded)
        elif kinds == {MODEL}:
            self._model(clause, founded)
        elif not kinds:
            self._solve(clause, context, lambda frame: self._derive(clause, frame, founded))
        elif kinds <= {"min", "max"}:
            shape = tuple(((i, aggregate.kind), *aggregate.ties) for i, aggregate in clause.folded.items())
            groups = pool.setdefault((clause.rule.head.predicate, shape), {})
            self._solve(clause, context, lambda frame: self._propose(clause, frame, groups, shape))
        else:
            self._aggregate(clause, context, founded)

    def _choice(self, clause: Clause, founded: set[Row]) -> None:
        """Check that the held facts of a choice are a valid one, founded by candidates that are already certified."""
        candidates = self._claim.ranks.get(candidates_of(clause), NEVER)
        chosen = self._claim.ranks.get(clause.rule.head.predicate, NEVER)
        self.supports += len(candidates)
        violation = wrong_choice(clause, candidates.keys(), chosen.keys())
        if violation is not None:
            raise ViolationFound(violation)
        founded.update(chosen)

    def _model(self, clause: Clause, founded: set[Row]) -> None:
        """Check that the facts held are those of a model, over instances that are already certified."""
        held = self._claim.ranks.get(clause.rule.head.predicate, NEVER)
        self.supports += len(held)
        model = model_of(clause.rule)
        is_bundled = model is not None and model.ground[0].formula is not None
        wrong = self._claim.bundles.wrong_facts if is_bundled else self._claim.models.wrong_truth
        violation = wrong(clause, held.keys())
        if violation is not None:
            raise ViolationFound(violation)
        founded.update(held)

    def _solve(self, clause: Clause, context: Context, finish: Callable[[Scope], Step]) -> None:
        for items in clause.body.alternatives:
            solver(items, (), {}, context, finish)(())

    def _derive(self, clause: Clause, frame: Scope, founded: set[Row]) -> Step:
        """The last step of a plain rule: checks that its head is held; a support of lower rank founds it."""
        held = self._claim.ranks.get(clause.rule.head.predicate, NEVER)
        head = head_row(clause, frame)

        def derive(registers: Registers, rank: int) -> None:
            row = head(registers)
            own = held.get(row)
            self.supports += 1
            if own is None:
                raise ViolationFound(_missing(clause, row, _body(frame, registers)))
            if rank < own:
                founded.add(row)

        return derive

    def _propose(
        self, clause: Clause, frame: Scope, groups: dict[Row, list[Best]], shape: Sequence[ComparedColumns]
    ) -> Step:
        """The last step of a min or max rule: collects the best of each group, and the lowest rank that yields it."""
        offer = offers_of(clause, frame, shape)
        kinds = [tuple(kind for _, kind in compared) for compared in shape]

        def propose(registers: Registers, rank: int) -> None:
            self.supports += 1
            group, offers = offer(registers)
            best = groups.get(group)
            if best is None:
                groups[group] = [(offered, rank, clause) for offered in offers]
                return
            for i, offered in enumerate(offers):
                shown, lowest, _ = best[i]
                if is_better(kinds[i], offered, shown) or (rank < lowest and not is_better(kinds[i], shown, offered)):
                    best[i] = (offered, rank, clause)

        return propose

    def _check_best(
        self, name: str, shape: Sequence[ComparedColumns], groups: dict[Row, list[Best]], founded: set[Row]
    ) -> None:
        """Check that the best of every group is held, and founded by the candidates that yielded it."""
        held = self._claim.ranks.get(name, NEVER)
        for group, best in groups.items():
            plain = iter(group)
            shown: dict[int, Value] = {}
            for compared, (values, _, _) in zip(shape, best, strict=True):
                shown.update((i, value) for (i, _), value in zip(compared, values, strict=True))
            width = len(group) + len(shown)
            row = tuple(shown[i] if i in shown else next(plain) for i in range(width))
            self._show(name, group, row, best, held, founded)

    def _show(
        self, name: str, group: Row, row: Row, best: list[Best], held: Mapping[Row, int], founded: set[Row]
    ) -> None:
        """The row made of the best values of a group."""
        self._hold(best[0][2], row, max(rank for _, rank, _ in best), held, founded)

    def _aggregate(self, clause: Clause, context: Context, founded: set[Row]) -> None:
        """Check a rule with aggregates other than min and max: the results of its groups, over certified strata."""
        folded = clause.folded
        groups: dict[Row, list[set[tuple[Any, ...]]]] = {}
        types: list[str | None] = [None] * len(folded)

        def finish(frame: Scope) -> Step:
            key = [frame.term(arg) for i, arg in enumerate(clause.head) if i not in folded]
            values = [contribution(aggregate, frame) for aggregate in folded.values()]
            counted = [frame.slots[name] for name in clause.body.counted]
            for i, aggregate in enumerate(folded.values()):
                types[i] = types[i] or (frame.type(aggregate.measured[0]) if aggregate.measured else None)

            def gather(registers: Registers, rank: int) -> None:
                self.supports += 1
                group = groups.setdefault(tuple(term(registers) for term in key), [set() for _ in values])
                valuation = tuple(registers[slot] for slot in counted)
                for members, value in zip(group, values, strict=True):
                    members.add((valuation, value(registers)))

            return gather

        self._solve(clause, context, finish)
        held = self._claim.ranks.get(clause.rule.head.predicate, NEVER)
        for group, members in groups.items():
            found = [
                fold(aggregate, [value for _, value in own], type_)
                for aggregate, own, type_ in zip(folded.values(), members, types, strict=True)
            ]
            if None in found:
                continue
            results, plain = iter(found), iter(group)
            row = tuple(next(results if i in folded else plain) for i in range(len(clause.head)))
            self._hold(clause, row, LOWEST, held, founded)

    def _hold(self, clause: Clause, row: Row, rank: int, held: Mapping[Row, int], founded: set[Row]) -> None:
        own = held.get(row)
        if own is None:
            raise ViolationFound(_missing(clause, row, ()))
        if rank < own:
            founded.add(row)


def head_row(clause: Clause, frame: Scope) -> Callable[[Registers], Row]:
    """The head of a rule as a function of registers."""
    slots = [frame.slots.get(getattr(arg, "name", "")) for arg in clause.head]
    if len(slots) > 1 and None not in slots:
        getter: Callable[[Registers], Row] = itemgetter(*(slot for slot in slots if slot is not None))
        return getter
    terms = [frame.term(arg) for arg in clause.head]
    return lambda registers: tuple(term(registers) for term in terms)


def offers_of(
    clause: Clause, frame: Scope, shape: Sequence[ComparedColumns]
) -> Callable[[Registers], tuple[Row, list[Row]]]:
    """The group that a body determines, and the values that it offers for each min or max of the head."""
    compared = {i for columns in shape for i, _ in columns}
    key = [frame.term(arg) for i, arg in enumerate(clause.head) if i not in compared]
    values = [[_offered(clause.head[i], frame) for i, _ in columns] for columns in shape]

    def offer(registers: Registers) -> tuple[Row, list[Row]]:
        group = tuple(term(registers) for term in key)
        return group, [tuple(value(registers) for value in columns) for columns in values]

    return offer


def _offered(term: Term, frame: Scope) -> Callable[[Registers], Any]:
    return contribution(term, frame) if isinstance(term, Aggregate) else frame.term(term)


def _body(frame: Scope, registers: Registers) -> tuple[Ground, ...]:
    """The facts of the body, for the report; pairs of paths are omitted."""
    scans = ((item.source, item.args) for item in frame.items if isinstance(item, Scan))
    return tuple(
        (source, tuple(frame.term(arg)(registers) for arg in args)) for source, args in scans if isinstance(source, str)
    )


def _missing(clause: Clause, row: Row, body: tuple[Ground, ...]) -> Violation:
    return Violation(NOT_CLOSED, (clause.rule.head.predicate, row), label(clause.rule), body)
