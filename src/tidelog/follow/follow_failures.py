"""What is refused, or goes wrong, between Tidelog and PostgreSQL, by code: TL7110 to TL7132.

Law: a table, a column, a type or a setting that does not fit is refused by its name, with the SQL that mends it, before
anything is read from it; no text here has a password in it.
"""

from __future__ import annotations

from tidelog.errors.entry import FailureEntry
from tidelog.follow.errors import BadRow, FollowError, OutOfStep, Unreachable

MALFORMED = FailureEntry(
    "TL7110",
    FollowError,
    "stream of a database that cannot be read",
    "the database sent what is no message of logical replication: {what}",
    "Messages are those of `pgoutput`, version 1.",
    "Look whether something between here and the database alters the connection.",
    'from tidelog.follow.pgoutput import decode\ndecode(b"?")\n',
)
NO_DRIVER = FailureEntry(
    "TL7111",
    FollowError,
    "PostgreSQL without its driver",
    "to follow a database needs the package psycopg, which is not installed",
    "What only some users need is an extra.",
    "Install it: `pip install 'tidelog[postgres]'`.",
    test="tests/follow/test_connect.py::test_without_the_driver_the_extra_is_named",
)
UNREACHABLE = FailureEntry(
    "TL7112",
    Unreachable,
    "database that cannot be reached",
    "no connection to {where}: {said}",
    "A database that is followed is tried again, later and later, for as long as the follower runs.",
    "Look whether the database runs, and whether name, port and password are right.",
    'from tidelog.follow import follow\nfollow(Engine(""), "host=/nowhere", tables={"link": "link"}).check()\n',
)
OPTION = FailureEntry(
    "TL7113",
    FollowError,
    "table that is not named as an option names it",
    "`{given}`: {wanted}",
    "A relation and a table of the database stand on the two sides of `=`.",
    "Write `link=public.link`, or `link=public.link(source, target)` for some of its columns.",
    'from tidelog.follow import follow\nfollow(Engine(""), "dbname=x", tables={"two words": "link"})\n',
)
WAL_LEVEL = FailureEntry(
    "TL7114",
    FollowError,
    "database without logical replication",
    "the log of the database has level `{found}`, and logical replication needs `logical`",
    "The database writes what followers need only if it is told to.",
    "Say `ALTER SYSTEM SET wal_level = logical;` and start the database again.",
    test="tests/follow/test_settings.py::test_a_database_without_logical_replication_is_refused",
)
NO_TABLE = FailureEntry(
    "TL7115",
    FollowError,
    "table that is not there",
    "there is no table `{table}` in {where}",
    "Tables are named with their schema, and with quotes where SQL needs them.",
    "Look up the name with `\\d` in psql; a name without a schema is looked for in the search path.",
    test="tests/follow/test_catalog.py::test_a_table_that_is_not_there_is_refused",
)
NOT_A_TABLE = FailureEntry(
    "TL7116",
    FollowError,
    "relation of a database that has no changes to follow",
    "`{table}` is {what}; only tables that the log of the database tells of can be followed",
    "Views, foreign tables, and tables that are temporary or unlogged are not replicated.",
    "Follow the tables that it is made of.",
    test="tests/follow/test_catalog.py::test_views_and_unlogged_tables_are_refused",
)
COLUMNS = FailureEntry(
    "TL7117",
    FollowError,
    "columns that do not fit a relation",
    "table `{table}` has columns {found}; relation `{relation}` needs {wanted}",
    "Columns are those that are named, else those that the relation declares, by name, else all of them.",
    "Name the columns to follow: `{relation}={table}(one, another)`.",
    test="tests/follow/test_catalog.py::test_columns_that_do_not_fit_are_refused",
)
TYPE = FailureEntry(
    "TL7118",
    FollowError,
    "type of a column that has no type here",
    "column `{column}` of `{table}` has the type `{type}`, which is not mapped",
    "Mapped are texts, whole numbers, floats, numeric, boolean, date, timestamp, timestamptz and uuid.",
    "Name the other columns alone, or give the table a column of a type that is mapped.",
    test="tests/follow/test_catalog.py::test_types_that_are_not_mapped_are_refused",
)
OTHER_TYPE = FailureEntry(
    "TL7119",
    FollowError,
    "type of a column that is not that of the relation",
    "column `{column}` of `{table}` is `{type}`, a {own} here; relation `{relation}` has a {wanted} there",
    "A column of a relation has one type.",
    "Declare the relation as the table has it, or follow it under another name and convert by a rule.",
    test="tests/follow/test_catalog.py::test_another_type_than_the_relation_has_is_refused",
)
NO_KEY = FailureEntry(
    "TL7120",
    FollowError,
    "table without a key among the columns followed",
    "table `{table}` has no key among the columns followed ({columns}): two equal rows would be one fact",
    "A relation is a set. A table can be told by one if some of the columns followed are its primary key, or another "
    "unique index without nulls; and numeric columns of a key are followed as text.",
    "Follow the key too and project by a rule; or `ALTER TABLE {table} ADD PRIMARY KEY (...);`.",
    test="tests/follow/test_catalog.py::test_a_table_without_a_key_is_refused_with_the_sql_that_mends_it",
)
NO_IDENTITY = FailureEntry(
    "TL7121",
    FollowError,
    "table whose changed rows cannot be told",
    "table `{table}` does not tell which row changed: {why}",
    "Updates and deletes name the old row by the replica identity of its table. In a publication a table without one "
    "refuses updates and deletes to everybody.",
    "Say `ALTER TABLE {table} REPLICA IDENTITY {identity};`.",
    test="tests/follow/test_catalog.py::test_a_table_without_replica_identity_is_refused",
)
PUBLICATION = FailureEntry(
    "TL7122",
    FollowError,
    "publication that does not tell everything",
    "publication `{name}` {what}",
    "A view is true only if every change of its tables arrives.",
    "Say `{sql}`, or name another publication.",
    test="tests/follow/test_publication.py::test_a_publication_that_hides_changes_is_refused",
)
REFUSED = FailureEntry(
    "TL7123",
    FollowError,
    "statement that the database refuses",
    "{where} refuses {what}: {said}",
    "To follow needs a role with REPLICATION that may read the tables and add them to a publication.",
    "Give the role what it lacks, or let an administrator run it.",
    test="tests/follow/test_settings.py::test_a_role_without_rights_is_refused",
)
SLOT_TAKEN = FailureEntry(
    "TL7124",
    FollowError,
    "replication slot of somebody else",
    "the slot `{slot}` {why}",
    "A slot keeps the place of one follower, and the state folder keeps the other half of it.",
    "Name another slot; if nobody needs it: `SELECT pg_drop_replication_slot('{slot}');`.",
    test="tests/follow/test_slot.py::test_a_slot_of_somebody_else_is_refused",
)
BAD_ROW = FailureEntry(
    "TL7125",
    BadRow,
    "row that cannot become a fact",
    "{row}; {count:,} such rows stop following",
    "With `--on-bad-row stop` a relation never lacks a row of its table. Relations have no nulls, dates and times run "
    "from the year 1 to 9999, and numbers have the range of the column's type.",
    "Change or delete the row: Tidelog reads the tables again until no such row is left, and then follows. Or follow "
    "without that column, or restart with `--on-bad-row quarantine`.",
    test="tests/follow/test_quarantine.py::test_stop_keeps_the_relation_complete_until_the_row_is_corrected",
)
FILLED = FailureEntry(
    "TL7126",
    FollowError,
    "relation that holds other facts",
    "relation `{relation}` holds {count:,} facts that did not come from `{table}`",
    "A relation that follows a table holds what the table holds, and nothing else.",
    "Follow the table under another name, and add a rule that takes both.",
    test="tests/follow/test_follow.py::test_a_relation_with_facts_of_its_own_is_refused",
)
OUT_OF_STEP = FailureEntry(
    "TL7127",
    OutOfStep,
    "stream that does not go on where the state ends",
    "{why}; the tables are read once more",
    "Whatever cannot be told from the stream is told by a new snapshot: what differs becomes one epoch.",
    "Nothing need be done; it is told since the transactions in between are one epoch.",
    test="tests/follow/test_transaction.py::test_a_value_that_is_not_sent_and_not_known_needs_a_new_snapshot",
)
TARGET = FailureEntry(
    "TL7128",
    FollowError,
    "table that a view cannot be published in",
    "`{view}` cannot be published in `{table}`: {why}",
    "A table that a view is published in has the columns of the view and a primary key.",
    "Name a table that is not there yet, and it will be made.",
    test="tests/follow/test_target.py::test_a_table_that_does_not_fit_is_refused",
)
ROWS_OF_OTHERS = FailureEntry(
    "TL7129",
    FollowError,
    "table with rows of others",
    "`{table}` holds rows, and `{view}` was never published in it",
    "A table that a view is published in holds the rows of the view; others would be lost.",
    "Name another table, or empty this one: `TRUNCATE {table};`.",
    test="tests/follow/test_target.py::test_rows_of_others_are_never_overwritten",
)
NOT_STORED = FailureEntry(
    "TL7130",
    FollowError,
    "row of a view that the database cannot hold",
    "a row of `{view}` cannot be stored in `{table}`: {why}",
    "A view is published whole: a row that is left out would be a row that is not true.",
    "Publish a view without such rows.",
    test="tests/follow/test_publish.py::test_a_row_that_cannot_be_stored_is_named",
)
CIRCLE = FailureEntry(
    "TL7131",
    FollowError,
    "table that is followed and published",
    "`{table}` is followed by `{relation}`, so that no view can be published in it",
    "What is published would come back as a fact.",
    "Publish the view in a table of its own.",
    test="tests/follow/test_target.py::test_a_table_that_is_followed_is_not_published_in",
)
WITHOUT_FOLLOW = FailureEntry(
    "TL7132",
    FollowError,
    "option of a database without a database",
    "`{option}` names a table of a database, and no database is followed",
    "Tables are those of the database that `--follow` names.",
    "Name the database: `--follow postgresql://...`.",
    "$ tidelog serve --state s --table link=public.link\n",
)

ENTRIES = (
    MALFORMED,
    NO_DRIVER,
    UNREACHABLE,
    OPTION,
    WAL_LEVEL,
    NO_TABLE,
    NOT_A_TABLE,
    COLUMNS,
    TYPE,
    OTHER_TYPE,
    NO_KEY,
    NO_IDENTITY,
    PUBLICATION,
    REFUSED,
    SLOT_TAKEN,
    BAD_ROW,
    FILLED,
    OUT_OF_STEP,
    TARGET,
    ROWS_OF_OTHERS,
    NOT_STORED,
    CIRCLE,
    WITHOUT_FOLLOW,
)
