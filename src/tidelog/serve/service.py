"""The state that all requests share: the engine, and the other data of the server.

Law: there is one engine, and the hub records all its epochs, however they are committed. The other data of the server
is bounded (`limits`), and can be lost: the state folder contains everything that matters.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.look_up import size
from tidelog.program.graph.inline import inline_relations
from tidelog.program.types.functors import UserFunctions
from tidelog.serve import serve_failures as failures
from tidelog.serve.brief import BriefLookUps
from tidelog.serve.exports import Exports
from tidelog.serve.hub import Hub, OpenFeeds
from tidelog.serve.limits import ServerLimits
from tidelog.serve.page_reader import PageReader
from tidelog.serve.pages import PageCache
from tidelog.serve.past import PastEngines
from tidelog.serve.rates import Rates
from tidelog.serve.request_metrics import RequestMetrics
from tidelog.serve.sources import ServerSource
from tidelog.serve.staging import OpenEpochs
from tidelog.serve.syncer import Syncer
from tidelog.serve.threads import Threads
from tidelog.serve.tickets import Tickets
from tidelog.serve.tokens import TokenFolder, Tokens
from tidelog.serve.workers import CheckWorkers

if TYPE_CHECKING:
    from tidelog.serve.audit import AuditLog

TIDY = 60.0  # seconds
LATELY = 60.0  # seconds over which rates are computed


class Service:
    """An engine that is served. ``functions`` are those of the engine, for old epochs."""

    def __init__(
        self,
        engine: Engine,
        tokens: Tokens | TokenFolder,
        limits: ServerLimits | None = None,
        sources: Sequence[ServerSource] = (),
        functions: UserFunctions = (),
    ) -> None:
        self.engine, self.tokens, self.sources = engine, tokens, sources
        self.limits = limits or ServerLimits()
        self.hub = Hub(engine.epoch_number, self.limits.kept_changes)
        self.feeds = OpenFeeds(self.limits.feeds)
        self.exports, self.tickets, self.rates = Exports(), Tickets(), Rates()
        self.staging = OpenEpochs(self.limits)
        self.pages = PageCache(self.limits.kept_pages)
        self.reader = PageReader(self.pages, self.limits.of_questions)
        self.threads = Threads()
        self.brief = BriefLookUps()
        self.workers = CheckWorkers(self.limits)
        self.served = RequestMetrics()
        self.audit: AuditLog | None = None
        self.logs_all = False  # whether every request is logged
        self.clock: Callable[[], float] = time.monotonic
        self._past = PastEngines(self._open_at)
        self._functions = functions
        self._busy = threading.Lock()
        self._began = time.time()
        core_of(engine).listeners.append(self.hub.note)
        self.syncer = Syncer(core_of(engine))

    def start(self) -> None:
        """Start when the server is ready; to be called on its loop."""
        self.hub.attach(asyncio.get_running_loop())
        self.syncer.start(asyncio.get_running_loop())
        self.workers.start()
        for source in self.sources:
            source.start(self.engine)
        self._tidy_up()

    def _tidy_up(self) -> None:
        """Expire abandoned open epochs periodically, on the loop, even if no other is opened."""
        self.staging.expire()
        if not self.hub.closed:
            asyncio.get_running_loop().call_later(TIDY, self._tidy_up)

    def stop(self) -> None:
        """Stop sources and close old epochs. The owner of the engine closes it."""
        self.workers.close()
        self.threads.close()
        for source in self.sources:
            source.stop()
        self.syncer.stop()
        self._past.close()
        if isinstance(self.tokens, TokenFolder):
            self.tokens.close()
        if self.audit is not None:
            self.audit.close()
        core_of(self.engine).listeners.remove(self.hub.note)

    def _open_at(self, epoch: int) -> Engine:
        return Engine(path=core_of(self.engine).opened.lasting, at=epoch, functions=self._functions, strict=True)

    @contextmanager
    def at(self, epoch: int | None) -> Iterator[Engine]:
        """The engine, or the one of an old epoch."""
        if epoch is None or epoch == self.engine.epoch_number:
            yield self.engine
            return
        if epoch > self.engine.epoch_number:
            raise failures.NOT_YET.error(epoch=epoch, now=self.engine.epoch_number)
        with self._past.at(epoch) as db:
            yield db

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Run a block of which only one may run at a time; raises if another is running."""
        if not self._busy.acquire(blocking=False):
            raise failures.BUSY.error(what=what)
        try:
            yield
        finally:
            self._busy.release()

    @property
    def incomplete(self) -> list[str]:
        """The relations that lack rows of their sources, because these cannot be converted to facts."""
        return sorted({table["relation"] for source in self.sources for table in source.quarantine()})

    def statistics(self) -> dict[str, Any]:
        """Statistics of the server."""
        lately = self.hub.lately(LATELY)
        now = time.time()
        seconds = max(1e-3, min(LATELY, now - self._began))
        times = sorted(record.seconds for record in lately)
        core = core_of(self.engine)
        facts = sum(size(core, name) for name in set(core.relations) - inline_relations(core.rules.program))
        return {
            "epoch": self.engine.epoch_number,
            "time": now,
            "uptime": now - self._began,
            "facts": facts,
            "auxiliary_facts": self.engine.fact_count - facts,
            "memory": {"engine": self.engine.memory, "pages": self.pages.held, "changes": self.hub.held, **_process()},
            "epochs": {
                "lately": len(lately),
                "per_second": len(lately) / seconds,
                "median_seconds": times[len(times) // 2] if times else None,
                "longest_seconds": times[-1] if times else None,
            },
            "feeds": self.feeds.open,
            "open_epochs": len(self.staging),
            "requests": {str(status): count for status, count in self.served.by_status().items()},
            "sources": [{"name": source.name, **source.health()} for source in self.sources],
            "incomplete": self.incomplete,
        }


def _process() -> dict[str, int]:
    """The resident memory of the process in bytes, if the system reports it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    import resource

    return {"process": pages * resource.getpagesize()}
