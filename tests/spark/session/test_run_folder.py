"""Folders of a run: gone with it, found if it was killed, left alone while it lives."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tidelog.spark.session.run_folder import OWNER, WHOLE, RunFolder, sweep

MAKER = """
import sys, time
from tidelog.spark.session.run_folder import RunFolder
folder = RunFolder()
open(f"{folder.name}/facts", "w").close()
print(folder.name, flush=True)
time.sleep(600)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_folder_is_private_and_goes_with_its_maker(temporary: Path) -> None:
    folder = RunFolder()
    assert stat.S_IMODE(Path(folder.name).stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(folder.name).parent.stat().st_mode) == 0o700
    with RunFolder() as other:
        assert Path(folder.name).exists(), "what lives is left alone"
        assert other != folder.name
    folder.cleanup()
    folder.cleanup()
    assert list(temporary.iterdir()) == []


def test_folder_of_a_killed_process_is_removed_by_the_next_and_that_of_a_paused_one_is_not(temporary: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(temporary)}
    maker = subprocess.Popen([sys.executable, "-c", MAKER], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert maker.stdout is not None
        left = Path(maker.stdout.readline().strip())
        maker.send_signal(signal.SIGSTOP)
        sweep()
        assert (left / "facts").exists()
    finally:
        maker.kill()
        maker.communicate()
    assert (left / "facts").exists()
    with RunFolder() as own:
        assert [path.name for path in temporary.iterdir()] == [Path(own).parent.name]


def test_what_only_looks_like_such_a_folder_is_left_alone(temporary: Path) -> None:
    precious = temporary / "precious"
    precious.mkdir()
    (precious / OWNER).touch()
    (temporary / f"{WHOLE}link").symlink_to(precious)
    (temporary / f"{WHOLE}open").mkdir()
    (temporary / f"{WHOLE}open").chmod(0o755)
    (temporary / f"{WHOLE}open" / OWNER).touch()
    (temporary / f"{WHOLE}without").mkdir(mode=0o700)
    (temporary / f"{WHOLE}linked").mkdir(mode=0o700)
    (temporary / f"{WHOLE}linked" / OWNER).symlink_to(precious / OWNER)
    before = sorted(temporary.rglob("*"))
    sweep()
    assert sorted(temporary.rglob("*")) == before


def test_forked_process_does_not_remove_the_folder(temporary: Path) -> None:
    folder = RunFolder()
    child = os.fork()
    if child == 0:
        folder.cleanup()
        os._exit(0)
    os.waitpid(child, 0)
    assert Path(folder.name).exists()
    folder.cleanup()
