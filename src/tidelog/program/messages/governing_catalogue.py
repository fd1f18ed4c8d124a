"""The codes of constraints and lifetimes (TL24x).

Law: as in `program.catalogue`, which holds these entries too, a code stands here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

GOVERNING = (
    CodeEntry(
        "TL241",
        "key or reference of a relation that is not declared",
        "`{word}` names `{name}`, which is not declared",
        "A key or a reference speaks of columns, which the relation's `.decl` names.",
        "Declare the relation with `.decl`, or write the constraint out: `:- {name}(...), ...`.",
        "likes(X, Y) :- knows(X, Y).\n.key knows(1)\n",
    ),
    CodeEntry(
        "TL242",
        "column of a key or reference",
        "`{word}` names column `{column}`, and `{name}` {problem}",
        "The columns of a key or a reference are columns of the relation, by name or by number from 1, each once.",
        "Name some of its columns: {known}.",
        ".decl employee(id: number, name: symbol)\n.key employee(number)\n",
    ),
    CodeEntry(
        "TL243",
        "reference between different numbers of columns",
        "the reference has {first} columns before the arrow and {second} behind it",
        "A reference says of each of its columns which column of the other relation holds the same value.",
        "Name as many columns behind the arrow as before it.",
        ".decl member(name: symbol, team: symbol)\n.decl team(name: symbol)\n"
        ".reference member(name, team) -> team(name)\n",
    ),
    CodeEntry(
        "TL244",
        "lifetime given twice",
        "`{name}` has two lifetimes",
        "A relation has at most one lifetime, by `.lifetime` or by `materialize`.",
        "Remove one of them.",
        ".decl ping(x: number)\n.lifetime ping 30m\n.lifetime ping 1h\n",
    ),
    CodeEntry(
        "TL245",
        "lifetime by a column that tells no time",
        "the lifetime of `{name}` counts from column `{column}`, whose type is {found}",
        "A lifetime `by` a column begins with the time in that column, which is declared as a timestamp.",
        "Declare the column as `timestamp`, or leave `by {column}` out: then the lifetime begins with the insertion.",
        ".decl ping(x: number)\n.lifetime ping 30m by x\n",
    ),
)
