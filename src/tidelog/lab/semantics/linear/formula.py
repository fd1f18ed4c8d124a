"""The instructions load, unload, loop, move, end as linear-logic formulas (LAM 2010L, figure 2).

Each instruction abbreviates a formula of linear logic with subexponentials whose focused proofs behave like a small
imperative program:

    load t l K        ?^l (l t) ⅋ K                               put t into context l, continue with K
    unload l K        ∃v. (l v)^⊥ ⊗ K v                           take some v out of l, continue with K v
    unload l t K      (l t)^⊥ ⊗ K                                 take this very t out of l; no proof if it is not there
    loop l B K        (∃v. (l v)^⊥ ⊗ B v (loop l B K)) ⊕ !^l̂ K    take elements of l one by one; K when l is empty
    guard c K         [c] ⊗ K                                     no proof unless c holds
    choose K1 K2      K1 ⊕ K2                                     either
    when_empty I K    !^î K                                       K, provided that every context of I is empty
    end               ⊥                                           the open premise: here a basic command ends
    top               ⊤                                           the proof is finished

Law: `l̂` lies below every index but l, so its bang can be introduced exactly when context l is empty; that is all the
order on indexes is used for. Continuations are Python functions, since instructions are written in continuation style.
This module defines the form of the instructions; `interpreter` searches for proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.lab.semantics.linear.contexts import Element, Index


@dataclass(frozen=True, slots=True)
class Load:
    """Put an element into a context."""

    element: Element
    index: Index
    then: Formula


@dataclass(frozen=True, slots=True)
class Unload:
    """Take an element out of a context: the given one, or (``element is None``) any."""

    index: Index
    then: Callable[[Element], Formula]
    element: Element | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """Take the elements of a context one by one through ``body element rest``; ``then`` once it is empty."""

    index: Index
    body: Callable[[Element, Formula], Formula]
    then: Formula

    def __post_init__(self) -> None:
        if self.index.unbounded:
            raise ValueError(f"a loop over {self.index} has no end: an unbounded context never becomes empty")


@dataclass(frozen=True, slots=True)
class Guard:
    """Go on only where the condition holds."""

    holds: bool
    then: Formula


@dataclass(frozen=True, slots=True)
class Choose:
    """The additive choice between formulas."""

    branches: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class WhenEmpty:
    """A bang whose index admits formulas everywhere but in the given contexts."""

    indexes: frozenset[Index]
    then: Formula


@dataclass(frozen=True, slots=True)
class End:
    """The end of a basic command."""


@dataclass(frozen=True, slots=True)
class Top:
    """The end of the proof."""


Formula: TypeAlias = Load | Unload | Loop | Guard | Choose | WhenEmpty | End | Top

END, TOP = End(), Top()


def take(index: Index, element: Element, then: Formula) -> Formula:
    """Unload one very element."""
    return Unload(index, lambda _: then, element)


def move(source: Index, target: Index, then: Formula) -> Formula:
    """Carry everything from one context to another."""
    return Loop(source, lambda element, rest: Load(element, target, rest), then)


def copy(source: Index, target: Index, spare: Index, then: Formula) -> Formula:
    """Carry everything from ``source`` to ``target`` and keep it in ``source`` too, by way of the empty ``spare``.

    A resource cannot be duplicated, but a tuple in a context can be loaded twice once it was unloaded.
    """

    def twice(element: Element, rest: Formula) -> Formula:
        return Load(element, target, Load(element, spare, rest))

    return Loop(source, twice, move(spare, source, then))
