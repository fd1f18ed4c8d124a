"""The programs of the papers, and random ones like them."""

from hypothesis import strategies as st

from tidelog.lab.semantics import Configuration, Fact, Semantics, Update, check, start, synchronous_trace
from tidelog.program import Program
from tidelog.syntax import parse_program

FOUR_NODES = parse_program("p@1 :- s@2, t@2, r@2. s@2 :- q@3. t@2 :- u@4. q@3 :-. u@4 :-.")
TWICE = parse_program("p@1 :- t@1, t@1.")
LOOP = parse_program("p@1 :- a@1. p@1 :- p@1.")
TWO_DERIVATIONS = parse_program("s :- q. s :- u.")
HOPS = parse_program("hop(X,Y) :- link(X,Z), link(Z,Y). tri_hop(X,Y) :- hop(X,Z), link(Z,Y).")
THREE_NODES = parse_program("p@1 :- a@0. q@2 :- p@1. p@1 :- q@2.")
FIGURE_4 = parse_program("p :- s. q :- p. r :- q. p :- r. q :- r.")
REACHABLE = parse_program(
    """
    r0 colink(@D,S) :- link(@S,D).
    r1 reachable(@S,D) :- link(@S,D).
    r2-1 reachable(@S,D) :- link(@S,Z), aux(@S,Z,D).
    r2-2 aux(@S,Z,D) :- reachable(@Z,D), colink(@Z,S).
    """
)
PATH_VECTOR = parse_program(
    """
    r0 colink(@D,S) :- link(@S,D,C).
    r1 path(@S,D,P,C) :- link(@S,D,C), P = f_init(S,D).
    r2-1 path(@S,D,P,C) :- link(@S,Z,C1), aux(@S,Z,D,P2,C2), C = C1+C2, P = f_concat(S,P2), f_inPath(P2,S) = false.
    r2-2 aux(@S,Z,D,P,C) :- path(@Z,D,P,C), colink(@Z,S).
    """
)
BEST_PATH = parse_program(
    """
    r0 colink(@D,S) :- link(@S,D,C).
    r1 path(@S,D,P,C) :- link(@S,D,C), P = f_init(S,D).
    r2-1 path(@S,D,P,C) :- link(@S,Z,C1), aux(@S,Z,D,P2,C2), C = C1+C2, P = f_concat(S,P2), f_inPath(P2,S) = false.
    r2-2 aux(@S,Z,D,P,C) :- best(@Z,D,P,C), colink(@Z,S).
    r3 cost(@S,D,a_MIN<C>) :- path(@S,D,P,C).
    r4 best(@S,D,P,C) :- cost(@S,D,C), path(@S,D,P,C).
    """
)


def ring(size: int, *cost: int) -> list[Fact]:
    """Links both ways around a ring of nodes 0 .. size - 1."""
    pairs = [(i, j) for i in range(size) for j in ((i + 1) % size, (i - 1) % size)]
    return [Fact("link", (*pair, *cost)) for pair in dict.fromkeys(pairs)]


def settled(semantics: Semantics, *facts: Fact) -> Configuration:
    """The configuration after a synchronous execution from scratch."""
    return check(synchronous_trace(semantics, start(semantics, facts)))


_NODES = (1, 2)


@st.composite
def propositions(draw, recursive: bool = False) -> Program:
    """Rules over facts such as ``d1@2``: nodes are constants, so that every rule is local and small."""
    names = ["e0", "e1", "d0", "d1", "d2"]
    rules = ["d0@1 :- e0@1."]
    for _ in range(draw(st.integers(1, 5))):
        level = draw(st.integers(2, 4))
        readable = names if recursive else names[:level]
        node = draw(st.sampled_from(_NODES))
        body = draw(st.lists(st.sampled_from(readable), min_size=1, max_size=3))
        rules.append(f"{names[level]}@{draw(st.sampled_from(_NODES))} :- {', '.join(f'{b}@{node}' for b in body)}.")
    return parse_program("\n".join([*rules, *(f"e{i}@{n} :- never@{n}." for i in (0, 1) for n in _NODES)]))


@st.composite
def binary_programs(draw, recursive: bool = False) -> Program:
    """Rules over binary relations whose first column is the location; heads may travel."""
    names = ["e0", "e1", "d0", "d1"]
    rules = ["d0(@X,Y) :- e0(@X,Y).", "d1(@Y,X) :- e1(@X,Y)."]
    for _ in range(draw(st.integers(1, 3))):
        level = draw(st.integers(2, 3))
        readable = names if recursive else names[:level]
        variables, body = ["X"], []
        for fresh in draw(st.sampled_from(["Y", "YZ", "YY"])):
            body.append(f"{draw(st.sampled_from(readable))}(@X,{fresh})")
            variables.append(fresh)
        head = ",".join(draw(st.sampled_from(variables)) for _ in range(2))
        rules.append(f"{names[level]}(@{head}) :- {', '.join(body)}.")
    return parse_program("\n".join(rules))


UNARY_FACTS = st.builds(lambda n, x: Fact(n, (x,)), st.sampled_from(["e0", "e1"]), st.sampled_from(_NODES))
BINARY_FACTS = st.builds(
    lambda n, x, y: Fact(n, (x, y)), st.sampled_from(["e0", "e1"]), st.sampled_from(_NODES), st.sampled_from(_NODES)
)


@st.composite
def changes_of(draw, facts: st.SearchStrategy[Fact]) -> tuple[list[Fact], list[Update]]:
    """Base facts, and changes that keep the precondition: no deletion without its fact."""
    base = draw(st.lists(facts, max_size=4))
    inserted = draw(st.lists(facts, max_size=2))
    deleted = [fact for fact in (*base, *inserted) if draw(st.booleans())]
    return base, [*(Update(1, fact) for fact in inserted), *(Update(-1, fact) for fact in deleted)]
