"""Functions on texts, JSON, addresses and hashes: values computed by hand, and laws against obvious definitions."""

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidelog.errors import EvaluationError
from tidelog.program.functions import text
from tidelog.program.functions.table import resolve

TYPES = {str: "symbol", int: "number", float: "float", tuple: "list"}
SHORT = st.text("abAB ", max_size=7)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def call(name, *args):
    function = resolve(name, [TYPES[type(arg)] for arg in args])
    assert function is not None, f"no overload of {name}"
    return function.evaluate(*args)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("lower", ("ÄbC",), "äbc"),
        ("upper", ("straße",), "STRASSE"),
        ("trim", (" \t a b\r\n",), "a b"),
        ("trim", ("\u00a0a",), "\u00a0a"),
        ("replace", ("aaa", "aa", "b"), "ba"),
        ("replace", ("abc", "", "-"), "abc"),
        ("replace", ("a.b", ".", ""), "ab"),
        ("starts_with", ("tidelog", "tide"), 1),
        ("starts_with", ("tide", "tidelog"), 0),
        ("starts_with", ("", ""), 1),
        ("ends_with", ("tidelog", "log"), 1),
        ("ends_with", ("tidelog", "lo"), 0),
        ("pad_left", ("7", 3, "0"), "007"),
        ("pad_left", ("ab", 5, "xyz"), "xyzab"),
        ("pad_left", ("abc", 2, "0"), "abc"),
        ("pad_left", ("a", -1, "0"), "a"),
        ("pad_right", ("7", 4, "ab"), "7aba"),
        ("split", ("a,b,,c", ","), ("a", "b", "", "c")),
        ("split", ("", ","), ("",)),
        ("split", ("a--b-c", "--"), ("a", "b-c")),
        ("split", ("äb", ""), ("ä", "b")),
        ("join", (("a", 1, 0.5), ", "), "a, 1, 0.5"),
        ("join", ((), ","), ""),
        ("edit_distance", ("kitten", "sitting"), 3),
        ("edit_distance", ("", "abc"), 3),
        ("edit_distance", ("größe", "grosse"), 3),
        ("regex_find", ("b+", "abbc"), 1),
        ("regex_find", ("^b", "ab"), 0),
        ("regex_group", ("(\\w+)@(\\w+)", "to: ann@site", 0), "ann@site"),
        ("regex_group", ("(\\w+)@(\\w+)", "to: ann@site", 2), "site"),
        ("regex_group", ("(\\w+)@(\\w+)", "nobody", 1), ""),
        ("regex_group", ("(a)|(b)", "b", 1), ""),
        ("regex_all", ("[0-9]+", "a1b22c", 0), ("1", "22")),
        ("regex_all", ("(\\w)=", "a=1,b=2", 1), ("a", "b")),
        ("regex_all", ("", "aä", 0), ("", "", "")),
        ("regex_all", ("\\bb", "b ab b", 0), ("b", "b")),
        ("regex_all", ("^a", "aaa", 0), ("a",)),
        ("regex_replace", ("[ \t]+", "a  b c", "_"), "a_b_c"),
        ("regex_replace", ("(a)(b)?", "ab-a", "<$2$1$$>"), "<ba$>-<a$>"),
        ("regex_replace", ("", "äb", "-"), "-ä-b-"),
        ("md5", ("abc",), "900150983cd24fb0d6963f7d28e17f72"),
        ("sha1", ("abc",), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("f_sha1", ("abc",), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sha256", ("abc",), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("crc32", ("123456789",), 0xCBF43926),
        ("is_json", ("[1, 2]",), 1),
        ("is_json", ("{a: 1}",), 0),
        ("is_json", ("NaN",), 0),
        ("is_json", ("[" * 100_000,), 0),
        ("json_get", ('{"a": {"b": [10, "x"]}}', "a.b[1]"), "x"),
        ("json_get", ('{"a": {"b": [10, "x"]}}', "$.a.b[0]"), "10"),
        ("json_get", ('{"b": 1, "a": [true, null, 1.50]}', ""), '{"a":[true,null,1.5],"b":1}'),
        ("json_get", ('{"first name": "ann"}', '["first name"]'), "ann"),
        ("json_get", ('{"a": ""}', "a"), ""),
        ("json_has", ('{"a": null}', "a"), 1),
        ("json_has", ('{"a": [1]}', "a[1]"), 0),
        ("json_has", ('{"a": [1]}', "a.b"), 0),
        ("json_has", ('{"0": 1}', "[0]"), 0),
        ("json_all", ('{"items": [{"id": 1}, {}, {"id": "x"}]}', "items[*].id"), ("1", "x")),
        ("json_all", ('{"a": 1, "b": 2}', "$.*"), ("1", "2")),
        ("json_all", ("[]", "[*]"), ()),
        ("json_names", ('{"b": {"d": 1, "c": 2}}', "b"), ("c", "d")),
        ("json_type", ('{"a": 1.5}', "a"), "number"),
        ("json_type", ('{"a": 1.5}', "b"), "missing"),
        ("json", ('a"b',), '"a\\"b"'),
        ("json", ((1, "b", (0.5,)),), '[1,"b",[0.5]]'),
        ("json_array", (), "[]"),
        ("json_array", (1, "a"), '[1,"a"]'),
        ("json_object", ("name", "ann", "age", 7), '{"age":7,"name":"ann"}'),
        ("json_put", ('{"a": 1}', "b", "[true]"), '{"a":1,"b":[true]}'),
        ("is_ip", ("192.0.2.1",), 1),
        ("is_ip", ("192.0.2.01",), 0),
        ("is_ip", ("fe80::1%eth0",), 0),
        ("is_cidr", ("10.0.0.0/8",), 1),
        ("is_cidr", ("10.0.0.0/33",), 0),
        ("is_cidr", ("10.0.0.0/255.0.0.0",), 0),
        ("is_cidr", ("10.0.0.0",), 0),
        ("ip", ("2001:0DB8::0:1",), "2001:db8::1"),
        ("ip", ("::ffff:192.0.2.1",), "::ffff:192.0.2.1"),
        ("ip_version", ("2001:db8::/32",), 6),
        ("ip_number", ("10.0.0.1",), 167772161),
        ("cidr", ("10.1.2.3/8",), "10.0.0.0/8"),
        ("cidr", ("::1",), "::1/128"),
        ("cidr_contains", ("10.0.0.0/8", "10.255.255.255"), 1),
        ("cidr_contains", ("10.0.0.0/8", "11.0.0.0"), 0),
        ("cidr_contains", ("10.0.0.0/8", "10.2.0.0/16"), 1),
        ("cidr_contains", ("10.2.0.0/16", "10.0.0.0/8"), 0),
        ("cidr_contains", ("::/0", "10.0.0.0"), 0),
        ("cidr_overlaps", ("10.2.0.0/16", "10.0.0.0/8"), 1),
        ("cidr_overlaps", ("10.2.0.0/16", "10.3.0.0/16"), 0),
        ("cidr_first", ("10.1.2.3/30",), "10.1.2.0"),
        ("cidr_last", ("2001:db8::/126",), "2001:db8::3"),
    ],
)
def test_function_has_the_value_computed_by_hand(name, args, expected):
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("pad_left", ("a", 3, ""), "TL2031"),
        ("pad_right", ("a", 1 << 40, "x"), "TL2030"),
        ("replace", ("a" * 20_000, "a", "b" * 20_000), "TL2030"),
        ("join", (("a", ("b",)), ","), "TL2031"),
        ("join", (("a" * 20_000,) * 20_000, ","), "TL2030"),
        ("edit_distance", ("a" * (1 << 17), "b" * (1 << 17)), "TL2031"),
        ("regex_find", ("(", "a"), "TL2015"),
        ("regex_group", ("(a)", "a", 2), "TL2031"),
        ("regex_group", ("(a)", "a", -1), "TL2031"),
        ("regex_all", ("a.*b|a", "a" * 100_000, 0), "TL2080"),
        ("regex_replace", ("(a)", "a", "$2"), "TL2031"),
        ("json_get", ("{a: 1}", "a"), "TL2032"),
        ("json_get", ("1e999", ""), "TL2032"),
        ("json_get", ("[" * 100_000, ""), "TL2032"),
        ("json_get", ("{}", "a"), "TL2033"),
        ("json_get", ("{}", "a..b"), "TL2034"),
        ("json_get", ("{}", ".a"), "TL2034"),
        ("json_get", ("{}", "$a"), "TL2034"),
        ("json_get", ("{}", "a b"), "TL2034"),
        ("json_get", ("{}", "a[-1]"), "TL2034"),
        ("json", (float("nan"),), "TL2031"),
        ("json_object", ("a",), "TL2031"),
        ("json_object", (1, "a"), "TL2031"),
        ("json_put", ("[]", "a", "1"), "TL2031"),
        ("ip", ("10.0.0.0/8",), "TL2035"),
        ("ip_number", ("::1",), "TL2031"),
        ("cidr", ("10.0.0/8",), "TL2035"),
        ("cidr_contains", ("10.0.0.0/8", "x"), "TL2035"),
    ],
)
def test_function_without_a_value_is_an_evaluation_error(name, args, code):
    with pytest.raises(EvaluationError) as raised:
        call(name, *args)
    assert raised.value.code == code


