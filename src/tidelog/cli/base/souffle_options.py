"""Options of the `souffle` command: those that `tidelog run` accepts, and what to use instead of the others.

Law (D8): an option of Soufflé's either has its meaning here or is refused with the reason and the alternative. None is
silently ignored unless no result depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand

COMPILED = "the kernel is compiled once, not for each program. Leave the option out"
NO_CODE = "Tidelog generates no code"
EXPLAINED = "evaluation needs no option for explanations. Run `tidelog why PROGRAM 'p(1, 2)'`"
FUNCTORS = "functors are Python functions here. Put them in a file and use `--functions FILE`"
UNNEEDED = "no result depends on it. Leave the option out"
BUILT_IN = "the preprocessor is built in. Leave the option out"
REFUSED: dict[str, str] = {
    "-o": f"{COMPILED}; `tidelog run PROGRAM` starts at once",
    "--dl-program": f"{COMPILED}; `tidelog run PROGRAM` starts at once",
    "-g": NO_CODE,
    "--generate": NO_CODE,
    "-G": NO_CODE,
    "--generate-many": NO_CODE,
    "-N": NO_CODE,
    "--generate-namespace": NO_CODE,
    "-s": f"{NO_CODE}. Use the Python interface, or `tidelog serve` from other languages",
    "--swig": f"{NO_CODE}. Use the Python interface, or `tidelog serve` from other languages",
    "-t": EXPLAINED,
    "--provenance": EXPLAINED,
    "-r": "plans are explained by `tidelog explain PROGRAM --core`, with `--json` for programs",
    "--debug-report": "plans are explained by `tidelog explain PROGRAM --core`, with `--json` for programs",
    "-l": FUNCTORS,
    "--libraries": FUNCTORS,
    "-L": FUNCTORS,
    "--library-dir": FUNCTORS,
    "--live-profile": "use `--profile`, or `tidelog explain --analyze` for rows per step",
    "--profile-frequency": "use `--profile`, or `tidelog explain --analyze` for rows per step",
    "--auto-schedule": "join orders follow the sizes of relations. Leave the option out",
    "--emit-statistics": "join orders follow the sizes of relations. Leave the option out",
    "--parse-errors": "errors are reported by `tidelog check PROGRAM`, with `--format json` for programs",
    "--preprocessor": BUILT_IN,
    "--no-preprocessor": BUILT_IN,
    "--inline-exclude": UNNEEDED,
    "-z": UNNEEDED,
    "--disable-transformers": UNNEEDED,
}
SHOWN = {
    "initial-ast": "`tidelog format PROGRAM` prints the program",
    "parse-errors": "`tidelog check PROGRAM` reports errors",
    "type-analysis": "`tidelog explain PROGRAM` lists every relation with its types",
    "precedence-graph": "`tidelog explain PROGRAM` lists the strata; `:graph FILE.svg` in `tidelog repl` draws them",
    "scc-graph": "`tidelog explain PROGRAM` lists the strata; `:graph FILE.svg` in `tidelog repl` draws them",
}
SHOW_OTHERS = "`tidelog explain PROGRAM --core` prints the rules as they are evaluated"


class SouffleCommand(TyperCommand):
    """A command that recognises options of Soufflé's that it does not have."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse the options that have an alternative here, and name it."""
        for word, value in _words(args):
            name = _option_name(word)
            if name == "--show":
                ways = dict.fromkeys(SHOWN.get(one.strip(), SHOW_OTHERS) for one in value.split(","))
                _refuse(ctx, f"{name} {value}".strip(), "; ".join(ways))
            if name in REFUSED:
                _refuse(ctx, name, REFUSED[name])
        return super().parse_args(ctx, args)


def _refuse(ctx: typer.Context, option: str, way: str) -> NoReturn:
    """End the command with a message about what to use instead."""
    typer.echo(f"{ctx.get_usage()}\n\nError: Soufflé's option {option} is not available: {way}.", err=True)
    raise typer.Exit(2)


def _words(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The words of a command line that may be options, each with the word that follows it."""
    for place, word in enumerate(args):
        if word == "--":
            return
        if word.startswith("-") and word != "-":
            _, equals, value = word.partition("=")
            yield word, value if equals else next(iter(args[place + 1 :]), "")


def _option_name(word: str) -> str:
    """The option of a word: `-oprog` is `-o`.

    >>> _option_name("-oprog"), _option_name("--show=scc-graph"), _option_name("-j4")
    ('-o', '--show', '-j')
    """
    return word.partition("=")[0] if word.startswith("--") else word[:2]


def read_macros(texts: Sequence[str]) -> dict[str, str]:
    """Macros from `-M` options: names, or names with a text, separated by blanks.

    >>> read_macros(["A=1 B", "C=x,y"])
    {'A': '1', 'B': '', 'C': 'x,y'}
    """
    found: dict[str, str] = {}
    for text in texts:
        for part in text.split():
            name, _, value = part.partition("=")
            if not re.fullmatch(r"[^\W\d]\w*", name):
                raise typer.BadParameter(f"`{part}` is not a macro; write NAME or NAME=VALUE", param_hint="-M")
            found[name] = value
    return found


def read_pragma(text: str) -> tuple[str, str]:
    """A pragma from `-P`: NAME, NAME=VALUE or NAME:VALUE.

    >>> read_pragma("legacy"), read_pragma("magic-transform=*")
    (('legacy', ''), ('magic-transform', '*'))
    """
    name, _, value = re.sub("[:=]", "\0", text, count=1).partition("\0")
    return name.strip(), value.strip()
