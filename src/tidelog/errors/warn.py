"""Warnings at the line of the user's that led to them.

Law: a warning names a line outside of this package, however deep the call is that found something to tell.
"""

from __future__ import annotations

import sys
import warnings

PACKAGE = "tidelog."


def warn(warning: Warning) -> None:
    """Warn at the innermost line that is not Tidelog's own."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(PACKAGE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(warning, stacklevel=depth)
