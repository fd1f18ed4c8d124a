"""Two runs side by side: the ratio of every value that both measured, and which ratios are more than noise.

Law: values find each other by group, case, title, name and clock; nothing is guessed. A ratio within the threshold is
noise: on a shared machine the same number moves by a quarter between runs. Sizes that differ are kept apart, since
they mean that not the same was measured, or that a result is another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.record import Record, Run, Value
from benchmarks.report.table import Page, Table, number, table

THRESHOLD = 1.25
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A value of two runs."""

    key: Key
    before: Value
    after: Value

    @property
    def ratio(self) -> float | None:
        """The second as a multiple of the first; None where one of them is not above zero."""
        return self.after.value / self.before.value if min(self.before.value, self.after.value) > 0 else None

    def verdict(self, threshold: float) -> str:
        """Better or worse, if it is more than noise.

        >>> one, two = Value("build", 1.0, "s"), Value("build", 1.3, "s")
        >>> Ratio(("", "", "", ""), one, two).verdict(1.25), Ratio(("", "", "", ""), one, two).verdict(1.5)
        ('worse', '')
        """
        ratio = self.ratio
        if ratio is None or 1 / threshold <= ratio <= threshold:
            return ""
        return "worse" if (ratio > 1) == (self.before.better == "lower") else "better"


def ratios(before: Mapping[str, Run], after: Mapping[str, Run]) -> list[Ratio]:
    """All values that both sides have."""
    old, new = dict(_values(before)), dict(_values(after))
    return [Ratio(key, value, new[key]) for key, value in old.items() if key in new]


def _values(runs: Mapping[str, Run]) -> Iterator[tuple[Key, Value]]:
    for full, record in _records(runs):
        for value in record.values:
            yield (full, record.title, value.name, value.clock), value


def _records(runs: Mapping[str, Run]) -> Iterator[tuple[str, Record]]:
    for group, run in runs.items():
        for record in run.records:
            yield f"{group}/{record.case}", record


def page(before: Mapping[str, Run], after: Mapping[str, Run], threshold: float, changed: bool) -> Page:
    """The comparison; ``changed`` leaves out what is noise."""
    found = ratios(before, after)
    shown = [each for each in found if not changed or each.verdict(threshold)]
    parts: list[str | Table] = [_summary(found, threshold), *_unlike(before, after)]
    if shown:
        parts.append(table(HEAD, [_line(each, threshold) for each in shown], HEAD[:3]))
    parts += [*_only("first", before, after), *_only("second", after, before), *_sizes(before, after)]
    return Page("Two runs compared", tuple(parts))


HEAD = ("case", "what", "value", "first", "second", "ratio", "beyond noise")


def _line(each: Ratio, threshold: float) -> tuple[str, ...]:
    full, title, name, clock = each.key
    value = f"{name}, {clock}" if clock else name
    numbers = [f"{number(v.value)} {v.unit}" for v in (each.before, each.after)]
    ratio = "" if each.ratio is None else f"{each.ratio:.2f}"
    return full, title, value, *numbers, ratio, each.verdict(threshold)


def _summary(found: list[Ratio], threshold: float) -> str:
    verdicts = [each.verdict(threshold) for each in found]
    times = [each.ratio for each in found if each.ratio is not None and each.before.clock]
    mean = f"; times are {math.exp(math.fsum(map(math.log, times)) / len(times)):.2f} x in the mean" if times else ""
    worse, better = verdicts.count("worse"), verdicts.count("better")
    return f"{len(found)} values: {worse} worse and {better} better by more than {threshold:g} x{mean}."


def _unlike(before: Mapping[str, Run], after: Mapping[str, Run]) -> Iterator[str]:
    """Groups that were measured with other options, or on another machine."""
    for group in sorted(before.keys() & after.keys()):
        old, new = before[group], after[group]
        for what, one, other in (("options", old.options, new.options), ("machine", old.machine, new.machine)):
            if one != other:
                yield f"{group}: the {what} differ, {one} and {other}."


def _only(side: str, here: Mapping[str, Run], there: Mapping[str, Run]) -> Iterator[str]:
    """What one side alone has measured."""
    missing = {key[0] for key, _ in _values(here)} - {key[0] for key, _ in _values(there)}
    if missing:
        yield f"Only in the {side} run: {', '.join(sorted(missing))}."


def _sizes(before: Mapping[str, Run], after: Mapping[str, Run]) -> Iterator[Table]:
    """Facts about a record that differ."""
    new = {(full, record.title): record.facts for full, record in _records(after)}
    lines = [
        (full, record.title, name, value, new[full, record.title].get(name, ""))
        for full, record in _records(before)
        if (full, record.title) in new
        for name, value in record.facts.items()
        if new[full, record.title].get(name) != value
    ]
    if lines:
        yield table(("case", "what", "not measured but different", "first", "second"), lines, ("what",))
