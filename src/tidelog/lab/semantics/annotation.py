"""What an algorithm remembers of each occurrence of a fact.

Law: the commands pick, fire and commit are the same for all the papers' algorithms; they differ only in the note that
an occurrence carries. With no note (`PLAIN`) the tables are multisets of facts. With a derivation tree as note
(`TREES`) every occurrence is distinct, as in the papers' proofs; copies of a base fact are distinguished by numbers,
which the caller writes on their leaves (`numbered`). The derivation and
infinite-count sets are a third annotation (`derivation_sets`), and `LabelledAnnotation` adds trees to any of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, Protocol

from tidelog.lab.semantics.fact import Fact, Occurrence, Update


class Annotation(Protocol):
    """How notes are made."""

    def picked(self, update: Update) -> Update:
        """The update as the tables will record it."""

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The note of a head derived from these occurrences, or None when the update must not be sent."""


class PlainAnnotation:
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

    def leaves(self) -> Iterator[Tree]:
        """The base facts the derivation rests on, each copy with its number, with repetitions."""
        if not self.body:
            yield self
        for tree in self.body:
            yield from tree.leaves()

    def contains(self, other: Tree) -> bool:
        """Whether the other derivation is this one or a part of it."""
        return self == other or any(tree.contains(other) for tree in self.body)

    def __str__(self) -> str:
        name = f"{self.fact}{self.label.translate(_RAISED)}" if not self.body else str(self.fact)
        return f"{name}[{' '.join(map(str, self.body))}]" if self.body else name


class DerivationNote(NamedTuple):
    """The note of an annotation together with the derivation."""

    note: Hashable
    tree: Tree


class Trees:
    """Every occurrence carries its derivation. A base fact's note is ``()``, read as a leaf."""

    def picked(self, update: Update) -> Update:
        """The update itself."""
        return update

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The tree with the trees of the body below it."""
        return Tree(label, head, tuple(tree_of(occurrence) for occurrence in body))


class LabelledAnnotation:
    """Another annotation with derivations added to its notes, so that every occurrence is distinct."""

    def __init__(self, inner: Annotation) -> None:
        self.inner = inner

    def picked(self, update: Update) -> Update:
        """What the other annotation records, with the same derivation."""
        recorded = self.inner.picked(stripped(update))
        return recorded._replace(note=DerivationNote(recorded.note, tree_of(update)))

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """What the other annotation notes, with the tree; None when it sends nothing."""
        note = self.inner.derived(label, head, [Occurrence(o.fact, _inner(o.note)) for o in body])
        return None if note is None else DerivationNote(note, Tree(label, head, tuple(map(tree_of, body))))


def tree_of(occurrence: Occurrence | Update) -> Tree:
    """The derivation of an occurrence kept by `TREES` or `LabelledAnnotation`; otherwise a leaf without a number."""
    note = occurrence.note
    if isinstance(note, DerivationNote):
        return note.tree
    return note if isinstance(note, Tree) else Tree("", occurrence.fact, ())


def stripped(update: Update) -> Update:
    """The update as the annotation under `LabelledAnnotation` knows it."""
    return update._replace(note=_inner(update.note))


def _inner(note: Hashable) -> Hashable:
    return note.note if isinstance(note, DerivationNote) else note


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

PLAIN: Annotation = PlainAnnotation()
TREES: Annotation = Trees()
