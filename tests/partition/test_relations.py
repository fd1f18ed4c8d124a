"""The memory of a partition: asked by one thread while another works, and of one shape for each relation."""

from __future__ import annotations

import pytest

from tidelog import Engine, EngineError
from tidelog.engine.engine import core_of
from tidelog.partition.memory.relations import Relations
from tidelog.runtime.one.embedded import EmbeddedRuntime


class Busy:
    """An array at whose sight another thread makes a relation."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations

    @property
    def nbytes(self) -> int:
        self.relations.add(f"r{len(self.relations.names)}", 2)
        return 0


def test_memory_may_be_asked_for_while_relations_are_made() -> None:
    relations = Relations()
    relations.add("edge", 2)
    before = relations.memory()
    relations._arrays[99, "busy"] = Busy(relations)  # type: ignore[assignment]  # stands in for another thread
    assert relations.memory() == before
    assert relations.names == ["edge", "r1"]


def test_relation_with_facts_keeps_its_columns() -> None:
    runtime = core_of(Engine("edge(1, 2).")).runtime
    assert isinstance(runtime, EmbeddedRuntime)
    relations = runtime.partition.relations
    with pytest.raises(EngineError, match="relation `edge` contains facts with 2 columns, not 3") as raised:
        relations.add("edge", 3)
    assert raised.value.code == "TL4303"
    assert relations.names.count("edge") == 1
