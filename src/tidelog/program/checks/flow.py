"""How a computed value follows the values it is computed from: the small calculus behind `monotone`.

Law: for a term and one value read, a `Flow` says whether the term grows when the value grows (strictly, weakly, or
not known to), and whether the term is never below and never above that value. The calculus knows `+`, `-`, `*` and `/`
with factors of known sign, `min` and `max`; everything else is unknown, which is always sound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.program.values.term import FLOAT, SYMBOL, UNSIGNED, Call, Const, Term, Var, Wildcard

NONE, WEAK, STRICT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Flow:
    """How a term follows one value: growth, and the bounds ``value <= term`` and ``term <= value``."""

    growth: int
    above: bool
    below: bool


ITSELF = Flow(STRICT, True, True)
UNKNOWN = Flow(NONE, False, False)


@dataclass(frozen=True, slots=True)
class Flows:
    """A term's flow from each value it depends on, and the known bounds of the term.

    ``least`` and ``most`` bound the term (None: no bound known); ``real`` means that it is a float, ``text`` that it is
    a symbol.
    """

    of: Mapping[str, Flow]
    least: float | None = None
    most: float | None = None
    real: bool = False
    text: bool = False


def flow_of(term: Term, values: Mapping[str, Flows]) -> Flows:
    """The flows of the term. ``values`` maps variables to their flows; other variables do not depend on any value.

    >>> best = Flows({"D": ITSELF})
    >>> flow_of(Call("+", (Var("D"), Const(1, "number"))), {"D": best}).of["D"]
    Flow(growth=2, above=True, below=False)
    >>> flow_of(Call("min", (Var("D"), Var("W"))), {"D": best}).of["D"]
    Flow(growth=1, above=False, below=True)
    """
    if isinstance(term, Var):
        return values.get(term.name, Flows({}))
    if isinstance(term, Const):
        return _constant(term)
    if isinstance(term, Call):
        return _call(term.function, [flow_of(arg, values) for arg in term.args])
    return Flows({}) if isinstance(term, Wildcard) else _unknown([])


def _constant(const: Const) -> Flows:
    if isinstance(const.value, int | float) and const.value == const.value:
        return Flows({}, const.value, const.value, const.type == FLOAT)
    return Flows({}, text=const.type == SYMBOL)


def typed(flows: Flows, type_: str | None) -> Flows:
    """The flows with the facts that the type implies: an unsigned is never below zero, a float is divided exactly."""
    least = 0 if type_ == UNSIGNED and flows.least is None else flows.least
    return Flows(flows.of, least, flows.most, flows.real or type_ == FLOAT, flows.text or type_ == SYMBOL)


def _call(function: str, parts: list[Flows]) -> Flows:
    if function == "+" and any(part.text for part in parts):  # a text that was extended may sort earlier
        return _unknown(parts)
    if function == "+" and len(parts) == 2:
        return _sum(*parts)
    if function == "-" and len(parts) == 2:
        return _sum(parts[0], _negated(parts[1]))
    if function in ("*", "/") and len(parts) == 2:
        return _product(*parts) if function == "*" else _quotient(*parts)
    if function in ("min", "max") and parts:
        return _choice(function, parts)
    return _unknown(parts)


def _unknown(parts: list[Flows]) -> Flows:
    return Flows({name: UNKNOWN for part in parts for name in part.of})


def _negated(part: Flows) -> Flows:
    least = None if part.most is None else -part.most
    most = None if part.least is None else -part.least
    return Flows(dict.fromkeys(part.of, UNKNOWN), least, most, part.real)


def _sum(a: Flows, b: Flows) -> Flows:
    least = None if a.least is None or b.least is None else a.least + b.least
    most = None if a.most is None or b.most is None else a.most + b.most
    of = {name: _added(a.of.get(name), b.of.get(name), a, b) for name in {**a.of, **b.of}}
    return Flows(of, least, most, a.real or b.real)


def _added(flow: Flow | None, other: Flow | None, a: Flows, b: Flows) -> Flow:
    """The flow of a sum from one value that one part, or both, depend on."""
    growths = [part.growth for part in (flow, other) if part is not None]
    growth = NONE if NONE in growths else max(growths)
    above = _still(flow, "above", b.least, 1) or _still(other, "above", a.least, 1)
    below = _still(flow, "below", b.most, -1) or _still(other, "below", a.most, -1)
    return Flow(growth, above, below)


def _still(flow: Flow | None, side: str, bound: float | None, sign: int) -> bool:
    """Whether a bound survives adding something that is at least 0 (sign 1) or at most 0 (sign -1)."""
    return flow is not None and getattr(flow, side) and bound is not None and bound * sign >= 0


def _product(a: Flows, b: Flows) -> Flows:
    if a.of and b.of:
        return _unknown([a, b])
    part, factor = (a, b) if a.of else (b, a)
    if factor.least is None or factor.least < 0:
        return _unknown([a, b])
    nonnegative = part.least is not None and part.least >= 0
    growing = factor.least >= 1 and nonnegative
    shrinking = factor.most is not None and factor.most <= 1 and nonnegative
    of = {
        name: Flow(f.growth if factor.least > 0 else min(f.growth, WEAK), f.above and growing, f.below and shrinking)
        for name, f in part.of.items()
    }
    return Flows(of, 0 if nonnegative else None, None, a.real or b.real)


def _quotient(a: Flows, b: Flows) -> Flows:
    """Division by something that is at least 1; on integers it rounds, so growth is only weak."""
    if b.of or b.least is None or b.least < 1:
        return _unknown([a, b])
    nonnegative = a.least is not None and a.least >= 0
    exact = a.real or b.real
    of = {
        name: Flow(f.growth if exact else min(f.growth, WEAK), False, f.below and nonnegative)
        for name, f in a.of.items()
    }
    return Flows(of, 0 if nonnegative else None, None, exact)


def _choice(function: str, parts: list[Flows]) -> Flows:
    """``min`` is below all its arguments, ``max`` above; the other bound holds if it holds for all arguments."""
    names = {name for part in parts for name in part.of}
    of = {name: _chosen(function, [part.of.get(name) for part in parts]) for name in names}
    leasts, mosts = [part.least for part in parts], [part.most for part in parts]
    lower = function == "min"
    return Flows(of, _extreme(leasts, lower), _extreme(mosts, lower), any(part.real for part in parts))


def _chosen(function: str, flows: list[Flow | None]) -> Flow:
    known = [flow for flow in flows if flow is not None]
    growth = min(flow.growth for flow in known)
    if len(known) < len(flows):
        growth = min(growth, WEAK)
    everywhere = len(known) == len(flows)
    if function == "min":
        return Flow(growth, everywhere and all(f.above for f in known), any(f.below for f in known))
    return Flow(growth, any(f.above for f in known), everywhere and all(f.below for f in known))


def _extreme(bounds: list[float | None], lower: bool) -> float | None:
    """A bound of a min or max of terms: known if all are known."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return None
    return min(known) if lower else max(known)
