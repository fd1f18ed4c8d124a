"""Ranks for facts that have none, so that the results of another engine can be certified.

Law: the rank of a fact is the stage at which it follows: 1 if it is asserted or follows only from lower strata,
otherwise one more than the highest rank in a support. All supports over the facts held are collected in one pass, and
stages are counted through them in linear time (Dowling and Gallier). A fact without a stage does not follow from the
base facts. Nothing here is trusted: ranks are a claim, which `check` certifies or refuses; and if the facts are the
model, these ranks let it pass.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from tidelog.program import Path, Program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.program.graph.bundles import fold_cycles
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.well_founded import cyclic_relations
from tidelog.program.values.rule import WARN
from tidelog.program.values.state import EngineState, FactState
from tidelog.verify import verify_failures as failures
from tidelog.verify.check import NEVER, Best, Check, ComparedColumns, ViolationFound, check_claim, head_row, offers_of
from tidelog.verify.claim import Base, Claim, to_claim
from tidelog.verify.fact_cache import FactCache
from tidelog.verify.normal import Clause, Scan
from tidelog.verify.relations import LOWEST, Relation, Row
from tidelog.verify.report import NOT_CLOSED, REFUSED, UNFOUNDED, Verdict, Violation
from tidelog.verify.solve import Scope, Step
from tidelog.verify.terms import Overloads, Registers
from tidelog.verify.walks import Walks

# A fact; a pair that a path joins; or the best value of one aggregate of a fact.
Node: TypeAlias = tuple[str | Path, Row] | tuple[str, Row, int]
UNDERIVABLE = "does not follow from the base facts"


def verify_facts(
    program: Program,
    base: Base,
    facts: Mapping[str, Iterable[Row]],
    schema: Mapping[str, tuple[str | None, ...]],
    functions: Overloads = FUNCTIONS,
) -> Verdict:
    """Certify that facts without ranks are the model of the program over the base facts, or name a violation.

    >>> from tidelog.syntax import parse_program
    >>> program = parse_program("r1: p(X, Y) :- e(X, Y). r2: p(X, Z) :- p(X, Y), p(Y, Z).")
    >>> types = {"e": ("number", "number"), "p": ("number", "number")}
    >>> base = {"e": [(1, 2), (2, 1)]}
    >>> right = [(1, 1), (1, 2), (2, 1), (2, 2)]
    >>> bool(verify_facts(program, base, {**base, "p": right}, types))
    True
    >>> print(verify_facts(program, base, {**base, "p": right[1:]}, types))
    not closed: r2 derives p(1, 1) from p(1, 2), p(2, 1), but p(1, 1) is missing from the state
    >>> print(verify_facts(program, base, {**base, "p": [*right, (3, 3)]}, types))
    unfounded: p(3, 3) does not follow from the base facts
    """
    began = time.perf_counter()
    bundled = {name for values in fold_cycles(program.rules) for name in values}
    elsewhere = asserted_elsewhere_of(program).keys() | cyclic_relations(program.rules) | bundled
    if elsewhere:
        raise failures.NO_CANDIDATES.error(relation=min(elsewhere))
    rules = tuple(r for r in program.rules if r.constraint is None or r.constraint.severity != WARN)
    held = {name: dict.fromkeys(map(tuple, rows), FactState(0, 0, 0, False)) for name, rows in facts.items()}
    claim = to_claim(replace(program, rules=rules), base, EngineState(held, (), (), schema), functions)
    verdict = check_claim(with_stages(claim), began)
    return _in_words(verdict, claim) if isinstance(verdict, Violation) else verdict


def with_stages(claim: Claim) -> Claim:
    """The claim with the stages of its facts as ranks; 0 for facts that have no stage."""
    ranks: dict[str, Mapping[Row, int]] = dict(claim.ranks)
    for place, (relations, _) in enumerate(claim.strata):
        stages = _stages(claim, place)
        ranks |= {name: {row: stages.get((name, row), 0) for row in ranks.get(name, NEVER)} for name in relations}
    facts = {name: {row: FactState(rank, 0, 0, False) for row, rank in rows.items()} for name, rows in ranks.items()}
    return replace(claim, taken=FactCache(facts, dict.fromkeys(facts, tuple)))


def _in_words(violation: Violation, claim: Claim) -> Violation:
    """A violation, worded for facts that were passed without ranks."""
    if violation.kind == UNFOUNDED and not violation.detail:
        return replace(violation, detail=UNDERIVABLE)
    if violation.kind == NOT_CLOSED and violation.fact is not None and is_hidden(violation.fact[0]):
        return Violation(REFUSED, rule=claim.refusing[violation.fact[0]])
    return violation


def _stages(claim: Claim, place: int) -> Mapping[Node, int]:
    """The stages of the facts of a stratum."""
    relations, clauses = claim.strata[place]
    supports = _Supports()
    for name in relations:
        for row in claim.base.get(name, ()):
            supports.add((name, row), ())
    gather = _Gather(claim, supports)
    try:
        gather.stratum(relations, clauses)
    except ViolationFound:
        return supports.stages  # a rule that cannot be evaluated: the check reports it
    supports.settle()
    while supports.reach_pairs(lambda name: _walked(claim, name, relations, supports)):
        supports.settle()
    return supports.stages


def _walked(claim: Claim, name: str, own: frozenset[str], supports: _Supports) -> Relation:
    """The steps of a path that follow so far."""
    held = claim.ranks.get(name, NEVER)
    if name not in own:
        return Relation(dict.fromkeys(held, LOWEST))
    return Relation({row: supports.stages[name, row] for row in held if (name, row) in supports.stages})


class _Supports:
    """The supports of one stratum, and the stages counted through them.

    ``missing`` is the number of nodes that a support still waits for, ``highest`` the highest stage among the others.
    """

    def __init__(self) -> None:
        self.stages: dict[Node, int] = {}
        self._gives: list[Node] = []
        self._missing: list[int] = []
        self._highest: list[int] = []
        self._waiting: dict[Node, list[int]] = {}
        self._queue: deque[Node] = deque()

    def add(self, gives: Node, needs: Iterable[Node]) -> None:
        """Add one support: a node that follows from others."""
        needed = set(needs)
        if not needed:
            self._reach(gives, 1)
            return
        for node in needed:
            self._waiting.setdefault(node, []).append(len(self._gives))
        self._gives.append(gives)
        self._missing.append(len(needed))
        self._highest.append(0)

    def settle(self) -> None:
        """Assign stages to all nodes that follow from reached ones."""
        while self._queue:
            node = self._queue.popleft()
            for support in self._waiting.pop(node, ()):
                self._missing[support] -= 1
                self._highest[support] = max(self._highest[support], self.stages[node])
                if not self._missing[support]:
                    self._reach(self._gives[support], self._highest[support] + 1)

    def reach_pairs(self, relation: Callable[[str], Relation]) -> bool:
        """Reach pairs that a path joins by reached steps; returns whether there are new ones."""
        pairs: dict[Path, list[Row]] = {}
        for source, row, *_ in self._waiting:
            if isinstance(source, Path):
                pairs.setdefault(source, []).append(row)
        for path, rows in pairs.items():
            between = Walks(path, relation).index((0, 1))
            for row in rows:
                for _, rank in between.get(row, ()):
                    self._reach((path, row), max(rank, 0))
        return bool(self._queue)

    def _reach(self, node: Node, stage: int) -> None:
        if node not in self.stages:
            self.stages[node] = stage
            self._queue.append(node)


class _Gather(Check):
    """The check's pass over all supports, used to collect them.

    An offer of a rule with min or max is a node between its body and the row made of the best offers.
    """

    def __init__(self, claim: Claim, supports: _Supports) -> None:
        super().__init__(claim)
        self._gathered = supports

    def _derive(self, clause: Clause, frame: Scope, founded: set[Row]) -> Step:
        name, head, needs = clause.rule.head.predicate, head_row(clause, frame), _needs(frame)
        return lambda registers, rank: self._gathered.add((name, head(registers)), needs(registers))

    def _propose(
        self, clause: Clause, frame: Scope, groups: dict[Row, list[Best]], shape: Sequence[ComparedColumns]
    ) -> Step:
        name, offer, needs = clause.rule.head.predicate, offers_of(clause, frame, shape), _needs(frame)
        compare = super()._propose(clause, frame, groups, shape)

        def propose(registers: Registers, rank: int) -> None:
            group, offers = offer(registers)
            for i, offered in enumerate(offers):
                self._gathered.add(_offered(name, group, offered, i), needs(registers))
            compare(registers, rank)

        return propose

    def _show(
        self, name: str, group: Row, row: Row, best: list[Best], held: Mapping[Row, int], founded: set[Row]
    ) -> None:
        offers = [_offered(name, group, values, i) for i, (values, _, _) in enumerate(best)]
        self._gathered.add((name, row), offers)

    def _hold(self, clause: Clause, row: Row, rank: int, held: Mapping[Row, int], founded: set[Row]) -> None:
        self._gathered.add((clause.rule.head.predicate, row), ())

    def _check_founded(self, name: str, held: Mapping[Row, int], founded: set[Row] | frozenset[Row]) -> None:
        """Do nothing: facts are not checked in this pass."""


def _offered(name: str, group: Row, values: Row, place: int) -> Node:
    return name, (*group, *values), place


def _needs(frame: Scope) -> Callable[[Registers], list[Node]]:
    """The facts of the stratum that a body reads, and the pairs of paths through the stratum."""
    scans = [item for item in frame.items if isinstance(item, Scan) and frame.context.facts.is_ranked(item.source)]
    atoms = [(scan.source, [frame.term(arg) for arg in scan.args]) for scan in scans]
    return lambda registers: [(source, tuple(term(registers) for term in terms)) for source, terms in atoms]
