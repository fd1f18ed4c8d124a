"""The memory of a partition, asked by one thread while another works."""

from __future__ import annotations

from tidelog.partition.relations import Relations


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
