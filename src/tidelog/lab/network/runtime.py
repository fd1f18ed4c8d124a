"""Nodes, links and a clock: a run in virtual time.

Law: a run is determined by the program, the facts, the script and the settings; equal seeds give equal runs. The clock
moves to the next thing that is due: a message, a timer, a lifetime that ends, a step of the script. What is due at the
same time happens in the order in which it was arranged. Messages on one link arrive in the order in which they were
sent, unless `reorder` is set. A message to an address where no node runs is lost.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TypeAlias

from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.compile import HERE, CompiledProgram, Timer, compile_program, evaluator
from tidelog.lab.network.functions import Surroundings, text
from tidelog.lab.network.node import EVENT, EXPIRE, INSERT, RETRACT, Change, Node, NodeUpdate
from tidelog.lab.network.program import Atom, Program, ProgramFact, ProgramVariable, Row, Value
from tidelog.lab.network.read import DELETE as SCRIPT_DELETE
from tidelog.lab.network.read import INSERT as SCRIPT_INSERT
from tidelog.lab.network.read import ScriptStep
from tidelog.lab.network.says import Envelope, Notary

LINK = "link"
"""The relation whose facts in the topology are the physical network: where broadcasts arrive."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides a run besides program, facts and script. Times are seconds."""

    seed: int = 0
    delay: float = 0.01
    jitter: float = 0.0
    loss: float = 0.0
    reorder: bool = False
    limit: int = 1_000_000
    evict_by: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.delay < 0 or self.jitter < 0 or not 0 <= self.loss <= 1:
            raise failures.SETTING.error(problem="delay and jitter must not be negative, and loss is between 0 and 1")


@dataclass(frozen=True, slots=True)
class NetworkMessage:
    """An update on its way from one node to another."""

    number: int
    source: str
    target: str
    update: NodeUpdate
    envelope: Envelope | None = None


@dataclass(frozen=True, slots=True)
class NodeStep:
    """One step: when, where, what came in, what it changed, which events it raised, what it sent."""

    time: float
    node: str
    kind: str
    update: NodeUpdate | None
    message: NetworkMessage | None
    changes: tuple[Change, ...]
    events: tuple[NodeUpdate, ...]
    sent: tuple[NetworkMessage, ...]


@dataclass(slots=True)
class Counters:
    """What a run cost, and what became of its messages."""

    messages: int = 0
    bytes: int = 0
    lost: int = 0
    undeliverable: int = 0
    rejected: int = 0
    steps: int = 0
    by_relation: dict[str, int] = field(default_factory=dict)


_Due: TypeAlias = tuple[float, int, Callable[[], "NodeStep | None"]]


