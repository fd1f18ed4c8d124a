"""From an object file to code that can run: a shared library made by the machine's linker, or linked in memory.

Law: both run the same machine code. A machine without a linker loses a few hundredths of a second per process.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

LINKERS = (("cc", "-shared", "-nostdlib"), ("clang", "-shared", "-nostdlib"), ("ld", "-shared"), ("ld.lld", "-shared"))
# The functions of Python that compiled code calls; it contains everything else.
INTERFACE = (
    "PyBool_FromLong",
    "PyBuffer_Release",
    "PyErr_Occurred",
    "PyErr_SetString",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyExc_RuntimeError",
    "PyExc_TypeError",
    "PyLong_AsLongLong",
    "PyLong_FromLongLong",
    "PyObject_GetBuffer",
    "PyTuple_New",
    "PyTuple_SetItem",
    "Py_IncRef",
    "_Py_NoneStruct",
)
_ENGINES: list[Any] = []  # they own the code


def link(content: bytes) -> bytes | None:
    """The shared library of an object file, or None where no linker makes one."""
    with tempfile.TemporaryDirectory(prefix="tidelog-link-") as folder:
        source, made = Path(folder, "kernel.o"), Path(folder, "kernel.so")
        source.write_bytes(content)
        for name, *options in LINKERS:
            command = shutil.which(name)
            if command is None:
                continue
            ended = subprocess.run(
                [command, *options, "-o", str(made), str(source)], capture_output=True, stdin=subprocess.DEVNULL
            )
            if ended.returncode == 0 and made.is_file():
                return made.read_bytes()
    return None


def link_in_memory(content: bytes, symbols: Iterable[str]) -> dict[str, int]:
    """The addresses of the functions of an object file."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in INTERFACE:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    _ENGINES.append(engine)
    return {symbol: int(engine.get_function_address(symbol)) for symbol in symbols}
