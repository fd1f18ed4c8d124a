"""The names of the relations that walks along paths need, and their descriptions for the user.

Law: a name is a prefix and a text that determines the relation's rules; a text may contain other such names. In words
the prefixes are spelled out, and a fact about a walk is shown as the path between its ends.
"""

from __future__ import annotations

from collections.abc import Sequence

WALKS, REACHED, SEEDS, NODES = "__path_", "__reach_", "__seed_", "__nodes_"
FROM, ANYWHERE, SOME = " from ", "anywhere", " not empty"
_WORDS = {WALKS: "walks ", REACHED: "nodes reached by ", SEEDS: "start nodes ", NODES: "nodes of "}
_CONSTANTS = tuple("'\"-0123456789")


def paths_in_words(name: str) -> str | None:
    """A relation of walks in words; None for any other relation.

    >>> paths_in_words("__reach_edge+ from start"), paths_in_words("__only_edge/1")
    ('nodes reached by edge+ from start', None)
    """
    if not name.startswith(tuple(_WORDS)):
        return None
    for prefix, words in _WORDS.items():
        name = name.replace(prefix, words)
    return name


def walk_in_words(name: str, args: Sequence[str]) -> str | None:
    """A fact of a relation of walks in words, given the texts of its arguments; None for any other relation.

    >>> walk_in_words("__path_a/b", ["1", "2"]), walk_in_words("__reach_edge+ from 1", ["2"])
    ('(a/b)(1, 2)', 'edge+(1, 2)')
    >>> walk_in_words("__reach_edge+ from start", ["2"]), walk_in_words("__nodes_edge", ["2"])
    ('edge+ from start to 2', '2 is a node of edge')
    """
    if name.startswith(NODES):
        return f"{args[0]} is a node of {name.removeprefix(NODES)}"
    if not name.startswith((WALKS, REACHED)):
        return None
    text, _, start = name.removeprefix(WALKS).removeprefix(REACHED).partition(FROM)
    path = _in_predicate_position(text.removesuffix(SOME))
    if len(args) == 2:
        return f"{path}({args[0]}, {args[1]})"
    if start == ANYWHERE or start.startswith(_CONSTANTS):
        return f"{path}({'_' if start == ANYWHERE else start}, {args[0]})"
    return f"{path} from {paths_in_words(start) or start} to {args[0]}"


def _in_predicate_position(text: str) -> str:
    """The text of a path with brackets around it if it has an outermost operator."""
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if not depth and sign in "/|&":
            return f"({text})"
    return text
