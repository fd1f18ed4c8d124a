"""Arrow tables as pandas data frames, where pandas is installed.

Law: outside Spark, pandas is imported only when a data frame is requested; if it is missing, the error says so.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.io.io_failures import NO_PANDAS

if TYPE_CHECKING:
    import pandas as pd


def to_data_frame(table: pa.Table) -> pd.DataFrame:
    """The rows of a table as a data frame."""
    if find_spec("pandas") is None:
        raise NO_PANDAS.error()
    return table.to_pandas()
