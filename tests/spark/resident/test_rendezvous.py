"""Attempts of tasks that meet at the driver: one holds a partition, copies wait."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tidelog.spark.resident import rendezvous
from tidelog.spark.resident.credentials import Credentials
from tidelog.spark.resident.rendezvous import LEAVE, REPLACED, STAY, WAIT, Rendezvous
from tidelog.spark.resident.wire import LOOPBACK


@pytest.fixture
def meeting() -> Iterator[Rendezvous]:
    made = Rendezvous(LOOPBACK, LOOPBACK, Credentials("token"))
    made.renew()
    yield made
    made.close()


def test_copy_of_a_task_waits_while_the_first_attempt_holds_the_partition(meeting: Rendezvous) -> None:
    assert meeting.call("arrive", (1, 0, 70, 1234)) == STAY
    assert meeting.call("arrive", (1, 0, 71, 5678)) == WAIT
    assert meeting.call("ready", (1, 0, 70, ("0", LOOPBACK, 1))) == STAY
    assert meeting.call("beat", (1, 0, 70)) == STAY
    assert meeting.processes == {0: 1234}
    assert meeting.call("arrive", (1, 1, 72, 9999)) == STAY, "each partition has its own attempt"


def test_attempt_that_does_not_hold_its_partition_is_replaced(meeting: Rendezvous) -> None:
    assert meeting.call("arrive", (1, 0, 70, 1234)) == STAY
    for word in ("beat", "ready", "fail"):
        assert meeting.call(word, (1, 0, 71, None)[: 3 if word == "beat" else 4]) == REPLACED
    assert (meeting.ready, meeting.failures) == ({}, {})


def test_attempts_of_an_earlier_start_leave(meeting: Rendezvous) -> None:
    assert meeting.call("arrive", (1, 0, 70, 1234)) == STAY
    assert meeting.renew() == 2
    assert meeting.call("beat", (1, 0, 70)) == LEAVE
    assert meeting.call("arrive", (1, 0, 71, 1)) == LEAVE
    assert meeting.call("arrive", (2, 0, 72, 1)) == STAY
    meeting.dismiss()
    assert meeting.call("arrive", (2, 0, 73, 1)) == LEAVE


def test_beats_that_waited_for_a_busy_driver_are_noted_before_anyone_is_lost(
    meeting: Rendezvous, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(rendezvous.time, "monotonic", lambda: clock[0])
    assert meeting.call("arrive", (1, 0, 70, 1)) == meeting.call("arrive", (1, 1, 71, 2)) == STAY
    clock[0] += 60.0  # one call of the driver's interpreter took a minute
    assert meeting.silent(30.0) is None
    assert meeting.call("beat", (1, 0, 70)) == STAY
    clock[0] += 2.9
    assert meeting.silent(30.0) is None
    clock[0] += 0.2
    assert meeting.silent(30.0) == 1, "it has not been heard of since"
    assert meeting.call("beat", (1, 1, 71)) == STAY
    assert meeting.silent(30.0) is None
