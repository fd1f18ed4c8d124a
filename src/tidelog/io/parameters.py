"""The parameters of `.input` and `.output`: how a file is laid out, as a value.

Law (D8): Soufflé's parameters have the same meaning; unknown ones are refused by name, never ignored.
Nothing is read here: `files` finds and opens what a layout describes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.errors import DataError, Diagnostic, ProgramError
from tidelog.io.io_catalogue import FORMAT, PARAMETER, VALUE
from tidelog.io.json_path import read_path
from tidelog.io.nulls import read_policy
from tidelog.program import Directive

TEXT, CSV, PARQUET, SCREEN = "file", "csv", "parquet", "stdout"
TRIPLES, QUADS, TURTLE, TRIG = "ntriples", "nquads", "turtle", "trig"
JSON, TABLE = "json", "table"
TERMS = {TRIPLES: 3, TURTLE: 3, QUADS: 4, TRIG: 4}  # kinds of RDF, and the terms of a statement
FILE, KEEP = "file", "keep"  # the scope of the labels of blank nodes
SPARK_KINDS = (TABLE,)  # read and written only by Spark
KINDS = {
    "input": (TEXT, CSV, PARQUET, *TERMS, JSON, TABLE),
    "output": (TEXT, CSV, PARQUET, *TERMS, JSON, TABLE, SCREEN),
}
COMMON = ("IO", "filename", "name", "delimiter", "headers", "rfc4180", "compress", "table")
PARAMETERS = {
    "input": (*COMMON, "columns", "nulls", "path", "base", "blanks"),
    "output": (*COMMON, "attributeNames"),
    "printsize": ("IO", "name"),
}
ENDINGS = {".facts": TEXT, ".tsv": TEXT, ".csv": CSV, ".parquet": PARQUET, ".nt": TRIPLES, ".json": JSON}
ENDINGS |= {".ttl": TURTLE, ".nq": QUADS, ".trig": TRIG}
JSON_LINES = (".jsonl", ".ndjson")  # more endings of JSON
ENDINGS |= dict.fromkeys(JSON_LINES, JSON)
SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of the rows in a file. None means: detected from the file (``delimiter``, ``quoted``, ``headers``)."""

    kind: str = TEXT
    filename: str | None = None
    delimiter: str | None = None
    headers: bool | None = None
    quoted: bool | None = None
    columns: tuple[int, ...] | None = None
    names: tuple[str, ...] | None = None
    compressed: bool = False
    named_kind: bool = False  # whether the program names the kind itself
    table: str | None = None  # the name of a table in Spark's catalog
    souffle: bool = False  # whether floats are written as Soufflé writes them
    nulls: str | None = None  # how nulls are handled, as `io.nulls` reads it
    path: str | None = None  # which values of a JSON document are rows, as `io.json_path` reads it
    base: str | None = None  # the IRI that relative ones of Turtle and TriG are resolved against
    blanks: str | None = None  # whether labels of blank nodes are kept, or have meaning within their file
    prefixes: tuple[tuple[str, str], ...] = ()  # with which Turtle and TriG are written

    @property
    def is_pattern(self) -> bool:
        """Whether the name of an input file has wildcards."""
        return self.filename is not None and any(mark in self.filename.rpartition("/")[2] for mark in "*?[")


def layout_of(directive: Directive) -> Layout:
    """The layout that a directive describes; raises a ProgramError with all findings about its parameters.

    >>> layout_of(Directive("input", "edge", (("IO", "csv"), ("filename", "e.csv")))).kind
    'csv'
    """
    params = {_canonical_name(name): value for name, value in directive.params}
    findings = _findings(directive, params)
    if findings:
        raise ProgramError(findings)
    filename = params.get("filename")
    kind = params.get("IO") or (JSON if "path" in params else _kind_of_name(filename))
    quoted = SWITCHES.get(params.get("rfc4180", ""))
    return Layout(
        kind,
        filename,
        _delimiter(params.get("delimiter", "," if quoted and kind == TEXT else None)),
        SWITCHES.get(params.get("headers", "")),
        quoted,
        _columns(params.get("columns")),
        tuple(params["attributeNames"].split(":")) if params.get("attributeNames") else None,
        SWITCHES.get(params.get("compress", ""), False),
        "IO" in params or "path" in params,
        params.get("table") or (directive.relation if kind == TABLE else None),
        nulls=params.get("nulls"),
        path=params.get("path"),
        base=params.get("base"),
        blanks=params.get("blanks"),
    )


