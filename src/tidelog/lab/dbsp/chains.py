"""Fewest indexes: searches that fit into each other share one.

Law: a search looks for facts by a set of columns. An index that is nested in some order of columns serves every search
whose columns are a beginning of that order, so that one index serves a *chain* of searches, each within the next. The
fewest indexes that serve all searches are as many as chains are needed to cover them, and that is as many as there are
searches less the pairs of a largest matching of searches with larger ones (Dilworth; the index selection of Soufflé).
"""

from __future__ import annotations

from collections.abc import Iterable

Columns = frozenset[int]
Chain = tuple[Columns, ...]


def fewest_chains(searches: Iterable[Columns]) -> list[Chain]:
    """The searches in as few chains as can be, each chain from its smallest search to its largest.

    >>> chains = fewest_chains([frozenset({0}), frozenset({1}), frozenset({0, 1}), frozenset({0, 1, 2})])
    >>> [[sorted(columns) for columns in chain] for chain in chains]
    [[[0], [0, 1, 2]], [[1], [0, 1]]]
    """
    known = sorted(set(searches), key=lambda columns: (len(columns), sorted(columns)))
    following = largest_matching(known)
    begun = set(known) - set(following.values())
    return [_chain(first, following) for first in known if first in begun]


def largest_matching(searches: list[Columns]) -> dict[Columns, Columns]:
    """As many searches as can be, each with a larger one that contains it and is given to no other."""
    taken: dict[Columns, Columns] = {}
    for search in searches:
        _place(search, searches, taken, set())
    return {smaller: larger for larger, smaller in taken.items()}


def _place(search: Columns, searches: list[Columns], taken: dict[Columns, Columns], tried: set[Columns]) -> bool:
    """Find a larger search for one, letting others move on to another: an augmenting path."""
    for larger in searches:
        if search < larger and larger not in tried:
            tried.add(larger)
            if larger not in taken or _place(taken[larger], searches, taken, tried):
                taken[larger] = search
                return True
    return False


def _chain(first: Columns, following: dict[Columns, Columns]) -> Chain:
    chain = [first]
    while chain[-1] in following:
        chain.append(following[chain[-1]])
    return tuple(chain)
