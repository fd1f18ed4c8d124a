"""Abelian groups: what the values of a stream must be.

Law: ``add`` is associative and commutative, ``zero`` is its identity, and ``negate`` returns inverses. Everything that
streams do with their values (integrate, differentiate, run a loop to its end) needs this and nothing else.
A group is a value of three parts; it does not check the laws, the tests do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Group(Generic[T]):
    """An Abelian group: ``a + 0 = a``, ``a + b = b + a``, ``(a + b) + c = a + (b + c)``, ``a + -a = 0``.

    >>> INTEGERS.add(2, INTEGERS.negate(2)) == INTEGERS.zero
    True
    """

    zero: T
    add: Callable[[T, T], T]
    negate: Callable[[T], T]

    def subtract(self, left: T, right: T) -> T:
        """``left + -right``.

        >>> INTEGERS.subtract(5, 3)
        2
        """
        return self.add(left, self.negate(right))

    def is_zero(self, value: T) -> bool:
        """Whether the value is the identity.

        >>> INTEGERS.is_zero(0)
        True
        """
        return bool(value == self.zero)


INTEGERS: Group[int] = Group(0, operator.add, operator.neg)


def product_group(first: Group[T], second: Group[U]) -> Group[tuple[T, U]]:
    """Pairs with the operations taken part by part: again a group.

    >>> pairs = product_group(INTEGERS, INTEGERS)
    >>> pairs.subtract((1, 2), (1, 5))
    (0, -3)
    """
    return Group(
        zero=(first.zero, second.zero),
        add=lambda a, b: (first.add(a[0], b[0]), second.add(a[1], b[1])),
        negate=lambda a: (first.negate(a[0]), second.negate(a[1])),
    )
