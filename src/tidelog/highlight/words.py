"""The words that are highlighted in a program, by kind.

Law: this is the only list of words for lexer, grammar and prompts. It is written out, so that colouring a text imports
no parser; a test compares it with the parser and the table of functions.
"""

from __future__ import annotations

DIRECTIVES = (
    "comp", "constraint", "convention", "decl", "functor", "include", "init", "input", "key", "lattice", "lifetime",
    "limitsize", "number_type", "once", "output", "override", "plan", "pragma", "prefix", "printsize",
    "reference", "symbol_type", "type",
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
    "a_AVG", "a_COUNT", "a_LIST", "a_MAX", "a_MEAN", "a_MIN", "a_SUM", "all", "any", "argmax", "argmin", "avg",
    "collect", "count", "max", "mean", "median", "min", "quantile", "stddev", "stddev_pop", "string_agg", "sum",
    "var_pop", "variance",
)  # fmt: skip
OPERATORS = (
    "as", "band", "bnot", "bor", "bshl", "bshr", "bshru", "bxor", "land", "lnot", "lor", "lxor", "mod", "not",
)  # fmt: skip
CONSTANTS = ("false", "nil", "true")
FUNCTIONS = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cat", "ceil", "cidr", "cidr_contains", "cidr_first",
    "cidr_last", "cidr_overlaps", "contains", "cos", "cosh", "crc32", "date", "date_add", "date_diff", "day",
    "edit_distance", "element", "elements", "ends_with", "exp", "f_append", "f_concat", "f_first", "f_inPath",
    "f_init", "f_last", "f_member", "f_removeFirst", "f_removeLast", "f_sha1", "f_size", "floor", "ftoi", "ftou",
    "greatest", "hop", "hour", "ip", "ip_number", "ip_version", "is_cidr", "is_ip", "is_json", "itof", "itou", "join",
    "json", "json_all", "json_array", "json_get", "json_has", "json_names", "json_object", "json_put", "json_type",
    "least", "list", "log", "lower", "match", "max", "md5", "min", "minute", "moment", "month", "ord", "pad_left",
    "pad_right", "range", "rdf_boolean", "rdf_compare", "rdf_date", "rdf_equals", "rdf_float", "rdf_iri",
    "rdf_is_blank", "rdf_is_date", "rdf_is_iri", "rdf_is_literal", "rdf_is_number", "rdf_is_timestamp", "rdf_lang",
    "rdf_literal", "rdf_number", "rdf_term", "rdf_text", "rdf_timestamp", "rdf_type", "regex_all", "regex_find",
    "regex_group", "regex_replace", "replace", "round", "second", "sha1", "sha256", "sin", "sinh", "sparql",
    "sparql_fold", "sparql_join", "split", "sqrt", "starts_with", "strlen", "substr", "tan", "tanh",
    "timestamp_add", "timestamp_diff", "to_date", "to_float",
    "to_number", "to_string", "to_timestamp", "to_unsigned", "trim", "upper", "utof", "utoi", "weekday", "window",
    "year",
)  # fmt: skip


def one_of(words: tuple[str, ...]) -> str:
    """A pattern for any of some words.

    >>> one_of(("decl", "type"))
    '(?:decl|type)'
    """
    return f"(?:{'|'.join(words)})"
