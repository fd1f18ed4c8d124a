"""What users are told about undefined facts.

Law (D43): no view contains undefined facts. Wherever a view that has some is shown, their number is reported, with the
command that lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidelog.errors.counts import counted


def undefined_lines(counts: Mapping[str, int], command: str) -> Iterator[str]:
    """A line for each relation; ``command`` lists the undefined facts of the relation whose name follows it.

    >>> list(undefined_lines({"win": 2}, ":undefined"))
    ['`win` has 2 undefined facts, neither true nor false and not shown here. List them with `:undefined win`.']
    """
    for name, count in counts.items():
        what, them = counted(count, "undefined fact"), "it" if count == 1 else "them"
        yield f"`{name}` has {what}, neither true nor false and not shown here. List {them} with `{command} {name}`."
