"""`python -m tidelog.kernel`: compile the kernel now, so that no program has to wait for it."""

from __future__ import annotations

from tidelog.kernel.warm import make_ready

make_ready()