def kind_of_file(name: str) -> str | None:
    """The kind of a file by the ending of its name; None if it is unknown.

    >>> kind_of_file("a.nt.gz"), kind_of_file("edge.facts"), kind_of_file("notes.txt")
    ('ntriples', 'file', None)
    """
    plain = name.removesuffix(".gz")
    return next((kind for ending, kind in ENDINGS.items() if plain.endswith(ending)), None)


def _canonical_name(name: str) -> str:
    return "IO" if name.lower() == "io" else name


def _kind_of_name(filename: str | None) -> str:
    """The kind of a file by its name alone, except that `.csv` is Soufflé's ending for tab-separated text."""
    kind = kind_of_file(filename) if filename else None
    return kind if kind in (PARQUET, *TERMS, JSON) else TEXT


def _delimiter(text: str | None) -> str | None:
    return None if text is None else text.replace("\\t", "\t")


def _columns(text: str | None) -> tuple[int, ...] | None:
    return tuple(int(part) for part in text.split(":")) if text else None


def _findings(directive: Directive, params: Mapping[str, str]) -> list[Diagnostic]:
    where, parameters = directive.span, PARAMETERS[directive.kind]
    kind, relation = directive.kind, directive.relation
    findings = [
        PARAMETER.diagnostic(where, name=name, known=", ".join(parameters), kind=kind, relation=relation)
        for name in params
        if name not in parameters
    ]
    kinds = KINDS.get(directive.kind, ("stdoutprintsize",))
    if params.get("IO", kinds[0]) not in kinds:
        offered = ", ".join(kinds)
        findings.append(FORMAT.diagnostic(where, found=params["IO"], known=offered, kind=kind, relation=relation))
    for name in ("headers", "rfc4180", "compress"):
        if params.get(name, "true") not in SWITCHES:
            findings.append(VALUE.diagnostic(where, name=name, found=params[name], expected="`true` or `false`"))
    if params.get("blanks", KEEP) not in (FILE, KEEP):
        expected = "`keep` or `file`"
        findings.append(VALUE.diagnostic(where, name="blanks", found=params["blanks"], expected=expected))
    if params.get("delimiter") == "":
        findings.append(VALUE.diagnostic(where, name="delimiter", found="", expected="at least one character"))
    try:
        read_policy(params.get("nulls"), relation)
    except DataError:
        expected = "`refuse`, `skip` or replacements such as `mgr=none`"
        findings.append(VALUE.diagnostic(where, name="nulls", found=params["nulls"], expected=expected))
    if "path" in params:
        findings += _path_findings(directive, params)
    if directive.kind == "input" and re.search("[*?].*/", params.get("filename", "")):
        expected = "wildcards only in the last part, as in `data/*.csv`"
        findings.append(VALUE.diagnostic(where, name="filename", found=params["filename"], expected=expected))
    columns = params.get("columns")
    if columns and not all(part.isdecimal() for part in columns.split(":")):
        findings.append(VALUE.diagnostic(where, name="columns", found=columns, expected="positions such as `0:2`"))
    return findings


def _path_findings(directive: Directive, params: Mapping[str, str]) -> list[Diagnostic]:
    path, where = params["path"], directive.span
    if params.get("IO", JSON) != JSON:
        return [
            VALUE.diagnostic(where, name="path", found=path, expected="no path, unless the file is JSON (`IO=json`)")
        ]
    try:
        read_path(path)
    except ValueError as error:
        expected = f"a path such as `items[*].name`; `{error}` is not a step of one"
        return [VALUE.diagnostic(where, name="path", found=path, expected=expected)]
    return []
