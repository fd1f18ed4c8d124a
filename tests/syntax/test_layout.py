"""The layout of programs: one form for all texts that say the same, with the comments where they stand.

The property tests take random programs, print them, and put random white space and comments between their tokens. They
notice a layout that loses or moves a token or a comment, means something else or is not its own layout; they do not
notice an ugly one, which is what the examples are for.
"""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.syntax.strategies import Maker
from tidelog.errors import Source
from tidelog.syntax import parse_changes, parse_program, print_program
from tidelog.syntax.layout import WIDTH, lay_out
from tidelog.syntax.tokens import scan

FUZZ = settings(max_examples=150, deadline=None)
COMMENTS = ("// a\n", "/* b */", "/* c\n d */", "# e\n", "\n\n// f\n", "//g\n\n\n")
SPACES = (" ", "  ", "\n", "\t", "\n\n\n", " \n ")
SAFE = frozenset("(),;")


def laid_out(text: str, **options) -> str:
    layout = lay_out(text, **options)
    assert layout.text is not None, layout.errors
    return layout.text


def messed_up(text: str, convention: str, rng: random.Random) -> str:
    """The same tokens with other white space and with comments between them; labels are left as they are."""
    source = Source("<text>", text)
    tokens = scan(source, convention, lambda found: None)
    made, end = [], 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        gap = text[end : token.start]
        if before is None or rng.random() < 0.6 or (not gap and before.kind not in SAFE and token.kind not in SAFE):
            made.append(gap)
        elif gap and before.kind in SAFE and rng.random() < 0.2:
            made.append("")
        else:
            made.append(rng.choice(COMMENTS if rng.random() < 0.3 else SPACES))
        made.append(token.text)
        end = token.end
    return "".join(made)


def words(text: str, convention: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in scan(Source("<text>", text), convention, lambda found: None)]


def comments(text: str, convention: str) -> str:
    """What stands between the tokens, white space left out."""
    tokens = scan(Source("<text>", text), convention, lambda found: None)
    gaps = (text[a.end : b.start] for a, b in pairwise(tokens))
    return re.sub(r"\s", "", text[: tokens[0].start] + "".join(gaps))


@FUZZ
@given(st.integers(0, 2**32))
def test_a_layout_keeps_tokens_comments_and_meaning_and_is_its_own(seed):
    maker = Maker(seed)
    plain = print_program(maker.program())
    text = messed_up(plain, maker.convention, random.Random(seed))
    layout = lay_out(text, convention=maker.convention)
    if layout.errors:  # white space that means something: between a declaration's words, or a label and its rule
        return
    assert layout.text is not None
    assert words(layout.text, maker.convention) == words(text, maker.convention)
    assert comments(layout.text, maker.convention) == comments(text, maker.convention)
    assert parse_program(layout.text) == parse_program(text)
    assert laid_out(layout.text, convention=maker.convention) == layout.text


@FUZZ
@given(st.integers(0, 2**32))
def test_white_space_does_not_show_in_the_layout(seed):
    """Texts without comments and with line ends in the same places between clauses have one layout."""
    maker = Maker(seed)
    plain = print_program(maker.program())
    rng = random.Random(seed)
    other = "\n".join(re.sub(r"(?<=[(,]) *(?=\w)", lambda _: rng.choice(("", " ", "   ")), line) if '"' not in line
                      else line for line in plain.split("\n"))  # fmt: skip
    assert laid_out(other, convention=maker.convention) == laid_out(plain, convention=maker.convention)


def test_most_texts_of_the_property_are_read():
    """The property is not true for want of cases."""
    read = 0
    for seed in range(60):
        maker = Maker(seed)
        text = messed_up(print_program(maker.program()), maker.convention, random.Random(seed))
        read += not lay_out(text, convention=maker.convention).errors
    assert read >= 45


