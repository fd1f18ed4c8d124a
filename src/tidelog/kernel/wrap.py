"""Functions that Python calls, around compiled ones: arguments in, interpreter lock off, result out.

Law: a compiled function works on Python's own arrays: they are accessed through the buffer protocol for the time of the
call, with the declared number of dimensions, contiguous and of 64-bit cells; otherwise the call raises a `TypeError`
and nothing runs. Only functions of Python's stable interface are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

_WORD, _INT, _BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(8)
_POINTER = _BYTE.as_pointer()
# The stable layout of a buffer: address, owner, length, size of an item, read-only, dimensions, format, shape, ...
_BUFFER = ir.LiteralStructType(
    [_POINTER, _POINTER, _WORD, _WORD, _INT, _INT, _POINTER, _WORD.as_pointer(), _POINTER, _POINTER, _POINTER]
)
_ITEM_SIZE, _DIMENSIONS, _SHAPE = 3, 5, 7
_CONTIGUOUS = 0x0008 | 0x0010 | 0x0020  # with shape, with strides, in the order of C
_NO_CELLS = "a kernel takes contiguous arrays of 64-bit cells, with the dimensions that its entry declares"
_FAILED = "a kernel failed"

_INTERFACE: dict[str, tuple[ir.Type, list[ir.Type]]] = {
    "PyObject_GetBuffer": (_INT, [_POINTER, _BUFFER.as_pointer(), _INT]),
    "PyBuffer_Release": (ir.VoidType(), [_BUFFER.as_pointer()]),
    "PyLong_AsLongLong": (_WORD, [_POINTER]),
    "PyLong_FromLongLong": (_POINTER, [_WORD]),
    "PyBool_FromLong": (_POINTER, [_WORD]),
    "PyTuple_New": (_POINTER, [_WORD]),
    "PyTuple_SetItem": (_INT, [_POINTER, _WORD, _POINTER]),
    "PyErr_Occurred": (_POINTER, []),
    "PyErr_SetString": (ir.VoidType(), [_POINTER, _POINTER]),
    "PyEval_SaveThread": (_POINTER, []),
    "PyEval_RestoreThread": (ir.VoidType(), [_POINTER]),
    "Py_IncRef": (ir.VoidType(), [_POINTER]),
}


class Wrapper:
    """One function of the interface `PyObject *f(PyObject *self, PyObject *const *args, Py_ssize_t nargs)`."""

    def __init__(self, context: Any, module: ir.Module, name: str, description: Any, *, keeps_lock: bool) -> None:
        self.context, self.module, self.description = context, module, description
        self.keeps_lock = keeps_lock
        kind = ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _WORD])
        self.function = ir.Function(module, kind, name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.failed = self.function.append_basic_block("failed")  # where an error of Python is set and nothing is held
        ir.IRBuilder(self.failed).ret(_POINTER(None))

    def build(self) -> None:
        """Convert the arguments, call, return the result."""
        builder, held = self.builder, list[Any]()
        leave = self.failed
        _, given, count = self.function.args
        self._insist(builder.icmp_signed("==", count, _WORD(len(self.description.argtypes))), leave)
        values = []
        for number, kind in enumerate(self.description.argtypes):
            argument = builder.load(builder.gep(given, [_INT(number)]))
            if isinstance(kind, types.Array):
                value, buffer, leave = self._array(argument, kind, leave)
                held.append(buffer)
            else:
                value = self._number(argument, leave)
            values.append(value)
        status, result = self._run(values)
        for buffer in held:
            self._call("PyBuffer_Release", buffer)
        with builder.if_then(builder.not_(status.is_ok), likely=False):
            self._fail("PyExc_RuntimeError", _FAILED)
            builder.ret(_POINTER(None))
        builder.ret(self._object(self.description.restype, result))

    def _run(self, values: list[Any]) -> tuple[Any, Any]:
        kinds, result = self.description.argtypes, self.description.restype
        kind = self.context.call_conv.get_function_type(result, kinds)
        name = self.description.llvm_func_name
        function = self.module.globals.get(name) or ir.Function(self.module, kind, name)
        thread = None if self.keeps_lock else self._call("PyEval_SaveThread")
        outcome: tuple[Any, Any] = self.context.call_conv.call_function(
            self.builder, function, result, kinds, values, attrs=("noinline",)
        )
        if thread is not None:
            self._call("PyEval_RestoreThread", thread)
        return outcome

    def _number(self, argument: Any, leave: Any) -> Any:
        value = self._call("PyLong_AsLongLong", argument)
        builder = self.builder
        with builder.if_then(builder.icmp_signed("==", value, _WORD(-1)), likely=False):
            error = self._call("PyErr_Occurred")
            self._branch(builder.icmp_unsigned("==", error, _POINTER(None)), leave)
        return value

    def _array(self, argument: Any, kind: Any, leave: Any) -> tuple[Any, Any, Any]:
        """The compiler's array, the buffer that is held for it, and the block that releases it after an error."""
        builder = self.builder
        with builder.goto_entry_block():
            buffer = builder.alloca(_BUFFER)
        taken = self._call("PyObject_GetBuffer", argument, buffer, _INT(_CONTIGUOUS))
        self._branch(builder.icmp_signed("==", taken, _INT(0)), leave)
        release = self.function.append_basic_block("release")
        with builder.goto_block(release):
            self._call("PyBuffer_Release", buffer)
            builder.branch(leave)
        fits = builder.and_(
            builder.icmp_signed("==", self._field(buffer, _ITEM_SIZE), _WORD(8)),
            builder.icmp_signed("==", self._field(buffer, _DIMENSIONS), _INT(kind.ndim)),
        )
        self._insist(fits, release)
        shape = [builder.load(builder.gep(self._field(buffer, _SHAPE), [_INT(place)])) for place in range(kind.ndim)]
        return self._as_array(kind, self._field(buffer, 0), shape), buffer, release

    def _as_array(self, kind: Any, data: Any, shape: Sequence[Any]) -> Any:
        builder, array = self.builder, self.context.make_array(kind)(self.context, self.builder)
        strides, items = [_WORD(8)], _WORD(1)
        for extent in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], extent))
        for extent in shape:
            items = builder.mul(items, extent)
        array.data = builder.bitcast(data, array.data.type)
        array.nitems, array.itemsize = items, _WORD(8)
        array.shape = _packed(builder, shape)
        array.strides = _packed(builder, strides)
        array.meminfo, array.parent = array.meminfo.type(None), array.parent.type(None)
        return array._getvalue()

    def _object(self, kind: Any, value: Any) -> Any:
        """A new reference to the result for Python; a null reference if there is no memory."""
        builder = self.builder
        if isinstance(kind, types.NoneType):
            none = self._global("_Py_NoneStruct")
            self._call("Py_IncRef", none)
            return none
        if isinstance(kind, types.Boolean):
            return self._call("PyBool_FromLong", builder.zext(value, _WORD))
        if kind == types.int64:
            return self._call("PyLong_FromLongLong", value)
        if isinstance(kind, types.UniTuple) and kind.dtype == types.int64:
            result = self._call("PyTuple_New", _WORD(len(kind)))
            self._branch(builder.icmp_unsigned("!=", result, _POINTER(None)), self.failed)
            for place in range(len(kind)):
                part = self._call("PyLong_FromLongLong", builder.extract_value(value, place))
                self._call("PyTuple_SetItem", result, _WORD(place), part)
            return result
        raise TypeError(f"an entry of the kernel cannot give {kind} to Python")

    def _field(self, buffer: Any, place: int) -> Any:
        return self.builder.load(self.builder.gep(buffer, [_INT(0), _INT(place)]))

    def _insist(self, holds: Any, leave: Any) -> None:
        """Raise a `TypeError` if the condition does not hold."""
        with self.builder.if_then(self.builder.not_(holds), likely=False):
            self._fail("PyExc_TypeError", _NO_CELLS)
            self.builder.branch(leave)

    def _branch(self, holds: Any, leave: Any) -> None:
        with self.builder.if_then(self.builder.not_(holds), likely=False):
            self.builder.branch(leave)

    def _fail(self, error: str, words: str) -> None:
        name = f".words.{error}"
        text = self.module.globals.get(name)
        if text is None:
            data = bytearray(words.encode() + b"\0")
            text = ir.GlobalVariable(self.module, ir.ArrayType(_BYTE, len(data)), name)
            text.initializer, text.global_constant, text.linkage = ir.Constant(text.value_type, data), True, "internal"
        kind = self.builder.load(self._global(error, _POINTER))
        self._call("PyErr_SetString", kind, self.builder.bitcast(text, _POINTER))

    def _call(self, name: str, *arguments: Any) -> Any:
        result, kinds = _INTERFACE[name]
        function = self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(result, kinds), name)
        return self.builder.call(function, arguments)

    def _global(self, name: str, kind: ir.Type = _BYTE) -> Any:
        return self.module.globals.get(name) or ir.GlobalVariable(self.module, kind, name)


def _packed(builder: Any, values: Sequence[Any]) -> Any:
    packed = ir.Constant(ir.ArrayType(_WORD, len(values)), ir.Undefined)
    for place, value in enumerate(values):
        packed = builder.insert_value(packed, value, place)
    return packed
