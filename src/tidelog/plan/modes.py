"""What becomes of a `.plan`, by name; apart from what does it, so that a command line can list the names."""

from __future__ import annotations

import enum


class Plans(enum.StrEnum):
    """What becomes of a `.plan`."""

    advice = "advice"
    binding = "binding"
    ignore = "ignore"
