"""Fact files and files of views: which files a program refers to, and how each is read and written.

Law (D8, D16): `.input edge` reads `edge.facts`, `.output reach` writes `reach.csv`, both tab-separated as in Soufflé,
unless their parameters specify otherwise; a program without `.input` reads every file that has the name of a relation
without rules.
A file is read whole or refused whole. Fact files never pass through the grammar of programs.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import pyarrow as pa

from tidelog.errors import DataError, ProgramError, Span, TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io import io_failures as failures
from tidelog.io.budget import Budget, read_bytes, read_pieces
from tidelog.io.columns import arrow_column_type
from tidelog.io.delimited import (
    READ_TYPES,
    Data,
    DelimitedShape,
    check_semicolons,
    delimited_pieces,
    read_delimited,
    read_in_pieces,
)
from tidelog.io.io_catalogue import TRIPLES as NOT_TRIPLES
from tidelog.io.json_rows import JsonShape, read_json, write_json
from tidelog.io.late import parquet
from tidelog.io.match_names import match_names, other_names, report_ignored
from tidelog.io.ntriples import blank_nodes_of, read_nquads, read_ntriples, write_ntriples
from tidelog.io.nulls import NullPolicy, handle_row_nulls, handle_table_nulls, read_policy
from tidelog.io.parameters import (
    CSV,
    ENDINGS,
    FILE,
    JSON,
    KEEP,
    PARQUET,
    QUADS,
    SCREEN,
    SPARK_KINDS,
    TABLE,
    TERMS,
    TEXT,
    TRIG,
    TRIPLES,
    TURTLE,
    Layout,
    kind_of_file,
    layout_of,
)
from tidelog.io.tables import UNTYPED
from tidelog.io.turtle import read_turtle, write_turtle
from tidelog.io.unread import UnreadRows
from tidelog.program import Program
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.values.shape import Shape as Structure

Types = Sequence[str | None]
OUTPUT_ENDINGS = {TEXT: ".csv", CSV: ".csv", PARQUET: ".parquet", TRIPLES: ".nt", JSON: ".json"}
OUTPUT_ENDINGS |= {TURTLE: ".ttl", QUADS: ".nq", TRIG: ".trig"}
WIDENS = {("number", "float"), ("number", "unsigned"), ("boolean", "number"), ("symbol", "list")}
LISTED = 12
LARGE = 1 << 20  # bytes of a file that is read later
_READ_LATER = {"number", "unsigned", "float", "symbol", "boolean", "date", "timestamp"}
_RDF = "convert it to Turtle (`.ttl`) or N-Triples (`.nt`), for example with `riot --output=turtle`"
_SHEET = "save it as CSV"
UNREAD = {  # endings of data files that cannot be read, and what to do with them
    **dict.fromkeys((".rdf", ".owl", ".n3", ".jsonld"), _RDF),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SHEET),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3", ".duckdb"), "export its table as CSV or Parquet"),
    **dict.fromkeys((".arrow", ".feather", ".orc", ".avro"), "write it as Parquet"),
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z"), "unpack it, or compress it with gzip"),
    ".txt": "name it `.facts` (tab-separated) or `.csv`, or write `filename=` in an `.input` directive",
}


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file with the facts of a relation."""

    relation: str
    path: Path
    layout: Layout


def find_inputs(program: Program, schema: Mapping[str, Types], folder: Path) -> list[InputFile]:
    """The files of a program's base facts; a DataError names a missing file and those that exist."""
    directives = [d for d in program.directives if d.kind == "input"]
    if not directives:
        return _files_by_name(program, schema, folder)
    inputs = []
    for directive in directives:
        layout, relation = layout_of(directive), directive.relation
        needed = TERMS.get(layout.kind, 0)
        if needed and tuple(t or "symbol" for t in schema.get(relation, ())) != ("symbol",) * needed:
            found = ", ".join(t or "any" for t in schema.get(relation, ())) or "no columns"
            raise ProgramError(
                [
                    NOT_TRIPLES.diagnostic(
                        directive.span, relation=relation, found=found, kind=layout.kind, columns=needed
                    )
                ]
            )
        beside = _folder_of(directive.span)
        if layout.kind == TABLE:
            paths = [folder / (layout.table or "")]
        elif layout.is_pattern:
            paths = _matching_files(relation, layout, folder, beside)
        else:
            paths = [_path_of(relation, layout, folder, beside)]
        inputs += [InputFile(relation, path, layout) for path in paths]
    return inputs


