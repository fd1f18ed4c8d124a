"""What the calculus and the circuits refuse, by code: TL70xx.

Law: an epoch that is refused leaves the circuit unchanged. What a program must not contain is in `dbsp_catalogue`.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, TidelogError
from tidelog.errors.entry import FailureEntry

_CIRCUIT = "from tidelog.lab.dbsp import DatalogCircuit\n"

UNBOUND_HEAD = FailureEntry(
    "TL7001",
    TidelogError,
    "unbound variable in the head of a clause",
    "variable `{name}` in the head does not occur in the body",
    "Every variable in the head of a clause must occur in its body.",
    "Use the variable in an atom of the body.",
    'from tidelog.lab.dbsp import Clause, Variable\nClause(("p", (Variable("x"),)))\n',
)
UNBOUND_NEGATION = FailureEntry(
    "TL7098",
    TidelogError,
    "unbound variable in a negated atom of a clause",
    "variable `{name}` in a negated atom does not occur in a positive atom of the body",
    "A negated atom tests a single fact, so the positive atoms of the body must bind all its variables.",
    "Use the variable in a positive atom of the body.",
    'from tidelog.lab.dbsp import Clause, Variable\nClause(("p", ()), (), (("q", (Variable("x"),)),))\n',
)
NEGATION_IN_A_CIRCLE = FailureEntry(
    "TL7099",
    TidelogError,
    "clauses are not stratified",
    "`{predicate}` depends on its own negation",
    "A clause may negate only predicates of lower strata, which are complete before it is evaluated.",
    "Remove the negation from the cycle.",
    "from tidelog.lab.dbsp import Clause, StratifiedCircuit, ZSet\n"
    'StratifiedCircuit().step(ZSet.of(Clause(("p", ()), (), (("p", ()),))), ZSet())\n',
)
NO_DELAY = FailureEntry(
    "TL7002",
    TidelogError,
    "feedback loop without a delay",
    "the stream depends on its own value at the same time, because its feedback loop has no delay",
    "A loop has a unique solution only if its values depend on earlier times.",
    "Add a `delay` to the loop.",
    "from tidelog.lab.dbsp import INTEGERS, Stream\nloop = Stream(INTEGERS, lambda time: loop[time])\nloop[0]\n",
)
NOT_SENT = FailureEntry(
    "TL7003",
    TidelogError,
    "source has no value yet",
    "the stream has no value at time {time} yet: send one first",
    "The values of a source are sent one at a time.",
    example="from tidelog.lab.dbsp import INTEGERS, Source\nSource(INTEGERS)[0]\n",
)
ROW_COLUMNS = FailureEntry(
    "TL7004",
    DataError,
    "wrong number of columns on the circuit",
    "relation `{relation}` has {columns:1 column}, but the row is {row}",
    "The number of columns of a relation is fixed by its first use.",
    "Pass a value for each column in every row.",
    _CIRCUIT + 'db = DatalogCircuit(facts={"n": [(1,)]})\ndb.epoch(insert={"n": [(1, 2)]})\n',
)
UNKNOWN_RULE = FailureEntry(
    "TL7005",
    EngineError,
    "unknown rule on the circuit",
    "unknown rule `{label}`. Known rules: {known}",
    "Rules are removed by their labels.",
    "Pass the label of an existing rule.",
    _CIRCUIT + 'DatalogCircuit().epoch(remove=("r1",))\n',
)
TWO_RULES = FailureEntry(
    "TL7006",
    EngineError,
    "duplicate label on the circuit",
    "two rules have the label `{label}`",
    "Labels are unique.",
    "Use another label for the new rule, or remove the old one in the same epoch.",
    _CIRCUIT + "from tidelog.syntax import parse_rules\n"
    'DatalogCircuit().epoch(add=parse_rules("near: p(X) :- q(X). near: p(X) :- r(X)."))\n',
)
NO_VALUE = FailureEntry(
    "TL7007",
    DataError,
    "unsupported value on the circuit",
    "{value!r} is not a supported value: expected a number, a string or a tuple of values",
    "A row can contain only values that a program can express.",
    "Convert the value, or omit the row.",
    _CIRCUIT + 'DatalogCircuit(facts={"n": [(None,)]})\n',
)

ENTRIES = (
    UNBOUND_HEAD,
    UNBOUND_NEGATION,
    NEGATION_IN_A_CIRCLE,
    NO_DELAY,
    NOT_SENT,
    ROW_COLUMNS,
    UNKNOWN_RULE,
    TWO_RULES,
    NO_VALUE,
)
