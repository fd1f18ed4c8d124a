"""The basic commands as formulas, and sequents S(D, P, U, s) (LAM 2010L, figure 3 and section 4.3).

    pick    ≜ ∃PLU[unload upd <P,L,U>; load <P,L,U> picked;
                   [(U = INS) ⊗ load <L> Pν end] ⊕ [(U = DEL) ⊗ unload Pν <L> end]]
    fire    ≜ ∃PLUR[unload picked <P,L,U>; unload rules <P,R,U>; load <P,L,U> exec; load <L> ΔP; execRules R; ...]
    update  ≜ ∃PLU[unload exec <P,L,U>; [(U = INS) ⊗ load <L> P end] ⊕ [(U = DEL) ⊗ unload P <L> end]]
    query   ≜ !^{test}∃SL[unload query <S,L>; unload S <L>; ⊤]

Law: K[∞] holds !^{-∞} of every command: ∞ contracts, so a command can be used any number of times; -∞ is below all
indexes, so its bang asks nothing of K, but it asks that the linear context be empty. A running command is in that
context, so no other can begin: commands are atomic by the rules of the logic and by nothing else.
An index that a formula chooses by a variable (ΔP) is a sum over the relations p of the program: (P = p) ⊗ ... Δp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Occurrence, Row, Update
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.sellf import instructions as i
from tidelog.lab.semantics.sellf.checker import Definition, Theory
from tidelog.lab.semantics.sellf.exec_rules import EXEC_RULES, rule_definitions, rule_list
from tidelog.lab.semantics.sellf.formula import TOP, AtomFormula, Call, Formula, bang, exists, plus, tensor
from tidelog.lab.semantics.sellf.instructions import DEL, END, INS, equal, load, unload
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.term import ConstantTerm, Term, VariableTerm, value_of
from tidelog.lab.semantics.semantics_failures import NO_AGGREGATES, NOT_PLAIN
from tidelog.lab.semantics.state import State

PICK, FIRE, UPDATE, QUERY = "pick", "fire", "update", "query"
BASIC_COMMANDS = {name: bang(i.MINUS_INFINITY, Call(name)) for name in (PICK, FIRE, UPDATE, QUERY)}
"""K_BC[∞]: the commands as they appear in every sequent."""
_P, _L, _U, _R, _S = map(VariableTerm, "PLURS")
_TRIPLE = (_P, _L, _U)


def theory_of(network: Network) -> Theory:
    """The subexponentials and definitions of a program."""
    if network.choices:
        raise NO_AGGREGATES.error()
    definitions = {
        PICK: Definition((), _pick(network)),
        FIRE: Definition((), _fire(network)),
        UPDATE: Definition((), _update(network)),
        QUERY: Definition((), _query(network)),
        **rule_definitions(network),
    }
    longest = max((len(rule.atoms) for rule in network.rules), default=0)
    return Theory(i.signature_of(network.arity, longest), definitions)


def _pick(network: Network) -> Formula:
    entered = load(_TRIPLE, i.PICKED, _entered(network, i.fresh))
    return exists("PLU", unload(i.UPD, _TRIPLE, entered))


def _fire(network: Network) -> Formula:
    run = _by_relation(network, _P, lambda p: load((_L,), i.delta(p), Call(EXEC_RULES, (_R, _L, _U))))
    return exists("PLUR", unload(i.PICKED, _TRIPLE, unload(i.RULES, (_P, _R, _U), load(_TRIPLE, i.EXEC, run))))


def _update(network: Network) -> Formula:
    return exists("PLU", unload(i.EXEC, _TRIPLE, _entered(network, i.table)))


def _query(network: Network) -> Formula:
    found = _by_relation(network, _S, lambda p: unload(i.table(p), (_L,), TOP))
    return bang(i.TEST, exists("SL", unload(i.QUERY, (_S, _L), found)))


def _entered(network: Network, index: Callable[[str], str]) -> Formula:
    return _by_relation(
        network,
        _P,
        lambda p: plus(
            tensor(equal(_U, INS), load((_L,), index(p), END)), tensor(equal(_U, DEL), unload(index(p), (_L,), END))
        ),
    )


def _by_relation(network: Network, variable: VariableTerm, then: Callable[[str], Formula]) -> Formula:
    return plus(*(tensor(equal(variable, ConstantTerm(p)), then(p)) for p in network.arity))


def triple(update: Update) -> tuple[Term, ...]:
    """<p, l, u>: an update as terms."""
    if update.note != ():
        raise NOT_PLAIN.error(update=update)
    return ConstantTerm(update.fact.relation), ConstantTerm(update.fact.row), INS if update.sign > 0 else DEL


def update_of(terms: Iterable[Term]) -> Update:
    """The update that three terms represent."""
    relation, row, sign = map(value_of, terms)
    return Update(INSERT if sign == INS.value else DELETE, Fact(str(relation), cast("Row", row)))


def sequent_of(semantics: Semantics, configuration: Configuration, asked: Fact | None = None) -> Sequent:
    """The sequent of a configuration; of a settled one it is S(D, P, U, s)."""
    items = [*_rule_atoms(semantics.network), *((i.INFINITY, command) for command in BASIC_COMMANDS.values())]
    for name, state in ((i.table, configuration.old), (i.fresh, configuration.new)):
        for _, (fact, _), count in state.occurrences():
            items += [_atom(name(fact.relation), ConstantTerm(fact.row))] * count
    waiting = ((i.UPD, configuration.waiting()), (i.PICKED, configuration.picked), (i.EXEC, configuration.fired))
    items += [_atom(index, *triple(update)) for index, bag in waiting for update in bag]
    if asked is not None:
        items.append(_atom(i.QUERY, ConstantTerm(asked.relation), ConstantTerm(asked.row)))
    return Sequent(FormulaContexts.of(items))


def configuration_of(semantics: Semantics, sequent: Sequent) -> Configuration:
    """The configuration that a neutral sequent represents."""
    network, contexts = semantics.network, sequent.contexts
    old, new = (
        State.of(network, (Occurrence(Fact(p, _row(atom))) for p in network.arity for atom in contexts[name(p)]))
        for name in (i.table, i.fresh)
    )
    picked, fired = (Bag(updates_in(sequent, index)) for index in (i.PICKED, i.EXEC))
    return Configuration(old, new, {}, picked, fired).sent(network, updates_in(sequent, i.UPD))


def updates_in(sequent: Sequent, index: str) -> list[Update]:
    """The updates of one of the contexts upd, picked and exec."""
    return [update_of(cast("AtomFormula", atom).args) for atom in sequent.contexts[index]]


def _rule_atoms(network: Network) -> Iterator[tuple[str, Formula]]:
    for relation in network.arity:
        for sign in (INS, DEL):
            yield _atom(i.RULES, ConstantTerm(relation), rule_list(network, relation), sign)


def _atom(index: str, *args: Term) -> tuple[str, Formula]:
    return index, AtomFormula(index, args)


def _row(atom: Formula) -> Row:
    return cast("Row", value_of(cast("AtomFormula", atom).args[0]))
