"""Reading ends at its limit: small files that unpack to large ones, lines without end."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.runner import CliRunner
from tidelog.cli.base.application import app
from tidelog.cli.commands import register_all
from tidelog.errors import DataError, LimitError
from tidelog.io import budget
from tidelog.io.budget import Budget
from tidelog.io.files import InputFile, read_input
from tidelog.io.parameters import Layout


def packed(path: Path, content: bytes) -> InputFile:
    path.write_bytes(gzip.compress(content))
    return InputFile("n", path, Layout())


def test_what_is_unpacked_counts(tmp_path: Path) -> None:
    file = packed(tmp_path / "n.facts.gz", b"1\n" * 3_000_000)
    assert file.path.stat().st_size < 10_000
    with pytest.raises(LimitError, match="larger than the memory limit of 2,000,000 bytes; nothing was read") as caught:
        read_input(file, ("x",), ("number",), Budget(2_000_000))
    assert caught.value.code == "TL3080"
    assert len(read_input(file, ("x",), ("number",), Budget(6_000_000))) == 3_000_000


def test_all_files_count_together(tmp_path: Path) -> None:
    file = packed(tmp_path / "n.facts.gz", b"1\n" * 1000)
    (tmp_path / "m.facts").write_bytes(b"1\n" * 1000)
    pq.write_table(pa.table({"x": list(range(1000))}), tmp_path / "p.parquet")
    total = Budget(4000 + pq.read_metadata(tmp_path / "p.parquet").row_group(0).total_byte_size)
    for path in (file.path, tmp_path / "m.facts", tmp_path / "p.parquet"):
        read_input(InputFile("n", path, Layout()), ("x",), ("number",), total)
    for path in (file.path, tmp_path / "m.facts", tmp_path / "p.parquet"):
        with pytest.raises(LimitError):
            read_input(InputFile("n", path, Layout()), ("x",), ("number",), total)


def test_a_line_without_end_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LONGEST_LINE", 1 << 20)
    file = packed(tmp_path / "n.facts.gz", b" " * (1 << 26))
    with pytest.raises(DataError, match="a line has more than 1,048,576 bytes; nothing was read") as caught:
        read_input(file, ("x",), ("symbol",))
    assert caught.value.code == "TL1080"
    (tmp_path / "plain.facts").write_bytes(b"a\n" + b"b" * (1 << 20) + b"\n" + b"c" * ((1 << 20) + 1) + b"\n")
    with pytest.raises(DataError, match="a line has more than"):
        read_input(InputFile("n", tmp_path / "plain.facts", Layout()), ("x",), ("symbol",))
    (tmp_path / "fits.facts").write_bytes((b"b" * ((1 << 20) - 1) + b"\n") * 3 + b"c")
    assert len(read_input(InputFile("n", tmp_path / "fits.facts", Layout()), ("x",), ("symbol",))) == 4


def test_a_packed_file_that_is_cut_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"1\n" * 100_000)
    for content in (whole[: len(whole) // 2], whole[:12] + b"\xff" * 40, b"\x1f\x8b"):
        (tmp_path / "n.facts.gz").write_bytes(content)
        with pytest.raises(DataError, match=r"n\.facts\.gz"):
            read_input(InputFile("n", tmp_path / "n.facts.gz", Layout()), ("x",), ("number",))


def test_the_limit_of_a_run_holds_while_it_reads(tmp_path: Path) -> None:
    register_all()
    packed(tmp_path / "n.facts.gz", b"1\n" * 3_000_000)
    (tmp_path / "p.dl").write_text(".decl n(x: number)\n.input n\n.output n\n")
    words = ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "--runtime", "embedded", "--limit-memory", "1MB"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "error[TL3080]" in result.output + result.stderr


def test_reading_ends_at_the_limit_of_time(tmp_path: Path) -> None:
    file = packed(tmp_path / "n.facts.gz", b"1\n" * 3_000_000)
    with pytest.raises(LimitError, match="reading exceeded the time limit of 0 s; nothing was read") as caught:
        read_input(file, ("x",), ("number",), Budget(seconds=0.0))
    assert caught.value.code == "TL3081"
