"""Subexponential signatures: indexes, their preorder, and which of them allow weakening and contraction.

Law: the order is reflexive and transitive; an index above one that allows a structural rule allows it too (without
this the promotion rule would not be sound); what allows contraction allows weakening. An index that allows neither is
linear. `Signature.of` closes the given order and refuses what violates the law.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidelog.lab.semantics.semantics_failures import NO_SIGNATURE


@dataclass(frozen=True)
class Signature:
    """What the rules of the exponentials read."""

    indexes: frozenset[str]
    order: frozenset[tuple[str, str]]
    weakening: frozenset[str]
    contraction: frozenset[str]

    @classmethod
    def of(
        cls,
        indexes: Iterable[str],
        order: Iterable[tuple[str, str]] = (),
        weakening: Iterable[str] = (),
        contraction: Iterable[str] = (),
    ) -> Signature:
        """The signature with the reflexive and transitive closure of the order.

        >>> Signature.of("abc", [("a", "b"), ("b", "c")]).below("a", "c")
        True
        """
        known = frozenset(indexes)
        signature = cls(known, _closed(known, order), frozenset(weakening), frozenset(contraction))
        signature._check()
        return signature

    def below(self, low: str, high: str) -> bool:
        """low ⪯ high."""
        return (low, high) in self.order

    def linear(self, index: str) -> bool:
        """Whether the contents of the context have to be used."""
        return index not in self.weakening

    def _check(self) -> None:
        named = {name for pair in self.order for name in pair} | self.weakening | self.contraction
        if not named <= self.indexes:
            raise NO_SIGNATURE.error(why=f"{', '.join(sorted(named - self.indexes))} is not one of its indexes")
        for rule, allowed in (("weakening", self.weakening), ("contraction", self.contraction)):
            for low, high in sorted(self.order):
                if low in allowed and high not in allowed:
                    raise NO_SIGNATURE.error(why=f"{low} allows {rule}, but {high} above it does not")
        if not self.contraction <= self.weakening:
            only = ", ".join(sorted(self.contraction - self.weakening))
            raise NO_SIGNATURE.error(why=f"{only} allows contraction without weakening")


def _closed(indexes: frozenset[str], order: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    above: dict[str, set[str]] = {index: {index} for index in indexes}
    for low, high in order:
        above.setdefault(low, {low}).add(high)
    for low in above:
        todo = list(above[low])
        while todo:
            for high in above.get(todo.pop(), ()):
                if high not in above[low]:
                    above[low].add(high)
                    todo.append(high)
    return frozenset((low, high) for low, highs in above.items() for high in highs)
