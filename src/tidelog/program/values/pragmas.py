"""The pragmas of a program and their meaning.

Law: a program without pragmas computes every relation whole, and arithmetic overflow is an error. `magic` after a
declaration and ``.pragma "magic-transform"`` name relations of which only demanded facts are evaluated; ``*`` names all
of them. Outputs are demanded as a whole, and so stay as they are.
"""

from __future__ import annotations

from tidelog.program.values.program import Program

MAGIC, NO_MAGIC, OVERFLOW = "magic-transform", "magic-transform-exclude", "overflow"
ERROR, WRAP = "error", "wrap"
OVERFLOW_MODES = (ERROR, WRAP)
EVERY = "*"
_QUALIFIERS = {MAGIC: "magic", NO_MAGIC: "no_magic"}
_OUTPUTS = ("output", "printsize")


def values_of(program: Program, key: str) -> tuple[str, ...]:
    """The values of a pragma, in the order of the text; one may contain several, separated by commas.

    >>> values_of(Program(pragmas=(("magic-transform", "p, q"),)), MAGIC)
    ('p', 'q')
    """
    found = [part.strip() for option, value in program.pragmas if option == key for part in value.split(",")]
    found += [d.relation for d in program.declarations if _QUALIFIERS.get(key) in d.qualifiers]
    return tuple(filter(None, found))


def wraps(program: Program) -> bool:
    """Whether arithmetic wraps around; the last of several settings is used."""
    return (ERROR, *values_of(program, OVERFLOW))[-1] == WRAP


def outputs(program: Program) -> frozenset[str]:
    """The relations that the program writes or counts."""
    return frozenset(d.relation for d in program.directives if d.kind in _OUTPUTS)
