"""Arrays that grow without being copied, where the system can move their pages (Linux).

Law: growing keeps the contents; cells beyond them hold anything. Pages are taken when they are first written, so that
room that is not used costs nothing; copying a large array instead would touch, and clear, all its memory again.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE = 1 << 20  # bytes; smaller arrays are copied


class Block:
    """The memory of one array; ``array`` is replaced whenever it grows. ``huge``: it is read at random places."""

    def __init__(self, array: npt.NDArray[Any], huge: bool = False) -> None:
        self.array = array
        self._huge = huge
        self._map: mmap.mmap | None = None

    def grow(self, length: int) -> npt.NDArray[Any]:
        """The array with room for ``length`` rows. The caller holds no reference to the old one, or it is copied."""
        shape = (length, *self.array.shape[1:])
        size = self.array.itemsize * int(np.prod(shape))
        if size < LARGE:
            self.array = _copied(self.array, np.empty(shape, self.array.dtype))
        elif self._map is None or not self._stretch(size, shape):
            fresh = _pages(size, self._huge)
            self.array = _copied(self.array, _view(fresh, self.array.dtype, shape))
            self._map = fresh
        return self.array

    def _stretch(self, size: int, shape: tuple[int, ...]) -> bool:
        """Move the pages; False where that cannot be done, and the array is as before."""
        assert self._map is not None
        dtype, before = self.array.dtype, self.array.shape
        self.array = np.empty(0, dtype)
        try:
            self._map.resize(size)
        except (BufferError, SystemError):  # somebody reads it, or the system cannot
            self.array = _view(self._map, dtype, before)
            return False
        except OSError as error:
            self.array = _view(self._map, dtype, before)
            raise MemoryError(str(error)) from error
        self.array = _view(self._map, dtype, shape)
        return True


def _copied(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    new[: len(old)] = old
    return new


def _pages(size: int, huge: bool) -> mmap.mmap:
    """Fresh pages: huge ones for what is read at random, ordinary ones for what is only written in order."""
    try:
        fresh = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(str(error)) from error
    if huge and hasattr(mmap, "MADV_HUGEPAGE"):
        fresh.madvise(mmap.MADV_HUGEPAGE)
    return fresh


def _view(pages: mmap.mmap, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return np.frombuffer(pages, dtype, count=int(np.prod(shape))).reshape(shape)
