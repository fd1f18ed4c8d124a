"""Raw memory for compiled loops: 64-bit and 32-bit cells addressed by a base address and an index.

Law: an address is that of a numpy array that its owner keeps alive and does not move while a kernel runs. The kernel
sees all relations and indexes through one table of addresses, so that one compiled function serves any number of
relations and rules. Nothing here checks bounds: callers keep every index below the capacity stored beside the
address.

A kernel is written in Python and compiled ahead of its use; this module and those that use it are imported without the
compiler. What the instructions compile to is in `kernel.instructions`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Instruction:
    """What compiled code may do to memory and bits, by name; Python cannot."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def _numba_type_(self) -> Any:
        """What the compiler asks a value that a kernel names."""
        from numba.core.registry import cpu_target

        instruction = getattr(import_module("tidelog.kernel.instructions"), self.name)
        return cpu_target.typing_context.resolve_value_type(instruction)


load, store = Instruction("load"), Instruction("store")
load32, store32 = Instruction("load32"), Instruction("store32")
word, half_word, byte = Instruction("word"), Instruction("half_word"), Instruction("byte")
store_word, store_byte = Instruction("store_word"), Instruction("store_byte")
prefetch, prefetch_write = Instruction("prefetch"), Instruction("prefetch_write")
bits_to_float, float_to_bits = Instruction("bits_to_float"), Instruction("float_to_bits")
add, subtract, multiply = Instruction("add"), Instruction("subtract"), Instruction("multiply")

LOADERS: list[Callable[[], None]] = []  # what makes entries ready at the first call of any (`kernel.warm`)


class Kernel:
    """A function that runs compiled, and without the interpreter lock unless its caller knows that it is brief.

    Those that Python calls are entries (`kernel.warm`), loaded at the first call of any. Others are parts of them;
    called from Python, as tests do, they are compiled on the spot.
    """

    def __init__(self, function: Callable[..., Any], *, inline: bool = False) -> None:
        self.function = function
        self._inline = inline
        self.call: Callable[..., Any] | None = None
        self.brief_call: Callable[..., Any] | None = None
        self._compiled: Any = None
        self.__doc__ = function.__doc__
        self.symbol = f"{function.__module__}.{function.__name__}".replace(".", "_")  # its name in the library
        self.brief_symbol = f"{self.symbol}_brief"

    def __call__(self, *arguments: Any) -> Any:
        return (self.call or self._ready())(*arguments)

    def when_brief(self, brief: bool) -> Callable[..., Any]:
        """The function to call for work that is ``brief``, some tens of microseconds: it keeps the interpreter lock.

        Among many threads it takes milliseconds to get the lock again, many times what such work takes.
        """
        return (self.brief_call if brief else self.call) or self._ready()

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.function.__name__}>"

    def _ready(self) -> Callable[..., Any]:
        for load in LOADERS:
            load()
        return self.call or self.dispatcher()

    def dispatcher(self) -> Any:
        """The compiler's side of the function."""
        if self._compiled is None:
            import numba

            import_module("tidelog.kernel.instructions")  # known to the compiler before it meets one
            options: Any = {"nogil": True, "error_model": "numpy", "boundscheck": False, "forceinline": self._inline}
            options["_nrt"] = False  # kernels allocate nothing: no atomic count of references per array and call
            self._compiled = numba.njit(**options)(self.function)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What the compiler asks a value that a kernel names."""
        return self.dispatcher()._numba_type_


def compiled(function: Callable[..., Any]) -> Kernel:
    """Mark a function that runs compiled."""
    return Kernel(function)


def inlined(function: Callable[..., Any]) -> Kernel:
    """Like `compiled`, for what the innermost loops call: a call passes seven words for every array."""
    return Kernel(function, inline=True)
