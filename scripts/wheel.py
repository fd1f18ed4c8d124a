"""What hatchling does not know of the wheel: kernels compiled for every instruction set of this platform, and a tag.

Law: the libraries depend on no version of Python from the first that is supported on, nor on one of the C library (a
test looks), so that one wheel serves all of them. An editable install compiles its kernel at first use.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PYTHON = "cp311-abi3"
LINUX = "manylinux_2_17"  # the first with tags of this form; nothing of the C library is linked


class KernelHook(BuildHookInterface[Any]):
    """Compiles the kernels, puts them into the wheel, and names the platform."""

    def dependencies(self) -> list[str]:
        """The compiler, and what the kernel's modules import."""
        return [*self.metadata.core.optional_dependencies["compile"], "numpy", "xxhash"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is put together."""
        if version == "editable":
            return
        folder = self.folder = Path(tempfile.mkdtemp(prefix="tidelog-wheel-"))
        environment = {**os.environ, "PYTHONPATH": str(Path(self.root, "src"))}
        subprocess.run([sys.executable, "-m", "tidelog.kernel", str(folder)], env=environment, check=True)
        for made in folder.iterdir():
            build_data["force_include"][str(made)] = f"tidelog/kernel/compiled/{made.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{PYTHON}-{platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After it was."""
        if version != "editable":
            shutil.rmtree(self.folder)


def platform_tag() -> str:
    """The platform's part of the wheel's name."""
    if sys.platform == "linux":
        return f"{LINUX}_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
