"""Runs a function in a fresh process: there is one Spark context per process, and the tests share one already."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from tests.spark.processes import descendants, runs


def run_apart(function: Callable[..., Any], *args: object, seconds: float = 420.0) -> Any:
    """What the function returns; its error fails the test. No process of it is left, however it ends."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_report, args=(there, function, args))
    process.start()
    there.close()
    below: list[int] = []
    try:
        assert here.poll(seconds), f"{function.__name__} did not end within {seconds:g} s"
        good, value = here.recv()
        below = descendants(process.pid or 0)
        process.join(30)
    finally:
        for number in below or descendants(process.pid or 0):
            if runs(number):
                os.kill(number, signal.SIGKILL)
        process.kill()
        process.join(10)
        here.close()
    assert good, value
    return value


def _report(answers: Connection, function: Callable[..., Any], args: tuple[object, ...]) -> None:
    try:
        answers.send((True, function(*args)))
    except BaseException:
        answers.send((False, traceback.format_exc()))
