"""Programs drawn by seed, and moments of their executions: what the lemmas are tried on, the same at every run.

Lemmas hold at any moment, so they are tried at all moments of pipelined executions, on base and on derived updates.
Programs without recursion run with derivations as notes, recursive ones with the sets S and H besides.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tidelog.lab.semantics import DERIVATION_SETS, PLAIN, Configuration, Fact, Semantics, Update, check, prepare
from tidelog.lab.semantics.annotation import Annotation, DerivationNote, LabelledAnnotation
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.executions import complete_iteration, synchronous_trace
from tidelog.lab.semantics.fact import order
from tidelog.lab.semantics.theory import numbered
from tidelog.syntax import parse_program

NAMES = ["e0", "e1", "d0", "d1"]


@dataclass(frozen=True)
class Moment:
    """A settled configuration with updates waiting, and the burst that led there."""

    semantics: Semantics
    configuration: Configuration
    burst: tuple[Update, ...]

    @property
    def net(self) -> bool:
        """No copy of a base fact is both inserted and deleted in the burst."""
        signs: dict[object, set[int]] = {}
        for update in self.burst:
            signs.setdefault(update.note, set()).add(update.sign)
        return all(len(found) == 1 for found in signs.values())


def drawn_program(rng: random.Random, recursive: bool) -> str:
    """Rules with variables over binary relations; heads may travel."""
    rules = ["d0(@X,Y) :- e0(@X,Y).", "d1(@Y,X) :- e1(@X,Y)."]
    for _ in range(rng.randint(1, 2 if recursive else 3)):
        level = rng.choice([2, 3])
        readable = NAMES if recursive else NAMES[:level]
        fresh = rng.choice(["YZ", "YY", "YZ"])
        body = ", ".join(f"{rng.choice(readable)}(@X,{variable})" for variable in fresh)
        head = ",".join(rng.choice(["X", *fresh]) for _ in range(2))
        rules.append(f"{NAMES[level]}(@{head}) :- {body}.")
    return "\n".join(rules)


def drawn_propositions(rng: random.Random) -> str:
    """Recursive rules over facts such as ``d1@2``: nodes are constants."""
    names = [*NAMES, "d2"]
    rules = ["d0@1 :- e0@1.", *(f"e{i}@{n} :- never@{n}." for i in (0, 1) for n in (1, 2))]
    for _ in range(rng.randint(3, 6)):
        node = rng.choice([1, 2])
        body = ", ".join(f"{rng.choice(names)}@{node}" for _ in range(rng.choice([1, 1, 2])))
        rules.append(f"{rng.choice(names[2:])}@{rng.choice([1, 2])} :- {body}.")
    return "\n".join(rules)


def drawn_changes(rng: random.Random, facts: int) -> tuple[list[Fact], list[Update]]:
    """Base facts and changes that keep the precondition."""

    def some(count: int) -> list[Fact]:
        return [
            Fact(rng.choice(NAMES[:2]), (rng.choice([1, 2]), rng.choice([1, 2]))) for _ in range(rng.randint(1, count))
        ]

    base, inserted = some(facts), some(2)
    deleted = [fact for fact in (*base, *inserted) if rng.random() < 0.5]
    return base, [*(Update(1, fact) for fact in inserted), *(Update(-1, fact) for fact in deleted)]


def moments(seed: int, *, recursive: bool = False, most: int = 6) -> Iterator[Moment]:
    """The moments of one pipelined execution of a burst, drawn by seed."""
    rng = random.Random(seed)
    annotation: Annotation = LabelledAnnotation(DERIVATION_SETS if recursive else PLAIN)
    semantics = Semantics(prepare(parse_program(drawn_program(rng, recursive))), annotation)
    base, changes = (
        [u._replace(note=DerivationNote((), u.note)) for u in updates]
        for updates in numbered(*drawn_changes(rng, 2 if recursive else 4))
    )
    network = semantics.network
    settled = check(synchronous_trace(semantics, Configuration().sent(network, base), 40))
    configuration = settled.sent(network, changes)
    for _ in range(most):
        yield Moment(semantics, configuration, tuple(changes))
        open_updates = sorted((update for _, update in choices(semantics, configuration)), key=order)
        if not open_updates:
            return
        configuration, _ = complete_iteration(semantics, configuration, [rng.choice(open_updates)])
