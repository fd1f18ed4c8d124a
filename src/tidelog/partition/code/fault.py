"""Arithmetic of the kernel without a result, as an error.

Law (D11): the compiled arithmetic fails in the same cases as that of the language, and both report a division by zero
in the same way.
"""

from __future__ import annotations

from tidelog.errors import EvaluationError
from tidelog.kernel.scalar import Fault
from tidelog.partition.base.partition_failures import ARITHMETIC_OVERFLOW
from tidelog.program.messages.program_failures import DIVISION


def fault_error(fault: Fault) -> EvaluationError:
    """The error that reports a fault.

    >>> str(fault_error(Fault(False, 1, "+", 2)))
    'overflow: 1 + 2 does not fit into 64 bits'
    """
    if fault.by_zero:
        return DIVISION.error(left=fault.left, operator=fault.sign, right=fault.right)
    return ARITHMETIC_OVERFLOW.error(what=_written(fault))


def _written(fault: Fault) -> str:
    if fault.right is None:
        return f"{fault.sign}({fault.left})"
    return f"{fault.left} {fault.sign} {fault.right}"
