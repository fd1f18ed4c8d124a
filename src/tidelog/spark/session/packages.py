"""The Python packages that Spark needs, checked before anything imports them.

Law: an installation without the extra `spark` works until Spark is used; then one line says what to install.
"""

from __future__ import annotations

from importlib.util import find_spec

from tidelog.spark.session.session_failures import NOT_INSTALLED

PACKAGES = ("pyspark", "pandas")
ADVICE = "pip install 'tidelog[spark]' (or run without Spark: `tidelog run --runtime embedded`)"


def require_packages() -> None:
    """Check for the packages of the extra `spark`.

    Raises:
        PreflightError: some of them are not installed.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise NOT_INSTALLED.error(missing=" and ".join(missing), advice=ADVICE)
