"""What the instructions of `kernel.memory` and `kernel.atomic` compile to; imported only where something is compiled.

Law: as there. Each instruction is one or two of the compiler's own.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I64, _I32, _I8 = ir.IntType(64), ir.IntType(32), ir.IntType(8)


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
    """Loads ``bits`` bits of little-endian memory from any address, as a 64-bit number."""
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


def _prefetching(writes: int) -> Any:
    """Prefetches the cache line of the 64-bit cell at an index, to read it or to write to it."""

    @intrinsic
    def prefetching(_context: Any, _address: Any, _index: Any) -> Any:
        def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            pointer = builder.bitcast(_cell(builder, args[0], args[1], _I64), _I8.as_pointer())
            signature = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
            name = "llvm.prefetch.p0"
            function = builder.module.globals.get(name) or ir.Function(builder.module, signature, name)
            builder.call(function, [pointer, _I32(writes), _I32(3), _I32(1)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return prefetching


prefetch, prefetch_write = _prefetching(0), _prefetching(1)


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
    """An operation on two numbers that returns the result in 64 bits and whether it fits."""

    @intrinsic
    def checked(_context: Any, _left: Any, _right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pair = getattr(builder, build)(args[0], args[1])
            value, fits = builder.extract_value(pair, 0), builder.not_(builder.extract_value(pair, 1))
            return context.make_tuple(builder, signature.return_type, (value, fits))

        pair_type: Any = types.Tuple  # numba has no types
        return pair_type((types.int64, types.boolean))(types.int64, types.int64), generate

    return checked


# The compiler assumes that signed arithmetic never overflows, so that a test afterwards is optimised away.
add, subtract, multiply = (_checked(f"s{name}_with_overflow") for name in ("add", "sub", "mul"))


# As in `kernel.atomic`.


@intrinsic
def fetch_add(_context: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Add to the cell at ``index``; returns what it was before."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _cell(builder, args[0], args[1], _I64), args[2], "acq_rel")

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def swap(_context: Any, _address: Any, _index: Any, _expected: Any, _value: Any) -> Any:
    """Replace the expected content of the cell at ``index``; returns whether it was there."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pair = builder.cmpxchg(_cell(builder, args[0], args[1], _I64), args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(pair, 1)

    return types.boolean(types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def observe(_context: Any, _address: Any, _index: Any) -> Any:
    """The cell at ``index`` as another thread may have published it."""

    def generate(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.load_atomic(_cell(builder, args[0], args[1], _I64), "acquire", 8)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def publish(_context: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Set the cell at ``index`` for other threads to see."""

    def generate(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _cell(builder, args[0], args[1], _I64), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


give_way: Any = types.ExternalFunction("sched_yield", types.int32())
sleep: Any = types.ExternalFunction("usleep", types.int32(types.uint32))
clock: Any = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.int64))
