"""What a partition refuses or cannot compute, by code: TL11xx data, TL22xx values, TL30xx limits, TL43xx rules.

Law: after each of these the epoch is rolled back, and the partition holds what it held before.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError, LimitError, StateError
from tidelog.errors.entry import FailureEntry

_COUNT = '"n(0). n(X + 1) :- n(X), X < 2000000."'

NO_VALUE = FailureEntry(
    "TL1101",
    DataError,
    "Python value that is no value of the language",
    "{value!r} is a {kind}; values are int, float, str, bool, dates, datetimes and tuples of numbers and texts",
    "Numbers, texts and lists of them are values; dates and timestamps in columns of their type too.",
    "Convert the value, or give its parts as columns of their own.",
    'db = Engine("reach(X) :- edge(X).")\nwith db.epoch() as e:\n    e.insert("edge", [({1, 2},)])\n',
)
SAME_ID = FailureEntry(
    "TL1102",
    DataError,
    "two values with one 64-bit id",
    "{known!r} and {value!r} have the same 64-bit id {cell}; rename one of them",
    "Texts and lists are known by a 64-bit hash; two with the same hash cannot be told apart, so both are refused.",
    "",
    test="tests/partition/test_dictionary.py::test_two_values_with_one_id_are_an_error",
)
NO_CONSTRUCTOR = FailureEntry(
    "TL1120",
    DataError,
    "value of a constructor that its type no longer has",
    "a stored value of type {type} has a constructor that the type does not declare",
    "An algebraic value is known by its constructor's name; a state may hold values of the types it was made with.",
    "Declare the constructor, with the fields that it had.",
    test="tests/partition/test_structures.py::test_a_value_of_a_lost_constructor_is_told",
)
KEY_TWICE = FailureEntry(
    "TL1103",
    DataError,
    "two rows with one key in one epoch",
    "{what} are inserted in one epoch; nothing was changed",
    "A relation with a key holds one row for each key: a later row replaces it, and two of one epoch are not in order.",
    "Insert one of them, or the second in a later epoch.",
    'db = Engine("materialize(route, infinity, infinity, keys(1)). best(X, Y) :- route(X, Y).")\n'
    'with db.epoch() as e:\n    e.insert("route", [(1, 2), (1, 3)])\n',
)
RESULT = FailureEntry(
    "TL2201",
    EvaluationError,
    "function whose result does not fit its column",
    "{function}({args}) is {value!r}, where a {type} is needed",
    "The result of a function has the type that its use requires.",
    "Convert the result, or declare the column of another type.",
    "@user_function('name', ('number',), 'any')\n"
    "def name(x):\n    return 'one'\n\n"
    "Engine('q(1). p(2). p(name(X)) :- q(X).', functions=[name])\n",
)
TOO_DEEP = FailureEntry(
    "TL2209",
    EvaluationError,
    "result that is nested too deeply",
    "{function} gives a list that is nested more than {deepest} deep",
    "Lists may hold lists, to a depth that every part of the engine can follow.",
    "Give the recursion an end, or append to a list (`f_append`) where the rule wraps one.",
    'Engine("p([]). p([X]) :- p(X).")\n',
)
TOO_LARGE_LIST = FailureEntry(
    "TL2210",
    EvaluationError,
    "list that holds too many lists",
    "{function} makes a list that holds more than {most:,} lists",
    "A list may hold lists, up to a number that every part of the engine can go through.",
    "Give the recursion an end, or keep the parts as facts.",
    'Engine("p([1, 1], 0). p([X, X], N + 1) :- p(X, N), N < 20.")\n',
)
TOO_LONG_RANGE = FailureEntry(
    "TL2211",
    EvaluationError,
    "range of floats with too many values",
    "range({args}) has more than {most:,} values",
    "The values of a range of floats are added up one after the other.",
    "Make a range of numbers, and compute the floats from them.",
    'Engine("p(X) :- X = range(0.0, 1.0, 1e-12).")\n',
)
ARITHMETIC_OVERFLOW = FailureEntry(
    "TL2202",
    EvaluationError,
    "overflow in a rule",
    "overflow: {what} does not fit 64 bits",
    "A number lies between -2^63 and 2^63 - 1, an unsigned one between 0 and 2^64 - 1; results never wrap around.",
    "Compute with floats (`to_float`), or leave such facts out with a comparison before the arithmetic.",
    'Engine("n(9223372036854775807). m(X + 1) :- n(X).")\n',
)
NEW_KEY_BROKEN = FailureEntry(
    "TL2212",
    EvaluationError,
    "new key that existing rows break",
    "{what} would both hold; nothing was changed",
    "A key that is declared later holds for the rows that the relation already has, too.",
    "Delete one of the rows in the same epoch, or choose a key that tells them apart.",
    'db = Engine("route(1, 2). route(1, 3).")\n'
    'with db.epoch() as e:\n    e.declare("materialize(route, infinity, infinity, keys(1)).")\n',
)
KEY_BROKEN = FailureEntry(
    "TL2204",
    EvaluationError,
    "key that rules would break",
    "{what} would both hold (rules of `{name}`: {labels}); nothing was changed",
    "A relation with a key holds one row for each key, also if rules derive it.",
    "Choose one row of each group in the rules, with min or max, or drop the key.",
    'Engine("materialize(best, infinity, infinity, keys(1)). q(1, 2). q(1, 3). best(X, Y) :- q(X, Y).")\n',
)
NOT_MONOTONE = FailureEntry(
    "TL2205",
    EvaluationError,
    "rules that are not monotone in a chosen value",
    "{groups} groups of a min or max inside recursion depend on values that were "
    "improved upon; the rules are not monotone in the value; nothing was changed",
    "Inside recursion a better value may only make values better that were derived from it.",
    "Take the min or max after the recursion, or change the rule that makes values worse.",
    test="tests/partition/test_gain.py::test_rules_that_are_not_monotone_are_refused",
)
UNSETTLED = FailureEntry(
    "TL2206",
    EvaluationError,
    "recursion through a best value that does not settle",
    "{names}: the best values still change after {times:,} times around; nothing was changed",
    "With witnesses a recursion is settled best value first, which comes to an end where every value is worse than "
    "those it is computed from.",
    "Look for costs below zero.",
    test="tests/partition/test_gain.py::test_recursion_that_never_settles_is_given_up",
)
UNORDERED = FailureEntry(
    "TL2207",
    EvaluationError,
    "step that makes a best value no worse",
    "rule {label} adds {step} to the value it reads, which must be {wanted} zero; nothing was changed",
    "In a recursion through a best value with witnesses every value must be worse than the value it is computed from: "
    "else the witness that is shown would depend on the order of evaluation.",
    "Correct the costs, or test them in the rule.",
    """db = Engine(
    "materialize(best, infinity, infinity, keys(1)). best(X, min<C>, X) :- start(X, C)."
    "best(Y, min<C>, X) :- best(X, D, _), link(X, Y, W), C = D + W."
)
with db.epoch() as e:
    e.insert("link", [("a", "b", -1)])
