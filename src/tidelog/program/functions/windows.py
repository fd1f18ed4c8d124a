"""Windows over time: the windows that contain a moment, for adjacent and for overlapping windows.

Law: moments and lengths are whole numbers of one unit, microseconds for timestamps. `window(T, size)` is the beginning
of the window that contains T: the windows begin at the multiples of their size, before 1970, too. `hop(T, size, step)`
are the beginnings of all windows of that size that contain T and begin at multiples of the step.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.program.messages import program_failures as failures


def window_start(moment: int, size: int) -> int:
    """The beginning of the window that contains a moment.

    >>> window_start(17, 5), window_start(-1, 5)
    (15, -5)
    """
    return moment - moment % _length(size)


def hop_starts(moment: int, size: int, step: int) -> Iterator[int]:
    """The beginnings of the windows that contain a moment, earliest first.

    >>> list(hop_starts(17, 10, 5)), list(hop_starts(17, 3, 5))
    ([10, 15], [15])
    """
    return iter(range(hop_first(moment, size, step), moment + 1, step))


def hop_first(moment: int, size: int, step: int) -> int:
    """The beginning of the earliest window that contains a moment; later than the moment if none contains it.

    >>> hop_first(17, 10, 5), hop_first(19, 3, 5)
    (10, 20)
    """
    return window_start(moment - _length(size), step) + step


def _length(length: int) -> int:
    if length <= 0:
        raise failures.NO_LENGTH.error(length=length)
    return length
