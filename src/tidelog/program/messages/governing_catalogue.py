"""The codes of constraints and lifetimes (TL24x).

Law: as in `program.catalogue`, which contains these entries, too, a code is defined here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

GOVERNING = (
    CodeEntry(
        "TL241",
        "key or reference for an undeclared relation",
        "`{word}` refers to `{name}`, which is not declared",
        "A key or reference uses the columns of the relation's `.decl`.",
        "Declare the relation with `.decl`, or write the constraint as a clause: `:- {name}(...), ...`.",
        "likes(X, Y) :- knows(X, Y).\n.key knows(1)\n",
    ),
    CodeEntry(
        "TL242",
        "invalid column in a key or reference",
        "invalid column `{column}` in `{word}`: `{name}` {problem}",
        "A key or reference lists columns of the relation, by name or by number starting at 1, each once.",
        "Use these columns: {known}.",
        ".decl employee(id: number, name: symbol)\n.key employee(number)\n",
    ),
    CodeEntry(
        "TL243",
        "different numbers of columns in a reference",
        "the reference has {first:1 column} before the arrow and {second} after it",
        "A reference maps each of its columns to a column of the other relation.",
        "List the same number of columns before and after the arrow.",
        ".decl member(name: symbol, team: symbol)\n.decl team(name: symbol)\n"
        ".reference member(name, team) -> team(name)\n",
    ),
    CodeEntry(
        "TL244",
        "duplicate lifetime",
        "`{name}` has two lifetimes",
        "A relation has at most one lifetime, set by `.lifetime` or `materialize`.",
        "Remove one of them.",
        ".decl ping(x: number)\n.lifetime ping 30m\n.lifetime ping 1h\n",
    ),
    CodeEntry(
        "TL245",
        "lifetime column is not a timestamp",
        "the lifetime of `{name}` starts at column `{column}`, whose type is {found}",
        "A lifetime with `by` starts at the time in that column, which must be declared as a timestamp.",
        "Declare the column as `timestamp`, or remove `by {column}` so that the lifetime starts at the insertion.",
        ".decl ping(x: number)\n.lifetime ping 30m by x\n",
    ),
)
