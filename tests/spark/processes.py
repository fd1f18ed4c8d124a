"""What the tests must know about processes of this machine, read from /proc."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


class Process(int):
    """The number of a process that also knows when the process began.

    Numbers of ended processes are used again, on a busy machine within minutes.
    """

    began: str

    def __new__(cls, number: int | str) -> Process:
        made = super().__new__(cls, number)
        made.began = _state_and_start(made)[1]
        return made


def _state_and_start(number: int) -> tuple[str, str]:
    """The state of a process and the tick of the clock at which it began; empty if the process is gone."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "", ""
    return fields[0], fields[19]


def parent_of(number: int) -> int:
    """The parent's process number; 0 if the process is gone."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def command_of(number: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def runs(number: int) -> bool:
    """Whether the process is there and not merely waiting to be reaped.

    For a `Process`, a later one with the same number is another process.
    """
    state, began = _state_and_start(number)
    return state not in {"", "Z"} and (not isinstance(number, Process) or began == number.began)


def descendants(number: int) -> list[Process]:
    """The running processes that descend from this one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            children.setdefault(parent_of(int(entry.name)), []).append(int(entry.name))
    found: list[int] = []
    todo = [number]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return [child for child in map(Process, found) if runs(child)]


def wait_for(condition: Callable[[], bool], seconds: float, why: Callable[[], str] = lambda: "") -> None:
    """Wait until the condition holds; fails the test if it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds:g} s; {why()}"
        time.sleep(0.1)
