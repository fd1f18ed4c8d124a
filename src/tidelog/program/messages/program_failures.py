"""Failures of functions and arithmetic, by code: TL20xx; and user functions that are refused: TL40xx.

Law: a function returns equal results, or the same failure, for equal arguments; the compiled arithmetic of the kernel
uses these entries, too.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError
from tidelog.errors.entry import FailureEntry

OVERFLOW = FailureEntry(
    "TL2001",
    EvaluationError,
    "arithmetic overflow",
    "overflow: {value} is not a value of type {type}",
    "A number is between -2^63 and 2^63 - 1, an unsigned number between 0 and 2^64 - 1. Results wrap around "
    'only with `.pragma "overflow" "wrap"`.',
    "Use floats (`to_float`), or exclude such facts with a comparison before the arithmetic.",
    'Engine("p(9223372036854775807 + 1).")\n',
)
DIVISION = FailureEntry(
    "TL2002",
    EvaluationError,
    "division by zero",
    "division by zero: {left} {operator} {right}",
    "Division by zero is an error, even for floats, and so is a negative power of zero.",
    "Exclude zero with a comparison in the body: `Y != 0`.",
    'Engine("p(1 / 0).")\n',
)
NEGATIVE_EXPONENT = FailureEntry(
    "TL2003",
    EvaluationError,
    "negative exponent of an integer",
    "negative exponent: {base} ^ {exponent}",
    "The power of an integer is an integer, so the exponent must not be negative.",
    "Use floats: `to_float(X) ^ -1.0`.",
    'Engine("p(2 ^ -1).")\n',
)
POWER_OVERFLOW = FailureEntry(
    "TL2004",
    EvaluationError,
    "overflow in a power",
    "overflow: {base} ^ {exponent}",
    "A number is between -2^63 and 2^63 - 1, an unsigned number between 0 and 2^64 - 1.",
    "Use floats, or exclude such facts with a comparison.",
    'Engine("p(2 ^ 64).")\n',
)
NOT_AN_INTEGER = FailureEntry(
    "TL2005",
    EvaluationError,
    "cannot convert to an integer",
    "failed conversion: {value} is not an integer",
    "Infinities and NaN have no integer value.",
    "Exclude them with a comparison before the conversion.",
    "Engine('p(to_number(to_float(\"inf\"))).')\n",
)
ENDLESS_RANGE = FailureEntry(
    "TL2006",
    EvaluationError,
    "endless range",
    "range({first}, {end}, {step}) never ends: it needs finite bounds and a step other than 0",
    "A range counts from its first value to its end in increments of its step.",
    "",
    'Engine("p(X) :- X = range(1e300, 2e300, 1.0).")\n',
)
FUNCTION_FAILED = FailureEntry(
    "TL2007",
    EvaluationError,
    "user function failed",
    "{name}{args!r} failed: {kind}: {error}",
    "A user function must return a result for all arguments that rules pass to it. If it raises an exception, "
    "the epoch is rolled back.",
    "Return a value that marks the case, or exclude such arguments in the rule.",
    "@user_function('half', ('number',), 'number')\n"
    "def half(x):\n    return 1 // 0\n\n"
    "Engine('p(half(1)).', functions=[half])\n",
)
RESULT_TYPE = FailureEntry(
    "TL2008",
    EvaluationError,
    "wrong result type of a user function",
    "{where}: {value!r} is not a value of type {type}",
    "A user function returns a value of its declared type.",
    "Convert the result, or declare the type that the function returns.",
    "@user_function('half', ('number',), 'number')\n"
    "def half(x):\n    return x / 2\n\n"
    "Engine('p(half(1)).', functions=[half])\n",
)
NO_ORDER = FailureEntry(
    "TL2009",
    EvaluationError,
    "values cannot be ordered",
    "values of type {type} have no order",
    "Numbers are ordered by value and symbols by code point. Lists can only be tested for equality.",
    "Compare an element or the size of the list.",
    "from tidelog.program.functions.table import compare\ncompare((1,), (2,), 'list')\n",
)
FACT_VARIABLE = FailureEntry(
    "TL2010",
    EvaluationError,
    "variable in a fact",
    "a fact cannot contain variables",
    "The arguments of a fact are constants, or functions of constants.",
    "Replace the variable with a value, or use `engine.query`, which accepts variables.",
    "from tidelog.program import Var\nfrom tidelog.program.types.ground import ground_value\n"
    "ground_value(Var('X'), {})\n",
)
NO_FUNCTION = FailureEntry(
    "TL2011",
    EvaluationError,
    "wrong argument types",
    "no function `{name}` accepts {types}",
    "A function is selected by its name and the types of its arguments.",
    "Convert the arguments, or see the list of functions in the language reference.",
    "Engine('p(f_empty(1)).')\n",
)
EMPTY_LIST = FailureEntry(
    "TL2012",
    EvaluationError,
    "empty list has no elements",
    "{function} was applied to an empty list",
    "An empty list has no first or last element.",
    "Test `f_size(L) > 0` first.",
    "Engine('p(f_first([])).')\n",
)
NOT_CONVERTED = FailureEntry(
    "TL2013",
    EvaluationError,
    "text is not a number",
    "failed conversion: {text!r} is not a {type}",
    "`to_number`, `to_unsigned` and `to_float` convert texts that contain a value of that type.",
    "Exclude other texts, for example with `match`.",
    "Engine('p(to_number(\"x\")).')\n",
)
TEXT_OVERFLOW = FailureEntry(
    "TL2014",
    EvaluationError,
    "number in a text is too large",
    "overflow: {shown}... is not a value of type {type}",
    "A number is between -2^63 and 2^63 - 1, an unsigned number between 0 and 2^64 - 1.",
    "Keep it as a symbol, or convert it with `to_float`.",
    'digits = "1" * 100\nEngine(f\'p(to_number("{digits}")).\')\n',
)
LONG_TEXT = FailureEntry(
    "TL2030",
    EvaluationError,
    "text too long",
    "`{function}` would create a text of {length:,} characters; the maximum is {most:,}",
    "Each text is held in memory as a whole, so its length is limited.",
    "Bound the recursion, for example by testing the length with `strlen`.",
    test="tests/program/test_text.py::test_a_text_that_is_too_long_is_refused_before_it_is_made",
)
FUNCTION_ARGUMENT = FailureEntry(
    "TL2031",
    EvaluationError,
    "argument outside the domain of a function",
    "`{function}`: {problem}",
    "The function has no value for these arguments.",
    "Exclude such arguments with a comparison in the rule.",
    'Engine(\'p(pad_left("7", 3, "")).\')\n',
)
NOT_JSON = FailureEntry(
    "TL2032",
    EvaluationError,
    "text is not JSON",
    "{text!r} is not JSON: {reason}",
    "Functions whose names begin with `json_` read JSON as defined by RFC 8259. NaN and Infinity are not part of it.",
    "Exclude other texts with `is_json`.",
    'Engine(\'p(json_get("{a: 1}", "a")).\')\n',
)
NO_JSON_VALUE = FailureEntry(
    "TL2033",
    EvaluationError,
    "no JSON value at the path",
    "there is no value at the path {path!r} of {text!r}",
    "`json_get` returns the value at a path, so there must be one.",
    "Test the path with `json_has` first, or use `elements(json_all(S, PATH))`, which then returns no values.",
    'Engine(\'p(json_get("{}", "a")).\')\n',
)
JSON_PATH = FailureEntry(
    "TL2034",
    EvaluationError,
    "invalid JSON path",
    "{path!r} is not a JSON path: unexpected {found!r} at position {place}",
    'A path is a sequence of names and positions, such as `user.tags[0]`, `items[*].price` or `["first name"]`.',
    "Correct the path. Quote names that contain characters other than letters, digits, `_` and `-`.",
    'Engine(\'p(json_get("{}", "a..b")).\')\n',
)
NOT_AN_ADDRESS = FailureEntry(
    "TL2035",
    EvaluationError,
    "text is not an IP address or block",
    "{text!r} is not {wanted}",
    "Addresses have a form such as 192.0.2.1 or 2001:db8::1, blocks such as 192.0.2.0/24 or 2001:db8::/32.",
    "Exclude other texts with `is_ip` or `is_cidr`.",
    "Engine('p(ip(\"192.0.2\")).')\n",
)
NOT_A_TERM = FailureEntry(
    "TL2060",
    EvaluationError,
    "text is not an RDF term",
    "{text!r} {problem}",
    "Functions whose names begin with `rdf_` read terms as files of RDF yield them: <http://a.example/b>, _:b1, "
    '"text"@en.',
    "Make terms with `rdf_iri` and `rdf_literal`, or with a `.prefix` in the program.",
    "Engine('p(rdf_text(\"a\")).')\n",
)
NOT_THE_LITERAL = FailureEntry(
    "TL2061",
    EvaluationError,
    "RDF term without the value asked for",
    "`{function}`: {term!r} is not {wanted}",
    "The value of a literal follows from its datatype, as XML Schema defines it.",
    "Exclude other terms, for example with `rdf_is_number` or `rdf_is_date`.",
    "Engine('p(rdf_number(\"<urn:a>\")).')\n",
)
PATTERN = FailureEntry(
    "TL2015",
    EvaluationError,
    "invalid regular expression",
    "not a regular expression: {pattern!r} ({error})",
    "The first argument of `match` and of the functions whose names begin with `regex_` is an ECMAScript "
    "regular expression, as in C++ and Soufflé. Features that cannot be matched in one pass over the text are "
    "not supported: `\\1`, `(?=` and `(?!`.",
    "Correct the pattern. Replace a lookahead with a second test. To search for literal text, use `contains`.",
    'Engine(\'p(match("(", "a")).\')\n',
)
LONG_MATCH = FailureEntry(
    "TL2080",
    EvaluationError,
    "text too long for a pattern",
    "a text of {length:,} bytes is too long for the pattern {pattern!r}, whose maximum is {most:,}",
    "The run time of `match` grows with the size of the pattern times the length of the text, so this product "
    "is limited.",
    "Match a part of the text (`substr`), or use a smaller pattern.",
    test="tests/program/test_patterns.py::test_a_text_that_is_too_long_for_a_pattern_is_refused",
)
ARGUMENT = FailureEntry(
    "TL4073",
    EngineError,
    "invalid argument",
    "`{what}` must be {wanted}, not {found}",
    "Arguments are checked before anything is changed.",
    "See the Python reference for the arguments of each call.",
    "Limits(facts='1')\n",
)
BUILT_IN = FailureEntry(
    "TL4001",
    EngineError,
    "name of a built-in function",
    "function `{name}` is built in; register yours under another name",
    "Built-in functions cannot be replaced, so that programs have the same meaning everywhere.",
    "",
    "@user_function('strlen', ('symbol',), 'number')\n"
    "def mine(text):\n    return len(text)\n\n"
    "Engine('p(1).', functions=[mine])\n",
)
NOT_REGISTERED = FailureEntry(
    "TL4002",
    EngineError,
    "cannot register a user function",
    "cannot register function `{name}`: {what}",
    "The name of a function is an identifier. Its types are number, unsigned, float, symbol, list, any, or record and "
    "algebraic types of the program.",
    "Correct the declaration.",
    "half = user_function('half', ('int',), 'int')(lambda x: x // 2)\nEngine('p(half(1)).', functions=[half])\n",
)
CHANGED_TYPES = FailureEntry(
    "TL4005",
    EngineError,
    "function of another record type",
    "function `{name}` takes or returns `{type}`, which the program does not declare in this way",
    "The record and algebraic types of a function are determined when the engine is opened.",
    "Open the engine with the program that declares them, and with the functions that fit it.",
    "half = user_function('half', ('Pair',), 'number')(lambda pair: pair.x // 2)\n"
    "db = Engine(functions=[half])\n"
    "with db.epoch() as epoch:\n"
    "    epoch.declare('.type Pair = [x: number] .decl p(x: Pair)')\n"
    "    epoch.add_rule('q(half(X)) :- p(X).')\n",
)
NO_FUNCTOR = FailureEntry(
    "TL4004",
    EngineError,
    "functor without a function",
    "the program calls the functor `{name}`, but no function was provided for it",
    "`.functor` declares the types of a function that is provided from Python.",
    "Provide a function with that name: `Engine(functions=...)` or `tidelog run --functions FILE`.",
    'Engine(".functor f(number): number p(f(1)).")\n',
)

NO_LENGTH = FailureEntry(
    "TL2951",
    EvaluationError,
    "invalid window length",
    "invalid window length {length}: it must be above 0",
    "The size and the step of a window are positive durations.",
    "Use a size and a step above 0.",
    'Engine("p(window(7, X)) :- q(X). q(0).")\n',
)
NOT_A_TIME = FailureEntry(
    "TL2952",
    EvaluationError,
    "text is not a date or timestamp",
    "failed conversion: {text!r} is not a {type}: {reason}",
    "`to_date` and `to_timestamp` read dates and timestamps in ISO 8601 format.",
    "Exclude other texts, for example with `match`.",
    "Engine('p(to_date(\"soon\")).')\n",
)
YEAR = FailureEntry(
    "TL2953",
    EvaluationError,
    "date out of range",
    "{what} is outside the years 1 to 9999",
    "Computed dates and timestamps must be in the years 1 to 9999.",
    "Test the date with a comparison first, so that the result stays in range.",
    "Engine('p(date_add(date(\"9999-12-31\"), 1)).')\n",
)
NO_UNIT = FailureEntry(
    "TL2954",
    EvaluationError,
    "invalid unit of time",
    "invalid unit of {length} microseconds: it must be above 0",
    "The unit of `timestamp_add` and `timestamp_diff` is a positive duration, such as `1s` or `1h`.",
    "Use a unit above 0.",
    "Engine('p(timestamp_add(timestamp(\"2026-06-01\"), 5, 0)).')\n",
)
NOT_WRITTEN_SO = FailureEntry(
    "TL1303",
    DataError,
    "wrong value type in a fact",
    "{value} is not a value of type {type}; write {example}",
    'In facts, change scripts and queries, a date is written `date("2026-06-01")`, a timestamp '
    '`timestamp("2026-06-01T10:00:00Z")` and a boolean `true` or `false`. Numbers are not converted to these '
    "types, and `2026-06-01` without quotes is a subtraction.",
    "Use the notation of the column's type.",
    "db = Engine('.decl due(d: date)')\ndb.why('due(2026-06-01)')\n",
)
NO_SUCH_TIME = FailureEntry(
    "TL1302",
    DataError,
    "invalid date or timestamp",
    "{text!r} is not a {type}: {reason}; write for example {example}",
    "A quoted text in a column of type date or timestamp must be in ISO 8601 format.",
    "Correct the text.",
    "db = Engine('.decl due(d: date)')\ndb.why('due(\"2026-02-30\")')\n",
)

ENTRIES = (
    NO_LENGTH,
    NOT_WRITTEN_SO,
    NO_SUCH_TIME,
    NOT_A_TIME,
    YEAR,
    NO_UNIT,
    OVERFLOW,
    DIVISION,
    NEGATIVE_EXPONENT,
    POWER_OVERFLOW,
    NOT_AN_INTEGER,
    ENDLESS_RANGE,
    FUNCTION_FAILED,
    RESULT_TYPE,
    NO_ORDER,
    FACT_VARIABLE,
    NO_FUNCTION,
    EMPTY_LIST,
    NOT_CONVERTED,
    TEXT_OVERFLOW,
    LONG_TEXT,
    FUNCTION_ARGUMENT,
    NOT_JSON,
    NO_JSON_VALUE,
    JSON_PATH,
    NOT_AN_ADDRESS,
    NOT_A_TERM,
    NOT_THE_LITERAL,
    PATTERN,
    LONG_MATCH,
    ARGUMENT,
    BUILT_IN,
    NOT_REGISTERED,
    NO_FUNCTOR,
    CHANGED_TYPES,
)
