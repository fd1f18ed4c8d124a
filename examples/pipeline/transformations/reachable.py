"""A declarative pipeline around a state folder: a flow adds facts, and a materialized view shows a recursive view.

The rules are in the state folder, which was created before:

    tidelog run reach.dl --state /tmp/reachable/state

Each update of the pipeline commits the new files as one epoch. The materialized view shows the state when it is
refreshed.
"""

from __future__ import annotations

import os

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

PLACE = os.environ.get("REACHABLE", "/tmp/reachable")
STATE = f"{PLACE}/state"
spark = SparkSession.active()

dp.create_sink("edges", "tidelog", {"path": STATE, "relation": "edge"})


@dp.append_flow(target="edges")
def arriving() -> DataFrame:
    """Every batch of new files is one epoch."""
    return spark.readStream.schema("source long, target long").json(f"{PLACE}/arriving")


@dp.materialized_view
def reachable() -> DataFrame:
    """All pairs that are connected."""
    return spark.read.format("tidelog").option("path", STATE).option("view", "reach").load()
