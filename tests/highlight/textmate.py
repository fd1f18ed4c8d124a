"""A small reader of TextMate grammars: enough for ours, so that it is tested where there is no npm.

What it knows: `match` with captures, `begin`/`end` with inner patterns, includes of the repository, line by line. The
real one (Oniguruma) is asked by a long test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Rule = dict[str, Any]


def pattern(text: str) -> re.Pattern[str]:
    """An expression of Oniguruma's as Python writes it."""
    return re.compile(text.replace(r"[\p{L}_]", r"[^\W\d]").replace(r"\p{L}\p{N}_", r"\w"))


def flat(grammar: Rule, rules: list[Rule]) -> Iterator[Rule]:
    """Rules with what they include."""
    for rule in rules:
        if "include" in rule:
            yield from flat(grammar, grammar["repository"][rule["include"][1:]]["patterns"])
        else:
            yield rule


def scopes(grammar: Rule, text: str) -> list[str]:
    """For every character its innermost scope; empty where only that of the whole file holds."""
    top = [(pattern(rule.get("match") or rule["begin"]), rule) for rule in flat(grammar, grammar["patterns"])]
    found = [""] * (len(text) + 1)
    place, within = 0, None
    for line in text.split("\n"):
        within = _line(top, line, place, within, found)
        place += len(line) + 1
    return found


def _line(top: list[Any], line: str, place: int, within: Rule | None, found: list[str]) -> Rule | None:
    at = 0
    while at <= len(line):
        if within is not None:
            at, within = _inside(within, line, at, place, found)
            continue
        matches = [(match, rule) for expression, rule in top if (match := expression.search(line, at))]
        if not matches:
            break
        match, rule = min(matches, key=lambda pair: pair[0].start())  # the first of those that begin first
        _colour(found, place, match, rule)
        within = rule if "begin" in rule else None
        at = match.end() if match.end() > match.start() else match.end() + 1
    return within


def _inside(rule: Rule, line: str, at: int, place: int, found: list[str]) -> tuple[int, Rule | None]:
    """Go on to the end of a `begin`; what stands inside has its scope."""
    ends, inner = pattern(rule["end"]), [pattern(each["match"]) for each in rule.get("patterns", ())]
    while at <= len(line):
        end = ends.search(line, at)
        first = min((m for each in inner if (m := each.search(line, at))), key=lambda m: m.start(), default=None)
        if first is not None and (end is None or first.start() < end.start()):
            at = _fill(found, place, at, first.end(), rule["name"])
            continue
        stop = len(line) if end is None else end.end()
        _fill(found, place, at, stop, rule["name"])
        return (len(line) + 1, rule) if end is None else (max(stop, at + (stop == at)), None)
    return at, rule


def _fill(found: list[str], place: int, start: int, end: int, scope: str) -> int:
    found[place + start : place + end] = [scope] * (end - start)
    return end


def _colour(found: list[str], place: int, match: re.Match[str], rule: Rule) -> None:
    if "name" in rule:
        _fill(found, place, *match.span(), rule["name"])
    for group, scope in {**rule.get("captures", {}), **rule.get("beginCaptures", {})}.items():
        _fill(found, place, *match.span(int(group)), scope["name"])
