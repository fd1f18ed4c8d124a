"""Arrow messages in the body of a frame, read back as batches that are whole.

Law: a batch that is given has the columns of its schema, of one length, without nulls, with offsets that stay inside of
it and texts that are UTF-8; anything else raises ImpossibleError, and Arrow's own errors get no further than here.
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
