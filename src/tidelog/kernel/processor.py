"""Instruction sets: those that a kernel is compiled for, and those that this processor runs.

Law: a set is offered only if the processor, by what the system reports of it, has every instruction of it. The first of
a processor's family is its baseline, which all of that family run; it is all that is offered where nothing is reported.
"""

from __future__ import annotations

import os

BASELINE = {"x86_64": "x86-64"}  # elsewhere: what the compiler assumes of the family
# Levels of x86-64 beyond the baseline, slowest first, with the flags by which Linux reports their instructions.
_V3 = "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe pni popcnt sse4_1 sse4_2 ssse3 xsave"
_FASTER: dict[str, dict[str, str]] = {"x86_64": {"x86-64-v3": _V3}}


def family() -> str:
    """The name of the processor's family."""
    return os.uname().machine


def instruction_sets() -> tuple[str, ...]:
    """All that kernels are compiled for on processors of this family, fastest first."""
    name = family()
    return (*reversed(_FASTER.get(name, {})), BASELINE.get(name, name))


def runnable_sets() -> tuple[str, ...]:
    """Those that this processor runs, fastest first."""
    faster, flags = _FASTER.get(family(), {}), _flags()
    return tuple(each for each in instruction_sets() if each not in faster or flags.issuperset(faster[each].split()))


def _flags() -> frozenset[str]:
    """What the first processor can do, as Linux reports it; nothing elsewhere."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = file.read(1 << 14).splitlines()
    except OSError:
        return frozenset()
    return next((frozenset(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), frozenset())
