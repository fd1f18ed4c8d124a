"""Proof search for the instructions: from contexts and a formula to every way in which it can end.

Law: a focused derivation of an instruction is determined by the elements that its unloads and loops choose. So all
derivations are found by trying every choice; two derivations that leave the same contexts are one outcome.

A loop visits every element of its context whatever the order. `every_order=False` follows one fixed order only, which
yields the same outcomes for loops whose bodies do not look at the order, as those of `commands` (the tests compare
both); `every_order=True` tries them all. The interpreter does not know what the contexts mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tidelog.lab.semantics.linear.contexts import Contexts, Element, Index
from tidelog.lab.semantics.linear.formula import Choose, End, Formula, Guard, Load, Loop, Top, Unload, WhenEmpty


@dataclass(frozen=True, slots=True)
class DerivationState:
    """The state of a derivation: its open premise, or no open premise at all (``proved``)."""

    contexts: Contexts
    proved: bool = False


def outcomes(formula: Formula, contexts: Contexts, *, every_order: bool = False) -> frozenset[DerivationState]:
    """Everything that focusing on the formula can lead to; empty when it has no derivation."""
    found: set[DerivationState] = set()
    agenda: list[tuple[Formula, Contexts]] = [(formula, contexts)]
    while agenda:
        at, here = agenda.pop()
        if isinstance(at, End | Top):
            found.add(DerivationState(here, proved=isinstance(at, Top)))
        else:
            agenda.extend(_premises(at, here, every_order))
    return frozenset(found)


def _premises(formula: Formula, contexts: Contexts, every_order: bool) -> Iterator[tuple[Formula, Contexts]]:
    match formula:
        case Load(element, index, then):
            yield then, contexts.load(index, element)
        case Unload(index, then, element):
            yield from ((then(e), rest) for e, rest in _taken(contexts, index, element))
        case Loop():
            yield from _loop_premises(formula, contexts, every_order)
        case Guard(holds, then) if holds:
            yield then, contexts
        case Choose(branches):
            yield from ((branch, contexts) for branch in branches)
        case WhenEmpty(indexes, then) if all(contexts.empty(index) for index in indexes):
            yield then, contexts


def _taken(contexts: Contexts, index: Index, wanted: Element | None) -> Iterator[tuple[Element, Contexts]]:
    for element in contexts.distinct(index) if wanted is None else (wanted,):
        rest = contexts.unload(index, element)
        if rest is not None:
            yield element, rest


def _loop_premises(loop: Loop, contexts: Contexts, every_order: bool) -> Iterator[tuple[Formula, Contexts]]:
    if contexts.empty(loop.index):
        yield loop.then, contexts
        return
    for element, rest in _taken(contexts, loop.index, None):
        yield loop.body(element, loop), rest
        if not every_order:
            return
