"""Registers `format("tidelog")` in every session that has this folder in its `PYTHONPATH`.

Spark looks for Python data sources in modules whose names begin with `pyspark_`, so nothing has to call
`tidelog.spark.register`; the files of a declarative pipeline may not.
"""

from tidelog.spark.data_source import TidelogSource as DefaultSource

__all__ = ["DefaultSource"]
