"""The driver's side of the resident partitions: start them, call them, notice when one is lost, stop them.

Law: every wait ends: with an answer, at its limit, or with `PartitionLost` as soon as a connection breaks, the job ends
or a partition stops sending heartbeats. A loss is final for this start; `restart` creates new, empty residents, and
restoring their contents is up to the caller. This module does not know what the residents are used for.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from tidelog.spark.errors import PartitionLost, StageError
from tidelog.spark.resident import resident_failures as failures
from tidelog.spark.resident.client import Descriptor, Endpoint, Peer
from tidelog.spark.resident.credentials import Credentials, new_credentials
from tidelog.spark.resident.job import Job
from tidelog.spark.resident.rendezvous import Rendezvous
from tidelog.spark.resident.resident import Assignment, Factory
from tidelog.spark.resident.under_way import LOOK, RunningWork, Watch
from tidelog.spark.resident.waiters import Answer, Waiters
from tidelog.spark.resident.wire import CONNECT, LOOPBACK, STOP, decode
from tidelog.spark.session.access import Access, access
from tidelog.spark.session.listen import message_limit, socket_folder
from tidelog.spark.session.master import own_version
from tidelog.spark.session.ports import free_port, read_ports
from tidelog.spark.session.preflight import await_slots, check_session, probe_workers
from tidelog.spark.session.run_folder import RunFolder
from tidelog.spark.session.timeouts import HEARTBEAT, read_timeouts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
FAREWELL = 8.0  # seconds that tasks get to end, and again after Spark has been asked to end them
_STAGES: weakref.WeakSet[ResidentStage] = weakref.WeakSet()  # from start to stop: they occupy slots
_REGISTER = threading.Lock()  # stages may be started and stopped in several threads


class ResidentStage:
    """P residents in the P tasks of one stage.

    ``folder`` is the state folder, which executors on other machines must be able to access; ``tls`` is whether
    connections are encrypted (None: only on a cluster); ``patience`` is the number of seconds that a task continues
    without its driver; ``silence`` is the number of seconds that the driver waits for a heartbeat of a task. If they
    are None, the settings of the session apply (`session.timeouts`).
    """

    def __init__(
        self,
        spark: SparkSession,
        partitions: int,
        factory: Factory,
        *,
        folder: str | None = None,
        tls: bool | None = None,
        start_limit: float | None = None,
        patience: float | None = None,
        silence: float | None = None,
    ) -> None:
        self.partitions = partitions
        self._spark = spark
        self._factory = factory
        self._folder = folder
        self._tls = tls
        self._own = self._others = Credentials("")  # until the stage is started
        self._sockets: RunFolder | None = None
        self._ports = read_ports(spark, partitions)
        arguments = read_timeouts(spark, partitions)
        self._start_limit = arguments.start if start_limit is None else start_limit
        self._patience = arguments.driver if patience is None else patience
        self._silence = arguments.heartbeat if silence is None else silence
        self.on_wait: Callable[[], None] = lambda: None  # called from time to time while waiting for residents
        self._waiters = Waiters()
        self._peers: list[Peer] = []
        self._rendezvous: Rendezvous | None = None
        self._job: Job | None = None
        self._lost: PartitionLost | None = None
        self._finalizer: weakref.finalize[..., ResidentStage] | None = None
        self._home: Hashable = None  # sessions with the same home share their slots

    def start(self) -> ResidentStage:
        """Check the session, submit the stage and wait until every resident is running and knows the others.

        Raises:
            PreflightError: the session cannot hold the stage; nothing was started.
            StageError: the residents did not start within the limit; the message contains Spark's.
        """
        if self._job is not None:
            raise failures.RUNS_ALREADY.error()
        session = access(self._spark)
        self._home = session.home
        with _REGISTER:
            _STAGES.add(self)
        try:
            others = self.held - self.partitions
            check_session(self._spark, self.partitions, held=others, folder=self._folder, limit=self._start_limit)
            meeting = self._meet(session)
            if not session.is_here:
                self._probe((meeting.endpoint.host, meeting.endpoint.port))
            try:
                self._submit(self._start_limit)
                session.end_progress_bar()
            except StageError:
                if session.is_here:  # a worker that cannot hold a partition reports why
                    self._probe(None)
                raise
        except BaseException:
            _unregister(self)
            raise
        return self

    def _probe(self, driver: tuple[str, int] | None) -> None:
        probe_workers(self._spark, self.partitions, folder=self._folder, driver=driver, limit=self._start_limit)

    def _meet(self, session: Access) -> Rendezvous:
        """This process's endpoint: on a socket, or on an address that the tasks can reach."""
        if self._rendezvous is None:
            tls = not session.is_here if self._tls is None else self._tls
            self._own, self._others = new_credentials(tls=tls, limit=message_limit(self._spark))
            self._sockets = socket_folder() if session.is_here and not tls else None
            bind, host = session.addresses(LOOPBACK)
            if self._sockets is not None:
                bind = host = f"{self._sockets.name}/driver"
            port = free_port(self._ports, bind, 0, 1 + self.partitions)
            self._rendezvous = Rendezvous(bind, host, self._own, port)
        return self._rendezvous

    def restart(self, *, limit: float | None = None) -> None:
        """Stop the rest of the stage and submit it again, with new residents; ``limit`` replaces start's."""
        self._end_job()
        seconds = self._start_limit if limit is None else limit
        await_slots(self._spark, self.partitions, held=self.held - self.partitions, limit=seconds)
        self._submit(seconds)

    @property
    def held(self) -> int:
        """The slots that stages of this process occupy in the session, including this one."""
        with _REGISTER:
            return sum(stage.partitions for stage in _STAGES if stage._home == self._home)

    def stop(self) -> None:
        """End the stage; may be called at any time and more than once."""
        self._end_job()
        _unregister(self)
        if self._rendezvous is not None:
            self._rendezvous.close()
            self._rendezvous = None
        if self._sockets is not None:
            self._sockets.cleanup()
            self._sockets = None
        self._waiters.close()
        self._waiters = Waiters()

    def __enter__(self) -> ResidentStage:
        return self.start() if self._job is None else self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def alive(self) -> bool:
        """Whether calls can be served."""
        try:
            self._check()
        except (StageError, PartitionLost):
            return False
        return True

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The addresses of the partitions: for Spark tasks, which open them and send or fetch rows directly."""
        self._check()
        return tuple(replace(peer.endpoint, credentials=self._others) for peer in self._peers)

    @property
    def processes(self) -> tuple[int, ...]:
        """The process id of every partition, each on its executor's machine."""
        meeting = self._meeting()
        return tuple(meeting.processes[number] for number in range(self.partitions))

    def call(self, number: int, method: str, args: tuple[Any, ...] = (), *, limit: float | None = None) -> Any:
        """Call a resident; returns the result of its ``call``."""
        return self._gather({number: partial(self._peer(number).call, method, args, limit=limit)}, limit)[number]

    def call_all(
        self,
        method: str,
        args: tuple[Any, ...] = (),
        *,
        each: Sequence[tuple[Any, ...]] | None = None,
        limit: float | None = None,
    ) -> list[Any]:
        """The answers of all residents, called concurrently: with the same ``args``, or partition i with ``each[i]``.

        If residents raise errors, all answers are awaited, and the error of the lowest partition is raised.
        """
        arguments = [args] * self.partitions if each is None else list(each)
        if len(arguments) != self.partitions:
            raise failures.EACH.error(given=len(arguments), partitions=self.partitions)
        work = {
            number: partial(self._peer(number).call, method, arguments[number], limit=limit)
            for number in range(self.partitions)
        }
        answers = self._gather(work, limit)
        return [answers[number] for number in range(self.partitions)]

    def deliver(self, number: int, descriptor: Descriptor, table: pa.Table, *, limit: float | None = None) -> None:
        """Deliver rows to a resident."""
        self._gather({number: partial(self._peer(number).deliver, descriptor, table, limit=limit)}, limit)

    def fetch(self, number: int, descriptor: Descriptor, *, limit: float | None = None) -> pa.Table:
        """Fetch rows of a resident."""
        return self._gather({number: partial(self._peer(number).fetch, descriptor, limit=limit)}, limit)[number]

    def beside(self, acts: Sequence[tuple[SparkSession, Callable[[], T]]], words: Sequence[str] = ()) -> list[T]:
        """Run Spark jobs that need the residents, concurrently, and watch the residents meanwhile.

        Inside a Spark job, neither Ctrl-C nor a hanging resident would be noticed. If this fails or is interrupted,
        the jobs of all ``acts`` are cancelled, each in its session. ``words`` describe them on Spark's pages.
        """
        tag = f"tidelog-{secrets.token_hex(4)}"
        descriptions, sessions = [*words, *[""] * (len(acts) - len(words))], [access(spark) for spark, _ in acts]
        work = {n: sessions[n].in_another_thread(tag, act, descriptions[n]) for n, (_, act) in enumerate(acts)}
        try:
            found = self._gather(work, None)
        except BaseException:
            for session in sessions:
                with contextlib.suppress(Exception):  # a stopped session has no jobs left
                    session.cancel_jobs(tag)
            raise
        return [found[number] for number in range(len(acts))]

    def _submit(self, limit: float) -> None:
        meeting = self._meeting()
        self._lost = None
        driver = replace(meeting.endpoint, credentials=self._others)
        sockets = self._sockets.name if self._sockets else None
        assignment = Assignment(
            self._factory,
            self.partitions,
            driver,
            meeting.renew(),
            sockets,
            self._patience,
            own_version(),
            self._ports,
        )
        self._job = Job(self._spark, assignment)
        self._finalizer = weakref.finalize(self, _abandon, self._job, meeting, os.getpid())
        try:
            self._await_residents(self._job, limit)
            ready = [meeting.ready[number] for number in range(self.partitions)]
            self._peers = [Endpoint(*address, self._own).open() for address in ready]
            work = {peer.number: partial(peer.act, CONNECT, (ready,)) for peer in self._peers}
            self._gather(work, limit)
        except BaseException:
            self._end_job()
            raise

    def _await_residents(self, job: Job, limit: float) -> None:
        """Wait for all tasks to arrive within the limit; a factory may take longer, as long as its task reports."""
        meeting, deadline = self._meeting(), time.monotonic() + limit
        while len(meeting.ready) < self.partitions:
            ended = job.ended.is_set()  # read first: a task reports its failure before it ends
            for _, failure in sorted(meeting.failures.items()):
                decode(failure)
            if ended:
                raise failures.ENDED.error(error=job.end_reason)
            quiet = meeting.silent(self._silence)
            if quiet is not None:
                raise failures.SILENT_START.error(number=quiet, seconds=self._silence)
            if len(meeting.processes) < self.partitions and time.monotonic() > deadline:
                began = len(meeting.processes)
                raise failures.NO_SLOTS.error(began=began, partitions=self.partitions, limit=limit)
            with meeting.news:
                meeting.news.wait(LOOK)

    def _gather(self, work: Mapping[int, Callable[[], Any]], limit: float | None) -> dict[int, Any]:
        """Do the work concurrently, watch the stage meanwhile, and collect the answers."""
        return self.begin(work, limit).end()

    def begin(self, work: Mapping[int, Callable[[], Any]], limit: float | None = None) -> RunningWork:
        """Start the work concurrently, in other threads."""
        watch = Watch(self._waiters, self._peer, lambda: self.on_wait(), self._check, self._note_loss)
        under_way = RunningWork(watch, self._running(), limit)
        for number, function in work.items():
            under_way.add(number, function)
        return under_way

    def _note_loss(self, answer: Answer, job: Job) -> None:
        if isinstance(answer.error, PartitionLost):
            if self._job is job:  # otherwise the stage was restarted, and the new one is intact
                self._lost = answer.error
            raise answer.error

    def _check(self, began: Job | None = None) -> None:
        """Raise if the stage is not running, or is no longer the one in which the caller began."""
        meeting, job = self._meeting(), self._running()
        if began is not None and began is not job:
            raise _lost(meeting.quietest(), "the stage was restarted in the meantime")
        if self._lost is None and job.ended.is_set():
            self._lost = _lost(meeting.quietest(), f"the Spark job ended: {job.end_reason}")
        if self._lost is None and (quiet := meeting.silent(self._silence)) is not None:
            self._lost = _lost(quiet, f"no heartbeat for {self._silence:g} s ({HEARTBEAT})")
        if self._lost is not None:
            raise self._lost

    def _running(self) -> Job:
        if self._job is None:
            raise failures.NOT_RUNNING.error()
        return self._job

    def _meeting(self) -> Rendezvous:
        if self._rendezvous is None:
            raise failures.NOT_RUNNING.error()
        return self._rendezvous

    def _peer(self, number: int) -> Peer:
        if self._lost is not None or self._running().ended.is_set():
            self._check()
        return self._peers[number]

    def _end_job(self) -> None:
        """Ask the tasks, then Spark, to end; stop waiting after a while, because tasks without a driver end anyway."""
        job, self._job = self._job, None
        if self._finalizer is not None:
            self._finalizer.detach()
        if job is None:
            return
        meeting = self._meeting()
        meeting.dismiss()
        try:
            answers: SimpleQueue[Answer] = SimpleQueue()
            for peer in self._peers:
                self._waiters.submit(peer.number, partial(peer.act, STOP, limit=2.0), answers)
            if self._lost is not None or not self._peers or not job.ended.wait(FAREWELL):
                job.cancel()
            job.ended.wait(FAREWELL)
        finally:
            peers, self._peers = self._peers, []
            for peer in peers:
                with contextlib.suppress(Exception):
                    peer.close()


def _unregister(stage: ResidentStage) -> None:
    with _REGISTER:
        _STAGES.discard(stage)


def _lost(number: int, reason: str) -> PartitionLost:
    return failures.LOST.mark(PartitionLost(number, reason))


def _abandon(job: Job, meeting: Rendezvous, maker: int) -> None:
    """Clean up when the stage is garbage-collected or the interpreter ends; a process forked meanwhile does nothing."""
    if os.getpid() == maker:
        meeting.dismiss()
        job.cancel()
        meeting.close()
