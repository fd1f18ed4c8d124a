"""Arrays that grow and shrink in place, on systems that reserve addresses without memory (Linux).

Laws. The contents stay, up to the length; cells beyond them are undefined, but cells that were never written, or were
released, contain zeros. A large array has a range of addresses far longer than itself: pages are allocated when they
are first written, so that growing only makes a longer view, and shrinking releases pages. Huge pages are used: random
reads translate addresses faster, and clearing costs half. A copy would touch, and clear, all memory again.
"""

from __future__ import annotations

import mmap
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE = 1 << 20  # bytes; smaller arrays are copied
RESERVED = 1 << 36  # bytes of addresses for a large array
HUGE_PAGE = 1 << 21
NO_RESERVE = 0x4000  # MAP_NORESERVE of Linux


class Block:
    """The memory of one array; ``array`` is replaced whenever its length changes."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.array = array
        self._map: mmap.mmap | None = None
        self._start = 0

    def resize(self, length: int) -> npt.NDArray[Any]:
        """The array with room for ``length`` rows, more or fewer."""
        old, shape = self.array, (length, *self.array.shape[1:])
        size = old.itemsize * prod(shape)
        if self._map is not None and self._start + size <= len(self._map):
            self.array = self._view(shape)
            self._give_back(size, old.nbytes)
        elif size < LARGE:
            self.array = _copied(old, np.empty(shape, old.dtype))
        else:
            self._map = _pages(size)
            self._start = -np.frombuffer(self._map, np.uint8, 1).ctypes.data % HUGE_PAGE
            if self._start + size > len(self._map):
                self._start = 0
            self.array = _copied(old, self._view(shape))
        return self.array

    def shrink(self, length: int) -> npt.NDArray[Any]:
        """The array with room for exactly ``length`` rows, if it is large; this allocates no memory."""
        return self.resize(length) if self._map is not None and length < len(self.array) else self.array

    def _view(self, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        assert self._map is not None
        return np.frombuffer(self._map, self.array.dtype, prod(shape), self._start).reshape(shape)

    def _give_back(self, size: int, before: int) -> None:
        """Release pages beyond the new size; they read as zeros again."""
        assert self._map is not None
        first = -(-(self._start + size) // mmap.PAGESIZE) * mmap.PAGESIZE
        last = self._start + before
        if first < last and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, first, last - first)


def _copied(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kept = min(len(old), len(new))
    new[:kept] = old[:kept]
    return new


def _pages(size: int) -> mmap.mmap:
    """A long range of addresses, or one of exactly this size if the system does not provide more."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    try:
        fresh = mmap.mmap(-1, RESERVED, flags=flags | NO_RESERVE)
    except (OSError, OverflowError, ValueError):
        fresh = _exactly(size, flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        fresh.madvise(mmap.MADV_HUGEPAGE)
    return fresh


def _exactly(size: int, flags: int) -> mmap.mmap:
    try:
        return mmap.mmap(-1, size, flags=flags)
    except OSError as error:
        raise MemoryError(str(error)) from error
