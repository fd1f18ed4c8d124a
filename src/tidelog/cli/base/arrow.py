"""Arrow without pandas, in a process that runs a command.

Law: no command that runs embedded handles a pandas object. Arrow imports pandas with the first array that it creates,
to recognise such objects, which takes longer than a small program; this module makes Arrow assume that pandas is not
installed. Importing pandas, or requesting a data frame from Arrow, still works afterwards.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

process_is_ours = False  # whether `tidelog.cli.main` started it; a library leaves Arrow as it is


def leave_pandas_out() -> None:
    """Create Arrow's first array while pandas cannot be imported."""
    if not process_is_ours or "pandas" in sys.modules:
        return
    absent = SimpleNamespace(find_spec=_refuse)
    sys.meta_path.insert(0, absent)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(absent)


def _refuse(name: str, path: object = None, target: object = None) -> None:
    if name == "pandas":
        raise ModuleNotFoundError("pandas is not imported", name=name)
