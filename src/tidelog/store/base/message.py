"""Arrow messages in the body of a frame, read back as complete batches.

Law: a batch that is returned has the columns of its schema, all of the same length, without nulls, with offsets inside
the batch and texts in UTF-8; anything else raises ImpossibleError, and Arrow's own errors do not leave this module.
"""

from __future__ import annotations

import pyarrow as pa

from tidelog.store.base.corruption import ImpossibleError


def read_batch(message: memoryview, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """The batch in a message."""
    try:
        batch = pa.ipc.read_record_batch(pa.py_buffer(message), schema)
        batch.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ValueError, TypeError, SystemError, OverflowError) as error:
        raise ImpossibleError(f"{what} cannot be read: {_first_line(error)}") from None
    if any(column.null_count for column in batch.columns):
        raise ImpossibleError(f"{what} contain nulls")
    return batch


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
