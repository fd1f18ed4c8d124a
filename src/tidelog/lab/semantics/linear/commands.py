"""pick, fire, update and query as linear-logic programs (LAM 2010L, figure 3), and the sequent they work on.

    pick    = unload upd <P,L,U>; load <P,L,U> picked; (U = INS; load <L> Pν; end) ⊕ (U = DEL; unload Pν <L>; end)
    fire    = unload picked <P,L,U>; unload rules <P,R,U>; load <P,L,U> exec; load <L> ΔP;
              execRules R; unload ΔP <L>; end
    update  = unload exec <P,L,U>; (U = INS; load <L> P; end) ⊕ (U = DEL; unload P <L>; end)
    query   = when upd, picked and exec are empty: unload query <S,L>; unload S <L>; top

Law: a command is atomic: focusing runs it from its first instruction to `end`. Only `query` ends a proof,
and only when nothing is pending. Every relation has an entry in `rules`, an empty one if no body mentions it: otherwise
its updates could never be fired.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update
from tidelog.lab.semantics.linear.contexts import Contexts, Element, Index
from tidelog.lab.semantics.linear.exec_rules import DeltaRule, exec_rules
from tidelog.lab.semantics.linear.formula import END, TOP, Choose, Formula, Guard, Load, Unload, WhenEmpty, take
from tidelog.lab.semantics.linear.names import EXEC, PICKED, QUERY, RULES, UPD, delta, fresh, table
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.semantics_failures import NO_AGGREGATES

Triple = tuple[str, tuple[object, ...], int]


def pick() -> Formula:
    """Take an update out of the bag and enter it in the table with ν."""

    def chosen(update: Element) -> Formula:
        relation, row, sign = _triple(update)
        return Load(update, PICKED, _entered(fresh(relation), row, sign))

    return Unload(UPD, chosen)


def fire() -> Formula:
    """Run the delta rules of a picked update."""

    def chosen(update: Element) -> Formula:
        relation, row, sign = _triple(update)

        def ruled(entry: Element) -> Formula:
            name, rules, kind = cast("tuple[str, tuple[DeltaRule, ...], int]", entry)
            run = exec_rules(rules, sign, take(delta(relation), row, END))
            return Guard((name, kind) == (relation, sign), Load(update, EXEC, Load(row, delta(relation), run)))

        return Unload(RULES, ruled)

    return Unload(PICKED, chosen)


def update() -> Formula:
    """Enter a fired update in the table without ν."""

    def chosen(fired: Element) -> Formula:
        relation, row, sign = _triple(fired)
        return _entered(table(relation), row, sign)

    return Unload(EXEC, chosen)


def query() -> Formula:
    """Finish the proof if nothing is pending and the queried fact is in its table."""

    def asked(fact: Element) -> Formula:
        relation, row = cast("tuple[str, Element]", fact)
        return take(table(relation), row, TOP)

    return WhenEmpty(frozenset({UPD, PICKED, EXEC}), Unload(QUERY, asked))


COMMANDS: Mapping[str, Formula] = {"pick": pick(), "fire": fire(), "commit": update()}
"""The commands that continue, under their names in the transition system."""


def sequent(network: Network, facts: Iterable[Fact], updates: Iterable[Update], asked: Fact | None = None) -> Contexts:
    """The contexts S(D, P, U, s): a view, the delta rules of a program, updates, and the queried fact."""
    contexts = Contexts.of({RULES: rule_entries(network)})
    for fact in facts:
        contexts = contexts.load(table(fact.relation), fact.row).load(fresh(fact.relation), fact.row)
    for sent in updates:
        contexts = contexts.load(UPD, (sent.fact.relation, sent.fact.row, sent.sign))
    return contexts if asked is None else contexts.load(QUERY, (asked.relation, asked.row))


def rule_entries(network: Network) -> Iterator[Element]:
    """Per relation and sign the delta rules that its updates fire; aggregates have no linear-logic reading."""
    if network.choices:
        raise NO_AGGREGATES.error()
    for relation in network.arity:
        for sign in (INSERT, DELETE):
            yield relation, network.uses.get(relation, ()), sign


def _entered(index: Index, row: Element, sign: int) -> Formula:
    insertion = Guard(sign == INSERT, Load(row, index, END))
    deletion = Guard(sign == DELETE, take(index, row, END))
    return Choose((insertion, deletion))


def _triple(element: Element) -> Triple:
    return cast("Triple", element)
