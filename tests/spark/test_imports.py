"""An engine in this process runs without PySpark; what is about Spark is imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tidelog.spark

EMBEDDED = """
import sys
from tidelog import Engine
from tidelog.spark import SparkError
from tidelog.spark.arrivals import is_data_frame
with Engine("p(X) :- q(X).") as db, db.epoch() as epoch:
    epoch.insert("q", [(1,)])
    print(is_data_frame(3), issubclass(SparkError, Exception), "pyspark" in sys.modules)
"""


def test_embedded_engine_does_not_import_pyspark() -> None:
    ran = subprocess.run([sys.executable, "-c", EMBEDDED], capture_output=True, text=True, check=True)
    assert ran.stdout == "False True False\n"


@pytest.mark.parametrize("name", tidelog.spark.__all__)
def test_every_name_of_the_package_is_there_when_it_is_asked_for(name: str) -> None:
    assert callable(getattr(tidelog.spark, name))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute `nothing`"):
        _ = tidelog.spark.nothing