class NetworkRun:
    """A run. `advance(until)` yields what happens; afterwards `tables` and `counters` can be read."""

    def __init__(
        self,
        program: Program,
        topology: Program | None = None,
        script: Iterable[ScriptStep] = (),
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.now = 0.0
        self.counters = Counters()
        self.nodes: dict[str, Node] = {}
        self.links: dict[str, dict[str, None]] = {}
        self.link_history: dict[float, frozenset[tuple[str, str]]] = {0.0: frozenset()}
        topology = topology or Program()
        steps = tuple(script)
        derived = {rule.head.relation for rule in program.rules}
        facts = [fact.atom.relation for fact in topology.facts if fact.atom.relation not in derived]
        whole = Program(program.rules, program.tables + topology.tables, program.facts)
        self.program: CompiledProgram = compile_program(whole, facts)
        self._notary = Notary(self.settings.seed) if self.program.said or _is_sealed(program) else None
        self._random = Random(f"{self.settings.seed}/network")  # a simulation, not a secret
        self._due: list[_Due] = []
        self._count = 0
        self._births: dict[str, int] = {}
        self._arrivals: dict[tuple[str, str], float] = {}
        self._everywhere = tuple(fact for fact in program.facts if isinstance(fact.atom.place, ProgramVariable))
        self._load(program, topology)
        for step in steps:
            self._arrange(step.time, partial(self._play, step))

    # ---- what happens

    def advance(self, until: float) -> Iterator[NodeStep]:
        """Everything that happens up to a time, in order."""
        while self._due and self._due[0][0] <= until:
            time, _, action = heapq.heappop(self._due)
            self.now = time
            happening = action()
            if happening is not None:
                self.counters.steps += 1
                yield happening
            if self.counters.steps > self.settings.limit:
                raise failures.STEPS.error(until=until, limit=self.settings.limit, now=self.now)
        self.now = max(self.now, until)

    def run(self, until: float) -> NetworkRun:
        """Run up to a time."""
        for _ in self.advance(until):
            pass
        return self

    def rows(self, relation: str) -> dict[str, set[Row]]:
        """The rows of a table at every node that has some."""
        found = {address: set(node.tables[relation].rows()) for address, node in self.nodes.items()}
        return {address: rows for address, rows in found.items() if rows}

    def inject(self, atom: Atom, time: float | None = None) -> None:
        """Insert a fact, or raise an event, from outside: now, or at a time."""
        step = ScriptStep(self.now if time is None else time, SCRIPT_INSERT, atom)
        self._arrange(step.time, lambda: self._play(step))

    def remove(self, atom: Atom) -> None:
        """Delete a fact from outside, now."""
        step = ScriptStep(self.now, SCRIPT_DELETE, atom)
        self._arrange(step.time, lambda: self._play(step))

    def update_of(self, step: ScriptStep) -> tuple[str, NodeUpdate]:
        """The node that a change of a fact concerns, and what it has to process."""
        address, row = self._place(step.atom)
        kind = (
            RETRACT if step.action == SCRIPT_DELETE else INSERT if step.atom.relation in self.program.tables else EVENT
        )
        return address, NodeUpdate(kind, step.atom.relation, row)

    def _arrange(self, time: float, action: Callable[[], NodeStep | None]) -> None:
        self._count += 1
        heapq.heappush(self._due, (time, self._count, action))

    # ---- nodes and facts

    def _load(self, program: Program, topology: Program) -> None:
        addresses: dict[str, None] = {}
        for fact in (*topology.facts, *(fact for fact in program.facts if fact not in self._everywhere)):
            for address in self._addresses(fact):
                addresses[address] = None
            self._connect(fact.atom, 1)
        for fact in (*program.facts, *topology.facts):
            if fact in self._everywhere or self._is_physical(fact.atom):
                continue
            self._arrange(0.0, partial(self._insert, fact.atom))
        for address in addresses:  # timers that fire at once find the facts present
            self._start(address)

    def _addresses(self, fact: ProgramFact) -> list[str]:
        """The nodes that a fact names: its place, and both ends of a link."""
        ends = fact.atom.args[:2] if fact.atom.relation == LINK else ()
        values = [_value(term, {}, None) for term in (fact.atom.place, *ends)]
        return [value for value in values if isinstance(value, str)]

    def _is_physical(self, atom: Atom) -> bool:
        """Whether a link describes the network only, because rules derive the relation or no rule reads it."""
        return atom.relation == LINK and (LINK in self.program.derived or LINK not in self.program.tables)

    def _connect(self, atom: Atom, sign: int) -> None:
        if atom.relation != LINK or len(atom.args) < 2:
            return
        start, end = (_value(arg, {}, None) for arg in atom.args[:2])
        if not isinstance(start, str) or not isinstance(end, str):
            return
        near = self.links.setdefault(start, {})
        if sign > 0:
            near[end] = None
        else:
            near.pop(end, None)
        pairs = ((min(a, b), max(a, b)) for a, ends in self.links.items() for b in ends)
        self.link_history[self.now] = frozenset(pairs)

    def _start(self, address: str) -> Node:
        node = self.nodes.get(address)
        if node is not None:
            return node
        random = Random(f"{self.settings.seed}/{address}")  # a simulation, not a secret
        node = Node(address, self.program, random, self.settings.evict_by, self._neighbours)
        self.nodes[address] = node
        self._births[address] = birth = self._births.get(address, 0) + 1
        for fact in self._everywhere:
            place = fact.atom.place
            assert isinstance(place, ProgramVariable)
            surroundings = Surroundings(self.now, random)
            row = tuple(_value(arg, {place.name: address, HERE: address}, surroundings) for arg in fact.atom.args)
            self._arrange(self.now, partial(self._give, address, fact.atom.relation, row))
        for timer in self.program.timers:
            first = self.now + timer.delay + (random.random() * timer.spread if timer.spread else 0.0)
            self._arrange(first, self._tick(address, birth, timer, 1))
        return node

    def _neighbours(self, address: str) -> list[str]:
        return list(self.links.get(address, ()))

    def _tick(self, address: str, birth: int, timer: Timer, number: int) -> Callable[[], NodeStep | None]:
        def tick() -> NodeStep | None:
            node = self.nodes.get(address)
            if node is None or self._births[address] != birth:
                return None
            if timer.count == 0 or number < timer.count:
                self._arrange(self.now + max(timer.period, 1e-6), self._tick(address, birth, timer, number + 1))
            event = node.surroundings.random.getrandbits(31)
            return self._process(node, "timer", NodeUpdate(EVENT, timer.relation, (address, event)), None)

        return tick

    def _play(self, step: ScriptStep) -> NodeStep | None:
        if step.action == SCRIPT_INSERT:
            self._connect(step.atom, 1)
            return None if self._is_physical(step.atom) else self._insert(step.atom)
        if step.action == SCRIPT_DELETE:
            self._connect(step.atom, -1)
            if self._is_physical(step.atom):
                return None
            address, row = self._place(step.atom)
            node = self.nodes.get(address)
            return (
                None
                if node is None
                else self._process(node, "script", NodeUpdate(RETRACT, step.atom.relation, row), None)
            )
        address, _ = self._place(step.atom)
        if self.nodes.pop(address, None) is None:
            return None
        return NodeStep(self.now, address, "stop", None, None, (), (), ())

    def _insert(self, atom: Atom) -> NodeStep:
        address, row = self._place(atom)
        return self._give(address, atom.relation, row)

    def _give(self, address: str, relation: str, row: Row) -> NodeStep:
        node = self._start(address)
        said = relation in self.program.said
        kind = INSERT if relation in self.program.tables else EVENT
        return self._process(node, "script", NodeUpdate(kind, relation, (*row, address) if said else row), None)

    def _place(self, atom: Atom) -> tuple[str, Row]:
        address = _value(atom.place, {}, None)
        if not isinstance(address, str):
            raise failures.NO_ADDRESS.error(rule=atom.relation, found=text(address))
        return address, tuple(_value(arg, {}, None) for arg in atom.args)

    # ---- messages

    def _process(self, node: Node, kind: str, update: NodeUpdate, message: NetworkMessage | None) -> NodeStep:
        sent, changes, events = node.process(update, self.now)
        for change in changes:
            if change.expires is not None:
                self._expire_at(node, change)
        messages = tuple(self._send(node.address, target, one) for target, one in sent)
        return NodeStep(self.now, node.address, kind, update, message, tuple(changes), tuple(events), messages)

    def _expire_at(self, node: Node, change: Change) -> None:
        def expire() -> NodeStep | None:
            if self.nodes.get(node.address) is not node:
                return None
            entry = node.tables[change.relation].entries.get(change.row)
            if entry is None or entry.expires is None or entry.expires > self.now:
                return None
            return self._process(node, "expiry", NodeUpdate(EXPIRE, change.relation, change.row), None)

        assert change.expires is not None
        self._arrange(change.expires, expire)

    def _send(self, source: str, target: str, update: NodeUpdate) -> NetworkMessage:
        self.counters.messages += 1
        envelope = self._seal(source, target, update)
        message = NetworkMessage(self.counters.messages, source, target, update, envelope)
        self.counters.bytes += len(text((update.relation, *update.row))) if envelope is None else len(envelope.payload)
        relations = self.counters.by_relation
        relations[update.relation] = relations.get(update.relation, 0) + 1
        if self._random.random() < self.settings.loss:
            self.counters.lost += 1
            return message
        due = self.now + self.settings.delay + self._random.random() * self.settings.jitter
        if not self.settings.reorder:
            due = max(due, self._arrivals.get((source, target), 0.0))
            self._arrivals[source, target] = due
        self._arrange(due, lambda: self._deliver(message))
        return message

    def _seal(self, source: str, target: str, update: NodeUpdate) -> Envelope | None:
        if self._notary is None or not (update.said or update.encrypted):
            return None
        sayer = update.row[-1] if update.said else source
        return self._notary.seal(text(sayer), target, update.relation, update.row, update.said, update.encrypted)

    def _deliver(self, message: NetworkMessage) -> NodeStep | None:
        node = self.nodes.get(message.target)
        if node is None:
            self.counters.undeliverable += 1
            return None
        if message.envelope is not None and self._notary is not None:
            update = message.update
            sayer = text(update.row[-1]) if update.said else message.source
            if not self._notary.accepts(message.envelope, message.target, sayer, update.relation, update.row):
                self.counters.rejected += 1
                return None
        return self._process(node, "message", message.update, message)


def _is_sealed(program: Program) -> bool:
    return any(rule.head.encrypted for rule in program.rules)


def _value(term: object, bindings: Mapping[str, Value], surroundings: Surroundings | None) -> Value:
    """The value of a term of a fact."""
    return evaluator(term)(dict(bindings), surroundings or Surroundings(0.0, Random(0)))  # type: ignore[arg-type]  # facts are ground
