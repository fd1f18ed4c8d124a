"""What a run found, as values and as JSON.

Law: a file of results holds everything its page says: each measured value with unit, clock, repetitions, target and
verdict, the sizes it depends on, the command and what the machine is made of. It names no machine and no path, and
has no date, so that two runs of the same code differ in their numbers only.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.measure import Duration
from benchmarks.options import Options, command

FORMAT = 1
PACKAGES = ("clingo", "duckdb", "numba", "numpy", "pandas", "pyarrow", "pydbsp", "pyspark")
UNITS = {"s": 1.0, "ms": 1e3}
HEADLINE = "measured"


@dataclass(frozen=True, slots=True)
class Target:
    """A ceiling, or a floor.

    >>> Target(10, floor=True).met(9.9), Target(30).met(12)
    (False, True)
    """

    limit: float
    floor: bool = False

    def met(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value >= self.limit if self.floor else value <= self.limit


@dataclass(frozen=True, slots=True)
class Value:
    """A measured number: the median of ``runs`` where there are several. ``clock`` is cpu or wall for times."""

    name: str
    value: float
    unit: str
    clock: str = ""
    runs: tuple[float, ...] = ()
    target: Target | None = None
    better: str = "lower"

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target."""
        return None if self.target is None else self.target.met(self.value)


@dataclass(frozen=True, slots=True)
class Record:
    """What a case found about one thing: ``kind`` says how it is reported, ``facts`` what the values depend on.

    The title is the same whenever the same is measured, so that records of two runs find each other.
    """

    kind: str
    title: str
    values: tuple[Value, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    case: str = ""  # given by the run

    def value(self, name: str, clock: str | None = None) -> Value:
        """The value with a name; of two clocks the first, which is the processor's."""
        return next(v for v in self.values if v.name == name and clock in (None, v.clock))

    def __getitem__(self, name: str) -> float:
        return self.value(name).value

    def __contains__(self, name: str) -> bool:
        return any(v.name == name for v in self.values)

    def wall(self, name: str) -> float:
        """The time on the wall."""
        return self.value(name, "wall").value

    @property
    def headline(self) -> Value | None:
        """The value that represents the record, if there is one."""
        return self.value(HEADLINE) if HEADLINE in self else None


@dataclass(frozen=True, slots=True)
class Run:
    """All records of one group, with what was requested and on what they were measured."""

    group: str
    command: str
    options: Mapping[str, Any]
    machine: Mapping[str, Any]
    records: tuple[Record, ...]

    def of(self, *kinds: str) -> list[Record]:
        """The records of some kinds, in order."""
        return [record for record in self.records if record.kind in kinds]


def median_of(name: str, runs: Iterable[float], unit: str, **more: Any) -> Value:
    """The median of some repetitions."""
    found = tuple(runs)
    return Value(name, statistics.median(found), unit, runs=found, **more)


def clocked(
    name: str, durations: Sequence[Duration], unit: str = "s", target: Target | None = None
) -> tuple[Value, Value]:
    """The medians of both clocks; a target holds for processor time."""
    cpu = median_of(name, (UNITS[unit] * d.cpu for d in durations), unit, clock="cpu", target=target)
    return cpu, median_of(name, (UNITS[unit] * d.wall for d in durations), unit, clock="wall")


def machine() -> dict[str, Any]:
    """What numbers depend on: how much of a machine, and which versions."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def run_of(group: str, names: tuple[str, ...], options: Options, records: Iterable[Record]) -> Run:
    """The records of a group as the result of a run."""
    return Run(group, command(names, options), options.asked(), machine(), tuple(records))


def merged(before: Run, after: Run, cases: Sequence[str]) -> Run:
    """The results of an earlier run, with those of a later run in the place of the same cases."""
    measured = {record.case for record in after.records}
    records = [*(record for record in before.records if record.case not in measured), *after.records]
    commands = dict.fromkeys([*before.command.split("; "), after.command])
    return replace(
        after,
        command="; ".join(commands),
        options={**before.options, **after.options},
        records=tuple(sorted(records, key=lambda record: cases.index(record.case))),
    )


def to_json(run: Run) -> str:
    """The run as text: repetitions on one line each, numbers with six digits that matter."""
    plain = {"format": FORMAT, **asdict(run)}
    for record, entry in zip(run.records, plain["records"], strict=True):
        entry["values"] = [_value_to_json(value) for value in record.values]
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    return re.sub(r"\[\s+([^][{}\"]*?)\s+\]", _one_line, text) + "\n"


def _one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\s+", " ", found[1]) + "]"


def _value_to_json(value: Value) -> dict[str, Any]:
    plain = asdict(value)
    plain["value"] = _rounded(value.value)
    plain["runs"] = [_rounded(run) for run in value.runs]
    plain["target"] = None if value.target is None else asdict(value.target)
    left_out = {name for name in ("clock", "runs", "target") if not plain[name]}
    return {name: kept for name, kept in plain.items() if name not in left_out} | {"met": value.met}


def _rounded(number: float) -> float:
    return number if isinstance(number, int) else float(f"{number:.6g}")


def from_json(text: str) -> Run:
    """The run that a text describes."""
    plain = json.loads(text)
    if (found := plain.get("format")) != FORMAT:
        raise ValueError(f"format {found} is not the one that is read here: {FORMAT}")
    records = tuple(_record_from_json(record) for record in plain["records"])
    return Run(plain["group"], plain["command"], plain["options"], plain["machine"], records)


def _record_from_json(plain: Mapping[str, Any]) -> Record:
    values = tuple(_value_from_json(value) for value in plain["values"])
    notes = tuple(plain["notes"])
    return Record(plain["kind"], plain["title"], values, plain["facts"], notes, plain["case"])


def _value_from_json(plain: Mapping[str, Any]) -> Value:
    target = Target(**plain["target"]) if "target" in plain else None
    kept = {name: value for name, value in plain.items() if name not in ("met", "runs", "target")}
    return Value(**kept, runs=tuple(plain.get("runs", ())), target=target)


def write_run(run: Run, folder: Path) -> Path:
    """Keep the run as JSON; the file is called after its group."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run.group}.json"
    path.write_text(to_json(run), encoding="utf-8")
    return path


def read_run(path: Path) -> Run:
    """The run in a file."""
    return from_json(path.read_text(encoding="utf-8"))


def read_runs(place: Path) -> dict[str, Run]:
    """The runs of a file or of all files of a folder, by group."""
    paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
    return {run.group: run for run in map(read_run, paths)}
