"""Program texts of any size, in Tidelog's language and in Python."""

from __future__ import annotations


def program_text(rules: int) -> str:
    """Rules of four kinds: recursion, arithmetic, aggregates with negation, disjunction."""
    lines = []
    for i in range(rules // 4):
        lines.append(f"p{i}(X, Z) :- p{i * 7 % 1000}(X, Y), e{i % 300}(Y, Z).")
        lines.append(f"q{i}(X, Y) :- e{i % 300}(X, Y), Y > {i}, Z = X + Y, e{i % 299}(Z, _).")
        lines.append(f"r{i}(X, count<*>) :- p{i}(X, _), !q{i}(X, X).")
        lines.append(f"s{i}(X, Y) :- (p{i}(X, Y) ; q{i}(Y, X)), X != Y.")
    return "\n".join(lines)


def python_text(size: int) -> str:
    """A Python module of about this many characters, in the shape of our rules."""
    line = "def p{0}(x, z): return [y for y in e{0} if x + y > {0} and not q(x, y) or r(z, y)]\n"
    return "".join(line.format(i) for i in range(size // 85))
