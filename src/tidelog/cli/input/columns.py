"""The input of `tidelog apply`: a file or folder, and what happens to columns that change.

Law: an option names a relation and a column; names in instances contain periods, so the last period separates the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tidelog.cli.base.cli_failures import BAD_COLUMN

Columns = dict[str, dict[str, str | None]]


@dataclass(frozen=True, slots=True)
class ApplyInput:
    """An edited program, a folder of facts, or a change script."""

    file: Path
    columns: Columns = field(default_factory=dict)
    is_script: bool = False


def read_columns(values: Iterable[str], dropped: Iterable[str]) -> Columns:
    """The values of columns by relation; None for those to be dropped.

    >>> read_columns(["p.full=cat(a, b)", "p.n=1"], ["g.p.old"])
    {'p': {'full': 'cat(a, b)', 'n': '1'}, 'g.p': {'old': None}}
    """
    found: Columns = {}
    for text in values:
        place, equals, value = text.partition("=")
        relation, period, column = place.strip().rpartition(".")
        if not (equals and period and relation and column and value.strip()):
            raise BAD_COLUMN.error(option="--column", given=text, form="RELATION.COLUMN=VALUE")
        found.setdefault(relation, {})[column] = value.strip()
    for text in dropped:
        relation, period, column = text.strip().rpartition(".")
        if not (period and relation and column):
            raise BAD_COLUMN.error(option="--drop-column", given=text, form="RELATION.COLUMN")
        found.setdefault(relation, {})[column] = None
    return found