""",
)
TOO_LONG = FailureEntry(
    "TL3001",
    LimitError,
    "epoch that takes too long",
    "the epoch took longer than its limit of {seconds} s; nothing was changed",
    "`Limits(seconds=...)` bounds the time of one epoch.",
    "Raise the limit, give the epoch fewer changes, or look for the rule that is slow: `tidelog run --profile`.",
    f"Engine({_COUNT}, limits=Limits(seconds=0.01))\n",
)
TOO_MANY_FACTS = FailureEntry(
    "TL3002",
    LimitError,
    "epoch that makes too many facts",
    "the epoch made {facts:,} facts, its limit is {limit:,}; nothing was changed",
    "`Limits(facts=...)` bounds the facts that become present on the way, not those that remain.",
    "Raise the limit, or look for a rule that multiplies facts: `tidelog explain`.",
    f"Engine({_COUNT}, limits=Limits(facts=1000))\n",
)
TOO_MUCH_MEMORY = FailureEntry(
    "TL3003",
    LimitError,
    "facts and texts that need too much memory",
    "the relations need {used:,} bytes, texts included, the limit is {limit:,}; nothing was changed",
    "`Limits(memory=...)` bounds the bytes of all relations, texts and lists together.",
    "Raise the limit, or run on several partitions.",
    f"Engine({_COUNT}, limits=Limits(memory=100_000))\n",
)
TOO_LONG_TEXT = FailureEntry(
    "TL3005",
    LimitError,
    "text that needs too much memory",
    "`cat` makes a text of {length:,} characters where {left:,} bytes are left; nothing was changed",
    "`Limits(memory=...)` bounds the bytes of all relations, texts and lists together.",
    "Raise the limit, or give the recursion an end: `strlen` tells how long a text is.",
    "Engine('p(\"ab\"). p(cat(X, X)) :- p(X).', limits=Limits(memory=10_000_000))\n",
)
TOO_MANY_ROUNDS = FailureEntry(
    "TL3004",
    LimitError,
    "recursion that goes too deep",
    "the epoch needs more rounds than its limit of {rounds:,}; nothing was changed",
    "`Limits(rounds=...)` bounds the batches of facts that are fired one after another inside recursion.",
    "Raise the limit, or look for a recursion that does not end.",
    f"Engine({_COUNT}, limits=Limits(rounds=10))\n",
)
TOO_MANY_VARIABLES = FailureEntry(
    "TL4301",
    EngineError,
    "rule with too many variables",
    "rule {label}: more than {most} variables and intermediate values",
    "A rule is run with a fixed number of registers.",
    "Split the rule in two.",
    'variables = ", ".join(f"X{i}" for i in range(2000))\nEngine(f"p(X0) :- q({variables}).")\n',
)
TOO_MANY_ATOMS = FailureEntry(
    "TL4302",
    EngineError,
    "rule with too many atoms",
    "rule {label}: more than {most} atoms",
    "A rule is run with a fixed number of places for the atoms it visits.",
    "Split the rule in two.",
    test="tests/partition/test_assemble.py::test_rule_with_too_many_atoms_is_refused",
)
OTHER_COLUMNS = FailureEntry(
    "TL4303",
    EngineError,
    "relation that changes its number of columns",
    "relation `{name}` holds facts of {found} columns, not {wanted}",
    "A relation that holds facts keeps its number of columns.",
    "Delete its facts first, or name the new relation otherwise.",
    test="tests/partition/test_relations.py::test_relation_with_facts_keeps_its_columns",
)
NOT_SHOWN = FailureEntry(
    "TL5182",
    StateError,
    "state whose groups show what they do not hold",
    "the groups of rule {rule} are not those of a state: {what}",
    "Each group of a min or max shows one candidate of its own, in a row that is there.",
    "Restore the state from a copy, or make a new one from the facts.",
    test="tests/store/test_forged.py::test_a_forged_row_number_of_a_minimum_is_refused",
)
UNBALANCED = FailureEntry(
    "TL5183",
    StateError,
    "state whose counts of supports are wrong",
    "the support counts of `{name}` do not balance; nothing was changed",
    "A fact of a state has as many supports as it counts. The state that was opened has other facts or counts than an "
    "engine leaves, or this is a defect of Tidelog.",
    "`tidelog verify DIR` tells whether the facts are those that the rules derive; restore the state from a copy.",
    test="tests/store/test_forged.py::test_counts_that_are_wrong_are_found_by_the_epoch_that_meets_them",
)

ENTRIES = (
    NO_VALUE,
    SAME_ID,
    KEY_TWICE,
    RESULT,
    TOO_DEEP,
    TOO_LARGE_LIST,
    TOO_LONG_RANGE,
    ARITHMETIC_OVERFLOW,
    KEY_BROKEN,
    NEW_KEY_BROKEN,
    NOT_MONOTONE,
    UNSETTLED,
    UNORDERED,
    TOO_LONG,
    TOO_MANY_FACTS,
    TOO_MUCH_MEMORY,
    TOO_LONG_TEXT,
    TOO_MANY_ROUNDS,
    TOO_MANY_VARIABLES,
    TOO_MANY_ATOMS,
    OTHER_COLUMNS,
    NOT_SHOWN,
    UNBALANCED,
)
