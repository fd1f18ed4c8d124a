"""The options with which a command follows a database: `--follow`, `--table`, `--publish` and related ones.

Law: the database is not accessed here, and its connection string is never shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tidelog.follow.source import DatabaseSource

SLOT = "tidelog"


class NumericChoice(StrEnum):
    """The type of numeric columns that the program does not declare."""

    text = "text"
    float = "float"


class BadRowChoice(StrEnum):
    """What to do with a row that cannot become a fact."""

    quarantine = "quarantine"
    stop = "stop"


FollowOption = Annotated[
    str | None,
    typer.Option(
        "--follow",
        metavar="DSN",
        envvar="TIDELOG_FOLLOW",
        help="PostgreSQL database to follow.",
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="RELATION=TABLE", help="Follow TABLE with RELATION. May be repeated."),
]
PublishOption = Annotated[
    list[str] | None,
    typer.Option("--publish", metavar="VIEW=TABLE", help="Publish VIEW to TABLE. May be repeated."),
]
SlotOption = Annotated[str, typer.Option("--slot", metavar="NAME", help="Name of the replication slot.")]
PublicationOption = Annotated[
    str | None,
    typer.Option("--publication", metavar="NAME", help="Name of the publication.", show_default="same as the slot"),
]
NumericOption = Annotated[
    NumericChoice, typer.Option("--numeric", help="Type of numeric columns that the program does not declare.")
]

GroupOption = Annotated[
    int,
    typer.Option(
        "--group", min=1, metavar="N", help="Maximum number of pending transactions to combine into one epoch."
    ),
]

JdbcOption = Annotated[
    str | None,
    typer.Option("--jdbc-driver", metavar="JAR", help="JDBC driver with which Spark tasks read the first snapshot."),
]

BadRowOption = Annotated[
    BadRowChoice,
    typer.Option(
        "--on-bad-row",
        help="What to do with rows that cannot be converted to facts: quarantine them, or stop.",
    ),
]


def follow_sources(
    dsn: str | None,
    tables: Sequence[str] | None,
    publish: Sequence[str] | None,
    slot: str,
    publication: str | None,
    numeric: NumericChoice,
    group: int,
    jdbc: str | None,
    on_bad_row: BadRowChoice,
) -> tuple[DatabaseSource, ...]:
    """The database to follow, if there is one."""
    if dsn is None:
        if tables or publish:
            from tidelog.follow.follow_failures import WITHOUT_FOLLOW

            raise WITHOUT_FOLLOW.error(option="--table" if tables else "--publish")
        return ()
    from tidelog.follow.options import make_options, split_option
    from tidelog.follow.source import DatabaseSource

    read, out = (dict(map(split_option, texts or ())) for texts in (tables, publish))
    options = make_options(dsn, read, out, slot, publication, numeric.value, group, jdbc is not None, on_bad_row.value)
    return (DatabaseSource(options),)


def with_jar(settings: dict[str, str], jar: str | None) -> dict[str, str]:
    """The settings of Spark with a jar added to those already listed.

    >>> with_jar({"spark.jars": "a.jar"}, "b.jar")
    {'spark.jars': 'a.jar,b.jar'}
    """
    if jar is None:
        return settings
    known = [settings["spark.jars"]] if "spark.jars" in settings else []
    return {**settings, "spark.jars": ",".join([*known, jar])}