EXAMPLES = {
    "a rule on one line": ("p( X ):-q(X,Y),Y>1.", "p(X) :- q(X, Y), Y > 1.\n"),
    "signs": (
        "p(X) :- q(X , -1), X = - Y - 1*2, Z := (X+1)^2 mod 3, \\+ r(X), not s(X), !t, ~u(_).",
        "p(X) :- q(X, -1), X = -Y - 1 * 2, Z := (X + 1) ^ 2 mod 3, \\+ r(X), not s(X), !t, ~u(_).\n",
    ),
    "labels": ("r1   p(X):-q(X).\nr2-1:p(X):-q(X).", "r1 p(X) :- q(X).\nr2-1: p(X) :- q(X).\n"),
    "locations": ("p(@ X,Y):-q@X(Y), r@3.\nq@3 :- .", "p(@X, Y) :- q@X(Y), r@3.\nq@3 :-.\n"),
    "aggregates in heads": (
        "p(X,count< * >,min< Y+1 >):-q(X,Y),Y<3.",
        "p(X, count<*>, min<Y + 1>) :- q(X, Y), Y < 3.\n",
    ),
    "aggregates in bodies": (
        "p(N):-N=count:{q(_,Y),Y>1},M=sum(Y+1):q(_,Y),K=min(N,M).",
        "p(N) :- N = count : { q(_, Y), Y > 1 }, M = sum (Y + 1) : q(_, Y), K = min(N, M).\n",
    ),
    "paths": (
        "p(X,Y):-( a / ^ b|c ) + ( X,Y ), !(a & b)(X,Y),d { 1 , 2 }(X,Y), e[ p ]*[ node ](X,Y), X = a + (Y) * 2.",
        "p(X, Y) :- (a/^b|c)+(X, Y), !(a & b)(X, Y), d{1,2}(X, Y), e[p]*[node](X, Y), X = a + (Y) * 2.\n",
    ),
    "disjunction": ("p(X):-(q(X);r(X)),s(X);t(X).", "p(X) :- (q(X) ; r(X)), s(X) ; t(X).\n"),
    "keys": (
        "materialize( link,infinity , 10,keys( 1,4 : list ) ) .",
        "materialize(link, infinity, 10, keys(1, 4:list)).\n",
    ),
    "declarations": (
        ".decl a , b( x:number,y : symbol )  brie   input\n.decl c(x:number,y:number)choice-domain x,(x,y)",
        ".decl a, b(x: number, y: symbol) brie input\n.decl c(x: number, y: number) choice-domain x, (x, y)\n",
    ),
    "types": (
        ".decl p(x:T)\n.type T=[a:number,b:T]\n.type U<:number\n.type V=A{x:number}|B{ }\n.type W=U|T",
        ".decl p(x: T)\n.type T = [a: number, b: T]\n.type U <: number\n.type V = A {x: number} | B {}\n"
        ".type W = U | T\n",
    ),
    "records and constructors": (
        ".decl p(x:T)\np( [ 1,nil ] ).\np($A( x,1 )):-p( $B ), x=as( 1,T ),y=@f( x ).",
        ".decl p(x: T)\np([1, nil]).\np($A(x, 1)) :- p($B), x = as(1, T), y = @f(x).\n",
    ),
    "files and options": (
        ".input a , b( IO = file,filename=\"x\" )\n.pragma  'legacy'\n.functor f( x:number,symbol ) :number  stateful",
        ".input a, b(IO=file, filename=\"x\")\n.pragma 'legacy'\n.functor f(x: number, symbol): number stateful\n",
    ),
    "components": (
        ".comp C<T>:D<T>,E{ .decl n(x:T)\n\n\nn(1).\n.override n\n.comp F{}}\n.init c=C< number >",
        ".comp C<T> : D<T>, E {\n    .decl n(x: T)\n\n    n(1).\n    .override n\n    .comp F {}\n}\n"
        ".init c = C<number>\n",
    ),
    "constraints": (
        ":-p(X),q(X).\nc-1: :-p(X).\n.constraint c-1 severity( warn )",
        ":- p(X), q(X).\nc-1: :- p(X).\n.constraint c-1 severity(warn)\n",
    ),
    "keys and references": (
        ".decl p(x:number)\n.key p( x ) as k-1 .constraint k-1 severity(warn)\n.reference p(x)->p( x )",
        ".decl p(x: number)\n.key p(x) as k-1\n.constraint k-1 severity(warn)\n.reference p(x) -> p(x)\n",
    ),
    "plans": (
        "p(X):-q(X),r(X). .plan 0:(1,2) , 1:( 2,1 )",
        "p(X) :- q(X), r(X).\n    .plan 0:(1, 2), 1:(2, 1)\n",
    ),
    "constraints with names": (
        ".key e( x )\n.reference e(x)->f( 1 )as g\nc:  :-e(x),x>1.\n.constraint c  severity( warn )",
        ".key e(x)\n.reference e(x) -> f(1) as g\nc: :- e(x), x > 1.\n.constraint c severity(warn)\n",
    ),
    "lengths of time": (
        ".lifetime p  30m by  t\np(X):-q(X),X<7us-3s.",
        ".lifetime p 30m by t\np(X) :- q(X), X < 7us - 3s.\n",
    ),
    "subsumption": ("p(X,A)<=p(X,B):-B<=A.", "p(X, A) <= p(X, B) :- B <= A.\n"),
    "facts that share a line": ("p(1).p(2).  p(3).\np(4). q(X):-p(X).", "p(1). p(2). p(3).\np(4).\nq(X) :- p(X).\n"),
    "empty lines": ("\n\np.\n\n\n\nq.\nr.\n\n", "p.\n\nq.\nr.\n"),
    "nothing": ("  \n", ""),
    "changes": (
        "+p( 1 ).-q(2).commit.\n+  r1:p(X):-q(X).\n-r1.\n+   .init g=G< number >.\n-  .init g.",
        "+p(1). -q(2). commit.\n+ r1: p(X) :- q(X).\n- r1.\n+ .init g = G<number>.\n- .init g.\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_layout_of(name):
    text, expected = EXAMPLES[name]
    assert laid_out(text, convention="souffle" if "init" in text else None) == expected


@pytest.mark.parametrize(
    "text",
    ["p(X) :- q(X)\n// own\n/* c */, r(X).\n", "p(X) :- q(X  // e\n/* c */, Y).\n", "p(X) :- q(X)  // e\n/* c */.\n"],
)
def test_comments_before_a_comma_or_a_period_have_a_layout(text):
    once = laid_out(text, convention=None)
    assert "/* c */" in once
    assert ("// own" in once) == ("// own" in text)
    assert laid_out(once, convention=None) == once


COMMENTED = """\
// about the file


p(X):-   // why
  q(X)     // first
  , /* second */ r(X),
      // third
  s(X)
.   // last
.output p   // shown
.output longer_name // also
t(X) :- q(X)
  // , r(X)
  .
/* a block
     of lines */ u(1). /* in between */ u(2).
"""
COMMENTED_LAYOUT = """\
// about the file

p(X) :-    // why
    q(X),  // first
    /* second */ r(X),
    // third
    s(X).            // last
.output p            // shown
.output longer_name  // also
t(X) :-
    q(X)
    // , r(X)
    .
/* a block
     of lines */
u(1). /* in between */ u(2).
"""


def test_comments_stay_where_they_stand():
    assert laid_out(COMMENTED) == COMMENTED_LAYOUT


A, B, C = "a" * 30, "b" * 30, "c" * 30
BROKEN = {
    "after the arrow": (f"p{C}(X) :- {A}(X), {B}(X).", f"p{C}(X) :-\n    {A}(X), {B}(X).\n"),
    "one literal on a line": (
        f"p(X) :- {A}(X), {B}(X), {C}(X), q(X, Y).",
        f"p(X) :-\n    {A}(X),\n    {B}(X),\n    {C}(X),\n    q(X, Y).\n",
    ),
    "branches": (
        f"p(X) :- {A}(X), {B}(X); {C}(X), {C}(X) ; {A}(X),{A}(X),{A}(X),q(X).",
        f"p(X) :-\n    {A}(X), {B}(X)\n    ; {C}(X), {C}(X)\n"
        f"    ; {A}(X),\n      {A}(X),\n      {A}(X),\n      q(X).\n",
    ),
    "inside brackets": (
        f"p(X, {A}, {B}, {C}, d).",
        f"p(\n    X,\n    {A},\n    {B},\n    {C},\n    d\n).\n",
    ),
    "inside an aggregate": (
        f"p(N) :- N = count : {{ {A}(X), {B}(X), {C}(X) }}, q(N).",
        f"p(N) :-\n    N = count : {{\n        {A}(X),\n        {B}(X),\n        {C}(X)\n    }},\n    q(N).\n",
    ),
    "before an operator": (
        f"p(X) :- X = X{A} + X{B} * X{C} - X.",
        f"p(X) :-\n    X = X{A}\n        + X{B} * X{C} - X.\n",
    ),
    "several heads": (
        f"{A}(X), {B}(X), {C}(X), p(X) :- q(X).",
        f"{A}(X),\n{B}(X),\n{C}(X),\np(X) :-\n    q(X).\n",
    ),
    "names of a directive": (
        f".output {A}, {B}, {C}, d",
        f".output\n    {A},\n    {B},\n    {C},\n    d\n",
    ),
    "alternatives of a type": (
        f".decl p(x: T)\n.type T = A {{x: {A}}} | B {{y: {B}}} | C {{z: {C}}}",
        f".decl p(x: T)\n.type T =\n    A {{x: {A}}}\n    | B {{y: {B}}}\n    | C {{z: {C}}}\n",
    ),
    "bases of a component": (
        f".comp {A} : {B}, {C}{C} {{}}",
        f".comp {A}\n    : {B}, {C}{C} {{}}\n",
    ),
    "facts that share a line": (
        f"{A}(1). {B}(1). {C}(1). d(1).",
        f"{A}(1). {B}(1).\n{C}(1). d(1).\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_lines_are_broken(name):
    text, expected = BROKEN[name]
    assert laid_out(text) == expected
    assert laid_out(expected) == expected


@FUZZ
@given(st.integers(0, 2**32))
def test_lines_that_pass_the_edge_have_no_place_to_break(seed):
    maker = Maker(seed)
    for line in laid_out(print_program(maker.program()), convention=maker.convention).splitlines():
        assert len(line) <= WIDTH or not re.search(r"\), \w+\([^)\"]*\)", line) or '"' in line


PREPROCESSED = """\
#define FIRST( x )   a(x, _)
#define BOTH(x) p(x) :- a(x, 1). \\
    q(x) :- a(x, 2).
#include "other.dl"
.decl a(x:number,y:number) .decl p(x:number) .decl q(x:number)
p(x):-FIRST(x),   q(x).
BOTH(  y  )
#ifdef NEVER
   what is   left out (stays
as it is
#else
  q(x):-p(x).
#endif
p(x) :- a(x,   _)
#ifdef NEVER
  , q(x)
#endif
  .
"""


def test_lines_of_the_preprocessor_and_what_it_leaves_out_stay():
    found = laid_out(PREPROCESSED, include=lambda wanted, including: (wanted, "b( 1 )."))
    assert "#define FIRST( x )   a(x, _)\n#define BOTH(x) p(x) :- a(x, 1). \\\n    q(x) :- a(x, 2).\n" in found
    assert (
        "p(x) :- FIRST(x), q(x).\nBOTH(  y  )\n#ifdef NEVER\n   what is   left out (stays\nas it is\n#else\n" in found
    )
    assert "#else\nq(x) :- p(x).\n#endif\n" in found
    assert "p(x) :- a(x,   _)\n#ifdef NEVER\n  , q(x)\n#endif\n  .\n" in found


def test_the_examples_of_the_page_are_their_own_layouts():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "format.md").read_text("utf-8")
    programs = re.findall(r"^```tidelog\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(programs) >= 8
    for program in programs:
        assert laid_out(program) == program


def test_what_does_not_parse_has_no_layout():
    layout = lay_out("p(X) :- q(X")
    assert layout.text is None
    assert [found.code for found in layout.errors] == ["TL103"]


def test_a_mistake_of_meaning_keeps_no_text_from_its_layout():
    assert laid_out("p(Y):-q(X).\n.decl p(x:number)\n.init a=Nothing") == (
        "p(Y) :- q(X).\n.decl p(x: number)\n.init a = Nothing\n"
    )


def test_a_part_that_can_be_read_both_ways_has_no_layout_until_it_is_said():
    """`g.edge(x)` is one name in Soufflé's convention, and a fact and a clause in Prolog's."""
    assert lay_out("g.edge(x).").text is None
    assert laid_out("g.edge( x ).", convention="souffle") == "g.edge(x).\n"
    assert laid_out("g.edge( x ).", convention="prolog") == "g. edge(x).\n"


def test_line_numbers_of_its_own_keep_a_text_from_its_layout():
    assert lay_out("\n\np(__LINE__).").text is None
    assert lay_out("p(__LINE__).").text is not None


def test_a_script_of_changes_means_the_same():
    text = "+p(1).-q( 2 ).commit. // one\n+ r1:p(X):-q(X),X>1.\n- r1 ."
    assert parse_changes(laid_out(text)) == parse_changes(text)


def test_line_ends_of_other_systems_and_a_byte_order_mark_go():
    assert laid_out("\ufeffp(1).\r\n\r\n// a\r\nq(2).\r\n") == "p(1).\n\n// a\nq(2).\n"
