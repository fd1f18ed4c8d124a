"""Nodes that are lost: restarted once per loss, no matter which call notices it, and a bounded number of times."""

from __future__ import annotations

import threading

import pytest

from tidelog.errors import EngineError
from tidelog.runtime.base.request import NodeLost
from tidelog.runtime.protocol.recovery import ATTEMPTS, Recovery


class Team:
    """Nodes that count how often they were started."""

    def __init__(self) -> None:
        self.begun = 0
        self.recovery = Recovery(self.begin, lambda: "the state is that of epoch 7")

    def begin(self) -> None:
        self.begun += 1

    def lose(self) -> None:
        """A loss that somebody notices and mends."""
        tries = iter([NodeLost(0, "gone")])

        def act() -> None:
            for lost in tries:
                raise lost

        self.recovery.repeat(act)


def test_what_a_loss_prevented_is_done_again() -> None:
    team = Team()
    team.lose()
    assert (team.begun, team.recovery.generation) == (1, 1)


def test_loss_that_another_thread_has_mended_meanwhile_is_not_mended_again() -> None:
    team, tries = Team(), []

    def read() -> str:
        tries.append(team.begun)
        if len(tries) == 1:
            other = threading.Thread(target=team.lose)
            other.start()
            other.join()  # while this one waits for its answer
            raise NodeLost(0, "the stage was restarted in the meantime")
        return "answer"

    assert team.recovery.repeat(read) == "answer"
    assert (team.begun, tries) == (1, [0, 1])


def test_loss_that_comes_again_and_again_is_an_error_that_tells_what_stands() -> None:
    team = Team()

    def act() -> None:
        raise NodeLost(1, "gone")

    told = f"partition 1 was lost.*{ATTEMPTS} attempts; the state is that of epoch 7"
    with pytest.raises(EngineError, match=told) as raised:
        team.recovery.repeat(act)
    assert raised.value.code == "TL4404"
    assert team.begun == ATTEMPTS - 1


def test_loss_in_the_middle_of_an_attempt_is_the_loss_of_the_attempt() -> None:
    """Nodes started again between its halves would know only the second."""
    team, done = Team(), []

    def attempt() -> None:
        done.append(f"first half, {team.begun}")
        team.recovery.repeat(lambda: team.recovery.ask(question))
        done.append(f"second half, {team.begun}")

    def question() -> None:
        if not team.begun:
            raise NodeLost(0, "gone")

    team.recovery.repeat(attempt)
    assert done == ["first half, 0", "first half, 1", "second half, 1"]
