"""The access-control database of the live demo: its tables, its first rows, and an endless series of changes."""

from collections.abc import Iterator
from random import Random

TEAMS, FOLDERS, PEOPLE = 30, 60, 200
TABLES = """
CREATE TABLE person (name text PRIMARY KEY, team text NOT NULL, mail text);
CREATE TABLE part_of (part text, whole text, PRIMARY KEY (part, whole));
CREATE TABLE folder (name text PRIMARY KEY, parent text NOT NULL, size bigint DEFAULT 0);
CREATE TABLE access (team text, folder text, granted timestamptz DEFAULT now(), PRIMARY KEY (team, folder));
"""
FOLLOWED = ("person", "part_of", "folder", "access")
PUBLISHED = ("can_open", "stranded")


def first_rows(chance: Random) -> Iterator[tuple[str, tuple[object, ...]]]:
    """The statements that fill the tables; a team or a folder is inside one with a smaller number."""
    for number in range(1, TEAMS):
        yield "INSERT INTO part_of VALUES (%s, %s)", (f"team{number}", f"team{chance.randrange(number)}")
    for number in range(FOLDERS):
        parent = f"folder{chance.randrange(number)}" if number else ""
        yield "INSERT INTO folder (name, parent) VALUES (%s, %s)", (f"folder{number}", parent)
    for number in range(PEOPLE):
        yield "INSERT INTO person VALUES (%s, %s)", (f"person{number}", f"team{chance.randrange(TEAMS)}")
    for number in range(TEAMS // 2):
        yield (
            "INSERT INTO access (team, folder) VALUES (%s, %s)",
            (f"team{number}", f"folder{chance.randrange(FOLDERS)}"),
        )


def change(chance: Random) -> tuple[str, str, tuple[object, ...]]:
    """A change in plain words, with the statement that makes it."""
    person, team = f"person{chance.randrange(PEOPLE)}", f"team{chance.randrange(TEAMS)}"
    part, folder = chance.randrange(1, FOLDERS), f"folder{chance.randrange(FOLDERS)}"
    give = "INSERT INTO access (team, folder) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    take = "DELETE FROM access WHERE ctid IN (SELECT ctid FROM access ORDER BY granted LIMIT 1)"
    whole = f"folder{chance.randrange(part)}"
    return chance.choice(
        [
            (f"{person} moves to {team}", "UPDATE person SET team = %s WHERE name = %s", (team, person)),
            (f"{team} may open {folder}", give, (team, folder)),
            ("the oldest grant ends", take, ()),
            (
                f"folder{part} goes into {whole}",
                "UPDATE folder SET parent = %s WHERE name = %s",
                (whole, f"folder{part}"),
            ),
        ]
    )
