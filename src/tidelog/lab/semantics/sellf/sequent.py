"""Sequents of the focused system: ⊢ K : Γ ⇑ L and ⊢ K : Γ ⇓ F.

K maps every index to a multiset of formulas, Γ is the linear multiset, L the formulas still to be decomposed in the
negative phase, F the focus of the positive one.

Law: sequents are values; equal contents are equal. An index without formulas is as good as absent. L is a list, and its
first formula is the next one: the order cannot matter, since the rules of the negative phase are invertible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.sellf.formula import Formula

_NOTHING: Bag[Formula] = Bag()


class FormulaContexts:
    """K: a multiset of formulas per index; never changed in place."""

    __slots__ = ("_bags",)

    def __init__(self, bags: Mapping[str, Bag[Formula]] | None = None) -> None:
        self._bags = {index: bag for index, bag in (bags or {}).items() if bag}

    @classmethod
    def of(cls, items: Iterable[tuple[str, Formula]]) -> FormulaContexts:
        """The contexts that hold these formulas, repetitions counted."""
        lists: dict[str, list[Formula]] = {}
        for index, formula in items:
            lists.setdefault(index, []).append(formula)
        return cls({index: Bag(formulas) for index, formulas in lists.items()})

    def __getitem__(self, index: str) -> Bag[Formula]:
        return self._bags.get(index, _NOTHING)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bags)

    def items(self) -> Iterator[tuple[str, Bag[Formula]]]:
        """The indexes that hold something, with what they hold."""
        yield from self._bags.items()

    def plus(self, index: str, formula: Formula) -> FormulaContexts:
        """One formula more."""
        return FormulaContexts({**self._bags, index: self[index].plus(formula)})

    def minus(self, index: str, formula: Formula) -> FormulaContexts:
        """One formula less; it has to be there."""
        return FormulaContexts({**self._bags, index: self[index].minus(formula)})

    def kept(self, indexes: Iterable[str]) -> FormulaContexts:
        """The contexts of these indexes alone."""
        return FormulaContexts({index: self[index] for index in indexes})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormulaContexts) and self._bags == other._bags

    def __hash__(self) -> int:
        return hash(frozenset(self._bags.items()))

    def __str__(self) -> str:
        return "; ".join(f"{index}: {self[index]!r}" for index in sorted(self))

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Sequent:
    """One of the two kinds of sequent: with a focus, or with a list to decompose."""

    contexts: FormulaContexts
    linear: Bag[Formula] = field(default_factory=Bag)
    todo: tuple[Formula, ...] = ()
    focus: Formula | None = None

    @property
    def neutral(self) -> bool:
        """⊢ K : · ⇑ ·, where a command may begin."""
        return self.focus is None and not self.todo and not self.linear

    def unfocused(self, *todo: Formula) -> Sequent:
        """The same contexts in the negative phase."""
        return replace(self, todo=todo, focus=None)

    def focused(self, focus: Formula) -> Sequent:
        """The same contexts with a focus."""
        return replace(self, todo=(), focus=focus)

    def __str__(self) -> str:
        phase = f"⇑ {', '.join(map(str, self.todo))}" if self.focus is None else f"⇓ {self.focus}"
        return f"⊢ {self.contexts} : {self.linear!r} {phase}"
