"""The Java that Spark would start, found before Spark is asked to start it.

Law: the Java that is checked is the one that Spark's launcher uses: `JAVA_HOME` if it is set, else `java` on the path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tidelog.spark.session import session_failures as failures

OLDEST = 17
ADVICE = (
    f"install Java {OLDEST} or later (Debian and Ubuntu: `apt install openjdk-17-jre-headless`; macOS: `brew install "
    "openjdk@17`) and set JAVA_HOME to it if it is not on the path; or run without Spark: `--runtime "
    "embedded` needs no "
    "Java"
)


def require_java() -> int:
    """The version of Java that Spark will run on.

    Raises:
        PreflightError: there is none, it does not run, or it is too old.
    """
    program = _program()
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise failures.JAVA_FAILS.error(program=program, error=error, advice=ADVICE) from error
    version = parse_version(done.stderr + done.stdout)
    if done.returncode or version is None:
        raise failures.JAVA_UNKNOWN.error(program=program, advice=ADVICE)
    if version < OLDEST:
        raise failures.JAVA_OLD.error(oldest=OLDEST, program=program, version=version, advice=ADVICE)
    return version


def parse_version(text: str) -> int | None:
    """The main version in the output of `java -version`.

    >>> parse_version('openjdk version "17.0.15" 2025-04-15'), parse_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None


def _program() -> str:
    home = os.environ.get("JAVA_HOME")
    if home:
        program = Path(home, "bin", "java")
        if not program.is_file():
            raise failures.JAVA_HOME.error(home=home, advice=ADVICE)
        return str(program)
    found = shutil.which("java")
    if found is None:
        raise failures.NO_JAVA.error(advice=ADVICE)
    return found
