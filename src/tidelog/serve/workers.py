"""Processes for the texts that clients send: some for read requests, others for write requests.

Law (D39): reading, checking and expanding a text takes at most as long as the limit allows, after waiting at most as
long for a free process; after that, it is refused, and the limit is named. Texts of readers can never occupy the
processes of writers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tidelog.errors import Diagnostic, TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Rule
from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import READ, WRITE
from tidelog.serve.limits import ServerLimits
from tidelog.serve.rehearsal import (
    Columns,
    check_text,
    pack_rules,
    rehearse_program,
    rehearse_question,
    rehearse_rules,
    rehearse_script,
)
from tidelog.syntax.worker import MEMORY, AbortedCall, Worker

PROCESSES = 2  # for each of the two
REMEMBERED = 1024  # queries that were rehearsed


class CheckWorkers:
    """The checking processes of a server; all but the first are started when they are needed."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._groups = {access: _Group(limits) for access in (READ, WRITE)}
        self._lock = threading.Lock()
        self._rules: tuple[Ruleset | None, int, bytes] = None, 0, b""
        self._rehearsed: OrderedDict[str, None] = OrderedDict()  # queries against these rules

    def start(self) -> None:
        """Start the first process, so that the first check need not wait for it."""
        self._groups[READ].start()

    def close(self) -> None:
        """End all processes, including busy ones; requests that wait for one are refused."""
        for group in self._groups.values():
            group.close()

    def check(self, access: str, text: str) -> tuple[Diagnostic, ...]:
        """Findings about a text."""
        with self._convert_errors(), self._groups[access].reserve() as process:
            found: tuple[Diagnostic, ...] = process.call(check_text, text)
            return found

    def rehearse_question(self, access: str, rules: Ruleset, text: str) -> None:
        """Raise for a query that cannot be read, checked and expanded within the limits."""
        number, packed = self._pack(rules)
        if text in self._rehearsed:
            return
        with self._convert_errors(), self._groups[access].reserve() as process:
            process.call_on_rules(number, packed, rehearse_question, text)
        with self._lock:
            self._rehearsed[text] = None
            if len(self._rehearsed) > REMEMBERED:
                self._rehearsed.popitem(last=False)

    def rehearse_rules(
        self, access: str, rules: Ruleset, declared: str | None, added: Sequence[str | Rule] = ()
    ) -> None:
        """Raise for declarations and rules that cannot be read, checked and expanded within the limits."""
        number, packed = self._pack(rules)
        with self._convert_errors(), self._groups[access].reserve() as process:
            process.call_on_rules(number, packed, rehearse_rules, declared, added)

    def rehearse_program(self, access: str, rules: Ruleset, text: str, columns: Columns) -> None:
        """Raise for a program that cannot be read, checked and expanded within the limits, or values of columns."""
        self._rehearse_text(access, rules, rehearse_program, text, columns)

    def rehearse_script(self, access: str, rules: Ruleset, text: str) -> None:
        """Raise for a change script that cannot be read, checked and expanded within the limits."""
        self._rehearse_text(access, rules, rehearse_script, text)

    def _rehearse_text(self, access: str, rules: Ruleset, rehearse: Callable[..., None], *given: object) -> None:
        number, packed = self._pack(rules)
        with self._convert_errors(), self._groups[access].reserve() as process:
            process.call_on_rules(number, packed, rehearse, *given)

    def _pack(self, rules: Ruleset) -> tuple[int, bytes]:
        """The serialised rules, and their number."""
        with self._lock:
            last_rules, number, packed = self._rules
            if last_rules is not rules:
                number, packed = number + 1, pack_rules(rules)
                self._rules = rules, number, packed
                self._rehearsed.clear()
            return number, packed

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except AbortedCall as ended:
            raise self._error_of(ended) from ended

    def _error_of(self, ended: AbortedCall) -> TidelogError:
        if ended.reason == MEMORY:
            return failures.TEXT_TOO_LARGE.error(megabytes=self._limits.check_memory >> 20)
        return failures.TEXT_TOO_SLOW.error(seconds=self._limits.check_seconds)


class _Process(Worker):
    """A process, and the number of the rules that it holds."""

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__(("tidelog.serve.rehearsal",), limits.check_seconds, limits.check_memory)
        self._holds: tuple[int | None, int] = None, 0  # the id of the process, and the number of its rules

    def call_on_rules(self, number: int, packed: bytes, function: Callable[..., None], *args: object) -> None:
        """Call a function on the rules, which are sent if the process does not hold them."""
        self.start()
        is_current = self._holds == (self.pid, number)
        self._holds = self.pid, number
        self.call(function, number, None if is_current else packed, *args)


class _Group:
    def __init__(self, limits: ServerLimits) -> None:
        self._seconds = limits.check_seconds
        self._free = threading.Semaphore(PROCESSES)
        self._idle = [_Process(limits) for _ in range(PROCESSES)]
        self._all = tuple(self._idle)
        self._closed = False

    def start(self) -> None:
        """Start the process that is used first."""
        self._idle[-1].start()

    @contextmanager
    def reserve(self) -> Iterator[_Process]:
        """Use a free process, preferably the one used last."""
        if not self._free.acquire(timeout=self._seconds):
            raise failures.NO_PROCESS.error(seconds=self._seconds)
        process = self._idle.pop()
        try:
            if self._closed:
                raise failures.STOPPING.error()
            yield process
        finally:
            if process.pid is None and not self._closed:
                process.start()  # a new one for the next text
            self._idle.append(process)
            self._free.release()

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for process in self._all:
            process.end()