def find_views(program: Program, folder: Path) -> list[InputFile]:
    """The result files of all relations with rules, in the format of their `.output` directives."""
    layouts = {d.relation: layout_of(d) for d in program.directives if d.kind == "output"}
    files = []
    for name in sorted({rule.head.predicate for rule in program.rules if rule.constraint is None}):
        layout = layouts.get(name, Layout())
        layout = Layout() if layout.kind == SCREEN else layout
        path = output_path(name, layout, folder)
        existing = path if path.is_file() else _find_file(folder, name, tuple(ENDINGS))
        if existing is None:
            raise failures.NO_RESULTS.error(relation=name, folder=folder, name=path.name)
        files.append(InputFile(name, existing, layout))
    return files


def _files_by_name(program: Program, schema: Mapping[str, Types], folder: Path) -> list[InputFile]:
    """The files named after relations without rules; ignored files that may hold missing facts are reported."""
    if not folder.is_dir():
        raise failures.NO_FACTS_FOLDER.error(folder=folder)
    derived = {rule.head.predicate for rule in program.rules}
    bases = sorted(name for name in schema if name not in derived and not is_hidden(name))
    paths = {name: path for name in bases if (path := _find_file(folder, name, tuple(ENDINGS))) is not None}
    missing = {*bases} - {*paths} - {fact.atom.predicate for fact in program.facts}
    if missing:
        beside = _folder_of(next((rule.span for rule in program.rules if rule.span is not None), None))
        _report_unread(missing, {*schema}, folder, beside, nothing_read=not paths)
    return [InputFile(name, path, Layout()) for name, path in paths.items()]


def _report_unread(
    missing: set[str], relations: set[str], folder: Path, beside: Path | None, *, nothing_read: bool
) -> None:
    """Warn of files that probably contain missing facts: misspelt, of another kind, or in another folder."""
    names = KnownNames(missing)
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        stem, kind = path.name.partition(".")[0], kind_of_file(path.name)
        near = stem if stem in missing else names.nearest(stem)
        if kind is None and near is not None and (why := _unread_kind(path)) is not None:
            _warn_unread(path, why)
        elif kind is not None and stem not in relations and (near is not None or nothing_read):
            guess = f"; did you mean `{near}`?" if near is not None else ""
            _warn_unread(path, f"the program has no relation `{stem}`{guess}")
    if beside is not None and beside.resolve() != folder.resolve():
        for name in sorted(missing):
            if (there := _find_file(beside, name, tuple(ENDINGS))) is not None:
                _warn_unread(there, f"facts are read from {folder}; use `-F {beside}`")


def _warn_unread(path: Path, reason: str) -> None:
    error = failures.UNREAD_FILE.error(path=path, reason=reason)
    warn(TidelogWarning(f"{error.code}: {error}"))


def _unread_kind(path: Path) -> str | None:
    """Why a file of this kind is not read; None for kinds that contain no facts."""
    return next((why for ending, why in UNREAD.items() if path.name.lower().endswith(ending)), None)


def _folder_of(span: Span | None) -> Path | None:
    """The folder of the program, if it is a file."""
    path = None if span is None else Path(span.source.name)
    return path.parent if path is not None and path.is_file() else None


def _path_of(relation: str, layout: Layout, folder: Path, beside: Path | None = None) -> Path:
    if layout.filename is not None:
        path = folder / layout.filename
        if path.is_file() or (path.is_dir() and layout.kind in (PARQUET, JSON)):  # Spark writes folders of files
            return path
        raise _missing_file(relation, layout.filename, folder, beside)
    endings = tuple(e for e, kind in ENDINGS.items() if kind == layout.kind) if layout.named_kind else tuple(ENDINGS)
    file = _find_file(folder, relation, endings)
    if file is None:
        raise _missing_file(relation, relation + endings[0], folder, beside)
    return file


