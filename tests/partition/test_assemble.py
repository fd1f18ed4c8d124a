"""Plans that are too large for the kernel are refused."""

from __future__ import annotations

import pytest

from tidelog.errors import EngineError
from tidelog.partition.code.assemble import MOST_ATOMS, Assembler
from tidelog.partition.memory.relations import Relations
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.steps import Plan, Visit
from tidelog.syntax import parse_rule


def plan_with_atoms(count: int) -> Plan:
    """A plan that visits a relation again and again, as the order of a long body would."""
    visits = tuple(Visit("q", 1, place, (), (), ()) for place in range(count))
    return Plan(parse_rule("long p() :- q(_)."), None, (), (), visits, (), 0)


def test_rule_with_too_many_atoms_is_refused() -> None:
    relations = Relations()
    relations.add("p", 0)
    relations.add("q", 1)
    assembler = Assembler(relations, Dictionary())
    assert assembler.assemble(plan_with_atoms(MOST_ATOMS), 0, frozenset())
    with pytest.raises(EngineError, match="rule long has more than 512 atoms") as raised:
        assembler.assemble(plan_with_atoms(MOST_ATOMS + 1), 0, frozenset())
    assert raised.value.code == "TL4302"
