"""What a stratum needs of a model: facts that follow from all instances of the rules of a component at once.

Law: a model is a function of its instances. It is read when its rules are added or an epoch first changes it, follows
the change of the instances, and is committed or undone with the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol
from weakref import WeakValueDictionary

from tidelog.kernel.cells import Cells
from tidelog.program.values.term import MODEL, GroundRule


class InstanceModel(Protocol):
    """The model of the instances of some rules."""

    rules: tuple[GroundRule, ...]
    is_loaded: bool

    @property
    def memory(self) -> int:
        """Bytes held, approximately."""

    def size_in_words(self) -> str:
        """The size of the model, for an explanation."""

    def load(self, rows: Sequence[Cells], look_up: Callable[[], None], *, is_new: bool = False) -> None:
        """Read all instances, by rule; ``is_new``: the epoch added the rules."""

    def advance(self, inserted: Sequence[Cells], deleted: Sequence[Cells], look_up: Callable[[], None]) -> None:
        """Change the instances, and the facts that follow from them."""

    def undo(self) -> None:
        """Restore the model before the epoch."""

    def commit(self) -> None:
        """The epoch is over."""

    def all(self, relation: str, width: int) -> Cells:
        """All facts of a relation that are true or undefined, with their truth in the last column."""

    def change(self, relation: str, width: int) -> tuple[Cells, Cells]:
        """The rows of `all` that the epoch removed, and those that it added."""


Models = WeakValueDictionary[Hashable, InstanceModel]


class ModelPart:
    """The facts of one relation of a component."""

    __slots__ = ("model", "relation", "sources")

    kind = MODEL

    def __init__(self, relation: str, model: InstanceModel) -> None:
        self.relation, self.model = relation, model
        self.sources = tuple(rule.relation for rule in model.rules)
