"""`python -m tidelog.kernel`: compile the kernel now, so that no program has to wait for it.

With a folder: compile it for every instruction set of this family of processors, as a wheel contains it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidelog.kernel.compiler import package
from tidelog.kernel.warm import make_ready

if sys.argv[1:]:
    package(Path(sys.argv[1]))
else:
    make_ready()
