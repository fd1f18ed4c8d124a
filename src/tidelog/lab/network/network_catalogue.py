"""The diagnostics of programs that run in virtual time, by code.

Law: every mistake in a program or script of `tidelog simulate --until` has an entry here.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

SYNTAX = CodeEntry(
    "TL930",
    "cannot read the program",
    "expected {expected}, found {found}",
    "Programs with events and timers are read as P2 and RapidNet wrote them.",
    "Correct the text at this place.",
)
UNBOUND = CodeEntry(
    "TL931",
    "unbound variable",
    "`{name}` in rule `{rule}` is not bound by the body",
    "A variable gets its values from atoms and assignments of the body. A name in capitals may also be a macro that "
    "the program expects from outside.",
    "Bind the variable, or pass the macro with --define {name}=VALUE.",
)
EVENTS = CodeEntry(
    "TL932",
    "several events in one rule",
    "rule `{rule}` joins the events {events}",
    "An event exists for one step, so two of them never meet. A relation is an event if it is not materialized and has "
    "no facts.",
    "Materialize one of the relations, or give facts for it in the topology.",
)
FUNCTION = CodeEntry(
    "TL933",
    "unknown function",
    "unknown function `{name}` with {count} arguments",
    "The functions of P2 and RapidNet are listed in docs/design/events.md.",
    "Check the name and the number of arguments.",
)
PLACE = CodeEntry(
    "TL934",
    "unreachable location",
    "rule `{rule}` reads `{relation}` at a location that nothing before it determines",
    "A rule starts at the location of its event, or of its first atom, and can go on to a node whose address it has "
    "found there.",
    "Add a join with the relation that contains the address.",
)
AGGREGATE = CodeEntry(
    "TL935",
    "unsupported aggregate",
    "rule `{rule}` has {problem}",
    "A head has at most one aggregate, and the rows of a `delete` rule have none.",
    "Split the rule.",
)
TIMER = CodeEntry(
    "TL936",
    "invalid timer",
    "`periodic` in rule `{rule}` needs a node, an event and a period, and then numbers",
    "The form is periodic(@Node, Event, period, count, delay, spread); count 0 means forever.",
    "Write numbers, or pass macros with --define.",
)
FACT = CodeEntry(
    "TL937",
    "invalid fact",
    "{problem}",
    "A fact has constants only. In a program its location may be a variable: then it holds at every node.",
    "Replace the variable, or pass the macro with --define NAME=VALUE.",
)

ENTRIES = (SYNTAX, UNBOUND, EVENTS, FUNCTION, PLACE, AGGREGATE, TIMER, FACT)
