"""A process that works on texts of others, and that can be ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.syntax.worker_calls import die, fail, fill, wait
from tidelog.syntax.worker import CRASH, MEMORY, TIME, AbortedCall, Defect, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(("tests.syntax.worker_calls",), seconds=3.0, memory=64 << 20)
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("function", "args", "reason"), [(wait, (60.0,), TIME), (fill, (1 << 30,), MEMORY), (die, (), CRASH)]
)
def test_a_call_that_uses_too_much_ends_and_the_next_is_answered(
    worker: Worker, function: Callable[..., object], args: tuple[object, ...], reason: str
) -> None:
    assert worker.call(fill, 1 << 20) == 1 << 20
    before = worker.pid
    with pytest.raises(AbortedCall) as ended:
        worker.call(function, *args)
    assert ended.value.reason == reason
    assert worker.call(fill, 3) == 3
    assert worker.pid != before


def test_a_defect_is_told_with_its_traceback(worker: Worker) -> None:
    with pytest.raises(Defect, match="a defect"):
        worker.call(fail)
    assert worker.call(fill, 3) == 3


def test_a_process_that_ended_meanwhile_is_started_again(worker: Worker) -> None:
    assert worker.call(fill, 3) == 3
    worker.end()
    assert worker.call(fill, 4) == 4