def _matching_files(relation: str, layout: Layout, folder: Path, beside: Path | None) -> list[Path]:
    """The files that match a name with wildcards, in the order of their names.

    A file with exactly that name is the only one. As in a shell, a wildcard does not match a leading dot.
    """
    wanted = folder / (layout.filename or "")
    if wanted.exists():
        return [_path_of(relation, layout, folder, beside)]
    found = named_files(layout, folder)
    if not found:
        raise _missing_file(relation, layout.filename or relation, folder, beside)
    return found


def named_files(layout: Layout, folder: Path) -> list[Path]:
    """The existing files that the `filename=` of a layout names, or that match it, in the order of their names."""
    wanted = folder / (layout.filename or "")
    if wanted.is_file() or (wanted.is_dir() and layout.kind in (PARQUET, JSON)):
        return [wanted]
    if not layout.is_pattern or not wanted.parent.is_dir():
        return []
    hidden = wanted.name.startswith(".")
    paths = (p for p in wanted.parent.iterdir() if fnmatchcase(p.name, wanted.name))
    return sorted(path for path in paths if path.name.startswith(".") == hidden and path.is_file())


def _find_file(folder: Path, name: str, endings: Iterable[str]) -> Path | None:
    candidates = (folder / f"{name}{ending}{packed}" for ending in endings for packed in ("", ".gz"))
    return next((path for path in candidates if path.is_file()), None)


def _missing_file(relation: str, name: str, folder: Path, beside: Path | None) -> DataError:
    folder = (folder / name).parent
    if not folder.is_dir():
        return failures.NO_FOLDER.error(relation=relation, folder=folder)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    there = [path.name for path in files if kind_of_file(path.name)]
    listing = ", ".join(there[:LISTED]) + (f" and {len(there) - LISTED} more" if len(there) > LISTED else "")
    others = [(path.name, why) for path in files if (why := _unread_kind(path)) is not None]
    unread = "".join(f"; {other} is not read: {why}" for other, why in others[:LISTED])
    if beside is not None and beside.resolve() != folder.resolve() and (beside / name).is_file():
        unread += f"; there is one beside the program: use `-F {beside}`"
    return failures.NO_FILE.error(
        relation=relation, folder=folder, name=Path(name).name, shown=listing or "no fact files", unread=unread
    )


def read_input(file: InputFile, names: Sequence[str], types: Types, budget: Budget | None = None) -> Data:
    """The rows of a file, as columns of the relation's types; columns of open type in text files stay text.

    The bytes read, after decompression, are counted in ``budget``.
    """
    where, kind, budget = str(file.path), kind_of(file), budget or Budget()
    policy = read_policy(file.layout.nulls, where)
    refuse_spark_kinds(kind, where)
    if kind == PARQUET:
        return _read_parquet(file, tuple(names), types, budget, policy)
    if kind == JSON:
        return _read_json(file, tuple(names), tuple(types), budget, policy)
    data = _bytes_of(file.path, budget)
    if kind in TERMS:
        return _read_statements(file, kind, data, names)
    shape = shape_of(file, kind, data, names, types)
    rows = read_delimited(data, shape)
    if policy is not None and types:
        if not isinstance(rows, pa.Table):
            return handle_row_nulls(policy, rows, shape.names, types, where)
        rows = handle_table_nulls(policy, rows, types, where)
    return rows.replace_schema_metadata({UNTYPED: b""}) if isinstance(rows, pa.Table) else rows


def unread_input(file: InputFile, names: Sequence[str], types: Types, budget: Budget) -> UnreadRows | None:
    """The rows of a large tab-separated file whose columns all have types, to be read later; None for other files."""
    if kind_of(file) != TEXT or file.layout.nulls is not None or not types or not _READ_LATER.issuperset(types):
        return None
    if not file.path.is_file() or file.path.stat().st_size < LARGE:
        return None
    shape = shape_of(file, TEXT, b"", names, types)
    if shape.headers is not False or shape.quoted:
        return None
    budgets = [budget]  # the bytes are counted once, however often they are read

    def read() -> Iterator[pa.Table]:
        counting = budgets.pop() if budgets else Budget()
        try:
            yield from read_in_pieces(read_pieces(file.path, counting), shape)
        except DataError:
            read_delimited(_bytes_of(file.path, Budget()), shape)  # names every bad row, with its line in the file
            raise
        except (OSError, EOFError, zlib.error) as error:
            raise _not_opened(file.path, error) from None

    return UnreadRows(shape.names, tuple(READ_TYPES[type_] for type_ in types), read)


