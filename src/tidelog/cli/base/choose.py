"""How `--runtime auto`, the default, chooses the runtime of a run.

Law (D23): Spark if a master, a setting, a kind of file that only Spark reads or writes, or a session in this process
requires it, or if the input files are larger than a quarter of the free memory; this process otherwise. The resulting
files are the same either way, so the choice affects only time and memory; it is reported in one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidelog.cli.base.place import Place, Runtime, running_session
from tidelog.errors.counts import counted
from tidelog.io.files import InputFile, kind_of
from tidelog.io.parameters import SPARK_KINDS, Layout

SHARE = 4  # files may occupy a quarter of the free memory
UNITS = ("bytes", "kB", "MB", "GB", "TB")
_GROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Choice:
    """A runtime and the reason for choosing it."""

    runtime: Runtime
    reason: str

    def __str__(self) -> str:
        where = "on Spark" if self.runtime is Runtime.spark else "embedded"
        return f"tidelog: {where}: {self.reason}"


def choose_runtime(
    place: Place, inputs: Sequence[InputFile], outputs: Sequence[tuple[str, Layout]], free: int | None = None
) -> Choice:
    """The runtime that options, files and this process require; ``free``: bytes of memory, None to measure it."""
    reason = _requested(place) or _kinds(inputs, outputs)
    if reason is None and running_session() is not None:
        reason = "a Spark session is running in this process"
    if reason is not None:
        return Choice(Runtime.spark, reason)
    size, free = sum(map(_size, inputs)), free_memory() if free is None else free
    files = f"{counted(len(inputs), 'input file')}, {_amount(size)}"
    if size * SHARE > free:
        return Choice(Runtime.spark, f"{files}, more than a quarter of the free memory ({_amount(free)})")
    return Choice(Runtime.embedded, f"{files}, in memory" if inputs else "no input files")


def _requested(place: Place) -> str | None:
    if place.master:
        return "--master was given"
    return "--conf was given" if place.settings else None


def _kinds(inputs: Sequence[InputFile], outputs: Sequence[tuple[str, Layout]]) -> str | None:
    """The first directive whose kind only Spark supports."""
    read = ((f".input {file.relation}", kind_of(file)) for file in inputs)
    written = ((f".output {name}", layout.kind) for name, layout in outputs)
    for directive, kind in (*read, *written):
        if kind in SPARK_KINDS:
            return f"`{directive}` names a table"
    return None


def _size(file: InputFile) -> int:
    """The size in bytes of a file, or of a folder of files."""
    parts = file.path.rglob("*") if file.path.is_dir() else (file.path,)
    return sum(part.stat().st_size for part in parts if part.is_file())


def free_memory() -> int:
    """Bytes that this process may still allocate: what the machine has free, within the limit of its container."""
    return min(_of_machine(), _of_container())


def _of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _of_container() -> int:
    try:
        most, taken = ((_GROUP / name).read_text("ascii").strip() for name in ("memory.max", "memory.current"))
        return max(int(most) - int(taken), 0)
    except (OSError, ValueError):  # no container, or one without a limit
        return sys.maxsize


def _amount(size: float) -> str:
    """
    >>> _amount(0), _amount(1500), _amount(12_345_678_901)
    ('0 bytes', '1.5 kB', '12.3 GB')
    """
    for unit in UNITS:
        if size < 1000 or unit == UNITS[-1]:
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == UNITS[0] else f"{size:.1f} {unit}"
