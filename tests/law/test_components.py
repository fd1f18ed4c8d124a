"""The law for programs with components: under changes of facts, rules and instances the engine equals the judge."""

from __future__ import annotations

import random

import pytest

from tests.law.component_programs import Family, make_family
from tests.law.share import share
from tidelog import Engine
from tidelog.program.check import check_program
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate

CASES = share(4, 20)
STEPS = 6
HEADER = ".decl g(x: number, y: number)\n.decl all(x: number, y: number)\n"


class Run:
    """An engine with components, and what its program and facts must be, written out."""

    def __init__(self, seed: int, partitions: int) -> None:
        self.rng = random.Random(seed)
        self.family: Family = make_family(self.rng)
        self.instances = {"a": self.rng.choice("BD")}
        self.added: dict[str, str] = {}
        self.facts: dict[str, set[tuple[int, int]]] = {}
        text = HEADER + self.family.text() + f".init a = {self.instances['a']}<number>\n"
        self.db = Engine(text, partitions=partitions)

    def step(self) -> None:
        """One epoch of random changes."""
        with self.db.epoch() as epoch:
            if self.rng.random() < 0.6:
                self._change_instances(epoch)
            if self.rng.random() < 0.4:
                self._change_rules(epoch)
            for _ in range(self.rng.randint(0, 5)):
                self._change_fact(epoch)

    def _change_instances(self, epoch) -> None:
        name = self.rng.choice("abc")
        if name in self.instances:
            epoch.remove_instance(name)
            del self.instances[name]
            self.facts = {r: rows for r, rows in self.facts.items() if not r.startswith(name + ".")}
            for label in [x for x, rule in self.added.items() if f" {name}." in rule or rule.startswith(name + ".")]:
                epoch.remove_rule(label)
                del self.added[label]
        if name not in self.instances and self.rng.random() < 0.6:
            self.instances[name] = self.rng.choice("BD")
            epoch.add_instance(f".init {name} = {self.instances[name]}<number>")

    def _change_rules(self, epoch) -> None:
        if self.added and self.rng.random() < 0.4:
            label = self.rng.choice(sorted(self.added))
            epoch.remove_rule(label)
            del self.added[label]
        elif self.instances:
            name = self.rng.choice(sorted(self.instances))
            rule = self.rng.choice([f"all(x, y) :- {name}.q(x, y).", f"{name}.p(y, x) :- {name}.l.p(x, y), g(x, _)."])
            label = epoch.add_rule(rule)
            self.added[label] = rule

    def _change_fact(self, epoch) -> None:
        relations = ["g", *(f"{n}.{r}" for n in sorted(self.instances) for r in ("e", "l.e", "p"))]
        relation = self.rng.choice(relations)
        row = (self.rng.randint(0, 3), self.rng.randint(0, 3))
        rows = self.facts.setdefault(relation, set())
        if row in rows:
            epoch.delete(relation, [row])
            rows.remove(row)
        else:
            epoch.insert(relation, [row])
            rows.add(row)

    def written_out(self) -> str:
        """The program that the engine must be running, without components."""
        lines = [line for name in self.instances for line in self.family.declarations(name)]
        lines += [rule for name, made in self.instances.items() for rule in self.family.flat(name, made)]
        return HEADER + "\n".join([*lines, *self.added.values()])

    def check(self) -> None:
        """The engine equals the judge on the flat text, and knows nothing else."""
        program = check_program(parse_program(self.written_out())).program
        model = evaluate(program, self.facts)
        assert {name: frozenset(self.db[name]) for name in self.db.relations} == model
        verdict = self.db.verify()
        assert verdict, verdict


@pytest.mark.parametrize("seed", range(CASES))
def test_instances_rules_and_facts_that_come_and_go(seed: int) -> None:
    run = Run(seed, 1 + seed % 3)
    run.check()
    for _ in range(STEPS):
        run.step()
        run.check()


def test_one_change_at_a_time_and_all_at_once_end_in_the_same_state() -> None:
    family = make_family(random.Random(7))
    text = HEADER + family.text()
    one, other = (
        Engine(text),
        Engine(text + ".init a = D<number>\n.init b = B<number>\na.e(1, 2). b.l.e(2, 3). g(1, 2)."),
    )
    with one.epoch() as e:
        e.insert("g", [(1, 2)])
    for name, component in (("b", "B"), ("a", "B"), ("a", "D")):
        with one.epoch() as e:
            if f"{name}.e" in one:
                e.remove_instance(name)
            e.add_instance(f".init {name} = {component}<number>")
    with one.epoch() as e:
        e.insert("a.e", [(1, 2)])
        e.insert("b.l.e", [(2, 3)])
    assert one.relations == other.relations
    assert {n: sorted(one[n]) for n in one.relations} == {n: sorted(other[n]) for n in other.relations}
