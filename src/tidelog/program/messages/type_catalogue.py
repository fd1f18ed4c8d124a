"""The codes of types, records and patterns (TL4xx).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

TYPES = (
    CodeEntry(
        "TL401",
        "conflicting types",
        "{what} {first} and {second}",
        "A variable and a column hold values of one type, and `=` compares values of one type.",
        "Correct one of the places, or convert: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "p(1).\nq(X) :- p(X), X = a.\n",
    ),
    CodeEntry(
        "TL402",
        "wrong type of argument",
        "`{name}` cannot be applied to ({found})",
        "A function is applied to arguments of the types of one of its signatures.",
        "Convert the argument: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "word(a).\nnext(Y) :- word(X), Y = X * X.\n",
    ),
    CodeEntry(
        "TL403",
        "aggregate over the wrong type",
        "`{kind}` cannot be taken over values of type {found}",
        "sum and mean are taken over numbers; min and max over values that have an order, which lists have not.",
        "Aggregate over another column, or convert it.",
        "word(a).\ntotal(sum<X>) :- word(X).\n",
    ),
    CodeEntry(
        "TL404",
        "order of unordered values",
        "values of type {found} cannot be ordered by `{op}`",
        "Numbers are ordered by value and symbols by their text; lists have no order.",
        "Compare a part or the size of the list, or use `=` or `!=`.",
        "p([1, 2]).\nq(X) :- p(X), p(Y), X < Y.\n",
    ),
    CodeEntry(
        "TL405",
        "value outside the declared type",
        "{what} has type `{found}`, but the column is declared `{expected}`",
        "A column declared with a subtype holds only values of that subtype.",
        "Join with a relation that has the narrower type, or declare the column with the wider one. What Soufflé "
        'takes only as a legacy program needs `.pragma "legacy"`.',
        ".type City <: symbol\n.decl name(x: symbol)\n.decl city(x: City)\ncity(x) :- name(x).\n",
    ),
    CodeEntry(
        "TL406",
        "types without common values",
        "`{name}` is both `{first}` and `{second}`, which have no values in common",
        "A variable stands for values that belong to the declared types of all the columns it occurs in.",
        "Declare a common subtype, or use different variables.",
        ".type City <: symbol\n.type Person <: symbol\n.decl city(x: City)\n.decl person(x: Person)\n"
        ".decl both(x: symbol)\nboth(x) :- city(x), person(x).\n",
    ),
    CodeEntry(
        "TL407",
        "union of different base types",
        "type `{name}` joins {first} and {second}",
        "All members of a union have the same base type.",
        "Keep the members with one base type, or convert one of them.",
        ".type Id = number | symbol\n.decl p(x: Id)\n",
    ),
    CodeEntry(
        "TL408",
        "number out of range",
        "{value} does not fit into type {type}",
        "A number has 64 bits with sign (-2^63 to 2^63-1), an unsigned 64 bits without (0 to 2^64-1).",
        "Use a smaller number, another type, or a float.",
        ".decl p(x: unsigned)\np(-1).\n",
    ),
    CodeEntry(
        "TL409",
        "cast between kinds of values",
        "a {found} cannot be cast to `{name}`, whose values are of type {base}",
        "A cast `as(x, T)` says that a value belongs to another type over the same values; it changes no value.",
        "Convert the value with a function such as `to_number`, `to_float` or `to_string`.",
        ".decl p(x: symbol)\n.decl q(x: number)\nq(as(x, number)) :- p(x).\n",
    ),
    CodeEntry(
        "TL410",
        "text that is not a date or timestamp",
        "`{text}` is not a {type}: {reason}",
        "In a place of type date or timestamp a quoted text is read as ISO 8601 writes dates and times.",
        "Write a {type} as in `{example}`.",
        '.decl due(d: date)\ndue("2026-02-30").\n',
    ),
    CodeEntry(
        "TL411",
        "truth value in a column of symbols",
        "`{word}` is a boolean, and this place holds symbols",
        "In rules of the Soufflé convention `true` and `false` are the values of type boolean, and neither variables "
        "nor symbols.",
        'Write the symbol in quotes, `"{word}"`; if a variable is meant, give it another name.',
        ".decl p(x: symbol)\n.decl q(x: symbol)\nq(x) :- p(x), p(true).\n",
    ),
    CodeEntry(
        "TL412",
        "variable named like a truth value",
        "`{name}` is a variable, and its column holds booleans",
        "The values of type boolean are written `true` and `false`.",
        "Write `{word}`; if a variable is meant, give it another name.",
        ".decl on(x: symbol, y: boolean)\n.decl q(x: symbol)\nq(x) :- on(x, True).\n",
    ),
    CodeEntry(
        "TL413",
        "date, timestamp or boolean in a list",
        "this element of a list is a {type}",
        "Lists hold numbers, texts and lists, and do not know the types of their elements.",
        "Put its text into the list with `to_string`, or use a record (`.type T = [x: date, ...]`).",
        ".decl d(x: date)\n.decl l(x: list)\nl([x]) :- d(x).\n",
    ),
    CodeEntry(
        "TL420",
        "wrong number of parts",
        "`{name}` has {wanted}, but {found} here",
        "A record, and a value of a constructor, has one part for each field of its declaration.",
        "Give every field a part; in a pattern `_` fills a part that does not matter.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\np([1, 2, 3]).\n",
    ),
    CodeEntry(
        "TL421",
        "unknown constructor",
        "unknown constructor `${name}`",
        "Constructors are declared by `.type T = A {x: number} | B {}` and written `$A(1)` and `$B`.",
        "Declare the constructor, or correct its name.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np($C(1)).\n",
    ),
    CodeEntry(
        "TL422",
        "`nil` where no record is",
        "`nil` stands where {found} is expected",
        "`nil` is a value of record types only; an algebraic type has a constructor for what is empty.",
        "Use a constructor without fields, or declare a record type.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np(nil).\n",
    ),
    CodeEntry(
        "TL423",
        "constructor declared twice",
        "constructor `${name}` belongs to `{first}` and to `{second}`",
        "A constructor belongs to one type, so that `$A(1)` says by itself what it makes.",
        "Give one of them another name.",
        ".type T = A {x: number}\n.type S = A {}\n.decl p(x: T, y: S)\n",
    ),
    CodeEntry(
        "TL424",
        "field declared twice",
        "`{type}` has two fields named `{name}`",
        "The fields of a record, and of a constructor, have different names.",
        "Give one of them another name.",
        ".type Pair = [x: number, x: number]\n.decl p(x: Pair)\n",
    ),
    CodeEntry(
        "TL425",
        "record among values without a type",
        "{where} cannot hold a value of type `{found}`",
        "Lists hold values that tell their own type; records and algebraic values are known by their declaration.",
        "Use a record type that holds the value in a field.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\n.decl q(x: list)\nq(f_init(x, 1)) :- p(x).\n",
    ),
    CodeEntry(
        "TL426",
        "record of unknown type",
        "nothing tells which record type this is",
        "A record has the type of the column, or of the variable, that it stands for.",
        "Use it in a column of the record type, or compare it with a variable that has the type.",
        ".type P = [x: number, next: P]\n.decl p(x: number)\np(x) :- [x, nil] = [1, nil].\n",
    ),
)

PATTERNS = (
    CodeEntry(
        "TL414",
        "text that is no regular expression",
        "{problem}",
        "The first argument of `match` is a regular expression of ECMAScript's, as C++ and Soufflé read them, without "
        "what cannot be matched in one pass over the text: `\\1`, `(?=` and `(?!`.",
        "Correct the pattern, or make two tests of one that looks ahead; `contains` takes any text as it is.",
        'word("a").\nfound(X) :- word(X), match("[[:vowel:]]", X).\n',
    ),
)
