"""Columns of text into an engine: a packed file of facts, and a data frame, beside DuckDB and Arrow.

Law: all read the same bytes or objects in one run and in one thread, and must find as many distinct texts; the engine
has no rules, so that what is measured is reading, encoding and storing. Arrow reads the file and finds the equal texts
of each column, as the engine must; DuckDB stores the texts as they come.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.statements import COLUMNS, statement_text, statements
from benchmarks.measure import Duration, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value, clocked
from benchmarks.subject import kernel_ready
from tidelog import Engine
from tidelog.io.files import InputFile, read_input
from tidelog.io.parameters import Layout

ROWS, QUICK, REPEATS = 500_000, 4_000, 5
FRAME_ROWS = 1_000_000
TYPES = tuple("number" if name == "index" else "symbol" for name in COLUMNS)
PROGRAM = f".decl move({', '.join(f'{name}: {type_}' for name, type_ in zip(COLUMNS, TYPES, strict=True))})\n"
TARGET, FRAME_TARGET = Target(1.5), Target(2.0)
Counted = tuple[int, int]  # rows, distinct texts of the first column


def engine_of(path: Path) -> Counted:
    """Read the file into an engine."""
    with Engine(PROGRAM) as db:
        with db.epoch() as e:
            e.insert("move", read_input(InputFile("move", path, Layout()), COLUMNS, TYPES))
        return len(db["move"]), len(db["move"])  # instructions are a key


def duckdb_of(path: Path) -> Counted:
    """Read the file into a table of DuckDB's."""
    columns = ", ".join(f"'{n}': '{'BIGINT' if n == 'index' else 'VARCHAR'}'" for n in COLUMNS)
    how = f"delim='\t', quote='', escape='', header=false, auto_detect=false, columns={{{columns}}}"
    with duckdb.connect(config={"threads": 1}) as db:
        db.execute(f"CREATE TABLE move AS SELECT * FROM read_csv('{path}', {how})")
        return db.execute("SELECT count(*), count(DISTINCT instruction) FROM move").fetchone() or (0, 0)


def arrow_of(path: Path) -> Counted:
    """Read the file with Arrow and encode its columns of text."""
    table = pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(column_names=list(COLUMNS), use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(column_types={n: pa.string() for n in COLUMNS if n != "index"}),
    )
    coded = [table[name].combine_chunks().dictionary_encode() for name in COLUMNS if name != "index"]
    return table.num_rows, len(coded[0].dictionary)


def repeated(work: Callable[[], Counted], wanted: int, repeat: int) -> list[Duration]:
    """The times of some work that must find this many rows, all different."""
    found = []
    for _ in range(repeat):
        counted, took = timed(work)
        if counted != (wanted, wanted):
            raise Disagreement(f"{wanted} rows were written, {counted} read")
        found.append(took)
    return found


def text_file(options: Options) -> Iterator[Record]:
    """A packed file of facts."""
    rows, repeat = QUICK if options.quick else ROWS, options.repeats(REPEATS)
    text = statement_text(rows).encode()
    with tempfile.TemporaryDirectory(prefix="tidelog-") as folder:
        path = Path(folder) / "move.facts.gz"
        path.write_bytes(gzip.compress(text, 6, mtime=0))
        took = {
            name: repeated(lambda work=work: work(path), rows, repeat)
            for name, work in (("Tidelog", engine_of), ("DuckDB", duckdb_of), ("Arrow", arrow_of))
        }
    times = {name: clocked(name, found) for name, found in took.items()}
    ratio = Value(HEADLINE, times["Tidelog"][0].value / times["Arrow"][0].value, "x Arrow", target=TARGET)
    values = (ratio, *(value for both in times.values() for value in both))
    yield Record("file", "a packed file of facts", values, {"rows": rows, "bytes": len(text)})


def data_frame(options: Options) -> Iterator[Record]:
    """A data frame of two columns of strings."""
    import pandas as pd

    rows, repeat = QUICK if options.quick else FRAME_ROWS, options.repeats(REPEATS)
    pairs = [(row[0], row[4]) for row in statements(rows)]
    frame = pd.DataFrame(pairs, columns=["instruction", "method"])

    def into_engine() -> Counted:
        with Engine(".decl in_method(instruction: symbol, method: symbol)") as db:
            with db.epoch() as e:
                e.insert("in_method", frame)
            return len(db["in_method"]), len(db["in_method"])

    def into_duckdb() -> Counted:
        with duckdb.connect(config={"threads": 1}) as db:
            db.register("frame", frame)
            db.execute("CREATE TABLE in_method AS SELECT * FROM frame")
            return db.execute("SELECT count(*), count(DISTINCT instruction) FROM in_method").fetchone() or (0, 0)

    own, peer = repeated(into_engine, rows, repeat), repeated(into_duckdb, rows, repeat)
    values = (*clocked("Tidelog", own, target=FRAME_TARGET), *clocked("DuckDB", peer))
    size = sum(len(text) for pair in pairs for text in pair)
    yield Record("frame", "a data frame of strings", values, {"rows": rows, "bytes": size})


GROUP = Group(
    {
        "file": Case("a packed file of facts, beside DuckDB and Arrow", text_file),
        "frame": Case("a data frame of strings, beside DuckDB", data_frame),
    },
    kernel_ready,
)
