"""The diagnostics of `.input`, `.output` and `.printsize`: directives that cannot be carried out.

Law: every entry's example is a program whose directives produce its code; a test runs them all.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

PARAMETER = CodeEntry(
    "TL920",
    "unknown directive parameter",
    "`.{kind} {relation}` has no parameter `{name}`",
    "Known parameters: {known}.",
    "Remove the parameter, or use one of the known ones.",
    '.input edge(IO=file, seperator=",")\nreach(X) :- edge(X).\n',
)
FORMAT = CodeEntry(
    "TL921",
    "unknown input or output kind",
    "`.{kind} {relation}` cannot use IO={found}",
    "Known values: {known}.",
    "Export the rows to a file: databases and other stores are not read directly.",
    ".input edge(IO=sqlite)\nreach(X) :- edge(X).\n",
)
VALUE = CodeEntry(
    "TL922",
    "invalid parameter value",
    "`{found}` is not a valid value for the parameter `{name}`: expected {expected}",
    "Switches are `true` or `false`, a delimiter has one or more characters, and columns are positions counted from 0.",
    "",
    ".input edge(headers=maybe)\nreach(X) :- edge(X).\n",
)
TRIPLES = CodeEntry(
    "TL923",
    "relation does not match triples",
    "`{relation}` has {found}, but IO={kind} needs {columns} symbol columns",
    "N-Triples and Turtle fill three symbol columns: subject, predicate and object. N-Quads and TriG have a fourth "
    "one, the name of the graph.",
    "Declare the relation as `.decl {relation}(s: symbol, p: symbol, o: symbol)`, with `g: symbol` for N-Quads and "
    "TriG.",
    ".decl edge(x: number, y: number)\n.input edge(IO=ntriples)\n",
)
ENTRIES = (PARAMETER, FORMAT, VALUE, TRIPLES)
