"""What can be asked, a file for each kind of question.

Law: an operation reads its checked call and gives a reply; it knows nothing of HTTP.
"""

from __future__ import annotations

from tidelog.serve.operation import Operation
from tidelog.serve.routes import about, asking, epochs, feeds, views

OPERATIONS: tuple[Operation, ...] = (
    *about.OPERATIONS,
    *views.OPERATIONS,
    *epochs.OPERATIONS,
    *feeds.OPERATIONS,
    *asking.OPERATIONS,
)
