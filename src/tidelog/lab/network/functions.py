"""The functions of P2 and RapidNet, and the operators of terms.

Law: a function depends on its arguments, on the clock of the run (`f_now`) and on the seeded stream of the node
(`f_rand`, `f_coinFlip`, `f_idgen`, `f_randID`), and on nothing else. Tests return 1 or 0, as in the originals. P2's
compilers describe the columns of an atom as a list of texts here: `@A` a location, `X` a variable, `a_min<X>` an
aggregate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.program import Value
from tidelog.lab.network.ring import BITS, Id, is_between
from tidelog.program.functions import hashes


@dataclass(slots=True)
class Surroundings:
    """What functions know of the run: the time, and a random stream for each node."""

    now: float
    random: Random


Function: TypeAlias = Callable[..., Any]
_AGGREGATE = re.compile(r"a_\w+<(.*)>")
_DIGITS = 31


def text(value: Value) -> str:
    """A value as `+` and `f_sha1` see it: identifiers in hexadecimal without a prefix, whole seconds without a point.

    >>> text(Id(255)), text(2.0), text(("a", 1)), text(None)
    ('ff', '2', '(a,1)', 'null')
    """
    if isinstance(value, Id):
        return f"{int(value):x}"
    if isinstance(value, tuple):
        return f"({','.join(map(text, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(text, value)))}}}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def order(value: Value) -> tuple[int, Any]:
    """A key that orders all values: numbers by size, texts by their letters, then lists."""
    if value is None:
        return 0, 0
    if isinstance(value, int | float):
        return 1, value
    if isinstance(value, str):
        return 2, value
    if isinstance(value, tuple):
        return 3, tuple(map(order, value))
    return 4, sorted(map(order, value))


def _plus(_: Surroundings, left: Value, right: Value) -> Value:
    if isinstance(left, str) or isinstance(right, str):
        return text(left) + text(right)
    total: Value = _arithmetic(lambda a, b: a + b, "+")(_, left, right)
    return total


def _arithmetic(apply: Callable[[Any, Any], Any], sign: str) -> Function:
    def evaluate(_: Surroundings, left: Value, right: Value) -> Value:
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            raise failures.OPERANDS.error(sign=sign, left=text(left), right=text(right))
        try:
            result: Value = apply(left, right)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise failures.ARITHMETIC.error(sign=sign, left=text(left), right=text(right), reason=error) from error
        return result

    return evaluate


def _divide(left: Any, right: Any) -> Any:
    return left // right if isinstance(left, int) and isinstance(right, int) else left / right


def _compare(holds: Callable[[Any, Any], bool]) -> Function:
    return lambda _, left, right: holds(order(left), order(right))


def _interval(with_low: bool, with_high: bool) -> Function:
    def evaluate(_: Surroundings, value: Value, low: Value, high: Value) -> bool:
        for part in (value, low, high):
            if not isinstance(part, int):
                raise failures.NO_IDENTIFIER.error(found=text(part))
        assert isinstance(value, int)
        assert isinstance(low, int)
        assert isinstance(high, int)
        return is_between(value, low, high, with_low=with_low, with_high=with_high)

    return evaluate


def _list(function: str, value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        raise failures.NO_LIST.error(function=function, found=text(value))
    return value


def _on_list(name: str, apply: Callable[..., Any]) -> Function:
    return lambda _, value, *rest: apply(_list(name, value), *rest)


def _item(items: tuple[Value, ...], number: Value) -> Value:
    return items[number - 1] if isinstance(number, int) and 1 <= number <= len(items) else None


def _concat(_: Surroundings, left: Value, right: Value) -> Value:
    return _list("f_concat", left) + _list("f_concat", right)


def _cons(_: Surroundings, first: Value, rest: Value) -> Value:
    if isinstance(rest, tuple):
        return (first, *rest)
    return (*first, rest) if isinstance(first, tuple) else (first, rest)


def _vector(function: str, value: Value) -> frozenset[Value]:
    if not isinstance(value, frozenset):
        raise failures.NO_VECTOR.error(function=function, found=text(value))
    return value


def _hop_limit(_: Surroundings, now: Value, period: Value) -> int:
    """Hazy-sighted link state: near nodes hear of every change, far ones of every eighth."""
    if not isinstance(now, int | float) or not isinstance(period, int | float) or not period:
        raise failures.OPERANDS.error(sign="f_hslsTtl", left=text(now), right=text(period))
    turn = int(now / period + 1)
    return 2 if turn % 2 == 1 else 4 if turn % 4 == 2 else 8 if turn % 8 == 4 else 16


def _type_of(_: Surroundings, value: Value) -> str:
    if value is None:
        return "null"
    names = ((Id, "id"), (bool, "bool"), (int, "int32"), (float, "real"), (tuple, "list"), (frozenset, "sv"))
    return next((name for kind, name in names if isinstance(value, kind)), "str")


def sha1(value: Value) -> Id:
    """The identifier of a value: the hash of its text."""
    return Id(int(hashes.sha1(text(value)), 16))


def _sum_of_proofs(items: tuple[Value, ...], _place: Value) -> str:
    return text(items[0]) if len(items) == 1 else f"({'+'.join(map(text, items))})"


def _product_of_proofs(items: tuple[Value, ...], place: Value, rule: Value) -> str:
    return f"{text(rule)}@{text(place)}({'*'.join(map(text, items))})"


def _attribute(_: Surroundings, kind: Value, schema: Value) -> Value:
    columns = _list("f_getattr", schema)
    if kind == "Location":
        return next((c for c in columns if isinstance(c, str) and c.startswith("@")), None)
    return next((c for c in columns if isinstance(c, str) and _AGGREGATE.fullmatch(c)), None)


def _bare(column: Value) -> Value:
    return column.removeprefix("@") if isinstance(column, str) else column


def _merge(left: tuple[Value, ...], right: tuple[Value, ...]) -> Value:
    known = {_bare(column) for column in left}
    return (*left, *(column for column in right if _bare(column) not in known))


def _aggregate_position(schema: tuple[Value, ...]) -> int:
    found = (at for at, column in enumerate(schema) if isinstance(column, str) and _AGGREGATE.fullmatch(column))
    return next(found, -1)


def _flatten(schema: tuple[Value, ...]) -> Value:
    return tuple(_AGGREGATE.sub(r"\1", column) if isinstance(column, str) else column for column in schema)


RANDOM = frozenset({"f_rand", "f_random", "f_drand", "f_coinFlip", "f_idgen", "f_randID"})
FUNCTIONS: Mapping[tuple[str, int], Function] = {
    ("+", 2): _plus,
    ("-", 2): _arithmetic(lambda a, b: a - b, "-"),
    ("*", 2): _arithmetic(lambda a, b: a * b, "*"),
    ("/", 2): _arithmetic(_divide, "/"),
    ("%", 2): _arithmetic(lambda a, b: a % b, "%"),
    ("<<", 2): _arithmetic(lambda a, b: a << b, "<<"),
    (">>", 2): _arithmetic(lambda a, b: a >> b, ">>"),
    ("unary -", 1): lambda s, value: _arithmetic(lambda a, b: a - b, "-")(s, 0, value),
    ("unary !", 1): lambda _, value: not value,
    ("==", 2): lambda _, left, right: left == right,
    ("!=", 2): lambda _, left, right: left != right,
    ("<", 2): _compare(lambda a, b: a < b),
    ("<=", 2): _compare(lambda a, b: a <= b),
    (">", 2): _compare(lambda a, b: a > b),
    (">=", 2): _compare(lambda a, b: a >= b),
    ("in()", 3): _interval(False, False),
    ("in(]", 3): _interval(False, True),
    ("in[)", 3): _interval(True, False),
    ("in[]", 3): _interval(True, True),
    # time and chance
    ("f_now", 0): lambda s: s.now,
    ("f_currentTime", 0): lambda s: s.now,
    ("f_age", 1): lambda s, since: _arithmetic(lambda a, b: a - b, "-")(s, s.now, since),
    ("f_diffTime", 2): _arithmetic(lambda a, b: a - b, "-"),
    ("f_hslsTtl", 2): _hop_limit,
    ("f_rand", 0): lambda s: s.random.getrandbits(_DIGITS),
    ("f_random", 0): lambda s: s.random.getrandbits(_DIGITS),
    ("f_drand", 0): lambda s: s.random.random(),
    ("f_coinFlip", 1): lambda s, chance: int(s.random.random() < chance),
    ("f_idgen", 0): lambda s: Id(s.random.getrandbits(BITS)),
    ("f_randID", 0): lambda s: Id(s.random.getrandbits(BITS)),
    # identifiers and numbers
    ("f_sha1", 1): lambda _, value: sha1(value),
    ("f_dist", 2): lambda _, start, end: Id(end) - start,
    ("f_min", 2): lambda _, left, right: min(left, right, key=order),
    ("f_max", 2): lambda _, left, right: max(left, right, key=order),
    ("f_mod", 2): _arithmetic(lambda a, b: a % b, "f_mod"),
    ("f_typeOf", 1): _type_of,
    ("f_type", 1): _type_of,
    ("f_tostr", 1): lambda _, value: text(value),
    ("f_strfind", 2): lambda _, whole, part: text(whole).find(text(part)),
    # lists
    ("f_append", 1): lambda _, value: (value,),
    ("f_empty", 0): lambda _: (),
    ("f_concat", 2): _concat,
    ("f_prepend", 2): lambda _, value, items: (value, *_list("f_prepend", items)),
    ("f_member", 2): _on_list("f_member", lambda items, value: int(value in items)),
    ("f_inPath", 2): _on_list("f_inPath", lambda items, value: int(value in items)),
    ("f_contains", 2): lambda _, value, items: int(value in _list("f_contains", items)),
    ("f_size", 1): _on_list("f_size", len),
    ("f_item", 2): _on_list("f_item", _item),
    ("f_first", 1): _on_list("f_first", lambda items: items[0] if items else None),
    ("f_last", 1): _on_list("f_last", lambda items: items[-1] if items else None),
    ("f_removeLast", 1): _on_list("f_removeLast", lambda items: items[:-1]),
    ("f_removeFirst", 1): _on_list("f_removeFirst", lambda items: items[1:]),
    ("f_cons", 2): _cons,
    ("f_car", 1): _on_list("f_car", lambda items: items[0] if items else None),
    ("f_cdr", 1): _on_list("f_cdr", lambda items: items[1:]),
    # summary vectors of epidemic protocols
    ("f_svcreate", 0): lambda _: frozenset(),
    ("f_svappend", 2): lambda _, vector, value: _vector("f_svappend", vector) | {value},
    ("f_svremove", 2): lambda _, vector, value: _vector("f_svremove", vector) - {value},
    ("f_svin", 2): lambda _, vector, value: int(value in _vector("f_svin", vector)),
    ("f_svandnot", 2): lambda _, left, right: _vector("f_svandnot", left) - _vector("f_svandnot", right),
    # provenance
    ("f_pEDB", 2): lambda _, proof, _place: text(proof),
    ("f_pIDB", 2): _on_list("f_pIDB", _sum_of_proofs),
    ("f_pRULE", 3): _on_list("f_pRULE", _product_of_proofs),
    # columns of atoms, in P2's compilers
    ("f_getattr", 2): _attribute,
    ("f_tovar", 1): lambda _, column: _bare(column),
    ("f_merge", 2): lambda _, left, right: _merge(_list("f_merge", left), _list("f_merge", right)),
    ("f_aggattr", 1): _on_list("f_aggattr", _aggregate_position),
    ("f_flatten", 1): _on_list("f_flatten", _flatten),
    ("f_createKey", 1): _on_list("f_createKey", lambda schema: tuple(range(1, len(schema) + 1))),
}
