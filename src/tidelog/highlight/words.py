"""The words that stand out in a program, by what they are.

Law: this is the one list that lexer, grammar and prompts take words from. It is written out, so that colouring a text
imports no parser; a test compares it with what the parser and the table of functions know.
"""

from __future__ import annotations

DIRECTIVES = (
    "comp", "constraint", "convention", "decl", "functor", "include", "init", "input", "key", "lattice", "lifetime",
    "limitsize", "number_type", "once", "output", "override", "plan", "pragma", "printsize", "reference",
    "symbol_type", "type",
)  # fmt: skip
PREPROCESSOR = (
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line", "pragma", "undef",
    "warning",
)  # fmt: skip
TYPES = ("boolean", "date", "float", "list", "number", "symbol", "timestamp", "unsigned")
QUALIFIERS = (
    "brie", "btree", "btree_delete", "btree_minimal", "choice", "eqrel", "inline", "input", "magic", "no_inline",
    "no_magic", "output", "overridable", "printsize", "provenance",
)  # fmt: skip
AGGREGATES = (
    "a_AVG", "a_COUNT", "a_MAX", "a_MEAN", "a_MIN", "a_SUM", "avg", "count", "max", "mean", "min", "sum",
)  # fmt: skip
OPERATORS = (
    "as", "band", "bnot", "bor", "bshl", "bshr", "bshru", "bxor", "land", "lnot", "lor", "lxor", "mod", "not",
)  # fmt: skip
CONSTANTS = ("false", "nil", "true")
FUNCTIONS = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cat", "contains", "cos", "cosh", "date", "date_add",
    "date_diff", "day", "exp", "f_append", "f_concat", "f_first", "f_inPath", "f_init", "f_last", "f_member",
    "f_removeFirst", "f_removeLast", "f_size", "ftoi", "ftou", "hop", "hour", "itof", "itou", "list", "log", "match",
    "max", "min", "minute", "moment", "month", "ord", "range", "second", "sin", "sinh", "sqrt", "strlen", "substr",
    "tan", "tanh", "timestamp_add", "timestamp_diff", "to_date", "to_float", "to_number", "to_string", "to_timestamp",
    "to_unsigned", "utof", "utoi", "weekday", "window", "year",
)  # fmt: skip


def one_of(words: tuple[str, ...]) -> str:
    """A pattern for any of some words.

    >>> one_of(("decl", "type"))
    '(?:decl|type)'
    """
    return f"(?:{'|'.join(words)})"
