"""The compiled kernel is cached, also where the package is read-only, and every change of a kernel makes it stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tidelog
from tidelog.kernel import memory
from tidelog.kernel.scalar import compute

ASK = """
import os
os.access = lambda *_, **__: False  # permissions do not bind root
from tidelog.kernel import scalar
from numba.core import config
print(scalar.compute(scalar.ADD, 2, 3)[0], config.CACHE_DIR)
"""


def test_stamp_covers_every_kernel_source() -> None:
    assert memory._kernel_stamp() == memory._STAMP
    assert compute._cache._cache_file._source_stamp == memory._STAMP


def test_cached_kernels_are_loaded_and_not_compiled_again() -> None:
    compute(0, 1, 2)
    assert sum(compute.stats.cache_hits.values()) + sum(compute.stats.cache_misses.values()) > 0


def test_kernel_is_cached_in_a_temporary_folder_where_package_and_home_are_read_only(tmp_path: Path) -> None:
    settings = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(tidelog.__file__).parents[1])}
    settings.pop("NUMBA_CACHE_DIR", None)
    told = subprocess.run(
        [sys.executable, "-c", ASK], env=settings, capture_output=True, text=True, check=True, timeout=120
    )
    result, folder = told.stdout.split()
    assert result == "5"
    assert Path(folder).parent == tmp_path
    assert list(Path(folder).rglob("scalar.compute*.nbi"))
