"""Raw memory for compiled loops: 64-bit and 32-bit cells addressed by a base address and an index.

Law: an address comes from a numpy array that its owner keeps alive and does not move while a kernel runs. The kernel
sees all relations and indexes through one table of addresses, so that one compiled function serves any number of
relations and rules. Nothing here checks bounds: callers keep every index below the capacity stored beside the
address.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_CONFIG: Any = numba.core.config
_I64, _I32, _I8 = ir.IntType(64), ir.IntType(32), ir.IntType(8)


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK)


def _choose_cache() -> None:
    """Numba caches beside the package or in the user's cache; where neither can be written, in a temporary folder."""
    package = Path(__file__).parent
    user = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    if not _CONFIG.CACHE_DIR and not _writable(package) and not (_writable(user) or _writable(user.parent)):
        _CONFIG.CACHE_DIR = str(Path(tempfile.gettempdir()) / f"tidelog-kernel-{os.getuid()}")


_choose_cache()


def _kernel_stamp() -> str:
    """A digest of all kernel sources: kernels call each other, so that a change of one makes all of them stale."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


_STAMP = _kernel_stamp()


def compiled(function: Callable[..., Any]) -> Any:
    """Compile without the interpreter lock, cached on disk for as long as no kernel source changes."""
    dispatcher: Any = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False)(function)
    dispatcher._cache._cache_file._source_stamp = _STAMP  # numba itself looks at the function's own file only
    return dispatcher


def is_cached(kernel: Any) -> bool:
    """Whether a kernel need not be compiled."""
    return bool(kernel._cache._cache_file._load_index())  # what numba itself asks first


def _cell(builder: Any, address: Any, index: Any, cell: Any) -> Any:
    return builder.gep(builder.inttoptr(address, cell.as_pointer()), [index])


@intrinsic
def load(_context: Any, _address: Any, _index: Any) -> Any:
    """The 64-bit cell at ``index``."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.load(_cell(builder, args[0], args[1], _I64))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def store(_context: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Set the 64-bit cell at ``index``."""

    def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        builder.store(args[2], _cell(builder, args[0], args[1], _I64))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def load32(_context: Any, _address: Any, _index: Any) -> Any:
    """The 32-bit cell at ``index``, as a signed 64-bit number."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.sext(builder.load(_cell(builder, args[0], args[1], _I32)), _I64)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def store32(_context: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Set the 32-bit cell at ``index``."""

    def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        builder.store(builder.trunc(args[2], _I32), _cell(builder, args[0], args[1], _I32))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


def _loading(bits: int) -> Any:
    """Loads so many bits of little-endian memory from any address, as a 64-bit number."""
    narrow = ir.IntType(bits)

    @intrinsic
    def loading(_context: Any, _address: Any) -> Any:
        def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
            value = builder.load(builder.inttoptr(args[0], narrow.as_pointer()), align=1)
            return value if bits == 64 else builder.zext(value, _I64)

        return types.int64(types.int64), generate

    return loading


def _storing(bits: int) -> Any:
    """Stores the lower bits of a number at any address."""
    narrow = ir.IntType(bits)

    @intrinsic
    def storing(_context: Any, _address: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            value = args[1] if bits == 64 else builder.trunc(args[1], narrow)
            builder.store(value, builder.inttoptr(args[0], narrow.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return storing


word, half_word, byte = _loading(64), _loading(32), _loading(8)  # unsigned but for the widest
store_word, store_byte = _storing(64), _storing(8)


@intrinsic
def prefetch(_context: Any, _address: Any, _index: Any) -> Any:
    """Ask for the cache line of the 64-bit cell at ``index``."""

    def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pointer = builder.bitcast(_cell(builder, args[0], args[1], _I64), _I8.as_pointer())
        signature = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, signature, name)
        builder.call(function, [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def bits_to_float(_context: Any, _bits: Any) -> Any:
    """The float with these bits."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def float_to_bits(_context: Any, _value: Any) -> Any:
    """The bits of a float."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], _I64)

    return types.int64(types.float64), generate


def _checked(build: str) -> Any:
    """An operation on two numbers that gives the result in 64 bits and whether it fits."""

    @intrinsic
    def checked(_context: Any, _left: Any, _right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pair = getattr(builder, build)(args[0], args[1])
            value, fits = builder.extract_value(pair, 0), builder.not_(builder.extract_value(pair, 1))
            return context.make_tuple(builder, signature.return_type, (value, fits))

        pair_type: Any = types.Tuple  # numba has no types
        return pair_type((types.int64, types.boolean))(types.int64, types.int64), generate

    return checked


# The compiler takes it that signed arithmetic never overflows, so that a test afterwards is optimised away.
add, subtract, multiply = (_checked(f"s{name}_with_overflow") for name in ("add", "sub", "mul"))
