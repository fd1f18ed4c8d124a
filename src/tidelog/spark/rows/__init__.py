"""Spark DataFrames as sources of facts and sinks of views.

Law: Spark encodes every value as Python does, cell by cell (D15); facts move from Spark tasks to partitions, and back
as files, never through the driver. A partition needs only `wire`; the other modules need PySpark.
"""
