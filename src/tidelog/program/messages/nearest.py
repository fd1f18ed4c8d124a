"""The known name that a wrong one probably means.

Law: two names are near if one typing error turns one into the other (a character omitted, added, replaced or swapped
with its neighbour), or, among few names, if most of their characters agree. The cost of finding near names depends on
the length of the name, not on the number of names, so a program with thousands of unknown names is still checked
quickly.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

FEW = 100
ALIKE = 0.75
LOOSELY = 0.6  # for a short list of well-known names, and for queries, which change nothing
LISTED = 8
SHORT, LONG = 4, 6


class KnownNames:
    """A set of known names, prepared for finding those near a wrong one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(set(names))
        self._variants: dict[str, list[str]] | None = None

    def near(self, name: str) -> Iterator[str]:
        """The known names that differ from the name by one typing error, in alphabetical order; never the name itself.

        >>> list(KnownNames(["edge", "path", "paths"]).near("pth"))
        ['path']
        """
        if self._variants is None:
            self._variants = _by_variant(self._names)
        found = {known for variant in _variants(name) for known in self._variants.get(variant, ())}
        return (known for known in sorted(found) if known != name and _one_slip(name, known))

    def nearest(self, name: str, alike: float = ALIKE) -> str | None:
        """The most similar known name, if any is similar; ``alike`` is the least share of characters that agree.

        >>> KnownNames(["edge", "path"]).nearest("paths_"), KnownNames(["edge"]).nearest("node")
        ('path', None)
        """
        candidates = self._names if len(self._names) <= FEW else list(self.near(name))
        others = [known for known in candidates if known != name]
        found = difflib.get_close_matches(name, others, n=1, cutoff=alike)
        return found[0] if found else None

    def hint(self, name: str, otherwise: str) -> str:
        """A hint with the known names and the one that is probably meant."""
        if not self._names:
            return otherwise
        near = self.nearest(name)
        listed = ", ".join(f"`{known}`" for known in self._names[:LISTED])
        more = ", ..." if len(self._names) > LISTED else ""
        return (f"Did you mean `{near}`? " if near else "") + f"Known: {listed}{more}."


def _variants(name: str) -> Iterator[str]:
    """The name, and the name with one character left out."""
    yield name
    for i in range(len(name)):
        yield name[:i] + name[i + 1 :]


def _by_variant(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        for variant in set(_variants(name)):
            found.setdefault(variant, []).append(name)
    return found


def _one_slip(a: str, b: str) -> bool:
    """Whether the names differ by one typing error; a changed digit is not one (as in `edge1` and `edge2`)."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, right = a[start : len(a) - end], b[start : len(b) - end]
    longest = max(len(a), len(b))
    if (left + right).isdigit() or longest < SHORT:
        return False
    if len(left) == len(right) == 1:
        # Short names that differ in one letter (`ping`, `pong`) are mostly different names.
        return longest >= LONG
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])
