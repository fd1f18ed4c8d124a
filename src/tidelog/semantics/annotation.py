"""What an algorithm remembers of each occurrence of a fact.

Law: the commands pick, fire and commit are the same for all the papers' algorithms; they differ only in the note that
an occurrence carries. With no note (`PLAIN`) the tables are multisets of facts. With a derivation tree as note
(`TREES`) every occurrence is told from every other, which is how the papers' proofs speak. The derivation and
infinite-count sets are a third annotation (`derivation_sets`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, Protocol

from tidelog.semantics.fact import Fact, Occurrence, Update


class Annotation(Protocol):
    """How notes are made."""

    def picked(self, update: Update) -> Update:
        """The update as the tables will record it."""

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The note of a head derived from these occurrences, or None when the update must not be sent."""


class Plain:
    """No notes: the tables are multisets of facts."""

    def picked(self, update: Update) -> Update:
        """The update itself."""
        return update

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """Nothing to note."""
        return ()


class Tree(NamedTuple):
    """A derivation: the rule's label, the fact it proves and the derivations of its body; a leaf is a base fact."""

    label: str
    fact: Fact
    body: tuple[Tree, ...]

    @property
    def height(self) -> int:
        """0 for a base fact."""
        return 1 + max(tree.height for tree in self.body) if self.body else 0

    def leaves(self) -> Iterator[Fact]:
        """The base facts the derivation rests on, with repetitions."""
        if not self.body:
            yield self.fact
        for tree in self.body:
            yield from tree.leaves()


class Trees:
    """Every occurrence carries its derivation. A base fact's note is ``()``, read as a leaf."""

    def picked(self, update: Update) -> Update:
        """The update itself."""
        return update

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The tree with the trees of the body below it."""
        return Tree(label, head, tuple(tree_of(occurrence) for occurrence in body))


def tree_of(occurrence: Occurrence | Update) -> Tree:
    """The derivation of an occurrence kept by `TREES`."""
    return occurrence.note if isinstance(occurrence.note, Tree) else Tree("", occurrence.fact, ())


PLAIN: Annotation = Plain()
TREES: Annotation = Trees()
