"""The codes of types, records and patterns (TL4xx).

Law: as in `program.catalogue`, a code is defined here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

TYPES = (
    CodeEntry(
        "TL401",
        "conflicting types",
        "{what} {first} and {second}",
        "A variable or column has one type, and both sides of `=` have the same type.",
        "Correct one of the uses, or convert the value: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "p(1).\nq(X) :- p(X), X = a.\n",
    ),
    CodeEntry(
        "TL402",
        "wrong argument type",
        "`{name}` cannot be applied to ({found})",
        "The argument types of a call must match one of the function's signatures.",
        "Convert the argument: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "word(a).\nnext(Y) :- word(X), Y = X * X.\n",
    ),
    CodeEntry(
        "TL403",
        "aggregate over the wrong type",
        "`{kind}` cannot aggregate values of type {found}",
        "min, max, argmin and argmax apply to ordered values, which excludes lists. any and all apply to booleans, "
        "string_agg to symbols, collect to numbers, symbols and lists, and a count to any value. All others apply to "
        "numbers.",
        "Aggregate another column, or convert it.",
        "word(a).\ntotal(sum<X>) :- word(X).\n",
    ),
    CodeEntry(
        "TL404",
        "values cannot be ordered",
        "values of type {found} cannot be ordered by `{op}`",
        "Numbers are ordered by value and symbols by their text. Lists have no order.",
        "Compare an element or the size of the list, or use `=` or `!=`.",
        "p([1, 2]).\nq(X) :- p(X), p(Y), X < Y.\n",
    ),
    CodeEntry(
        "TL405",
        "value outside the declared type",
        "{what} has type `{found}`, but the column is declared `{expected}`",
        "A column declared with a subtype holds only values of that subtype.",
        "Join with a relation that has the narrower type, or declare the column with the wider type. Programs that "
        'Soufflé accepts only in legacy mode need `.pragma "legacy"`.',
        ".type City <: symbol\n.decl name(x: symbol)\n.decl city(x: City)\ncity(x) :- name(x).\n",
    ),
    CodeEntry(
        "TL406",
        "types have no common values",
        "`{name}` is both `{first}` and `{second}`, which have no common values",
        "The values of a variable belong to the declared types of all columns in which it occurs.",
        "Declare a common subtype, or use different variables.",
        ".type City <: symbol\n.type Person <: symbol\n.decl city(x: City)\n.decl person(x: Person)\n"
        ".decl both(x: symbol)\nboth(x) :- city(x), person(x).\n",
    ),
    CodeEntry(
        "TL407",
        "union of different base types",
        "the union type `{name}` combines {first} and {second}",
        "All members of a union have the same base type.",
        "Keep only members with the same base type, or convert one of them.",
        ".type Id = number | symbol\n.decl p(x: Id)\n",
    ),
    CodeEntry(
        "TL408",
        "number out of range",
        "{value} does not fit into type {type}",
        "A number is between -2^63 and 2^63-1, an unsigned number between 0 and 2^64-1.",
        "Use a smaller number, another type, or a float.",
        ".decl p(x: unsigned)\np(-1).\n",
    ),
    CodeEntry(
        "TL409",
        "cast between different base types",
        "a {found} cannot be cast to `{name}`, whose values are of type {base}",
        "A cast `as(x, T)` changes the type of a value to another type with the same base type. It does not convert "
        "the value.",
        "Convert the value with a function such as `to_number`, `to_float` or `to_string`.",
        ".decl p(x: symbol)\n.decl q(x: number)\nq(as(x, number)) :- p(x).\n",
    ),
    CodeEntry(
        "TL410",
        "invalid date or timestamp",
        "`{text}` is not a {type}: {reason}",
        "A quoted text in a position of type date or timestamp must be in ISO 8601 format.",
        "Write a {type} such as `{example}`.",
        '.decl due(d: date)\ndue("2026-02-30").\n',
    ),
    CodeEntry(
        "TL411",
        "boolean instead of a symbol",
        "`{word}` is a boolean, but a symbol is expected here",
        "In rules of the Soufflé convention, `true` and `false` are booleans, not variables or symbols.",
        'Write the symbol in quotes: `"{word}"`. For a variable, choose another name.',
        ".decl p(x: symbol)\n.decl q(x: symbol)\nq(x) :- p(x), p(true).\n",
    ),
    CodeEntry(
        "TL412",
        "variable instead of a boolean",
        "`{name}` is a variable, but its column contains booleans",
        "The boolean values are written `true` and `false`.",
        "Write `{word}`. For a variable, choose another name.",
        ".decl on(x: symbol, y: boolean)\n.decl q(x: symbol)\nq(x) :- on(x, True).\n",
    ),
    CodeEntry(
        "TL413",
        "date, timestamp or boolean in a list",
        "a list cannot contain a {type}",
        "Lists contain numbers, texts and lists, and do not store the types of their elements.",
        "Convert the element with `to_string`, or use a record (`.type T = [x: date, ...]`).",
        ".decl d(x: date)\n.decl l(x: list)\nl([x]) :- d(x).\n",
    ),
    CodeEntry(
        "TL420",
        "wrong number of fields",
        "`{name}` has {wanted}, but {found} here",
        "A record or a constructor has one value for each declared field.",
        "Write a value for every field. In a pattern, `_` matches any value.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\np([1, 2, 3]).\n",
    ),
    CodeEntry(
        "TL421",
        "unknown constructor",
        "unknown constructor `${name}`",
        "Constructors are declared with `.type T = A {x: number} | B {}` and written `$A(1)` and `$B`.",
        "Declare the constructor, or correct its name.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np($C(1)).\n",
    ),
    CodeEntry(
        "TL422",
        "`nil` for a type other than a record",
        "`nil` is used where {found} is expected",
        "`nil` is a value of record types only. An algebraic type uses a constructor without fields for an empty "
        "value.",
        "Use a constructor without fields, or declare a record type.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np(nil).\n",
    ),
    CodeEntry(
        "TL423",
        "constructor declared twice",
        "constructor `${name}` belongs to `{first}` and to `{second}`",
        "A constructor belongs to one type, so `$A(1)` determines its type.",
        "Rename one of them.",
        ".type T = A {x: number}\n.type S = A {}\n.decl p(x: T, y: S)\n",
    ),
    CodeEntry(
        "TL424",
        "duplicate field name",
        "`{type}` has two fields named `{name}`",
        "The field names of a record or constructor are unique.",
        "Rename one of them.",
        ".type Pair = [x: number, x: number]\n.decl p(x: Pair)\n",
    ),
    CodeEntry(
        "TL425",
        "record not allowed here",
        "{where} cannot contain a value of type `{found}`",
        "Lists contain only values whose type can be recognised without a declaration. Records and algebraic "
        "values need one.",
        "Use a record type with a field for the value.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\n.decl q(x: list)\nq(f_init(x, 1)) :- p(x).\n",
    ),
    CodeEntry(
        "TL426",
        "unknown record type",
        "cannot determine the type of this record",
        "The type of a record is that of the column or variable where it is used.",
        "Use it in a column of the record type, or compare it with a variable of that type.",
        ".type P = [x: number, next: P]\n.decl p(x: number)\np(x) :- [x, nil] = [1, nil].\n",
    ),
)

PATTERNS = (
    CodeEntry(
        "TL414",
        "invalid regular expression",
        "{problem}",
        "The first argument of `match` and of the functions whose names begin with `regex_` is an ECMAScript "
        "regular expression, as in C++ and Soufflé. Features that cannot be matched in one pass over the text are "
        "not supported: `\\1`, `(?=` and `(?!`.",
        "Correct the pattern. Replace a lookahead with a second test. To search for literal text, use `contains`.",
        'word("a").\nfound(X) :- word(X), match("[[:vowel:]]", X).\n',
    ),
)
