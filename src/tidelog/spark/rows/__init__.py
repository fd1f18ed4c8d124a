"""Spark DataFrames as sources of facts and sinks of views.

Law: what Spark encodes is what Python encodes, cell by cell (D15); facts go from Spark tasks to partitions and back as
files, never through the driver. `wire` is all that a partition needs; the other modules need PySpark.
"""
