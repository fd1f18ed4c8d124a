"""Every built-in function on hand-computed values, its errors, and the order of values (D11)."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog import Engine
from tidelog.errors import EngineError, EvaluationError
from tidelog.program.functions.lists import same
from tidelog.program.functions.table import (
    FUNCTIONS,
    ORDERED_TYPES,
    Functions,
    admit,
    compare,
    holds,
    resolve,
    user_function,
)
from tidelog.program.values.term import NAN

LOW, HIGH, TOP = -(2**63), 2**63 - 1, 2**64 - 1
TYPES = {"n": "number", "u": "unsigned", "f": "float", "s": "symbol", "l": "list"}


def call(name, types, *args):
    function = resolve(name, [TYPES[t] for t in types])
    assert function is not None, f"no overload of {name} for {types}"
    value = function.evaluate(*args)
    return list(value) if function.generator else value


@pytest.mark.parametrize(
    ("name", "types", "args", "expected"),
    [
        ("+", "nn", (2, 3), 5),
        ("+", "uu", (HIGH, 1), 2**63),
        ("+", "ff", (0.1, 0.2), 0.30000000000000004),
        ("-", "nn", (2, 3), -1),
        ("-", "n", (5,), -5),
        ("-", "f", (0.0,), 0.0),
        ("*", "nn", (-4, 3), -12),
        ("/", "nn", (7, 2), 3),
        ("/", "nn", (-7, 2), -3),
        ("/", "nn", (7, -2), -3),
        ("/", "ff", (1.0, 4.0), 0.25),
        ("%", "nn", (7, 3), 1),
        ("%", "nn", (-7, 3), -1),
        ("%", "nn", (7, -3), 1),
        ("%", "nn", (LOW, -1), 0),
        ("^", "nn", (2, 62), 2**62),
        ("^", "nn", (-1, 10**9 + 1), -1),
        ("^", "nn", (0, 0), 1),
        ("^", "ff", (2.0, 0.5), math.sqrt(2.0)),
        ("^", "ff", (10.0, 400.0), math.inf),
        ("^", "ff", (-10.0, 401.0), -math.inf),
        ("band", "nn", (12, 10), 8),
        ("bor", "nn", (12, 10), 14),
        ("bxor", "nn", (12, 10), 6),
        ("bnot", "n", (0,), -1),
        ("bnot", "u", (0,), TOP),
        ("bshl", "nn", (1, 63), LOW),
        ("bshl", "uu", (1, 63), 2**63),
        ("bshl", "nn", (1, 64), 1),
        ("bshr", "nn", (-8, 1), -4),
        ("bshru", "nn", (-1, 1), HIGH),
        ("land", "nn", (2, 4), 1),
        ("land", "nn", (2, 0), 0),
        ("lor", "nn", (0, 3), 1),
        ("lxor", "nn", (2, 3), 0),
        ("lnot", "n", (0,), 1),
        ("lnot", "n", (7,), 0),
        ("min", "nnn", (3, 1, 2), 1),
        ("max", "ff", (3.0, NAN), NAN),
        ("min", "ff", (NAN, 3.0), 3.0),
        ("max", "ss", ("a", "Z"), "a"),
        ("cat", "sss", ("ti", "de", "log"), "tidelog"),
        ("cat", "s", ("tide",), "tide"),
        ("+", "ss", ("ti", "de"), "tide"),
        ("sqrt", "f", (4.0,), 2.0),
        ("log", "f", (0.0,), -math.inf),
        ("sqrt", "f", (-1.0,), NAN),
        ("sinh", "f", (-1e9,), -math.inf),
        ("atanh", "f", (1.0,), math.inf),
        ("wrap +", "nn", (2**63 - 1, 1), -(2**63)),
        ("wrap ^", "uu", (3, 100), pow(3, 100, 2**64)),
        ("strlen", "s", ("größe",), 5),
        ("substr", "snn", ("tidelog", 0, 4), "tide"),
        ("substr", "snn", ("tidelog", 7, 1), ""),
        ("substr", "snn", ("tidelog", 2, -1), ""),
        ("contains", "ss", ("del", "tidelog"), 1),
        ("contains", "ss", ("tidelog", "del"), 0),
        ("match", "ss", ("t.*g", "tidelog"), 1),
        ("match", "ss", ("tide", "tidelog"), 0),
        ("to_string", "n", (-5,), "-5"),
        ("to_string", "f", (0.1,), "0.1"),
        ("to_string", "s", ("a",), "a"),
        ("to_number", "s", ("-12",), -12),
        ("to_number", "s", ("0x1F",), 31),
        ("to_number", "s", ("007",), 7),
        ("to_number", "f", (-2.7,), -2),
        ("to_number", "u", (5,), 5),
        ("to_number", "n", (5,), 5),
        ("to_unsigned", "s", (str(TOP),), TOP),
        ("to_unsigned", "n", (5,), 5),
        ("to_float", "s", ("1.5e2",), 150.0),
        ("to_float", "s", ("-inf",), -math.inf),
        ("to_float", "n", (2,), 2.0),
        ("itou", "n", (1,), 1),
        ("utoi", "u", (1,), 1),
        ("itof", "n", (1,), 1.0),
        ("utof", "u", (1,), 1.0),
        ("ftoi", "f", (1.9,), 1),
        ("ftou", "f", (1.9,), 1),
        ("list", "", (), ()),
        ("list", "ns", (1, "a"), (1, "a")),
        ("f_init", "ns", (1, "a"), (1, "a")),
        ("f_concat", "nl", (1, (2, 3)), (1, 2, 3)),
        ("f_concat", "ll", ((1,), (2, 3)), (1, 2, 3)),
        ("f_append", "ln", ((1, 2), 3), (1, 2, 3)),
        ("f_append", "ll", ((1,), (2,)), (1, (2,))),
        ("f_inPath", "ln", ((1, 2), 2), 1),
        ("f_member", "ln", ((1, 2), 3), 0),
        ("f_member", "lf", ((1, 2), 1.0), 0),
        ("f_size", "l", ((1, 2),), 2),
        ("f_first", "l", ((1, 2),), 1),
        ("f_last", "l", ((1, 2),), 2),
        ("range", "nn", (1, 4), [1, 2, 3]),
        ("range", "nn", (4, 1), [4, 3, 2]),
        ("range", "nn", (2, 2), []),
        ("range", "nnn", (0, 5, 2), [0, 2, 4]),
        ("range", "nnn", (0, 5, -1), []),
        ("range", "nnn", (0, 5, 0), [0]),
        ("range", "nnn", (5, 5, 0), []),
        ("range", "fff", (1.0, 0.0, 0.0), [1.0]),
        ("range", "uu", (3, 1), [3, 2]),
        ("range", "fff", (0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75]),
        ("element", "ln", ((5, "a"), 1), "a"),
        ("elements", "l", ((5, "a", 5),), [5, "a", 5]),
        ("least", "nnn", (3, 1, 2), 1),
        ("greatest", "ff", (3.0, NAN), NAN),
        ("abs", "n", (-5,), 5),
        ("abs", "u", (TOP,), TOP),
        ("abs", "f", (-math.inf,), math.inf),
        ("round", "f", (0.5,), 1.0),
        ("round", "f", (1.5,), 2.0),
        ("round", "f", (2.5,), 3.0),
        ("round", "f", (-2.5,), -3.0),
        ("round", "f", (0.49999999999999994,), 0.0),
        ("round", "f", (-0.4,), 0.0),
        ("round", "f", (1e300,), 1e300),
        ("round", "f", (NAN,), NAN),
        ("round", "f", (-math.inf,), -math.inf),
        ("round", "fn", (2.675, 2), 2.68),
        ("round", "fn", (1.005, 2), 1.01),
        ("round", "fn", (1250.0, -2), 1300.0),
        ("round", "fn", (1.7e308, -308), math.inf),
        ("round", "fn", (5e-324, 400), 5e-324),
        ("round", "fn", (7.0, -500), 0.0),
        ("floor", "f", (-0.5,), -1.0),
        ("floor", "f", (math.inf,), math.inf),
        ("ceil", "f", (-0.5,), 0.0),
        ("ceil", "f", (2.000000001,), 3.0),
        ("ceil", "f", (NAN,), NAN),
    ],
)
def test_function_has_the_value_computed_by_hand(name, types, args, expected):
    assert same(_as_tuple(call(name, types, *args)), _as_tuple(expected))


def _as_tuple(value):
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("name", "types", "args"),
    [
        ("+", "nn", (HIGH, 1)),
        ("-", "nn", (LOW, 1)),
        ("-", "n", (LOW,)),
        ("-", "uu", (1, 2)),
        ("-", "u", (1,)),
        ("*", "uu", (2**32, 2**32)),
        ("/", "nn", (LOW, -1)),
        ("/", "nn", (1, 0)),
        ("%", "nn", (1, 0)),
        ("/", "ff", (1.0, 0.0)),
        ("/", "ff", (NAN, 0.0)),
        ("^", "nn", (2, 63)),
        ("^", "nn", (3, 10**12)),
        ("^", "nn", (2, -1)),
        ("^", "ff", (0.0, -1.0)),
        ("to_number", "s", ("12a",)),
        ("to_number", "s", (" 12",)),
        ("to_number", "s", ("",)),
        ("to_number", "s", ("١",)),
        ("to_number", "s", (str(HIGH + 1),)),
        ("to_number", "s", ("9" * 10_000,)),
        ("to_number", "u", (2**63,)),
        ("to_number", "f", (1e19,)),
        ("to_number", "f", (NAN,)),
        ("to_number", "f", (math.inf,)),
        ("to_unsigned", "s", ("-1",)),
        ("to_unsigned", "n", (-1,)),
        ("ftou", "f", (-1.0,)),
        ("to_float", "s", ("1_0",)),
        ("to_float", "s", ("",)),
        ("match", "ss", ("(", "a")),
        ("f_first", "l", ((),)),
        ("f_last", "l", ((),)),
        ("range", "ff", (0.0, math.inf)),
        ("range", "fff", (1e300, 2e300, 1.0)),
        ("abs", "n", (LOW,)),
        ("element", "ln", ((1,), 1)),
        ("element", "ln", ((1,), -1)),
    ],
)
def test_function_without_a_value_is_an_evaluation_error(name, types, args):
    with pytest.raises(EvaluationError):
        call(name, types, *args)


@pytest.mark.parametrize(
    ("name", "types"),
    [("+", "nf"), ("-", "ss"), ("%", "ff"), ("cat", ""), ("cat", "sn"), ("min", "n"), ("min", "ll"), ("strlen", "n"),
     ("f_size", "s"), ("f_concat", "ln"), ("range", "ss"), ("nothing", "n")],
)  # fmt: skip
def test_types_that_no_overload_accepts_resolve_to_nothing(name, types):
    assert resolve(name, [TYPES[t] for t in types]) is None


def test_argument_of_any_type_takes_the_first_overload_that_fits():
    assert resolve("+", ("any", "float")).result == "float"
    assert resolve("+", ("any", "any")).result == "number"


def test_float_results_have_one_zero_and_one_nan():
    assert math.copysign(1.0, call("*", "ff", -1.0, 0.0)) == 1.0
    assert math.copysign(1.0, call("-", "f", 0.0)) == 1.0
    assert call("-", "ff", math.inf, math.inf) is NAN
    assert call("^", "ff", -1.0, 0.5) is NAN


def test_ord_is_the_published_hash_and_never_moves():
    # Fixed values: another machine, another day, another order of symbols must give these.
    expected = [-7444071767201028348, -8582455328737087284, -3184511078504892203]
    assert [call("ord", "s", text) for text in ("", "a", "tidelog")] == expected


@given(st.integers(LOW, HIGH), st.integers(LOW, HIGH))
def test_quotient_and_remainder_recompose_the_dividend(a, b):
    if b not in (0, -1):
        q, r = call("/", "nn", a, b), call("%", "nn", a, b)
        assert q * b + r == a
        assert abs(r) < abs(b)
        assert r == 0 or (r < 0) == (a < 0)


@given(st.integers(LOW, HIGH), st.integers(LOW, HIGH))
def test_number_operations_stay_in_range_or_fail(a, b):
    for name in ("+", "-", "*", "band", "bor", "bxor", "bshl", "bshr", "bshru"):
        with contextlib.suppress(EvaluationError):
            assert LOW <= call(name, "nn", a, b) <= HIGH


@given(st.floats(allow_nan=True), st.floats(allow_nan=True))
def test_text_of_a_float_reads_back_as_the_same_float(a, b):
    value = call("+", "ff", a, b)
    assert same(call("to_float", "s", call("to_string", "f", value)), value)


def test_order_puts_nan_last_and_symbols_by_code_point():
    assert compare(math.inf, NAN, "float") == -1
    assert compare(NAN, NAN, "float") == 0
    assert compare("Z", "a", "symbol") == -1
    assert compare("a", "ä", "symbol") == -1
    assert compare(2**63, 1, "unsigned") == 1
    assert [holds(op, 1, 2, "number") for op in ("=", "!=", "<", "<=", ">", ">=")] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_lists_are_equal_or_not_but_never_ordered():
    assert holds("=", (1, ("a",)), (1, ("a",)), "list")
    assert "list" not in ORDERED_TYPES
    with pytest.raises(EvaluationError, match="no order"):
        holds("<", (1,), (2,), "list")


def test_user_function_is_checked_and_its_failure_named():
    root = user_function("root", ("float",), "float", version="3")(math.sqrt)
    functions = FUNCTIONS.with_function(root)
    assert resolve("root", ("float",), functions).evaluate(4.0) == 2.0
    assert functions["root"][0].version == "3"
    with pytest.raises(EvaluationError, match=r"root\(-1.0,\) failed: ValueError"):
        root.evaluate(-1.0)
    wrong = user_function("wrong", (), "number")(lambda: "text")
    with pytest.raises(EvaluationError, match="not a value of type number"):
        wrong.evaluate()


def test_user_function_replaces_its_older_self_only():
    first = user_function("f", ("number",), "number")(lambda x: x)
    other = user_function("f", ("symbol",), "number")(len)
    again = user_function("f", ("number",), "number", version="2")(lambda x: x + 1)
    functions = FUNCTIONS.with_function(first).with_function(other).with_function(again)
    assert [(f.params, f.version) for f in functions["f"]] == [(("symbol",), "1"), (("number",), "2")]
    assert hash(functions) == hash(Functions(f for fs in functions.values() for f in fs))


@pytest.mark.parametrize(("name", "types"), [("cat", ("symbol",)), ("f g", ("symbol",)), ("f", ("text",))])
def test_user_function_with_a_taken_or_wrong_signature_is_refused(name, types):
    with pytest.raises(EngineError, match="function"):
        Engine("q(1).", functions=[user_function(name, types, "number")(len)])


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (2**63, "number"),
        (-1, "unsigned"),
        (1.5, "number"),
        ("1", "number"),
        (1, "symbol"),
        (None, "any"),
        (10**400, "float"),
    ],
)
def test_value_that_a_type_does_not_hold_is_not_admitted(value, type_):
    with pytest.raises(EvaluationError):
        admit(value, type_, "here")
