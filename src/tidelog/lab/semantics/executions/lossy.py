"""Pipelined execution over a network that loses and repeats messages, with and without a protocol against it.

The network may lose a message, or deliver it once more; the schedule chooses when, as it chooses deliveries, up to a
number of losses and repetitions given; `RandomLosses` loses messages with a probability. So an exploration of all
schedules tries every fault at every moment: moves of frames that are in different states are different, also where
their updates are equal (`FrameNote`).

Law: without a protocol (`LossyExecution`) the law of `algorithm` breaks: a lost insertion leaves facts missing and
its deletion waiting for ever, a lost deletion leaves facts behind, a repeated one makes counts wrong. With one
(`AcknowledgedExecution`) it holds whatever is lost or repeated, as long as not everything is. Every message has a
sequence number; the receiver takes a number once and acknowledges it every time; the sender keeps a message until it
is acknowledged, and sends it again when neither the message nor an acknowledgement of it is under way. (A sender
cannot know that and waits for a time instead; a message sent again too early is a repetition.) Numbers need no order:
the algorithm bears reordering. Traffic counts acknowledgements and what is sent again, and in bytes also the number
that each of them carries.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

from tidelog.lab.semantics.algorithm import Event, Message, Schedule
from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.commands import PICK
from tidelog.lab.semantics.executions.pipelined import PipelinedExecution
from tidelog.lab.semantics.fact import Fact, note_text
from tidelog.lab.semantics.semantics_failures import NO_PICK
from tidelog.program import Program

DATA, ACK = "data", "ack"
ARRIVE, LOSE, REPEAT, RESEND = "arrives", "is lost", "is repeated", "is sent again"
FAULTS = 10**9
"""Faults are numbered after everything else, so that schedules which take the oldest message make none."""

UNLIMITED = FAULTS
"""As many losses as a schedule chooses."""

NUMBER_BYTES = 8
"""A sequence number on the wire."""


@dataclass(frozen=True)
class Frame:
    """A message on the wire: how many copies of it and of its acknowledgement are under way, and what is known."""

    message: Message
    copies: int = 1
    acks: int = 0
    arrived: bool = False
    acked: bool = False

    def key(self) -> Hashable:
        """The frame without its number."""
        m = self.message
        return (m.source, m.target, m.update, self.copies, self.acks, self.arrived, self.acked)


class FrameNote(NamedTuple):
    """What may happen to a frame, as the note of a message: data or acknowledgement, what, and the state of the frame.

    >>> str(FrameNote(DATA, LOSE, (), "the key of a frame"))
    'data is lost'
    """

    kind: str
    what: str
    note: Hashable
    frame: Hashable

    def __str__(self) -> str:
        return f"{self.kind} {self.what} {note_text(self.note)}".rstrip()


@dataclass
class RandomLosses:
    """Another schedule on links that lose each message, and each acknowledgement, with a probability, by seed.

    The execution must permit as many losses as the run needs (`UNLIMITED`).
    """

    schedule: Schedule
    probability: float
    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def choose(self, pending: Sequence[Message]) -> Message:
        """What the other schedule chooses, or the loss of the message that it lets arrive."""
        regular = [message for message in pending if message.number < FAULTS]
        chosen = self.schedule.choose(regular)
        note = chosen.update.note
        if isinstance(note, FrameNote) and note.what == ARRIVE and self._random.random() < self.probability:
            number, lost = FAULTS + chosen.number, note._replace(what=LOSE)
            return next(m for m in pending if m.number == number and m.update.note == lost)
        return chosen


class LossyExecution(PipelinedExecution):
    """The corrected pipelined algorithm on a network with faults, with nothing against them."""

    name = "psn-lossy"
    traceable = False
    acknowledges: ClassVar[bool] = False
    number_bytes: ClassVar[int] = 0

    def __init__(
        self, annotation: Annotation = PLAIN, *, losses: int = 1, repeats: int = 1, central: bool = False
    ) -> None:
        super().__init__(annotation, central=central)
        self._faults = {LOSE: losses, REPEAT: repeats}

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables and an empty wire."""
        self._frames: dict[int, Frame] = {}
        self._left = dict(self._faults)
        super().load(program, facts)

    def _admit(self, messages: Iterable[Message]) -> None:
        """What a node sends to another is on the wire and in no bag yet."""
        here: list[Message] = []
        for message in messages:
            if message.local:
                here.append(message)
            else:
                self.configuration = self.configuration.taken(message.target, message.update)
                del self._mail.waiting[message.number]
                self._frames[message.number] = Frame(message)
                self._mail.bytes += self.number_bytes
        super()._admit(here)

    def pending(self) -> tuple[Message, ...]:
        """The updates that may be picked, and what may happen on the wire."""
        wire = [move for frame in self._frames.values() for move in self._moves(frame)]
        return tuple(sorted((*super().pending(), *wire), key=lambda message: message.number))

    def _moves(self, frame: Frame) -> Iterable[Message]:
        for kind, count in ((DATA, frame.copies), (ACK, frame.acks)):
            if count:
                yield _move(frame, kind, ARRIVE, frame.message.number)
                for fault, left in self._left.items():
                    if left:
                        yield _move(frame, kind, fault, FAULTS + frame.message.number)
        if self.acknowledges and not (frame.copies or frame.acks or frame.acked):
            yield _move(frame, DATA, RESEND, frame.message.number)

    def step(self, schedule: Schedule) -> Event:
        """A node picks an update, or something happens on the wire."""
        choices = self.pending()
        if not choices:
            raise NO_PICK.error(waiting=repr(self.configuration.waiting()))
        message = schedule.choose(choices)
        note = message.update.note
        if isinstance(note, FrameNote):
            self._happens(self._frames[message.number % FAULTS], note.kind, note.what)
            return Event("deliver", message, (), f"{note.kind} {note.what}")
        self._perform(PICK, message.update)
        self._take(message)
        return self._finish([message])

    def _happens(self, frame: Frame, kind: str, what: str) -> None:
        gained = {ARRIVE: -1, LOSE: -1, REPEAT: 1, RESEND: 1}[what]
        if what in self._left:
            self._left[what] -= 1
        if what == RESEND:
            self._mail.messages += 1
            self._mail.bytes += frame.message.size + self.number_bytes
        if kind == DATA:
            frame = replace(frame, copies=frame.copies + gained)
            frame = self._arrived(frame) if what == ARRIVE else frame
        else:
            frame = replace(frame, acks=frame.acks + gained, acked=frame.acked or what == ARRIVE)
        self._frames[frame.message.number] = frame
        if self._is_done(frame):
            del self._frames[frame.message.number]

    def _arrived(self, frame: Frame) -> Frame:
        """The receiver accepts whatever arrives."""
        self._deliver(frame.message)
        return replace(frame, arrived=True)

    def _is_done(self, frame: Frame) -> bool:
        return not frame.copies

    def _deliver(self, message: Message) -> None:
        """The update is in its node's bag now; every delivery is a separate message to the node."""
        arrived = replace(message, number=self._mail.next_number)
        self._mail.next_number += 1
        self._mail.waiting[arrived.number] = arrived
        self.configuration = self.configuration.sent(self.semantics.network, [message.update])
        super()._admit([arrived])

    def quiescent(self) -> bool:
        """Nothing is in a bag, and nothing is on the wire or kept to be sent again."""
        return super().quiescent() and not self._frames

    def canonical(self) -> Hashable:
        """Bags, tables, the wire, and the faults that are left."""
        wire = Counter(frame.key() for frame in self._frames.values())
        return super().canonical(), frozenset(wire.items()), tuple(self._left.values())


class AcknowledgedExecution(LossyExecution):
    """The same with sequence numbers and acknowledgements."""

    name = "psn-acknowledged"
    acknowledges = True
    number_bytes = NUMBER_BYTES

    def _arrived(self, frame: Frame) -> Frame:
        """The receiver takes a number once, and acknowledges it every time."""
        if not frame.arrived:
            self._deliver(frame.message)
        self._mail.messages += 1
        self._mail.bytes += self.number_bytes
        return replace(frame, arrived=True, acks=frame.acks + 1)

    def _is_done(self, frame: Frame) -> bool:
        return frame.acked and not frame.copies and not frame.acks


def _move(frame: Frame, kind: str, what: str, number: int) -> Message:
    """Something that may happen to a frame, represented as a message that a schedule can choose."""
    update = frame.message.update
    note = FrameNote(kind, what, update.note, frame.key())
    return replace(frame.message, number=number, update=update._replace(note=note))
