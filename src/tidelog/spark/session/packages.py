"""The Python packages that Spark needs, looked for before anything imports them.

Law: an install without the extra `spark` lacks nothing until Spark is used; then one line says what to install.
"""

from __future__ import annotations

from importlib.util import find_spec

from tidelog.spark.session.session_failures import NOT_INSTALLED

PACKAGES = ("pyspark", "pandas")
ADVICE = "pip install 'tidelog[spark]' (or run without Spark: `tidelog run --runtime embedded`)"


def require_packages() -> None:
    """Look for what the extra `spark` installs.

    Raises:
        PreflightError: some of it is not installed.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise NOT_INSTALLED.error(missing=" and ".join(missing), advice=ADVICE)
