"""What the calculus and the circuits refuse, by code: TL70xx.

Law: an epoch that is refused leaves the circuit as it was. What a program may not say is in `catalogue`.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, TidelogError
from tidelog.errors.entry import FailureEntry

_CIRCUIT = "from tidelog.lab.dbsp import DatalogCircuit\n"

UNBOUND_HEAD = FailureEntry(
    "TL7001",
    TidelogError,
    "clause whose head is not bound",
    "variable {name} of the head does not occur in the body",
    "Every variable of a clause's head occurs in its body.",
    "Use the variable in an atom of the body.",
    'from tidelog.lab.dbsp import Clause, Variable\nClause(("p", (Variable("x"),)))\n',
)
UNBOUND_NEGATION = FailureEntry(
    "TL7098",
    TidelogError,
    "clause whose negated atom is not bound",
    "variable {name} of a negated atom does not occur in the body",
    "A negated atom tests one fact: the positive atoms of the body give every variable of it a value.",
    "Use the variable in a positive atom of the body.",
    'from tidelog.lab.dbsp import Clause, Variable\nClause(("p", ()), (), (("q", (Variable("x"),)),))\n',
)
NEGATION_IN_A_CIRCLE = FailureEntry(
    "TL7099",
    TidelogError,
    "clauses that cannot be put in levels",
    "`{predicate}` depends on its own negation",
    "A level negates what lower levels hold only, so that what is negated is known before it is asked for.",
    "Take the negation out of the circle.",
    "from tidelog.lab.dbsp import Clause, StratifiedCircuit, ZSet\n"
    'StratifiedCircuit().step(ZSet.of(Clause(("p", ()), (), (("p", ()),))), ZSet())\n',
)
NO_DELAY = FailureEntry(
    "TL7002",
    TidelogError,
    "feedback loop without a delay",
    "a feedback loop without a delay: the stream depends on its own value at this time",
    "A loop has one solution if its values depend on earlier times only.",
    "Send the loop through `delay`.",
    "from tidelog.lab.dbsp import INTEGERS, Stream\nloop = Stream(INTEGERS, lambda time: loop[time])\nloop[0]\n",
)
NOT_SENT = FailureEntry(
    "TL7003",
    TidelogError,
    "value of a source that did not arrive",
    "the stream has no value at time {time} yet: send it first",
    "The values of a source arrive from outside, one by one.",
    example="from tidelog.lab.dbsp import INTEGERS, Source\nSource(INTEGERS)[0]\n",
)
ROW_COLUMNS = FailureEntry(
    "TL7004",
    DataError,
    "row with another number of columns on the circuit",
    "relation `{relation}` has {columns} columns, but the row is {row}",
    "A relation has one number of columns, fixed by its first use.",
    "Give every row a value for each column.",
    _CIRCUIT + 'db = DatalogCircuit(facts={"n": [(1,)]})\ndb.epoch(insert={"n": [(1, 2)]})\n',
)
UNKNOWN_RULE = FailureEntry(
    "TL7005",
    EngineError,
    "removal of a rule that the circuit does not have",
    "unknown rule `{label}`; known: {known}",
    "Rules are removed by their labels.",
    "Give the label of a rule that is there.",
    _CIRCUIT + 'DatalogCircuit().epoch(remove=("r1",))\n',
)
TWO_RULES = FailureEntry(
    "TL7006",
    EngineError,
    "label of two rules on the circuit",
    "label `{label}` is given to two rules",
    "A label names one rule at a time.",
    "Give the new rule another label, or remove the old one in the same epoch.",
    _CIRCUIT + "from tidelog.syntax import parse_rules\n"
    'DatalogCircuit().epoch(add=parse_rules("near: p(X) :- q(X). near: p(X) :- r(X)."))\n',
)
NO_VALUE = FailureEntry(
    "TL7007",
    DataError,
    "row of the circuit that holds something else than values",
    "{value!r} is no value: expected a number, a text or a tuple of values",
    "Rows hold values of the language.",
    "Convert it, or leave the row out.",
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
