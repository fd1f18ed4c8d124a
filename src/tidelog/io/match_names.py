"""Match the columns of a table with the columns of a relation, by name.

Law (D36): a table that has all names of a relation is read by name, and its other columns are reported; a table that
has none of them is read by position; one that has some of them is refused. Names are compared without case and
surrounding spaces, unless two columns of the table, or two of the relation, differ only in these; they are then
compared exactly. Default names (c1, c2, ...) in their places are positions, not names. Rows that have no positions
(dicts, objects of JSON) are read by name or refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io import io_failures as failures
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.values.schema import numbered_columns

SHOWN = 12


def fold(name: str) -> str:
    """A name in the form in which it is compared.

    >>> fold(" Dept "), fold("STRASSE") == fold("straße")
    ('dept', True)
    """
    return name.strip().casefold()


def comparable_names(columns: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of a table and of a relation in the form in which they are compared.

    >>> comparable_names(["ID", "name "], ["id", "name"]), comparable_names(["id", "ID"], ["id"])
    ((['id', 'name'], ['id', 'name']), (['id', 'ID'], ['id']))
    """
    for each in (columns, names):
        distinct = set(each)
        if len({fold(name) for name in distinct}) < len(distinct):
            return list(columns), list(names)
    return [fold(name) for name in columns], [fold(name) for name in names]


def match_names(where: str, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...] | None:
    """The positions of a relation's columns in a table; None if the table is read by position.

    ``where`` names the relation or file in the error of a table that has some of the names.

    >>> match_names("edge", ["x", "y"], ["Y", "x", "note"]), match_names("edge", ["x", "y"], ["from", "to"])
    ((1, 0), None)
    >>> match_names("total", ["c1", "c2"], ["city", "c2"])
    """
    places = find_names(names, columns)
    if places is not None:
        return places
    if _are_positions(names, columns):
        return None
    own, expected = comparable_names(columns, names)
    missing = [name for name, key in zip(names, expected, strict=True) if key not in own]
    if len(missing) == len(names):
        return None
    raise failures.SOME_NAMES.error(
        where=where, found=list_names(columns), names=list_names(names), problem=_problem(missing, columns)
    )


def _are_positions(names: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a relation has default names, and the table has those that it has in their places."""
    numbers = numbered_columns(len(names))
    if tuple(names) != numbers or len(columns) != len(numbers):
        return False
    return all(name == number or number not in columns for name, number in zip(columns, numbers, strict=True))


def find_names(names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...] | None:
    """The positions of all columns of a relation in a table; None if one is missing or occurs more than once.

    >>> find_names(["x", "y"], ["Y ", "x"]), find_names(["x", "y"], ["x", "x", "y"])
    ((1, 0), None)
    """
    own, expected = comparable_names(columns, names)
    counts = Counter(own)
    return tuple(map(own.index, expected)) if expected and all(counts[key] == 1 for key in expected) else None


def other_names(names: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """The names of a table that the relation does not have.

    >>> other_names(["x", "y"], ["Y", "x", "note"])
    ('note',)
    """
    own, expected = comparable_names(columns, names)
    return tuple(name for name, key in zip(columns, own, strict=True) if key not in expected)


def report_ignored(where: str, relation: str, ignored: Sequence[str]) -> None:
    """Warn of the columns of a table that its relation does not have."""
    if ignored:
        error = failures.OTHER_COLUMNS.error(where=where, relation=relation, extra=list_names(ignored))
        warn(TidelogWarning(f"{error.code}: {error}"))


def list_names(names: Sequence[str]) -> str:
    """Names in a message.

    >>> list_names(["x", "y"])
    '`x`, `y`'
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + more


def _problem(missing: Sequence[str], columns: Sequence[str]) -> str:
    if not missing:
        return "a name occurs more than once"
    guess = KnownNames(columns).nearest(missing[0], LOOSELY)
    return f"{list_names(missing)} {'is' if len(missing) == 1 else 'are'} missing" + (
        f"; did you mean `{guess}`?" if guess is not None and len(missing) == 1 else ""
    )
