"""Several partitions in one process: hosts called one after the other, with a post office between them.

Law: messages may be delivered in any order and in any pieces, as long as each is delivered once: the facts and their
``all`` are the same. A `Post` may be given a choice of its own, which tests use to deliver as unkindly as they can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.owner import Parcel
from tidelog.plan.work import Staged
from tidelog.program.functions import Function
from tidelog.runtime.desk import Desk
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.mail import Mailbox
from tidelog.runtime.runtime import Arriving

Letter = tuple[int, str, Cells]  # to, relation, rows of (body rank, how many, columns)
Choice = Callable[[list[Letter]], tuple[list[Letter], list[Letter]]]  # letters -> those delivered now, those held back


class Post:
    """Letters on their way."""

    def __init__(self, partitions: int, choose: Choice | None = None) -> None:
        self._choose = choose
        self._waiting: list[Letter] = []
        self._boxes: list[list[Parcel]] = [[] for _ in range(partitions)]

    def put(self, to: int, parcel: Parcel) -> None:
        """Take letters in; without a choice they are delivered at once."""
        if self._choose is None:
            self._boxes[to].append(parcel)
        else:
            self._waiting += ((to, name, rows) for name, rows in parcel.items())

    def take(self, number: int) -> Iterable[Parcel]:
        """What lies in a partition's box."""
        found, self._boxes[number] = self._boxes[number], []
        return found

    def deliver(self) -> bool:
        """Deliver what is chosen; whether any box holds something."""
        if self._choose is not None and self._waiting:
            now, self._waiting = self._choose(self._waiting)
            for to, name, rows in now:
                self._boxes[to].append({name: rows})
        return bool(self._waiting) or any(self._boxes)

    def clear(self) -> None:
        """Mail of an epoch that is over is void."""
        self._waiting.clear()
        for box in self._boxes:
            box.clear()


class PostBox(Mailbox):
    """The mailbox of one partition at a post office."""

    def __init__(self, post: Post, number: int) -> None:
        self._post, self._number = post, number

    def deliver(self, parcels: Mapping[int, Parcel]) -> int:
        """Send what leaves; returns how many supports that are."""
        for to, parcel in parcels.items():
            self._post.put(to, parcel)
        return sum(int(rows[:, 1].sum()) for parcel in parcels.values() for rows in parcel.values())

    def collect(self) -> Iterable[Parcel]:
        """What has arrived."""
        return self._post.take(self._number)


class LocalHosts:
    """Hosts in this process; they share one dictionary."""

    session = None

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        partitions: int,
        dictionary: Dictionary,
        desk: Callable[[Host], Desk] = Desk,
        choose: Choice | None = None,
    ) -> None:
        self.partitions = partitions
        self.post = Post(partitions, choose)
        self.desks = [
            desk(Host(functions, number, partitions, dictionary, PostBox(self.post, number)))
            for number in range(partitions)
        ]

    def send(self, arriving: Sequence[Arriving], places: Mapping[str, int]) -> tuple[Staged, ...]:
        """Rows reach these partitions through this process."""
        assert not arriving, "only Spark sends rows by itself"
        return ()

    def ask(self, method: str, *args: Any) -> list[Any]:
        """The same question to every desk."""
        return [getattr(desk, method)(*args) for desk in self.desks]

    def ask_each(self, method: str, args: Sequence[tuple[Any, ...]]) -> list[Any]:
        """A question to every desk, with arguments of its own."""
        return [getattr(desk, method)(*given) for desk, given in zip(self.desks, args, strict=True)]

    def ask_one(self, number: int, method: str, *args: Any) -> Any:
        """A question to one desk."""
        return getattr(self.desks[number], method)(*args)

    def has_mail(self) -> bool:
        """Whether messages wait that no partition was given yet."""
        return self.post.deliver()

    def start_epoch(self, run: int) -> None:
        """Mail of epochs before is void."""
        self.post.clear()

    def watch(self, on_slice: Callable[[], None]) -> None:
        """What to call between slices of work."""
        for desk in self.desks:
            desk.host.partition.machine.on_slice = on_slice

    def interrupt(self) -> None:
        """Nothing runs while this process does something else."""

    def restart(self) -> None:
        """Hosts in this process are never lost."""

    def close(self) -> None:
        """Nothing to end: memory goes with the objects."""
