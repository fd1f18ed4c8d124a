"""The ways to handle a `.plan`, by name, in a separate module so that a command line can list the names cheaply."""

from __future__ import annotations

import enum


class Plans(enum.StrEnum):
    """How a `.plan` is handled."""

    advice = "advice"
    binding = "binding"
    ignore = "ignore"
