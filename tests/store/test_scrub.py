"""Scrubbing reads all that a folder holds, and names what is wrong in files that opening does not need."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tests.store.forger import bound, parts_of
from tests.store.stories import EPOCHS, PROGRAM
from tests.store.test_forged import cells
from tidelog import Engine
from tidelog.cli.base.application import app
from tidelog.cli.commands import register_all
from tidelog.errors import StateError
from tidelog.store.folder.scrub import scrub


@pytest.fixture(scope="module", params=[1, 2])
def state(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scrub") / "state"
    with Engine(PROGRAM, path=folder, partitions=request.param) as db:
        for number, change in enumerate(EPOCHS, 2):
            with db.epoch() as e:
                change(e)
            if number in (3, 5):
                db.snapshot()
    return folder


def test_a_whole_state_is_in_order(state: Path) -> None:
    found = scrub(str(state))
    files = [file for file in state.rglob("*") if file.is_file() and file.name != "lock"]
    assert (found.wrong, found.epoch, found.files) == ([], 6, len(files))
    assert found.bytes == sum(file.stat().st_size for file in files if file.suffix != ".json")


def test_a_flipped_bit_in_any_file_is_told_with_its_name(state: Path, tmp_path: Path) -> None:
    for file in sorted(file for file in state.rglob("*") if file.is_file() and file.name != "lock"):
        copy = tmp_path / "copy"
        shutil.copytree(state, copy)
        place = copy / file.relative_to(state)
        content = bytearray(place.read_bytes())
        content[len(content) // 2] ^= 1
        place.write_bytes(content)
        wrong = scrub(str(copy)).wrong
        assert any(str(place) in told for told in wrong), file
        shutil.rmtree(copy)


def test_an_old_snapshot_that_the_log_contradicts_is_told(state: Path, tmp_path: Path) -> None:
    if (state / "part-0").exists():
        pytest.skip("the snapshots of partitions are compared with their pieces by their checksums")
    files = {str(f.relative_to(state)): f.read_bytes() for f in state.rglob("*") if f.is_file() and f.name != "lock"}
    parts = parts_of(files)

    def forge(table: object) -> None:
        table[0, 0] += 70  # type: ignore[index]  # an array

    cells("edge", forge)(next(part for part in parts if part.file.endswith("000003.snapshot")))
    shutil.copytree(state, tmp_path / "copy")
    for name, content in bound(files, parts).items():
        (tmp_path / "copy" / name).write_bytes(content)
    with Engine(path=tmp_path / "copy", at=-1) as db:
        assert len(db["edge"])  # which needs a later one
    (told,) = scrub(str(tmp_path / "copy")).wrong
    assert "000000000003.snapshot has invalid content: it contradicts the log" in told


def test_the_command_tells_and_ends_with_1(state: Path, tmp_path: Path) -> None:
    register_all()
    good = CliRunner().invoke(app, ["scrub", str(state)])
    assert (good.exit_code, "no problems found" in good.output) == (0, True)
    shutil.copytree(state, tmp_path / "copy")
    (tmp_path / "copy" / "snapshots" / "000000000003.snapshot").write_bytes(b"nothing")
    bad = CliRunner().invoke(app, ["scrub", str(tmp_path / "copy")])
    assert bad.exit_code == 1
    assert "000000000003.snapshot is damaged" in bad.output + bad.stderr
    assert CliRunner().invoke(app, ["scrub", str(tmp_path / "none")]).exit_code == 1
    with pytest.raises(StateError, match="does not contain a state"):
        scrub(str(tmp_path / "none"))
