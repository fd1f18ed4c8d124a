"""Stone 13: tests that press Ctrl-C pass where it is ignored, as a shell has it for what runs in the background."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED = "tests/law/test_rollback.py::test_interrupt_of_a_running_epoch_leaves_no_trace"


@pytest.mark.long
def test_tests_of_interrupts_pass_where_interrupts_are_ignored() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", INTERRUPTED],
        cwd=Path(__file__).parents[1],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
