"""The names that variables of SPARQL have in rules.

Law: two variables have two names, which do not depend on the rest of the query: `?person` is `Person`.
"""

from __future__ import annotations

import re
from typing import Any

_OTHER = re.compile(r"[^A-Za-z0-9_]")


class VariableNames:
    """The names of the variables of a query, given when they are first asked for."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}

    def of(self, variable: Any) -> str:
        """The name of a variable or of a blank node.

        >>> names = VariableNames()
        >>> names.of("person"), names.of("Person"), names.of("1st")
        ('Person', 'Person_2', 'X1st')
        """
        key = (type(variable).__name__, variable)
        if key not in self._names:
            text = "Blank" if key[0] == "BNode" else _OTHER.sub("_", str(variable))
            text = text[0].upper() + text[1:] if text[0].isalpha() else f"X{text}"
            taken, name, number = {*self._names.values()}, text, 1
            while name in taken:
                number += 1
                name = f"{text}_{number}"
            self._names[key] = name
        return self._names[key]
