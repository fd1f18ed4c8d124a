"""The law of repartitioning over every feature of the language: what is held is a function of facts, rules and number.

Random programs (`feature_programs`) go through random steps: epochs of facts and rules, another number of partitions,
closing and opening with another number, snapshots, previews, questions, epochs that are refused. After each step all
views are those of the naive evaluator; after another number of partitions the state is also that of an engine that was
given the same facts and rules at once with that number: the same relations, counts of supports and strata, and nothing
of a rule that is gone. At the end history is read as it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from tests.law.feature_programs import LABELS, Changes, Model, World, labelled
from tests.law.harness import check_at_rest
from tests.law.share import share
from tests.store.disks import MemoryDisk, MemoryStore
from tidelog import ConstraintError, Engine, TidelogWarning
from tidelog.engine.engine import core_of
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.graph.lifetime import EXPIRIES
from tidelog.program.values.shape import Shape
from tidelog.rewrite.names import is_auxiliary
from tidelog.testing.invariants import violations

CASES = share(20, 6)
STEPS = 8
NUMBERS = (1, 2, 3, 4, 8)
CHOSEN = {"c1", "c2", "c3", "chosen"}  # what is chosen depends on the way there, as ends have numbers of epochs


class Run:
    """One engine with a state folder, beside what it must hold."""

    def __init__(self, seed: int, *, declared: bool) -> None:
        self.rng = Random(f"{seed} {declared}")
        self.world = World(self.rng, declared=declared)
        self.disk = MemoryDisk()
        self.db = Engine(self.world.header, path=MemoryStore(self.disk), partitions=self.rng.choice(NUMBERS))
        self.models: dict[int, Model] = {}
        first = self.world.change(30, rules=False)
        for label, clauses in zip(LABELS[:6], self.world.pool, strict=False):
            first.add |= labelled(label, clauses)
        self.moves = 0
        self.told = [f"partitions={self.partitions}"]
        self.commit(first)

    @property
    def partitions(self) -> int:
        return core_of(self.db).runtime.partitions

    def step(self) -> None:
        """One random step and all checks."""
        chance = self.rng.random()
        if chance < 0.45:
            self.commit(self.world.change())
        elif chance < 0.75:
            self.move(self.rng.choice(NUMBERS))
        elif chance < 0.9:
            self.reopen(self.rng.choice((None, *NUMBERS)))
        else:
            self.leave_no_trace()

    def commit(self, changes: Changes) -> None:
        self.told.append(repr(changes))
        with self.db.epoch(at=changes.at) as epoch:
            changes.tell(epoch)
        self.world.done(changes)
        self.models[self.db.epoch_number] = self.world.model
        self.check()

    def move(self, number: int) -> None:
        self.told.append(f"repartition({number})")
        told = self.db.repartition(number)
        self.check() if told.startswith("there are") else self.moved(number)

    def reopen(self, number: int | None) -> None:
        self.told.append(f"reopen({number})")
        before = self.partitions
        if self.rng.random() < 0.3:
            self.db.snapshot()
        if self.rng.random() < 0.5:
            self.db.close()
        self.disk = self.disk.after_kill()
        self.db = Engine(path=MemoryStore(self.disk), partitions=number)
        self.moved(self.partitions) if self.partitions != before else self.check()

    def moved(self, number: int) -> None:
        assert self.partitions == number
        self.models[self.db.epoch_number] = self.world.model
        self.check()
        self.compare_with_new(number)
        self.moves += 1

    def leave_no_trace(self) -> None:
        """A preview, and an epoch that a constraint refuses."""
        self.told.append("preview")
        before, changes = self.db.state(), self.world.change()
        epoch = self.db.epoch(at=changes.at)
        changes.tell(epoch)
        self.db.preview(epoch)
        if self.world.declared:
            with pytest.raises(ConstraintError), self.db.epoch(at=changes.at) as epoch:
                changes.tell(epoch)
                epoch.insert("n", [(99,)])
        assert self.db.state() == before
        self.check()

    # Checks

    def check(self) -> None:
        """All views, supports and ranks, and the certificate."""
        db, model = self.db, self.world.model
        partial = core_of(db).rules.restricted
        for name in {*db.relations, *model} - partial:
            found, rows = frozenset(db[name]) if name in db else frozenset(), model.get(name, frozenset())
            assert found == rows, f"{name}: missing {set(rows - found)}, extra {set(found - rows)}"
        for name in partial:
            if name in db:
                assert frozenset(db.query(f"{name}(x, y)")) == model[name], name
        broken = violations(db.state(), FUNCTIONS)
        assert not broken, broken[:5]
        check_at_rest(db)
        if not (partial and "same" in db):  # the certificate does not know an equivalence beside demand
            assert db.verify(), db.verify()

    def compare_with_new(self, number: int) -> None:
        """The state is that of an engine that was never anything else."""
        with Engine(self.world.text(), partitions=number) as new:
            with new.epoch(at=self.world.now or None) as epoch:
                for name, rows in self.world.rows().items():
                    if name != "ping":
                        epoch.insert(name, rows)
                for row in self.world.rows().get("ping", []):
                    epoch.insert("ping", [row], until=self.world.ends[row])
            ours, theirs = held(self.db), held(new)
            assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
            for name in ours:
                assert ours[name] == theirs[name], (name, ours[name], theirs[name])
            assert set(core_of(self.db).rules.core) == set(core_of(new).rules.core)
            if number == 1:
                assert groups(self.db) == groups(new)
        core = core_of(self.db)
        known, schema = core.runtime.node.strata.keys(), core.planner.placing.form.schema
        assert not {name for name in known - schema.keys() if is_auxiliary(name)}

    def check_history(self) -> None:
        """Epochs are read as they were, and the feeds of relations add up to them."""
        for number in self.rng.sample(sorted(self.models), k=min(3, len(self.models))):
            if not number:
                continue
            with Engine(path=MemoryStore(self.disk), at=number) as past:
                partial = core_of(past).rules.restricted
                for name in past.relations:
                    if name not in partial:
                        assert frozenset(past[name]) == self.models[number].get(name, frozenset()), (number, name)
                assert (partial and "same" in past) or past.verify(), number
        for name in self.db.relations:
            if name in core_of(self.db).rules.restricted or any(isinstance(t, Shape) for t in self.db[name].types):
                continue  # feeds of those on demand show what was demanded; structures have separate tests
            rows: set[tuple[object, ...]] = set()
            for change in self.db.changes(name):
                (rows.add if change.sign > 0 else rows.remove)(change.fact)
            assert rows == set(self.db[name]), name


def held(db: Engine) -> dict[str, object]:
    """The facts of relations with their counts of supports, without copies and what depends on the way there."""
    schema = core_of(db).rules.schema
    found: dict[str, object] = {}
    for name, facts in db.state().facts.items():
        depends_on_the_way = name.startswith(EXPIRIES) or any(part in name for part in CHOSEN)
        if facts and name in schema and not depends_on_the_way:
            found[name] = {row: (fact.all, fact.base) for row, fact in facts.items()}
    return found


def groups(db: Engine) -> set[frozenset[str]]:
    return set(core_of(db).runtime.node.groups)


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TidelogWarning)
        yield


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("seed", range(CASES))
def test_what_is_held_is_a_function_of_facts_rules_and_number(seed: int, declared: bool) -> None:
    with quiet():
        run = Run(seed, declared=declared)
        try:
            for _ in range(STEPS):
                run.step()
            run.check_history()
        except Exception as error:
            told = "\n".join([run.world.text(), *run.told])
            raise AssertionError(f"seed {seed}: {error}\n{told}") from error
        finally:
            run.db.close()
