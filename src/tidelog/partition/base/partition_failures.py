"""Errors of partitions, by code: TL11xx data, TL22xx values, TL30xx limits, TL43xx rules.

Law: after each of these errors the epoch is rolled back, and the partition is as it was before.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError, LimitError, StateError
from tidelog.errors.entry import FailureEntry

_COUNT = '"n(0). n(X + 1) :- n(X), X < 2000000."'

NO_VALUE = FailureEntry(
    "TL1101",
    DataError,
    "unsupported Python value",
    "{value!r} is a {kind}; supported values are int, float, str, bool, dates, datetimes and tuples of numbers "
    "and texts",
    "Values are numbers, texts and lists of them, and dates and timestamps in columns of these types.",
    "Convert the value, or pass its parts as separate columns.",
    'db = Engine("reach(X) :- edge(X).")\nwith db.epoch() as e:\n    e.insert("edge", [({1, 2},)])\n',
)
SAME_ID = FailureEntry(
    "TL1102",
    DataError,
    "hash collision",
    "{known!r} and {value!r} have the same 64-bit id {cell}; rename one of them",
    "Texts and lists are identified by a 64-bit hash. Two values with the same hash cannot be distinguished, "
    "so both are refused.",
    "",
    test="tests/partition/test_dictionary.py::test_two_values_with_one_id_are_an_error",
)
NO_CONSTRUCTOR = FailureEntry(
    "TL1120",
    DataError,
    "stored value with an undeclared constructor",
    "a stored value of type {type} has a constructor that the type does not declare",
    "Algebraic values are stored with the name of their constructor, so a type must keep the constructors of the "
    "values that a state contains.",
    "Declare the constructor with its original fields.",
    test="tests/partition/test_structures.py::test_a_value_of_a_lost_constructor_is_told",
)
KEY_TWICE = FailureEntry(
    "TL1103",
    DataError,
    "two rows with the same key in one epoch",
    "{what} are inserted in one epoch; nothing was changed",
    "A relation with a key contains one row per key. A later row replaces an earlier one, but rows of one epoch "
    "have no order.",
    "Insert only one of them, or the second one in a later epoch.",
    'db = Engine("materialize(route, infinity, infinity, keys(1)). best(X, Y) :- route(X, Y).")\n'
    'with db.epoch() as e:\n    e.insert("route", [(1, 2), (1, 3)])\n',
)
RESULT = FailureEntry(
    "TL2201",
    EvaluationError,
    "function result of the wrong type",
    "{function}({args}) is {value!r}, but a {type} is required",
    "The result of a function must have the type that its use requires.",
    "Convert the result, or declare the column with another type.",
    "@user_function('name', ('number',), 'any')\n"
    "def name(x):\n    return 'one'\n\n"
    "Engine('q(1). p(2). p(name(X)) :- q(X).', functions=[name])\n",
)
TOO_DEEP = FailureEntry(
    "TL2209",
    EvaluationError,
    "list nested too deeply",
    "{function} returns a list that is nested more than {deepest} levels deep",
    "Lists may contain lists up to a fixed depth.",
    "Make the recursion terminate, or append to a list (`f_append`) instead of wrapping one.",
    'Engine("p([]). p([X]) :- p(X).")\n',
)
TOO_LARGE_LIST = FailureEntry(
    "TL2210",
    EvaluationError,
    "list with too many nested lists",
    "{function} returns a list that contains more than {most:,} lists",
    "The number of lists inside a list is limited.",
    "Make the recursion terminate, or keep the parts as facts.",
    'Engine("p([1], 0). p([X, X, X, X], N + 1) :- p(X, N), N < 20.")\n',
)
TOO_LONG_RANGE = FailureEntry(
    "TL2211",
    EvaluationError,
    "float range with too many values",
    "range({args}) has more than {most:,} values",
    "The values of a float range are computed one after the other.",
    "Use a range of integers and compute the floats from them.",
    'Engine("p(X) :- X = range(0.0, 1.0, 1e-12).")\n',
)
ARITHMETIC_OVERFLOW = FailureEntry(
    "TL2202",
    EvaluationError,
    "arithmetic overflow",
    "overflow: {what} does not fit into 64 bits",
    "A number is between -2^63 and 2^63 - 1, an unsigned number between 0 and 2^64 - 1. Results do not wrap around.",
    "Use floats (`to_float`), or exclude such facts with a comparison before the arithmetic.",
    'Engine("n(9223372036854775807). m(X + 1) :- n(X).")\n',
)
NEW_KEY_BROKEN = FailureEntry(
    "TL2212",
    EvaluationError,
    "existing rows violate a new key",
    "{what} would both hold; nothing was changed",
    "A key that is declared later also applies to existing rows.",
    "Delete one of the rows in the same epoch, or choose a key that distinguishes them.",
    'db = Engine("route(1, 2). route(1, 3).")\n'
    'with db.epoch() as e:\n    e.declare("materialize(route, infinity, infinity, keys(1)).")\n',
)
KEY_BROKEN = FailureEntry(
    "TL2204",
    EvaluationError,
    "derived rows violate a key",
    "{what} would both hold (rules of `{name}`: {labels}); nothing was changed",
    "A relation with a key contains one row per key, even if rules derive it.",
    "Select one row per group in the rules, with min or max, or drop the key.",
    'Engine("materialize(best, infinity, infinity, keys(1)). q(1, 2). q(1, 3). best(X, Y) :- q(X, Y).")\n',
)
NOT_MONOTONE = FailureEntry(
    "TL2205",
    EvaluationError,
    "rules not monotone in a min or max",
    "{groups} groups of a min or max inside recursion depend on values that were "
    "improved upon; the rules are not monotone in the value; nothing was changed",
    "Inside recursion, a better value may only improve the values derived from it.",
    "Compute the min or max after the recursion, or change the rule that makes values worse.",
    test="tests/partition/test_gain.py::test_rules_that_are_not_monotone_are_refused",
)
UNSETTLED = FailureEntry(
    "TL2206",
    EvaluationError,
    "recursion through a best value does not settle",
    "{names}: the best values still change after {times:1 iteration}; nothing was changed",
    "A recursion with witnesses settles values in order, the best first. This terminates if every value is worse "
    "than the values it is computed from.",
    "Look for negative costs.",
    test="tests/partition/test_gain.py::test_recursion_that_never_settles_is_given_up",
)
UNORDERED = FailureEntry(
    "TL2207",
    EvaluationError,
    "step does not make a best value worse",
    "rule {label} adds {step} to the value it reads, which must be {wanted} zero; nothing was changed",
    "In a recursion through a best value with witnesses, every value must be worse than the value it is "
    "computed from. Otherwise the witness would depend on the order of evaluation.",
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
    "time limit of an epoch exceeded",
    "the epoch exceeded its time limit of {seconds} s; nothing was changed",
    "`Limits(seconds=...)` limits the time of one epoch.",
    "Raise the limit, make smaller epochs, or find the slow rule with `tidelog run --profile`.",
    f"Engine({_COUNT}, limits=Limits(seconds=0.01))\n",
)
TOO_MANY_FACTS = FailureEntry(
    "TL3002",
    LimitError,
    "fact limit of an epoch exceeded",
    "the epoch derived {facts:1 fact}, but its limit is {limit:,}; nothing was changed",
    "`Limits(facts=...)` limits the facts that become present during an epoch, including those that do not remain.",
    "Raise the limit, or use `tidelog explain` to find a rule that multiplies facts.",
    f"Engine({_COUNT}, limits=Limits(facts=1000))\n",
)
TOO_MUCH_MEMORY = FailureEntry(
    "TL3003",
    LimitError,
    "memory limit exceeded",
    "the relations need {used:,} bytes including texts, but the limit is {limit:,}; nothing was changed",
    "`Limits(memory=...)` limits the total size of relations, texts and lists.",
    "Raise the limit, or use several partitions.",
    f"Engine({_COUNT}, limits=Limits(memory=100_000))\n",
)
TOO_LONG_TEXT = FailureEntry(
    "TL3005",
    LimitError,
    "text too long for the memory limit",
    "`cat` would create a text of {length:,} characters, but only {left:,} bytes are left; nothing was changed",
    "`Limits(memory=...)` limits the total size of relations, texts and lists.",
    "Raise the limit, or make the recursion terminate, for example by testing `strlen`.",
    "Engine('p(\"ab\"). p(cat(X, X)) :- p(X).', limits=Limits(memory=10_000_000))\n",
)
TOO_MANY_ROUNDS = FailureEntry(
    "TL3004",
    LimitError,
    "round limit exceeded",
    "the epoch needs more rounds than its limit of {rounds:,}; nothing was changed",
    "`Limits(rounds=...)` limits the number of batches processed inside recursion.",
    "Raise the limit, or look for a recursion that does not terminate.",
    f"Engine({_COUNT}, limits=Limits(rounds=10))\n",
)
TOO_MANY_VARIABLES = FailureEntry(
    "TL4301",
    EngineError,
    "too many variables in a rule",
    "rule {label} has more than {most} variables and intermediate values",
    "Rules are evaluated with a fixed number of registers.",
    "Split the rule in two.",
    'variables = ", ".join(f"X{i}" for i in range(2000))\nEngine(f"p(X0) :- q({variables}).")\n',
)
TOO_MANY_ATOMS = FailureEntry(
    "TL4302",
    EngineError,
    "too many atoms in a rule",
    "rule {label} has more than {most} atoms",
    "Rules are evaluated with a fixed number of slots for atoms.",
    "Split the rule in two.",
    test="tests/partition/test_assemble.py::test_rule_with_too_many_atoms_is_refused",
)
OTHER_COLUMNS = FailureEntry(
    "TL4303",
    EngineError,
    "relation with facts changes its number of columns",
    "relation `{name}` contains facts with {found:1 column}, not {wanted}",
    "A relation that contains facts keeps its number of columns.",
    "Delete its facts first, or choose another name for the new relation.",
    test="tests/partition/test_relations.py::test_relation_with_facts_keeps_its_columns",
)
NOT_SHOWN = FailureEntry(
    "TL5182",
    StateError,
    "inconsistent groups in a state",
    "the groups of rule {rule} are inconsistent: {what}",
    "Each group of a min or max shows one existing candidate of that group.",
    "Restore the state from a backup, or create a new one from the facts.",
    test="tests/store/test_forged.py::test_a_forged_row_number_of_a_minimum_is_refused",
)
TOO_MANY_SUPPORTS = FailureEntry(
    "TL2215",
    EvaluationError,
    "too many derivations of one fact",
    "a fact of {what} has more than 2,147,483,647 derivations",
    "The number of derivations of a fact is counted in 31 bits.",
    "Divide the rule into several rules, or restrict its body with conditions.",
    test="tests/law/test_counted_rows.py::test_a_count_that_leaves_its_bits_is_an_error",
)
UNBALANCED = FailureEntry(
    "TL5183",
    StateError,
    "inconsistent support counts in a state",
    "the support counts of `{name}` do not balance; nothing was changed",
    "The stored number of supports of a fact differs from its actual supports. Either the state was damaged, "
    "or this is a defect of Tidelog.",
    "Run `tidelog verify DIR` to check the facts, and restore the state from a backup.",
    test="tests/store/test_forged.py::test_counts_that_are_wrong_are_found_by_the_epoch_that_meets_them",
)
NO_KERNEL = FailureEntry(
    "TL4304",
    EngineError,
    "no compiled kernel",
    "Tidelog has no compiled kernel here, and no compiler: {reason}",
    "A wheel contains the kernel, compiled for its platform. Elsewhere, for example in a clone, the kernel is compiled "
    "once, with numba.",
    "Install a wheel for this platform, or the compiler: `pip install 'tidelog[compile]'`.",
    test="tests/kernel/test_cache.py::test_without_kernel_and_compiler_the_extra_is_named",
)

AGGREGATE_CYCLE = FailureEntry(
    "TL2214",
    EvaluationError,
    "facts that depend on their own aggregate",
    "rule {label}: `{fact}` depends on its own {kind}: {cycle}; nothing was changed (a cycle needs monotone rules, and "
    "rule {losing} is not monotone)",
    "A relation may depend on its own aggregate, but a fact may not, unless all rules of the recursion are monotone. "
    "The message names the facts of a cycle; `_` stands for the computed value.",
    "Change the facts so that the cycle is broken.",
    'db = Engine("cost(P, sum<N * C>) :- part(P, S, N), cost(S, C).")\n'
    'with db.epoch() as e:\n    e.insert("part", [("a", "b", 2), ("b", "a", 1)])\n    e.insert("cost", [("b", 1)])\n',
)
ENTRIES = (
    AGGREGATE_CYCLE,
    NO_KERNEL,
    NO_VALUE,
    SAME_ID,
    NO_CONSTRUCTOR,
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
    TOO_MANY_SUPPORTS,
    UNBALANCED,
)
