"""Functions that search with regular expressions and read their groups.

Law: patterns are those of `match` (`patterns`). A search finds the leftmost match, preferring earlier alternatives and
longer repetitions, as the pattern specifies. Groups are numbered by their opening brackets from 1, the whole match is
0; a group that did not participate is the empty text.
"""

from __future__ import annotations

import re

from tidelog.program.functions.patterns import Groups, Pattern, compiled
from tidelog.program.functions.text import concatenate
from tidelog.program.messages import program_failures as failures

_REFERENCE = re.compile(r"\$(\$|[0-9]{1,2})")


def find(pattern: str, text: str) -> int:
    """1 if the pattern matches a part of the text, else 0."""
    return int(compiled(pattern).found_in(text))


def group(pattern: str, text: str, number: int) -> str:
    """The text of a group of the first match; empty if there is no match.

    >>> group("([a-z]+)-([0-9]+)", "id: ab-12", 2), group("([a-z]+)-([0-9]+)", "none", 1)
    ('12', '')
    """
    ready = compiled(pattern, captures=True)
    _check_group("regex_group", ready, number)
    found = ready.first(text)
    return "" if found is None else found[number]


def all_groups(pattern: str, text: str, number: int) -> tuple[str, ...]:
    """The texts of a group in all matches that do not overlap, from left to right.

    >>> all_groups("#([a-z]+)", "#ab c #d", 1)
    ('ab', 'd')
    """
    ready = compiled(pattern, captures=True)
    _check_group("regex_all", ready, number)
    return tuple(groups[number] for _, groups in ready.all(text) if groups)


def replace(pattern: str, text: str, replacement: str) -> str:
    """The text with every match replaced; ``$1`` is a group of the match, ``$0`` all of it, ``$$`` a dollar sign.

    >>> replace("([a-z]+)=([0-9]+)", "a=1, b=2", "$2:$1")
    '1:a, 2:b'
    """
    ready = compiled(pattern, captures=True)
    for number in _REFERENCE.findall(replacement):
        if number != "$":
            _check_group("regex_replace", ready, int(number))
    parts: list[str] = []
    for before, groups in ready.all(text):
        parts += (before, _filled(replacement, groups)) if groups else (before,)
    return concatenate(*parts)


def _filled(replacement: str, groups: Groups) -> str:
    return _REFERENCE.sub(lambda found: "$" if found[1] == "$" else groups[int(found[1])], replacement)


def _check_group(function: str, ready: Pattern, number: int) -> None:
    if not 0 <= number <= ready.groups:
        problem = f"the pattern {ready.text!r} has {ready.groups} groups, but group {number} is requested"
        raise failures.FUNCTION_ARGUMENT.error(function=function, problem=problem)
