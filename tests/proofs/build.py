"""The proofs built once for all workers of a test run, and the extracted checker as a function."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROOFS = Path(__file__).parents[2] / "proofs"
TOOLS = ("make", "coqc", "ocamlopt")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
REASON = f"the proofs need {', '.join(MISSING)}: install Debian's coq and ocaml (scripts/tools coq)"


@dataclass(frozen=True)
class Built:
    """A folder with the compiled proofs and the checker."""

    folder: Path

    def make(self, *targets: str) -> str:
        """What make says; its failure is the test's."""
        command = ["make", "--silent", "-C", str(PROOFS), f"BUILD={self.folder}", *targets]
        with (self.folder.parent / "proofs.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one worker builds, the others find it built
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def check(self, text: str) -> str:
        """The verdict of the extracted checker."""
        done = self.run(text)
        assert done.returncode == (0 if done.stdout == "accepted\n" else 1), done.stderr
        return done.stdout.strip()

    def forward(self, text: str) -> subprocess.CompletedProcess[str]:
        """The extracted forward engine with a text on its standard input."""
        engine = self.folder / "tidelog-forward"
        return subprocess.run([engine], input=text, capture_output=True, text=True, check=False)

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        """The checker with a text on its standard input."""
        checker = self.folder / "tidelog-check-core"
        return subprocess.run([checker], input=text, capture_output=True, text=True, check=False)
