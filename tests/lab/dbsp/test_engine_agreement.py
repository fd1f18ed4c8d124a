"""The circuit and the engine, two implementations that share nothing but the program, give the same relations."""

from random import Random

import pytest

from tidelog import Engine
from tidelog.lab.dbsp import DatalogCircuit
from tidelog.syntax import print_program, print_rule
from tidelog.testing import random_changes, random_program

from .test_interpret import POSITIVE, grouped


def commit(engine, changes, convention):
    with engine.epoch() as epoch:
        for relation, rows in grouped(changes.inserts).items():
            epoch.insert(relation, rows)
        for relation, rows in grouped(changes.deletes).items():
            epoch.delete(relation, rows)
        for label in changes.remove_labels:
            epoch.remove_rule(label)
        for rule in changes.add_rules:
            epoch.add_rule(print_rule(rule, convention), rule.label)


@pytest.mark.parametrize("seed", range(8))
def test_circuit_and_engine_agree_on_random_positive_programs_and_epochs(seed):
    rng = Random(seed)
    program = random_program(rng, POSITIVE)
    circuit = DatalogCircuit(program)
    with Engine(print_program(program)) as engine:
        for changes in random_changes(rng, program, 4, POSITIVE):
            circuit.epoch(grouped(changes.inserts), grouped(changes.deletes), changes.add_rules, changes.remove_labels)
            commit(engine, changes, program.convention)
            shown = {name: frozenset(map(tuple, engine[name])) for name in engine.relations}
            assert circuit.model() == {name: rows for name, rows in shown.items() if rows}
