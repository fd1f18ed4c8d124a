"""The permissions of a token: scopes, relations, a rate.

Law: a request is refused unless its token allows everything that it reads and changes. A token that may read only some
relations receives no answer that could reveal others; proofs, plans and statistics may, so they require a token for
all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NoReturn

from tidelog.serve import serve_failures as failures

READ, WRITE, RULES, ADMIN = SCOPES = ("read", "write", "rules", "admin")
NEEDED = {READ: (READ,), WRITE: (WRITE, RULES), RULES: (RULES,), ADMIN: (ADMIN,)}  # one of them is required
ALL = ("*",)


@dataclass(frozen=True, slots=True)
class Grant:
    """The permissions of one token; ``name`` is that of a named token. Relations are patterns such as ``may*``."""

    name: str | None = None
    scopes: frozenset[str] = frozenset(SCOPES)
    reads: tuple[str, ...] = ALL
    writes: tuple[str, ...] = ALL
    rate: float | None = None  # requests per second

    @property
    def access(self) -> str:
        """`WRITE` if it allows any change, otherwise `READ`."""
        return WRITE if self.scopes & {WRITE, RULES} else READ

    @property
    def reads_all(self) -> bool:
        """Whether it allows reading every relation."""
        return READ in self.scopes and "*" in self.reads

    def may_read(self, relation: str) -> bool:
        """Whether it allows reading a relation.

        >>> grant = Grant(reads=("may*", "holds"))
        >>> grant.may_read("may_see"), grant.may_read("grants")
        (True, False)
        """
        return READ in self.scopes and any(fnmatchcase(relation, pattern) for pattern in self.reads)

    def check_scope(self, scope: str) -> None:
        """Raise if it lacks a scope; `WRITE` means any change."""
        if not self.scopes.intersection(NEEDED[scope]):
            self._refuse(NEEDED[scope])

    def check_reads(self, relations: Iterable[str] | None) -> None:
        """Raise unless it allows reading these relations; None: all."""
        self.check_scope(READ)
        if self.reads_all:
            return
        if relations is None:
            raise failures.RESTRICTED.error(name=self.name, allowed=", ".join(self.reads))
        for relation in relations:
            if not self.may_read(relation):
                raise failures.NOT_GRANTED.error(name=self.name, act="read", relation=relation[:80])

    def check_writes(self, relations: Iterable[str]) -> None:
        """Raise unless it allows changing the facts of these relations."""
        for relation in relations:
            if WRITE not in self.scopes:
                self._refuse((WRITE,))
            if not any(fnmatchcase(relation, pattern) for pattern in self.writes):
                raise failures.NOT_GRANTED.error(name=self.name, act="change", relation=relation[:80])

    def _refuse(self, scopes: tuple[str, ...]) -> NoReturn:
        if self.name is None:
            raise failures.ONLY_READS.error()
        own = ", ".join(each for each in SCOPES if each in self.scopes) or "none"
        needed = " or ".join(f"`{each}`" for each in scopes)
        raise failures.NO_SCOPE.error(name=self.name, scope=needed, scopes=own)


READER, WRITER = Grant(scopes=frozenset((READ,))), Grant()
