"""The compiler's part: all entries of the kernel in one object file; `python -m tidelog.kernel.build FILE` writes it.

Law: the machine code that runs is the one made here, in a process that does nothing else (`kernel.compiler`, which sets
the instruction set). It calls nothing but Python's stable interface and what every process has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from tidelog.kernel.linker import INTERFACE
from tidelog.kernel.memory import Kernel
from tidelog.kernel.warm import KERNELS
from tidelog.kernel.wrap import Wrapper

_CELL = types.int64
_KINDS: dict[str, Any] = {"cell": _CELL, "cells": types.Array(_CELL, 1, "C"), "table": types.Array(_CELL, 2, "C")}
# The compiler calls the first three.
_PROCESS = frozenset({"memset", "memcpy", "memmove", "sched_yield", "usleep", "clock_gettime"})
# Arrays of entries belong to Python: compiled code counts references to them, finds no owner, and never calls this.
_NO_OWNER = (
    "define void @NRT_MemInfo_call_dtor(ptr %0) { call void @llvm.trap() unreachable } declare void @llvm.trap()"
)


@global_compiler_lock  # type: ignore[untyped-decorator]  # numba has no types
def compile_kernels(kernels: Iterable[tuple[Kernel, tuple[str, ...]]]) -> bytes:
    """The object file in which every kernel is a function that Python can call, under its symbol."""
    context: Any = cpu_target.target_context
    library = context.codegen().create_library("tidelog")
    wrappers = library.create_ir_module("tidelog.entries")
    symbols = set()
    for kernel, arguments in kernels:
        dispatcher, signature = kernel.dispatcher(), tuple(_KINDS[kind] for kind in arguments)
        dispatcher.compile(signature)
        compiled = dispatcher.overloads[signature]
        library.add_linking_library(compiled.library)
        for symbol, keeps_lock in ((kernel.symbol, False), (kernel.brief_symbol, True)):
            Wrapper(context, wrappers, symbol, compiled.fndesc, keeps_lock=keeps_lock).build()
            symbols.add(symbol)
    library.add_ir_module(wrappers)
    library.finalize()
    return _emit(library._final_module.clone(), symbols, context.codegen().magic_tuple())


def _emit(module: Any, symbols: set[str], target: tuple[str, str, str]) -> bytes:
    """Position-independent machine code for an instruction set, without what no entry needs."""
    triple, processor, features = target
    module.link_in(llvm.parse_assembly(_NO_OWNER))
    for function in module.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = "internal"
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=features, opt=3, reloc="pic", codemodel="default"
    )
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3)))
    _check_needs(module)
    return bytes(machine.emit_object(module))


def _check_needs(module: Any) -> None:
    """Check that nothing is called that a process without the compiler does not have."""
    parts = (*module.functions, *module.global_variables)
    needed = {part.name for part in parts if part.is_declaration and not part.name.startswith("llvm.")}
    if needed - _PROCESS - set(INTERFACE):
        raise AssertionError(f"compiled code needs {sorted(needed - _PROCESS - set(INTERFACE))}")


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(compile_kernels(KERNELS))
