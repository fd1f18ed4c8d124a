"""Importing: what the first import of an engine changes in the process for a moment is as before afterwards."""

import subprocess
import sys

SCRIPT = """
import gc, os, sys
before = dict(os.environ)
import tidelog
with tidelog.importing():
    assert not gc.isenabled() and os.environ["OPENBLAS_THREAD_TIMEOUT"] == {inside!r}
tidelog.Engine
assert gc.isenabled() and dict(os.environ) == before, "the environment has changed"
"""


def test_import_leaves_environment_and_garbage_collector_as_they_were() -> None:
    for given in ({}, {"OPENBLAS_THREAD_TIMEOUT": "20"}):
        inside = given.get("OPENBLAS_THREAD_TIMEOUT", "16")
        subprocess.run([sys.executable, "-c", SCRIPT.format(inside=inside)], check=True, env=given)
