"""The chapter about Spark runs as it is printed, on the session of all tests."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest

from tests.docs.test_sessions import ON_SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_the_chapter_about_spark_runs(spark: SparkSession) -> None:
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testfile(str(ON_SPARK), module_relative=False, globs={"spark": spark}, optionflags=flags)
    assert result.attempted > 20
    assert result.failed == 0
