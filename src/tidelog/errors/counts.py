"""Numbers with their nouns, and the plural of a noun.

Law: a message never says "1 facts". Texts in code call `counted`; templates of catalogues write the singular as the
format, `{columns:1 column}`, which `fill_template` prints as `1 column` or `3 columns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

_IRREGULAR = {"epoch": "epochs", "stratum": "strata"}


def plural(noun: str) -> str:
    """The plural of a noun, or of a phrase that ends in one.

    >>> plural("fact"), plural("base query"), plural("key"), plural("batch"), plural("epoch")
    ('facts', 'base queries', 'keys', 'batches', 'epochs')
    """
    *others, last = noun.split(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in {"a", "e", "o", "u"}:
        last = f"{last[:-1]}ies"
    else:
        last += "es" if last.endswith(("s", "x", "z", "ch", "sh")) else "s"
    return " ".join((*others, last))


def counted(number: int, noun: str) -> str:
    """The number with its noun, which is given in the singular.

    >>> counted(1, "fact"), counted(2000, "base fact"), counted(0, "stratum")
    ('1 fact', '2,000 base facts', '0 strata')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


class _CountFormatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("1 "):
            return counted(int(value), format_spec.removeprefix("1 "))
        return str(super().format_field(value, format_spec))


def fill_template(template: str, values: Mapping[str, object]) -> str:
    """Insert values into a template as `str.format` does; a format such as `1 column` adds the noun to its number.

    >>> fill_template("`{name}` has {columns:1 column}", {"name": "edge", "columns": 2})
    '`edge` has 2 columns'
    """
    if ":1 " not in template:
        return template.format_map(values)  # faster, for errors that are raised and caught for every value
    return _CountFormatter().vformat(template, (), values)
