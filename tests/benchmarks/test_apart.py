"""Functions in separate processes: results are returned, and failures are reported with their arguments."""

from __future__ import annotations

import pytest
from benchmarks.apart import call_apart, peak


def test_a_result_comes_back() -> None:
    assert call_apart("benchmarks.measure:percentile", values=[1.0, 2.0, 3.0], share=0.5) == 2.0


def test_a_failure_is_told_with_its_arguments() -> None:
    with pytest.raises(RuntimeError, match=r"percentile failed in its own process, with \{'values': 'odd'"):
        call_apart("benchmarks.measure:percentile", values="odd", share=0.5)


def test_the_peak_rises_with_what_is_held() -> None:
    before = peak()
    held = bytearray(before + (64 << 20))  # more than was ever held, so that a lower level now does not hide it
    held[:: 1 << 12] = bytes(len(held[:: 1 << 12]))
    assert peak() >= before + (32 << 20)
