"""Warnings that point to the line of the user's code that caused them.

Law: a warning names a line outside this package, no matter how deep in the package it was issued.
"""

from __future__ import annotations

import sys
import warnings

PACKAGE = "tidelog."


def warn(warning: Warning) -> None:
    """Warn at the innermost line outside Tidelog."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(PACKAGE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(warning, stacklevel=depth)
