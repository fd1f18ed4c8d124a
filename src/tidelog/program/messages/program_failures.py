"""What functions and arithmetic cannot compute, by code: TL20xx; and user functions that are refused: TL40xx.

Law: a function gives equal results, or the same failure, for equal arguments; the compiled arithmetic of the kernel
fails with these entries too.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError
from tidelog.errors.entry import FailureEntry

OVERFLOW = FailureEntry(
    "TL2001",
    EvaluationError,
    "overflow",
    "overflow: {value} is not a value of type {type}",
    "A number lies between -2^63 and 2^63 - 1, an unsigned one between 0 and 2^64 - 1; results do not wrap around "
    'unless `.pragma "overflow" "wrap"` asks for it.',
    "Compute with floats (`to_float`), or leave such facts out with a comparison before the arithmetic.",
    'Engine("p(9223372036854775807 + 1).")\n',
)
DIVISION = FailureEntry(
    "TL2002",
    EvaluationError,
    "division by zero",
    "division by zero: {left} {operator} {right}",
    "A divisor of zero has no quotient, for floats too; zero has no negative power.",
    "Leave zero out with a comparison in the body: `Y != 0`.",
    'Engine("p(1 / 0).")\n',
)
NEGATIVE_EXPONENT = FailureEntry(
    "TL2003",
    EvaluationError,
    "negative exponent of an integer",
    "negative exponent: {base} ^ {exponent}",
    "The power of an integer is an integer, so its exponent is 0 or more.",
    "Compute with floats: `to_float(X) ^ -1.0`.",
    'Engine("p(2 ^ -1).")\n',
)
POWER_OVERFLOW = FailureEntry(
    "TL2004",
    EvaluationError,
    "power that overflows",
    "overflow: {base} ^ {exponent}",
    "A number lies between -2^63 and 2^63 - 1, an unsigned one between 0 and 2^64 - 1.",
    "Compute with floats, or leave such facts out with a comparison.",
    'Engine("p(2 ^ 64).")\n',
)
NOT_AN_INTEGER = FailureEntry(
    "TL2005",
    EvaluationError,
    "infinite float as an integer",
    "failed conversion: {value} is not an integer",
    "Infinities and NaN have no integer value.",
    "Leave them out with a comparison before the conversion.",
    "Engine('p(to_number(to_float(\"inf\"))).')\n",
)
ENDLESS_RANGE = FailureEntry(
    "TL2006",
    EvaluationError,
    "range that never ends",
    "range({first}, {end}, {step}) never ends: it needs finite bounds and a step other than 0",
    "A range counts from its first value towards its end by its step.",
    "",
    'Engine("p(X) :- X = range(1e300, 2e300, 1.0).")\n',
)
FUNCTION_FAILED = FailureEntry(
    "TL2007",
    EvaluationError,
    "user function that raised an error",
    "{name}{args!r} failed: {kind}: {error}",
    "A user function gives a result for all arguments that rules call it with; otherwise the epoch is rolled back.",
    "Let the function return a value that marks the case, or leave such arguments out in the rule.",
    "@user_function('half', ('number',), 'number')\n"
    "def half(x):\n    return 1 // 0\n\n"
    "Engine('p(half(1)).', functions=[half])\n",
)
RESULT_TYPE = FailureEntry(
    "TL2008",
    EvaluationError,
    "result of a user function of another type",
    "{where}: {value!r} is not a value of type {type}",
    "A user function returns a value of the type that was declared for it.",
    "Convert the result, or declare the function with the type it returns.",
    "@user_function('half', ('number',), 'number')\n"
    "def half(x):\n    return x / 2\n\n"
    "Engine('p(half(1)).', functions=[half])\n",
)
NO_ORDER = FailureEntry(
    "TL2009",
    EvaluationError,
    "comparison of values without an order",
    "values of type {type} have no order",
    "Numbers are ordered by size, symbols by code points; lists are only equal or not.",
    "Compare an element or the size of the list.",
    "from tidelog.program.functions.table import compare\ncompare((1,), (2,), 'list')\n",
)
FACT_VARIABLE = FailureEntry(
    "TL2010",
    EvaluationError,
    "variable where a value is needed",
    "a fact has no variables",
    "The arguments of a fact are constants and functions of constants.",
    "Put a value in its place; `engine.query` takes variables.",
    "from tidelog.program import Var\nfrom tidelog.program.types.ground import ground_value\n"
    "ground_value(Var('X'), {})\n",
)
NO_FUNCTION = FailureEntry(
    "TL2011",
    EvaluationError,
    "function that does not take these arguments",
    "no function `{name}` takes {types}",
    "The name of a function and the types of its arguments choose its meaning.",
    "Convert the arguments, or look up the functions in the reference of the language.",
    "Engine('p(f_empty(1)).')\n",
)
EMPTY_LIST = FailureEntry(
    "TL2012",
    EvaluationError,
    "element of the empty list",
    "{function} of the empty list",
    "The empty list has no first and no last element.",
    "Ask for `f_size(L) > 0` before.",
    "Engine('p(f_first([])).')\n",
)
NOT_CONVERTED = FailureEntry(
    "TL2013",
    EvaluationError,
    "text that is no number",
    "failed conversion: {text!r} is not a {type}",
    "`to_number`, `to_unsigned` and `to_float` take texts that are written as such values are.",
    "Leave other texts out, for example with `match`.",
    "Engine('p(to_number(\"x\")).')\n",
)
TEXT_OVERFLOW = FailureEntry(
    "TL2014",
    EvaluationError,
    "text of a number that is too large",
    "overflow: {shown}... is not a value of type {type}",
    "A number lies between -2^63 and 2^63 - 1, an unsigned one between 0 and 2^64 - 1.",
    "Keep it as a symbol, or convert it by `to_float`.",
    'digits = "1" * 100\nEngine(f\'p(to_number("{digits}")).\')\n',
)
LONG_TEXT = FailureEntry(
    "TL2030",
    EvaluationError,
    "text that is too long",
    "`cat` makes a text of {length:,} characters; the longest has {most:,}",
    "A text lies in memory as a whole, so there is a longest one.",
    "Give the recursion an end: `strlen` tells how long a text is.",
    test="tests/program/test_text.py::test_a_text_that_is_too_long_is_refused_before_it_is_made",
)
PATTERN = FailureEntry(
    "TL2015",
    EvaluationError,
    "text that is no regular expression",
    "not a regular expression: {pattern!r} ({error})",
    "The first argument of `match` is a regular expression of ECMAScript's, as C++ and Soufflé read them, without what "
    "cannot be matched in one pass over the text: `\\1`, `(?=` and `(?!`.",
    "Correct the pattern, or make two tests of one that looks ahead; `contains` takes any text as it is.",
    'Engine(\'p(match("(", "a")).\')\n',
)
LONG_MATCH = FailureEntry(
    "TL2080",
    EvaluationError,
    "text that is too long for a pattern",
    "a text of {length:,} bytes is too long for the pattern {pattern!r}, which takes at most {most:,}",
    "The time of `match` is at most the size of the pattern times the length of the text, and this product is bounded.",
    "Test a part of the text (`substr`), or write a smaller pattern.",
    test="tests/program/test_patterns.py::test_a_text_that_is_too_long_for_a_pattern_is_refused",
)
ARGUMENT = FailureEntry(
    "TL4073",
    EngineError,
    "argument that a call does not take",
    "`{what}` is {wanted}, not {found}",
    "Arguments are checked before anything happens.",
    "The reference of Python tells what every call takes.",
    "Limits(facts='1')\n",
)
BUILT_IN = FailureEntry(
    "TL4001",
    EngineError,
    "user function with the name of a built-in one",
    "function `{name}` is built in; register yours under another name",
    "Programs mean the same everywhere, so built-in functions cannot be replaced.",
    "",
    "@user_function('strlen', ('symbol',), 'number')\n"
    "def mine(text):\n    return len(text)\n\n"
    "Engine('p(1).', functions=[mine])\n",
)
NOT_REGISTERED = FailureEntry(
    "TL4002",
    EngineError,
    "user function that cannot be registered",
    "function `{name}` cannot be registered: {what}",
    "A function has an identifier as its name, and types of the language: number, unsigned, float, symbol, list, any.",
    "Correct the declaration.",
    "user_function('half', ('int',), 'int')\n",
)
NO_FUNCTOR = FailureEntry(
    "TL4004",
    EngineError,
    "functor without a function",
    "the program calls the functor `{name}`, and no function is given for it",
    "`.functor` declares the types of a function that comes from Python.",
    "Give a function of that name: `Engine(functions=...)`, `tidelog run --functions FILE`.",
    'Engine(".functor f(number): number p(f(1)).")\n',
)

NO_LENGTH = FailureEntry(
    "TL2951",
    EvaluationError,
    "window without a length",
    "a window of length {length}",
    "The size of a window, and the step from one to the next, is a length of time above 0.",
    "Give a size and a step above 0.",
    'Engine("p(window(7, X)) :- q(X). q(0).")\n',
)
NOT_A_TIME = FailureEntry(
    "TL2952",
    EvaluationError,
    "invalid text of a date or timestamp",
    "failed conversion: {text!r} is not a {type}: {reason}",
    "`to_date` and `to_timestamp` read dates and timestamps as ISO 8601 writes them.",
    "Exclude other texts, for example with `match`.",
    "Engine('p(to_date(\"soon\")).')\n",
)
YEAR = FailureEntry(
    "TL2953",
    EvaluationError,
    "date out of range",
    "{what} is outside the years 1 to 9999",
    "Dates and timestamps that are computed lie in the years 1 to 9999.",
    "Compare the date first, so that the sum stays in range.",
    "Engine('p(date_add(date(\"9999-12-31\"), 1)).')\n",
)
NO_UNIT = FailureEntry(
    "TL2954",
    EvaluationError,
    "invalid unit of time",
    "a unit of {length} microseconds",
    "The unit of `timestamp_add` and `timestamp_diff` is a length of time above 0, such as `1s` or `1h`.",
    "Use a unit above 0.",
    "Engine('p(timestamp_add(timestamp(\"2026-06-01\"), 5, 0)).')\n",
)
NOT_WRITTEN_SO = FailureEntry(
    "TL1303",
    DataError,
    "fact with a value of another type",
    "{value} is not a value of type {type}; write {example}",
    'In facts, change scripts and questions a date is written `date("2026-06-01")`, a timestamp '
    '`timestamp("2026-06-01T10:00:00Z")` and a boolean `true` or `false`; a number is none of them, and `2026-06-01` '
    "without quotes is a subtraction.",
    "Write the value as its type is written.",
    "db = Engine('.decl due(d: date)')\ndb.why('due(2026-06-01)')\n",
)
NO_SUCH_TIME = FailureEntry(
    "TL1302",
    DataError,
    "text that is not a date or timestamp",
    "{text!r} is not a {type}: {reason}; write for example {example}",
    "In a column of type date or timestamp a quoted text is read as ISO 8601 writes dates and times.",
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
    PATTERN,
    LONG_MATCH,
    ARGUMENT,
    BUILT_IN,
    NOT_REGISTERED,
    NO_FUNCTOR,
)