@given(SHORT, SHORT)
def test_edit_distance_is_that_of_the_table(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    assert text.edit_distance(a, b) == row[-1]


@given(SHORT, st.text("abAB ", min_size=1, max_size=2))
def test_split_and_join_are_inverse(whole, separator):
    assert call("join", call("split", whole, separator), separator) == whole


@given(SHORT, st.sampled_from(["a", "a*", "(?:ab)+", "a|b", "\\b", "[ab]?"]))
@example("", "a*")
def test_matches_are_those_of_python(whole, pattern):
    assert call("regex_all", pattern, whole, 0) == _matches(pattern, whole)


def _matches(pattern, whole):
    """Python also finds an empty match right after another one; ECMAScript and RE2 do, too."""
    found, at = [], 0
    while at <= len(whole) and (match := re.compile(pattern).search(whole, at)):
        found.append(match[0])
        at = match.end() if match.end() > match.start() else match.end() + 1
    return tuple(found)


@settings(max_examples=50)
@given(JSON)
def test_json_reads_back_as_the_same_value(value):
    whole = call("json_get", json.dumps([value]), "")
    assert json.loads(whole) == [value]
    assert call("json_get", whole, "") == whole
    inner = call("json_get", whole, "[0]")
    assert inner == value if isinstance(value, str) else json.loads(inner) == value


@given(st.ip_addresses(v=4), st.integers(0, 32), st.ip_addresses(v=4))
def test_a_block_contains_what_lies_between_its_ends(base, length, other):
    block = f"{base}/{length}"
    inside = call("ip_number", call("cidr_first", block)) <= int(other) <= call("ip_number", call("cidr_last", block))
    assert call("cidr_contains", block, str(other)) == int(inside)