def check_term_columns(file: InputFile, kind: str, columns: int) -> None:
    """Raise unless a relation has as many columns as the statements of a kind of RDF have terms."""
    if columns != TERMS[kind]:
        raise failures.TRIPLE_COLUMNS.error(
            where=file.path, kind=kind, needed=TERMS[kind], relation=file.relation, columns=columns
        )


def blank_node_file(file: InputFile, kind: str) -> str | None:
    """The file to which blank nodes belong; None if their labels are kept.

    The name of the file is as the program writes it, so that the facts do not depend on the folder.
    """
    if (file.layout.blanks or (KEEP if kind in (TRIPLES, QUADS) else FILE)) == KEEP:
        return None
    folder = (file.layout.filename or "").rpartition("/")[0]
    return f"{folder}/{file.path.name}" if folder else file.path.name


def _read_statements(file: InputFile, kind: str, data: bytes, names: Sequence[str]) -> pa.Table:
    where, own = str(file.path), blank_node_file(file, kind)
    check_term_columns(file, kind, len(names))
    scope = None if own is None else blank_nodes_of(own)
    if kind in (TURTLE, TRIG):
        return read_turtle(data, where, names, kind, scope or str, file.layout.base)
    return (read_ntriples if kind == TRIPLES else read_nquads)(data, where, names, scope)


def refuse_spark_kinds(kind: str, where: str) -> None:
    """Raise for tables, which only Spark can read and write."""
    if kind in SPARK_KINDS:
        raise failures.NEEDS_SPARK.error(where=where, what="a table")


def kind_of(file: InputFile) -> str:
    """The kind that the program names, otherwise that of the file name."""
    own = kind_of_file(file.path.name)
    return file.layout.kind if file.layout.named_kind or own is None else own


def shape_of(file: InputFile, kind: str, data: bytes, names: Sequence[str], types: Types) -> DelimitedShape:
    """The shape of a text file.

    A `.csv` file is tab-separated if its first line has a tab, as Soufflé writes it, unless the program says `IO=csv`.
    """
    layout = file.layout
    commas = kind == CSV and (layout.named_kind or b"\t" not in data.partition(b"\n")[0])
    delimiter = layout.delimiter or ("," if commas else "\t")
    quoted = commas if layout.quoted is None else layout.quoted
    headers = layout.headers if layout.headers is not None or kind == CSV else False
    policy = read_policy(layout.nulls, str(file.path))
    shape = DelimitedShape(
        str(file.path),
        file.relation,
        tuple(names),
        tuple(types),
        delimiter,
        quoted,
        headers,
        layout.columns,
        nulls=() if policy is None else policy.null_columns(names, str(file.path)),
    )
    if commas and layout.delimiter is None:
        check_semicolons(data, shape)
    if layout.columns is not None and len(layout.columns) != len(types):
        raise failures.PICKED_COLUMNS.error(
            where=shape.where, picked=len(layout.columns), relation=file.relation, columns=len(types)
        )
    return shape


def _bytes_of(path: Path, budget: Budget) -> bytes:
    try:
        return read_bytes(path, budget)
    except (OSError, EOFError, zlib.error) as error:
        raise _not_opened(path, error) from None


def _not_opened(path: Path, error: Exception) -> DataError:
    return failures.NOT_OPENED.error(path=path, reason=getattr(error, "strerror", None) or error)


def _read_json(
    file: InputFile,
    names: tuple[str, ...],
    types: tuple[str | None, ...],
    budget: Budget,
    policy: NullPolicy | None,
) -> Data:
    """The rows of a file, or of all files of a folder, which is how Spark writes them."""
    paths = sorted(p for p in file.path.iterdir() if p.name[0] not in "._") if file.path.is_dir() else [file.path]
    nulls = () if policy is None else policy.null_columns(names, str(file.path))
    shapes = [JsonShape(str(path), file.relation, names, types, nulls, file.layout.path) for path in paths]
    batches = [read_json(_bytes_of(path, budget), shape) for path, shape in zip(paths, shapes, strict=True)]
    rows = [row for rows in batches for row in rows]
    return rows if policy is None else handle_row_nulls(policy, rows, names, types, str(file.path))


