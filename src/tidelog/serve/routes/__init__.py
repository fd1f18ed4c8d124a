"""The operations, one file for each group.

Law: an operation reads its checked call and returns a reply; it does not depend on HTTP.
"""

from __future__ import annotations

from tidelog.serve.operation import Operation
from tidelog.serve.routes import about, apply, epochs, feeds, reasons, views

OPERATIONS: tuple[Operation, ...] = (
    *about.OPERATIONS,
    *views.OPERATIONS,
    *epochs.OPERATIONS,
    *apply.OPERATIONS,
    *feeds.OPERATIONS,
    *reasons.OPERATIONS,
)
