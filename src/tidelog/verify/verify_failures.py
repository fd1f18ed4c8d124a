"""Cases that the checkers of a certificate cannot check, by code: TL21xx values, TL41xx programs and states.

Law: a checker that cannot decide reports one of these; it never accepts anything unchecked.
"""

from __future__ import annotations

from tidelog.errors import EngineError, EvaluationError
from tidelog.errors.entry import FailureEntry

NO_SUM = FailureEntry(
    "TL2101",
    EvaluationError,
    "sum of values that are not numbers",
    "only numbers can be summed",
    "`sum` and `avg` apply to numbers, unsigned numbers and floats.",
    "Convert the values before summing them.",
    "from tidelog.program import Aggregate\nfrom tidelog.verify.folds import fold\n"
    "fold(Aggregate('sum', None, None), ['a'], 'float')\n",
)
NOT_ORDERED = FailureEntry(
    "TL2102",
    EvaluationError,
    "cannot order a body for evaluation",
    "cannot evaluate a body: the variables of {item} are not bound",
    "Every variable of a body is bound by a positive atom or an equation.",
    "Run `tidelog check`, which reports the variable.",
    "from tidelog.syntax import parse_rule\nfrom tidelog.verify.normal import to_clause\n"
    "from tidelog.verify.order import arrange\n"
    "(items,) = to_clause(parse_rule('p(X) :- q(X), Y < Z.')).body.alternatives\n"
    "arrange(items, set(), lambda scan: 1)\n",
)
NOT_SCALAR = FailureEntry(
    "TL2103",
    EvaluationError,
    "term without a single value",
    "not a scalar term: {term}",
    "Only constants, variables and functions of them have a single value.",
    "Run `tidelog check` on the program first.",
    "from tidelog.program import Wildcard\nfrom tidelog.verify.terms import compile_term\n"
    "compile_term(Wildcard(), {}, {}, {})\n",
)
NO_OVERLOAD = FailureEntry(
    "TL2104",
    EvaluationError,
    "wrong argument types",
    "no function `{name}` for arguments of types {types}",
    "A function is selected by its name and the types of its arguments.",
    "Convert the arguments, or register the user function that the state was created with.",
    "from tidelog.program import Call, Const\nfrom tidelog.verify.terms import compile_term\n"
    "compile_term(Call('half', (Const(1, 'number'),)), {}, {}, {})\n",
)
CORE_VALUE = FailureEntry(
    "TL4101",
    EngineError,
    "value not supported by the extracted checker",
    "the extracted checker does not support values of type {type}: {value!r}",
    "The extracted checker supports numbers, floats, symbols, dates and lists.",
    "Use `Engine.verify()`, which checks every program.",
    "from tidelog.program.values.state import EngineState, FactState\n"
    "from tidelog.verify.core_text import export_core\n"
    "export_core(EngineState({'e': {(None,): FactState(0, 1, 1, True)}}, (), (), {}))\n",
)
NOT_CORE = FailureEntry(
    "TL4102",
    EngineError,
    "rule not supported by the extracted checker",
    "the extracted checker only supports rules with atoms, negated atoms and comparisons over variables and constants; "
    "{rule} has a {kind}. Engine.verify() checks every program.",
    "The extracted checker is intentionally small: it has no functions and no aggregates.",
    "",
    "from tidelog.verify.core_text import export_core\n"
    "db = Engine('q(1). p(X + 1) :- q(X).')\nexport_core(db.state())\n",
)
NOT_IN_SQL = FailureEntry(
    "TL4103",
    EngineError,
    "program not supported by the Spark checker",
    "the Spark checker cannot check {what}; use the Python checker",
    "The Spark checker supports the features that Spark SQL computes exactly as Tidelog does.",
    "",
    "from tidelog.program import Const\nfrom tidelog.verify.sql_terms import constant\n"
    "constant(Const((1, 2), 'list'))\n",
)
NOT_STRATIFIED = FailureEntry(
    "TL4104",
    EngineError,
    "program is not stratified",
    "not stratified: `{head}` depends on the complete `{name}`, which depends on `{head}`",
    "Negation and aggregates require relations that are already complete.",
    "Run `tidelog check`, which shows the cycle.",
    "from tidelog.syntax import parse_program\nfrom tidelog.verify.normal import to_clause\n"
    "from tidelog.verify.strata import stratify\n"
    "stratify([to_clause(rule) for rule in parse_program('p(X) :- q(X), !p(X).').rules])\n",
)
NO_CANDIDATES = FailureEntry(
    "TL4105",
    EngineError,
    "relation cannot be certified from files",
    "facts of `{relation}` cannot be certified from files: it has a choice or a subsumption, or is an "
    "equivalence relation",
    "The certificate of such a relation needs the facts that it chooses from, which files of results do not contain.",
    "Load the facts with `tidelog run --state DIR` and certify the state with `tidelog verify DIR`.",
    "from tidelog.syntax import parse_program\nfrom tidelog.verify import verify_facts\n"
    "text = '.decl p(x: number, y: number) choice-domain x  p(1, 2).'\n"
    "verify_facts(parse_program(text), {}, {}, {})\n",
)
NO_CHECKER = FailureEntry(
    "TL4106",
    EngineError,
    "extracted checker not found",
    "the checker `{name}` was not found",
    "`--proved` runs the checker that is extracted from the Coq proofs. It is not part of the package.",
    "In a clone, build it with `make -C proofs` (needs coq and ocaml), or put it on the PATH.",
    "from tidelog.verify.proved_checker import find_checker\nfind_checker(Path('nowhere'), '')\n",
)
CHECKER_FAILED = FailureEntry(
    "TL4107",
    EngineError,
    "extracted checker failed",
    "{checker} did not return a verdict: {reason}",
    "The checker prints `accepted`, or `rejected` and the reason.",
    "Build it again with `make -C proofs`.",
    "from tidelog.verify.proved_checker import verify_proved\n"
    "verify_proved(Engine('p(1).').state(), Path('/bin/false'))\n",
)

ENTRIES = (
    NO_SUM,
    NOT_ORDERED,
    NOT_SCALAR,
    NO_OVERLOAD,
    CORE_VALUE,
    NOT_CORE,
    NOT_IN_SQL,
    NOT_STRATIFIED,
    NO_CANDIDATES,
    NO_CHECKER,
    CHECKER_FAILED,
)
