"""The types of PySpark that other packages name, so that only this package imports it.

Law: these are names for type checkers; at run time nothing is imported, and PySpark need not be installed.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as DataFrame
    from pyspark.sql import SparkSession as SparkSession
    from pyspark.sql.streaming.query import StreamingQuery as StreamingQuery
