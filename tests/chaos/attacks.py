"""What can happen: an attack starts writers on one state folder and does them harm; afterwards the state is judged."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.chaos.story import PROGRAM, facts, open_state, repartitions, twin
from tests.chaos.victim import LIMIT, Victim
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import StateError

Counts = Counter[str]


class Round:
    """One state folder through one run of misfortunes."""

    def __init__(self, folder: Path, seed: int, counts: Counts) -> None:
        self.folder, self.seed, self.counts = folder / f"state-{seed}", seed, counts
        self.random = Random(seed)
        self.partitions = self.random.choice((1, 1, 3))
        self.seen = self.judged = 0
        self.twin = Engine(PROGRAM)

    def victim(self, *options: str) -> Victim:
        """A writer that goes on where the state stands."""
        return Victim(self.folder, self.seed, "--partitions", str(self.partitions), *options)

    def note(self, victim: Victim) -> None:
        """What a writer said before it ended."""
        self.seen = max(self.seen, victim.committed)
        self.counts["failed epochs"] += victim.failed

    def judge(self) -> None:
        """No epoch that was reported is lost, at most one more was committed, and the state is that of the twin."""
        with open_state(self.folder, partitions=self.partitions) as db:
            self.counts["states of several partitions"] += core_of(db).runtime.partitions > 1
            assert self.seen <= db.epoch_number <= self.seen + 1, f"{self.seen} epochs told, {db.epoch_number} there"
            assert facts(db) == twin(self.twin, self.seed, db.epoch_number), f"other facts at epoch {db.epoch_number}"
            assert db.verify()
            since = range(self.judged + 1, db.epoch_number + 1)
            self.counts["epochs"] += len(since)
            self.counts["repartitions"] += sum(map(repartitions, since))
            self.seen = self.judged = db.epoch_number
        self.counts["states judged"] += 1


def killed(chaos: Round) -> None:
    """SIGKILL at a random moment, several times."""
    for _ in range(chaos.random.randrange(2, 5)):
        with chaos.victim() as victim:
            if chaos.random.random() < 0.8:
                victim.opened()
            victim.hear(chaos.random.uniform(0.0, 1.0))
            victim.signal(signal.SIGKILL)
            victim.hear(LIMIT)
        chaos.counts["SIGKILL of a writer"] += 1
        chaos.note(victim)
        chaos.judge()


def stopped(chaos: Round) -> None:
    """SIGSTOP: while it is stopped no other process may write, and afterwards it continues."""
    with chaos.victim() as victim:
        victim.opened()
        for _ in range(3):
            victim.hear(chaos.random.uniform(0.0, 0.5))
            victim.signal(signal.SIGSTOP)
            try:
                open_state(chaos.folder, partitions=chaos.partitions).close()
            except StateError:
                chaos.counts["second writers refused"] += 1
            else:
                raise AssertionError("two writers of one state")
            finally:
                victim.signal(signal.SIGCONT)
            chaos.counts["SIGSTOP of a writer"] += 1
            assert victim.goes_on(), "a writer ended that was only stopped"
        victim.signal(signal.SIGKILL)
        victim.hear(LIMIT)
    chaos.note(victim)
    chaos.judge()


def full_disk(chaos: Round) -> None:
    """No file may grow beyond a size: epochs fail until there is room again."""
    with chaos.victim("--epochs", "5") as victim:
        victim.ends()
    chaos.note(victim)
    for _ in range(2):
        largest = chaos.random.randrange(1, 60_000)
        with chaos.victim("--largest", str(largest), "--epochs", "200") as victim:
            victim.ends()
        chaos.counts["full disks"] += 1
        chaos.note(victim)
        chaos.judge()


def on_spark(chaos: Round) -> None:
    """Partitions on Spark: lost and slow workers, lost connections, a lost JVM, a lost driver."""
    chaos.partitions = 2
    for _ in range(chaos.random.randrange(1, 3)):
        with chaos.victim("--spark") as victim:
            if victim.opened():
                for _ in range(chaos.random.randrange(2, 6)):
                    victim.hear(chaos.random.uniform(0.5, 3.0))
                    chaos.random.choice((_lose_worker, _slow_worker, _lose_connections))(chaos, victim)
                victim.goes_on()
                victim.hear(chaos.random.uniform(0.0, 5.0))
            if chaos.random.random() < 0.5:
                _lose(chaos, victim, "java", "SIGKILL of a JVM")
                victim.hear(10.0)
            victim.signal(signal.SIGKILL)
            chaos.counts["SIGKILL of a driver"] += 1
        chaos.note(victim)
        chaos.judge()


def _lose_worker(chaos: Round, victim: Victim) -> None:
    _lose(chaos, victim, "pyspark.daemon", "SIGKILL of a worker")


def _lose(chaos: Round, victim: Victim, part: str, name: str) -> None:
    found = victim.below(part)
    if found:
        victim.signal(signal.SIGKILL, chaos.random.choice(found))
        chaos.counts[name] += 1


def _slow_worker(chaos: Round, victim: Victim) -> None:
    found = victim.below("pyspark.daemon")
    if not found:
        return
    number = chaos.random.choice(found)
    victim.signal(signal.SIGSTOP, number)
    try:
        victim.hear(chaos.random.uniform(0.2, 4.0))
    finally:
        victim.signal(signal.SIGCONT, number)
    chaos.counts["SIGSTOP of a worker"] += 1


def _lose_connections(chaos: Round, victim: Victim) -> None:
    victim.say("drop")
    chaos.counts["lost connections"] += 1


ATTACKS: dict[str, Callable[[Round], None]] = {
    "killed": killed,
    "stopped": stopped,
    "full disk": full_disk,
    "on spark": on_spark,
}


def run_round(name: str, seed: int, folder: Path, counts: Counts) -> str | None:
    """What went wrong in a round, if anything did."""
    chaos = Round(folder, seed, counts)
    began = time.monotonic()
    try:
        ATTACKS[name](chaos)
    except Exception as error:  # any error at all is a finding here
        return f"{type(error).__name__}: {error}"
    finally:
        counts[f"rounds: {name}"] += 1
        counts["seconds"] += round(time.monotonic() - began)
    return None
