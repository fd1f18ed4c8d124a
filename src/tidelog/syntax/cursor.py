"""The cursor: the parser's position among the tokens, and its reports of what it expected.

Law: the cursor never moves past the end token, so reading is total; a failure is raised at the first token that cannot
occur in any clause in this place, which is the token that the diagnostic underlines.
"""

from __future__ import annotations

from tidelog.errors import Diagnostic, Span
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import DIRECTIVE, END, NAME, Token, printable

MAX_DEPTH = 64
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class SyntaxFailure(Exception):
    """The clause cannot be read any further; carries the report. Never leaves this package."""

    def __init__(self, diagnostic: Diagnostic, position: int = 0) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.position = position


HABITS = {
    "&": "Separate the literals of a body by commas.",
    "and": "Separate the literals of a body by commas.",
    "or": "Alternatives are written `(p(X) ; q(X))`; texts are joined by `cat(X, Y)`.",
    "?": "A program contains no queries: use `tidelog query PROGRAM 'p(X)'`, or `?p(X)` in `tidelog repl PROGRAM`.",
    "|": "Lists have no pattern for head and tail: use `f_first(L)` and `f_removeFirst(L)`.",
}  # of other languages
SQL = ("select", "create", "insert", "update", "with")
NOT_SQL = "Queries are rules here: instead of `SELECT x FROM q WHERE y > 1` write `p(X) :- q(X, Y), Y > 1.`"


class Cursor:
    """A position in a list of tokens that ends with an end token; ``blocks`` components are open around it."""

    blocks = 0

    def __init__(self, tokens: list[Token], convention: str) -> None:
        self.tokens = tokens
        self.convention = convention
        self.at = 0
        self.token = tokens[0]
        self.depth = 0

    def advance(self) -> Token:
        """Step over the current token and return it."""
        token = self.token
        if token.kind != END:
            self.at += 1
            self.token = self.tokens[self.at]
        return token

    def move_to(self, at: int) -> None:
        """Move to another token."""
        self.at = at
        self.token = self.tokens[at]

    def peek(self, distance: int = 1) -> Token:
        """The token some steps ahead, the end token beyond the end."""
        at = self.at + distance
        return self.tokens[at] if at < len(self.tokens) else self.tokens[-1]

    @property
    def previous(self) -> Token:
        """The token before the current one."""
        return self.tokens[self.at - 1 if self.at else 0]

    def accept(self, kind: str) -> bool:
        """Step over the current token if it is of this kind."""
        if self.token.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str, expected: str) -> Token:
        """Step over a token of this kind, or fail with a description of what was expected."""
        if self.token.kind != kind:
            raise self.unexpected(expected)
        return self.advance()

    def close(self, opening: Token, expected: str = "") -> Token:
        """Step over the bracket that closes `opening`, or fail and show both."""
        closing = CLOSING[opening.kind]
        if self.token.kind == closing:
            return self.advance()
        wanted = f"{expected} or `{closing}`" if expected else f"`{closing}`"
        if self.token.kind not in (".", ":-", END, DIRECTIVE, *CLOSING.values()):
            raise self.unexpected(wanted)
        related = (("opened here", opening.span),)
        found = self.describe_token()
        raise self.failure(
            "TL103", related=related, opening=opening.text, closing=closing, expected=wanted, found=found
        )

    def describe_token(self, token: Token | None = None) -> str:
        """The current token in words."""
        token = self.token if token is None else token
        return "the end of the text" if token.kind == END or not token.text else f"`{printable(token.text)}`"

    def failure(
        self,
        code: str,
        span: Span | None = None,
        *,
        hint: str | None = None,
        related: tuple[tuple[str, Span], ...] = (),
        **values: object,
    ) -> SyntaxFailure:
        """A failure of this code at the current token, or at `span`."""
        entry = SYNTAX_CODES[code]
        diagnostic = entry.diagnostic(span or self.token.span, hint=hint, related=related, **values)
        return SyntaxFailure(diagnostic, self.at)

    def unexpected(self, expected: str) -> SyntaxFailure:
        """The failure for a token that cannot occur here, by the commonest mistake that explains it."""
        token = self.token
        if token.kind in (")", "]", "}") and not self.depth:
            return self.failure("TL113", found=token.text, expected=expected)
        if expected.endswith("a period") and self.begins_line(token):
            return self.failure("TL101", self.previous.span, expected=expected, found=self.describe_token())
        if token.kind == "*" and self.previous.kind == "*" and self.previous.end == token.start:
            hint = "A power is written `X ^ 2`, or `2 ^ X` for a power of two."
            return self.failure("TL100", expected=expected, found="`**`", hint=hint)
        if token.kind == ":" and self.previous.kind == NAME and self.previous.end == token.start:
            name = self.previous.text
            hint = f"If `{name}:` is the prefix of an IRI, declare it: `.prefix {name}: <http://...>`."
            return self.failure("TL100", expected=expected, found=self.describe_token(), hint=hint)
        return self.failure("TL100", expected=expected, found=self.describe_token(), hint=self._habit(token))

    def _habit(self, token: Token) -> str | None:
        """What to write instead of a word of SQL, Prolog or a programming language."""
        previous = self.previous.text if self.at else ""
        if token.kind == "*" and previous == "(":
            return "In a head, `count<*>` counts the rows of the body; in a body, `count : { p(X) }`."
        if token.text == "|" and self.peek().text == "|":
            return HABITS["or"]
        if token.kind == NAME and any(t.text.lower() in SQL for t in self.tokens[max(0, self.at - 2) : self.at]):
            return NOT_SQL
        return HABITS.get(token.text)

    def begins_line(self, token: Token) -> bool:
        """Whether a new clause seems to begin here: at the start of a line, or at the end of the text."""
        if token.kind in (END, DIRECTIVE):
            return True
        text = token.source.text
        if self.blocks and token.kind == NAME:  # the content of a component is indented
            return not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        return token.kind == NAME and (token.start == 0 or text[token.start - 1] == "\n")

    def enter(self, levels: int = 1) -> None:
        """Enter a level; fails before the stack is exhausted. Parts that need more stack count as more levels."""
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise self.failure("TL110", limit=MAX_DEPTH)

    def leave(self, levels: int = 1) -> None:
        """Leave a level."""
        self.depth -= levels
