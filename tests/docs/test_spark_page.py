"""The pages about Spark run as they are printed, on the session of all tests."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import name
from tests.docs.test_sessions import ON_SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("page", ON_SPARK, ids=name)
def test_page_about_spark_runs(page: Path, spark: SparkSession) -> None:
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testfile(str(page), module_relative=False, globs={"spark": spark}, optionflags=flags)
    assert result.attempted >= 20
    assert result.failed == 0
