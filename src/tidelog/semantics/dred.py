"""DRed, delete and re-derive, with its messages counted (Gupta et al.; PPDP 2011, section 6).

An epoch first *deletes* every fact that has some derivation through a deleted fact, whether or not it has others; then,
after a barrier, it *derives*: the owner of each deleted fact asks the nodes where its rules could fire for another
derivation, and insertions spread as usual. Tables are sets.

Law: what is over-deleted is a superset of what has to go, what is re-derived is derivable; so a quiescent network holds
the least model. The price is the traffic of deleting and asking for facts that never changed.
A choice (min, max) that improves in the second phase leaves a stale value behind, which another pair of phases deletes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from tidelog.program import Program, Var
from tidelog.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.semantics.annotation import PLAIN
from tidelog.semantics.delta import axioms, chosen, derivations, join, match
from tidelog.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Update, order
from tidelog.semantics.groups import Groups
from tidelog.semantics.mail import Mail, Mailing
from tidelog.semantics.network import LocalRule, Network, prepare
from tidelog.semantics.state import State
from tidelog.semantics.term import Binding, evaluate

IDLE, DELETING, DERIVING = "idle", "delete", "derive"


class DRed(Mailing):
    """Delete and re-derive over a network."""

    name = "dred"

    def __init__(self, *, central: bool = False) -> None:
        super().__init__()
        self._central = central

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the base facts are the changes of the first epoch."""
        self.network: Network = prepare(program, central=self._central)
        self.state, self._mail, self._groups = State(), Mail(), Groups(self.network)
        self._asserted: set[Fact] = {update.fact for update in axioms(self.network, PLAIN)}
        self._incoming: Counter[Fact] = Counter()
        self._insertions: list[Fact] = sorted(self._asserted, key=order)
        self._gone: list[Fact] = []
        self._phase, self.barriers = IDLE, 0
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes of the next epoch."""
        for update in changes:
            self.network.node_of(update.fact)
            self._incoming[update.fact] += update.sign

    def pending(self) -> tuple[Message, ...]:
        """All messages of the phase."""
        return self._mail.pending()

    def quiescent(self) -> bool:
        """No epoch runs and none is due."""
        return self._phase == IDLE and not self._incoming and not self._insertions

    def step(self, schedule: Schedule) -> Event:
        """Deliver a message, or, when the phase is quiet, begin the next one."""
        before = self._mail.next_number
        if not self._mail.waiting:
            self._barrier()
            return Event("barrier", None, self._mail.since(before), self._phase)
        message = schedule.choose(self.pending())
        self._mail.take(message)
        self._deliver(message)
        return Event("deliver", message, self._mail.since(before), self._phase)

    def _barrier(self) -> None:
        self.barriers += 1
        if self._phase == IDLE:
            self._begin_epoch()
        elif self._phase == DELETING:
            self._begin_deriving()
        elif self._groups.stale:
            self._begin_deleting(self._clean_up())
        else:
            self._phase = IDLE

    def _begin_epoch(self) -> None:
        deletions: list[Fact] = []
        for fact, total in self._incoming.items():
            if total > 0 and fact not in self._asserted:
                self._asserted.add(fact)
                self._insertions.append(fact)
            elif total < 0 and fact in self._asserted:
                self._asserted.discard(fact)
                deletions.append(fact)
        self._incoming = Counter()
        self._begin_deleting(deletions)

    def _begin_deleting(self, facts: Iterable[Fact]) -> None:
        self._phase = DELETING
        self._mail.send(self.network, None, [Update(DELETE, fact) for fact in facts])

    def _clean_up(self) -> list[Fact]:
        stale, self._groups.stale = self._groups.stale, []
        return [chosen(self.network.choice_of[fact.relation], fact) for fact in stale]

    def _begin_deriving(self) -> None:
        self._phase = DERIVING
        insertions, self._insertions = self._insertions, []
        gone, self._gone = self._gone, []
        self._mail.send(self.network, None, [Update(INSERT, fact) for fact in insertions])
        for fact in gone:
            for rule in self.network.rules:
                if rule.head.predicate == fact.relation and rule.atoms:
                    self._ask(rule, fact)
        for candidate in self._groups.refill(self._present_candidates()):
            self._expose(INSERT, candidate)

    def _ask(self, rule: LocalRule, fact: Fact) -> None:
        """Ask the node where the rule's body lives; if the head does not tell which, ask every node."""
        binding = head_binding(rule, fact)
        if binding is None:
            return
        owner = self.network.node_of(fact)
        for node in self._body_nodes(rule, binding):
            self._mail.send_to(node, owner, Update(INSERT, fact, ("ask", rule.label)))

    def _body_nodes(self, rule: LocalRule, binding: Binding) -> list[Node]:
        column = self.network.location[rule.atoms[0].predicate]
        if column is None:
            return [""]
        place = rule.atoms[0].args[column]
        if isinstance(place, Var) and place.name not in binding:
            return sorted(self.state.nodes(), key=order)
        value = evaluate(place, binding)
        assert isinstance(value, int | str), "nodes are numbers or symbols"
        return [value]

    def _deliver(self, message: Message) -> None:
        sign, fact, note = message.update
        if sign < 0:
            self._delete(fact)
        elif note != ():
            assert isinstance(note, tuple), "a question names its rule"
            self._answer(message.target, fact, str(note[1]))
        elif not self._holds(fact):
            self._insert(fact)

    def _delete(self, fact: Fact) -> None:
        if not self._holds(fact) or fact in self._asserted:
            return
        self._gone.append(fact)
        self._fire(DELETE, fact)
        self.state = self.state.minus(self.network.node_of(fact), Occurrence(fact))
        if fact.relation in self.network.choice_of and self._groups.hide(fact):
            self._expose(DELETE, fact)

    def _insert(self, fact: Fact) -> None:
        self.state = self.state.plus(self.network.node_of(fact), Occurrence(fact))
        self._fire(INSERT, fact)
        if fact.relation in self.network.choice_of and self._groups.offer(fact):
            self._expose(INSERT, fact)

    def _answer(self, node: Node, fact: Fact, label: str) -> None:
        for rule in self.network.rules:
            if rule.label == label and rule.head.predicate == fact.relation and self._derives(rule, node, fact):
                self._mail.send(self.network, node, [Update(INSERT, fact)])
                return

    def _derives(self, rule: LocalRule, node: Node, fact: Fact) -> bool:
        tables = [self.state.table(node, atom.predicate) for atom in rule.atoms]
        found = join(rule, tables, binding=head_binding(rule, fact))
        return any(instance.head == fact for instance in found)

    def _fire(self, sign: int, fact: Fact) -> None:
        node = self.network.node_of(fact)
        with_it, without = self.state, self.state.minus(node, Occurrence(fact))
        old, new = (with_it, without) if sign < 0 else (without, with_it)
        found = derivations(self.network, Update(sign, fact), node, old, new)
        self._mail.send(self.network, node, [Update(sign, head) for head in _distinct(i.head for i in found)])

    def _expose(self, sign: int, candidate: Fact) -> None:
        fact = chosen(self.network.choice_of[candidate.relation], candidate)
        self._mail.send(self.network, self.network.node_of(candidate), [Update(sign, fact)])

    def _present_candidates(self) -> list[Fact]:
        return [o.fact for _, o, _ in self.state.occurrences() if o.fact.relation in self.network.choice_of]

    def _holds(self, fact: Fact) -> bool:
        return self.state.holds(self.network.node_of(fact), Occurrence(fact))

    def tables(self) -> Tables:
        """The facts, each once."""
        return self.state.tables()

    def canonical(self) -> Hashable:
        """Everything the future depends on."""
        changes = (frozenset(self._incoming.items()), tuple(self._insertions), frozenset(self._gone))
        return (
            self.state,
            frozenset(self._asserted),
            changes,
            self._phase,
            self._groups.canonical(),
            self._mail.canonical(),
        )


def head_binding(rule: LocalRule, fact: Fact) -> Binding | None:
    """What the head fact says about the rule's variables; None if the rule cannot derive it."""
    return match(rule.head, fact.row, {})


def _distinct(facts: Iterable[Fact]) -> Iterator[Fact]:
    return iter(dict.fromkeys(facts))
