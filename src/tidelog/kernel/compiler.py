"""The compiler as a process: from the sources to an object file, or to the libraries of a wheel.

Law: the output depends on the sources and the instruction set, not on settings of the compiler in the environment or
on what the calling process has done with it. The calling process does not import the compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tidelog.kernel import library
from tidelog.kernel.processor import BASELINE, family, instruction_sets

_GENERIC = "generic"  # the compiler's name of a baseline


def compile_kernels(instructions: str) -> bytes:
    """The object file of all entries for an instruction set."""
    if find_spec("numba") is None:
        raise library.NoKernel(_reason())
    print("tidelog: compiling the kernel; this happens once and takes up to a minute", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="tidelog-compile-") as folder:
        made = Path(folder, "kernel.o")
        command = [sys.executable, "-m", "tidelog.kernel.build", str(made)]
        subprocess.run(command, cwd=folder, env=_environment(instructions), stdin=subprocess.DEVNULL, check=True)
        return made.read_bytes()


def _environment(instructions: str) -> dict[str, str]:
    """The environment of the compiler: no settings but ours, and the packages of this process."""
    processor = instructions if family() in BASELINE else _GENERIC
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    return {**kept, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "PYTHONPATH": path}


def _reason() -> str:
    """Why no kernel of this installation was loaded."""
    packed = library.packed_files()
    if not packed:
        return "the installation was made from source and contains no compiled kernel"
    fitting = [name for name in library.runnable_names() if f"kernel-{name}.so" in packed]
    if fitting:
        return f"this Python ({sys.version.split()[0]}) cannot load {', '.join(fitting)}, or the file is damaged"
    return f"its kernels ({', '.join(packed)}) are for other sources or another processor than this {family()}"


def package(folder: Path) -> None:
    """Make the shared libraries of a wheel, one for each instruction set of this family of processors."""
    from tidelog.kernel.linker import link  # it imports the compiler

    sets = instruction_sets()
    for instructions, name in zip(sets, library.names(sets), strict=True):
        shared = link(compile_kernels(instructions))
        if shared is None:
            raise SystemExit("tidelog: a wheel needs a linker: install binutils or a C compiler")
        library.keep_shared(folder, name, shared)