def _read_parquet(
    file: InputFile, names: tuple[str, ...], types: Types, budget: Budget, policy: NullPolicy | None
) -> pa.Table:
    where = str(file.path)
    try:
        for path in sorted(file.path.rglob("*.parquet")) if file.path.is_dir() else [file.path]:
            about = parquet.read_metadata(path)
            budget.take(sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)), path)
        table = parquet.read_table(file.path)
    except (pa.ArrowException, OSError) as error:
        raise failures.NOT_PARQUET.error(path=file.path, error=error) from None
    if file.layout.columns is not None:
        table = table.select([i for i in file.layout.columns if i < table.num_columns])
    elif (places := match_names(where, names, table.column_names)) is not None:
        report_ignored(where, file.relation, other_names(names, table.column_names))
        table = table.select(list(places))
    if table.num_columns != len(types):
        raise failures.PARQUET_COLUMNS.error(
            path=file.path, found=table.num_columns, relation=file.relation, columns=len(types)
        )
    own_names = table.column_names
    table = table.rename_columns(list(names))
    if policy is not None:
        table = handle_table_nulls(policy, table, types, where)
    for column, name, type_ in zip(table.columns, own_names, types, strict=True):
        where = f"{file.path}: column `{name}`"
        if isinstance(type_, Structure):
            continue  # structs, null for `nil`, or texts: checked when they are encoded
        if column.null_count:
            row = column.is_null().to_pylist().index(True) + 1
            raise failures.PARQUET_NULL.error(where=where, row=row)
        own = arrow_column_type(column.type, where)
        if type_ is not None and own != type_ and (own, type_) not in WIDENS:
            raise failures.PARQUET_TYPE.error(where=where, own=own, relation=file.relation, type=type_)
    return table


def output_path(relation: str, layout: Layout, folder: Path) -> Path:
    """The file that a view is written to."""
    name = layout.filename or relation + OUTPUT_ENDINGS[layout.kind] + (".gz" if layout.compressed else "")
    return folder / name


def write_output(relation: str, table: pa.Table, types: Types, layout: Layout, path: Path) -> None:
    """Write a view to a file atomically."""
    types = tuple(types)
    refuse_spark_kinds(layout.kind, str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            if layout.kind == PARQUET:
                parquet.write_table(table, half)
            elif path.suffix == ".gz":
                half.write_bytes(gzip.compress(output_bytes(relation, table, types, layout, str(path)), mtime=0))
            else:
                with half.open("wb") as file:
                    file.writelines(_output_pieces(relation, table, types, layout, str(path)))
            os.replace(half, path)
        finally:
            half.unlink(missing_ok=True)
    except OSError as error:
        raise failures.NOT_WRITTEN.error(path=path, reason=error.strerror or error) from None


def output_bytes(relation: str, table: pa.Table, types: Types, layout: Layout, where: str) -> bytes:
    """The text of a view."""
    return b"".join(_output_pieces(relation, table, types, layout, where))


def _output_pieces(relation: str, table: pa.Table, types: Types, layout: Layout, where: str) -> Iterable[bytes]:
    if layout.kind == JSON:
        return (write_json(table, types),)
    if (needed := TERMS.get(layout.kind)) is not None:
        if tuple(types) != ("symbol",) * needed:
            found = ", ".join(map(str, types))
            raise failures.OUTPUT_TRIPLES.error(
                where=where, kind=layout.kind, needed=needed, relation=relation, types=found
            )
        if layout.kind in (TURTLE, TRIG):
            return (write_turtle(table, where, layout.kind, layout.prefixes),)
        return (write_ntriples(table, where),)
    commas = layout.kind == CSV
    names = layout.names or tuple(table.column_names)
    shape = DelimitedShape(where, relation, names, tuple(types), layout.delimiter or ("," if commas else "\t"))
    headers = commas if layout.headers is None else layout.headers
    quoted = commas if layout.quoted is None else layout.quoted
    return delimited_pieces(table, types, replace(shape, headers=headers, quoted=quoted, souffle=layout.souffle))
