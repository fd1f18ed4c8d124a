"""Which column of a table is which column of a relation, by their names.

Law (D36): a table that has all names of a relation is read by name, and its other columns are reported; a table that
has none of them is read by position; one that has some of them is refused. Names are compared without case and
surrounding blanks, unless two columns of the table, or two of the relation, differ only so: then character by
character. Rows that have no positions (dicts, objects of JSON) are read by name or refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io import io_failures as failures
from tidelog.program.messages.nearest import LOOSELY, KnownNames

SHOWN = 12


def fold(name: str) -> str:
    """A name as it is compared.

    >>> fold(" Dept "), fold("STRASSE") == fold("straße")
    ('dept', True)
    """
    return name.strip().casefold()


def compared(found: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of a table and of a relation as they are compared with each other.

    >>> compared(["ID", "name "], ["id", "name"]), compared(["id", "ID"], ["id"])
    ((['id', 'name'], ['id', 'name']), (['id', 'ID'], ['id']))
    """
    for each in (found, names):
        distinct = set(each)
        if len({fold(name) for name in distinct}) < len(distinct):
            return list(found), list(names)
    return [fold(name) for name in found], [fold(name) for name in names]


def match_names(where: str, names: Sequence[str], found: Sequence[str]) -> tuple[int, ...] | None:
    """Where the columns of a relation are in a table; None if it is to be read by position.

    ``where`` names the relation or file in the error of a table that has some of the names.

    >>> match_names("edge", ["x", "y"], ["Y", "x", "note"]), match_names("edge", ["x", "y"], ["from", "to"])
    ((1, 0), None)
    """
    places = find_names(names, found)
    if places is not None:
        return places
    own, wanted = compared(found, names)
    missing = [name for name, key in zip(names, wanted, strict=True) if key not in own]
    if len(missing) == len(names):
        return None
    raise failures.SOME_NAMES.error(
        where=where, found=shown_names(found), names=shown_names(names), problem=_problem(missing, found)
    )


def find_names(names: Sequence[str], found: Sequence[str]) -> tuple[int, ...] | None:
    """Where all columns of a relation are in a table; None if one is missing, or is there more than once.

    >>> find_names(["x", "y"], ["Y ", "x"]), find_names(["x", "y"], ["x", "x", "y"])
    ((1, 0), None)
    """
    own, wanted = compared(found, names)
    counts = Counter(own)
    return tuple(map(own.index, wanted)) if wanted and all(counts[key] == 1 for key in wanted) else None


def other_names(names: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The names of a table that are none of a relation's.

    >>> other_names(["x", "y"], ["Y", "x", "note"])
    ('note',)
    """
    own, wanted = compared(found, names)
    return tuple(name for name, key in zip(found, own, strict=True) if key not in wanted)


def report_ignored(where: str, relation: str, ignored: Sequence[str]) -> None:
    """Warn of the columns of a table that its relation does not have."""
    if ignored:
        error = failures.OTHER_COLUMNS.error(where=where, relation=relation, extra=shown_names(ignored))
        warn(TidelogWarning(f"{error.code}: {error}"))


def shown_names(names: Sequence[str]) -> str:
    """Names in a message.

    >>> shown_names(["x", "y"])
    '`x`, `y`'
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + more


def _problem(missing: Sequence[str], found: Sequence[str]) -> str:
    if not missing:
        return "a name occurs more than once"
    guess = KnownNames(found).nearest(missing[0], LOOSELY)
    return f"{shown_names(missing)} {'is' if len(missing) == 1 else 'are'} missing" + (
        f"; did you mean `{guess}`?" if guess is not None and len(missing) == 1 else ""
    )
