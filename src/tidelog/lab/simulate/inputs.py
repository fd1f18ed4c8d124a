"""What is simulated: a program, its base facts and epochs of changes, from texts or from tables of links.

Law: facts of the program's own text count as topology, so that scripts may change them. Only facts change: the
algorithms of the papers maintain a fixed set of rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tidelog.errors import ProgramError
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.network import Network, ground, prepare
from tidelog.lab.semantics.traffic import localised, read_changes, read_topology
from tidelog.lab.simulate.simulate_catalogue import RULES
from tidelog.program import Program
from tidelog.program.graph.broadcast import LINK, with_neighbours
from tidelog.syntax import Change, FactChange, parse_changes_file, parse_file

TABLE = ".tsv"
"""Files with this ending hold links, or changes of links, as columns separated by tabs."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is to be run: the program as written, its localised form, base facts, epochs of changes."""

    written: Program
    network: Network
    facts: tuple[Fact, ...]
    script: tuple[tuple[Update, ...], ...]

    def base(self) -> frozenset[Fact]:
        """The base facts after all changes."""
        *_, last = self.bases()
        return last

    def bases(self) -> Iterator[frozenset[Fact]]:
        """The base facts before the changes, and after each epoch of them."""
        base = frozenset(self.facts)
        yield base
        for changes in self.script:
            signs = Counter[Fact]()
            for update in changes:
                signs[update.fact] += update.sign
            base = (base | {fact for fact, sign in signs.items() if sign > 0}) - {
                fact for fact, sign in signs.items() if sign < 0
            }
            yield base


def read_inputs(program: Path, topology: Path | None, changes: Path | None) -> Inputs:
    """Read and localise the program, and read what it runs on."""
    written = parse_file(program)
    rules = replace(with_neighbours(written, _link_columns(topology)), facts=())
    network = prepare(localised(rules))
    cost = network.arity.get("link") == 3
    facts = [ground(fact.atom) for fact in written.facts]
    if topology is not None:
        facts += _topology_facts(topology, cost)
    script = () if changes is None else _script(changes, cost)
    return Inputs(rules, network, tuple(dict.fromkeys(facts)), script)


def _link_columns(topology: Path | None) -> dict[str, int]:
    """The number of columns of `link` in a topology, for programs that do not name it."""
    if topology is None or topology.suffix == TABLE:
        return {LINK: 2}
    return {fact.atom.predicate: len(fact.atom.args) for fact in parse_file(topology).facts}


def _topology_facts(file: Path, cost: bool) -> list[Fact]:
    """The facts of a text, or the links of a table of links, both ways."""
    if file.suffix == TABLE:
        return read_topology(file).facts(cost=cost)
    return [ground(fact.atom) for fact in parse_file(file).facts]


def _script(file: Path, cost: bool) -> tuple[tuple[Update, ...], ...]:
    """The epochs of a change script, or the months of a table of link changes."""
    if file.suffix == TABLE:
        return tuple(read_changes(file, cost=cost).values())
    return tuple(_updates(epoch) for epoch in parse_changes_file(file))


def _updates(epoch: Iterable[Change]) -> tuple[Update, ...]:
    updates: list[Update] = []
    for change in epoch:
        if not isinstance(change, FactChange):
            raise ProgramError([RULES.diagnostic(change.span)])
        updates.append(Update(change.sign, ground(change.atom)))
    return tuple(updates)
