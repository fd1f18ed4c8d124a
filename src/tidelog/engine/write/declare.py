"""Declarations that an epoch adds to the program.

Law: an added declaration has the same meaning as in the program's text, also for everything else in the same epoch. One
that already exists changes nothing; if one contradicts the program, the epoch is refused. The reading of names does not
change, and no file is read: anything that affects a whole program (directives, components, pragmas) is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from tidelog.engine.base import engine_failures as failures
from tidelog.program import Program
from tidelog.program.functions.arguments import must_be
from tidelog.syntax import parse_program
from tidelog.syntax.prefixes import Prefixes

Part = TypeVar("Part")
_WORD = re.compile(r"\s*(\.(?:decl|prefix|type|lifetime))\b")
_WHOLE = {
    "directives": "`.input`, `.output` and `.printsize`",
    "components": "`.comp`",
    "instances": "`.init`",
    "pragmas": "`.pragma`",
    "functors": "`.functor`",
}


def begins_declaration(text: str) -> str | None:
    """The first word of a text that is not a rule.

    >>> begins_declaration(" .decl p(x: number)"), begins_declaration("p(X) :- q(X).")
    ('.decl', None)
    """
    found = _WORD.match(text)
    return found and found[1]


def read_declarations(text: str, convention: str, prefixes: Prefixes = ()) -> Program:
    """The declarations of a text, with the rules and facts beside them."""
    must_be(text, str, "text", "the text of declarations, such as `.decl vip(person: symbol)`")
    declared = parse_program(text, "<declarations>", convention=convention, prefixes=prefixes)
    found = [words for field, words in _WHOLE.items() if getattr(declared, field)]
    if found or declared.convention != convention:
        raise failures.NOT_DECLARED.error(found=", ".join(found) or "`.convention`")
    return declared


def with_declarations(program: Program, declared: Program) -> Program:
    """The program with the declarations, types, keys, lifetimes and prefixes of another that it does not have yet."""
    return replace(
        program,
        declarations=_more(program.declarations, declared.declarations),
        types=_more(program.types, declared.types),
        keys=_more(program.keys, declared.keys),
        lifetimes=_more(program.lifetimes, declared.lifetimes),
        prefixes=tuple({**dict(program.prefixes), **dict(declared.prefixes)}.items()),
    )


def _more(known: Sequence[Part], more: Sequence[Part]) -> tuple[Part, ...]:
    return (*known, *(each for each in more if each not in known))
