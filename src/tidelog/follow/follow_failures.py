"""Errors and refusals between Tidelog and PostgreSQL, by code: TL7110 to TL7132.

Law: a table, a column, a type or a setting that does not fit is refused by its name, with the SQL that fixes it, before
anything is read from it; no message contains a password.
"""

from __future__ import annotations

from tidelog.errors.entry import FailureEntry
from tidelog.follow.errors import BadRow, FollowError, OutOfStep, Unreachable

MALFORMED = FailureEntry(
    "TL7110",
    FollowError,
    "invalid replication message",
    "the database sent an invalid replication message: {what}",
    "Tidelog reads messages of the `pgoutput` plugin, version 1.",
    "Check whether a proxy between Tidelog and the database alters the connection.",
    'from tidelog.follow.pgoutput import decode\ndecode(b"?")\n',
)
NO_DRIVER = FailureEntry(
    "TL7111",
    FollowError,
    "PostgreSQL driver is not installed",
    "following a database requires the package psycopg, which is not installed",
    "The driver is installed with the extra `postgres`.",
    "Install it: `pip install 'tidelog[postgres]'`.",
    test="tests/follow/test_connect.py::test_without_the_driver_the_extra_is_named",
)
UNREACHABLE = FailureEntry(
    "TL7112",
    Unreachable,
    "cannot connect to the database",
    "cannot connect to {where}: {error}",
    "Tidelog retries with increasing delays.",
    "Check that the database is running and that host, port and password are correct.",
    'from tidelog.follow import follow\nfollow(Engine(""), "host=/nowhere", tables={"link": "link"}).check()\n',
)
OPTION = FailureEntry(
    "TL7113",
    FollowError,
    "invalid table mapping",
    "`{given}` is not a table mapping: {wanted}",
    "A mapping has the form RELATION=TABLE.",
    "Write `link=public.link`, or `link=public.link(source, target)` to select columns.",
    'from tidelog.follow import follow\nfollow(Engine(""), "dbname=x", tables={"two words": "link"})\n',
)
WAL_LEVEL = FailureEntry(
    "TL7114",
    FollowError,
    "logical replication is disabled",
    "`wal_level` of the database is `{found}`, but logical replication requires `logical`",
    "The database writes what followers need to its log only with `wal_level = logical`.",
    "Run `ALTER SYSTEM SET wal_level = logical;` and restart the database.",
    test="tests/follow/test_settings.py::test_a_database_without_logical_replication_is_refused",
)
NO_TABLE = FailureEntry(
    "TL7115",
    FollowError,
    "table not found",
    "there is no table `{table}` in {where}",
    "Tables are named with their schema, and quoted where SQL requires it.",
    "Look up the name with `\\d` in psql. A name without a schema is looked up in the search path.",
    test="tests/follow/test_catalog.py::test_a_table_that_is_not_there_is_refused",
)
NOT_A_TABLE = FailureEntry(
    "TL7116",
    FollowError,
    "table cannot be followed",
    "`{table}` is {what} and cannot be followed, because its changes are not replicated",
    "Views, foreign tables, temporary tables and unlogged tables are not replicated.",
    "Follow the underlying tables.",
    test="tests/follow/test_catalog.py::test_views_and_unlogged_tables_are_refused",
)
COLUMNS = FailureEntry(
    "TL7117",
    FollowError,
    "columns do not match the relation",
    "table `{table}` has columns {found}, but relation `{relation}` needs {wanted}",
    "The columns are those in the mapping, by default those with the names the relation declares, otherwise "
    "all columns.",
    "Select the columns to follow: `{relation}={table}(one, another)`.",
    test="tests/follow/test_catalog.py::test_columns_that_do_not_fit_are_refused",
)
TYPE = FailureEntry(
    "TL7118",
    FollowError,
    "unsupported column type",
    "column `{column}` of `{table}` has the type `{type}`, which is not supported",
    "Supported types are text, integers, floats, numeric, boolean, date, timestamp, timestamptz and uuid.",
    "Select only the other columns, or add a column of a supported type to the table.",
    test="tests/follow/test_catalog.py::test_types_that_are_not_mapped_are_refused",
)
OTHER_TYPE = FailureEntry(
    "TL7119",
    FollowError,
    "column type mismatch",
    "column `{column}` of `{table}` has the type `{type}`, which is read as {own}, but relation `{relation}` "
    "declares {wanted}",
    "A column of a relation has one type.",
    "Declare the relation with the types of the table, or follow the table under another name and convert it "
    "in a rule.",
    test="tests/follow/test_catalog.py::test_another_type_than_the_relation_has_is_refused",
)
NO_KEY = FailureEntry(
    "TL7120",
    FollowError,
    "no key among the followed columns",
    "the followed columns of table `{table}` ({columns}) do not include a key, so two equal rows would be one fact",
    "A relation is a set, so the followed columns must include the primary key or another unique index without "
    "nulls. Numeric columns of a key are followed as text.",
    "Follow the key, too, and project it away in a rule, or run `ALTER TABLE {table} ADD PRIMARY KEY (...);`.",
    test="tests/follow/test_catalog.py::test_a_table_without_a_key_is_refused_with_the_sql_that_mends_it",
)
NO_IDENTITY = FailureEntry(
    "TL7121",
    FollowError,
    "insufficient replica identity",
    "table `{table}` does not identify changed rows: {why}",
    "Updates and deletes identify the old row by the replica identity of its table. A published table without "
    "one rejects all updates and deletes.",
    "Run `ALTER TABLE {table} REPLICA IDENTITY {identity};`.",
    test="tests/follow/test_catalog.py::test_a_table_without_replica_identity_is_refused",
)
PUBLICATION = FailureEntry(
    "TL7122",
    FollowError,
    "publication is incomplete",
    "publication `{name}` {what}",
    "A view is correct only if every change to its tables is published.",
    "Run `{sql}`, or choose another publication.",
    test="tests/follow/test_publication.py::test_a_publication_that_hides_changes_is_refused",
)
REFUSED = FailureEntry(
    "TL7123",
    FollowError,
    "database rejected a statement",
    "{where} rejected an attempt {what}: {error}",
    "Following a database needs a role with REPLICATION that may read the tables and add them to a publication.",
    "Grant the missing privileges to the role, or have an administrator run the statement.",
    test="tests/follow/test_settings.py::test_a_role_without_rights_is_refused",
)
SLOT_TAKEN = FailureEntry(
    "TL7124",
    FollowError,
    "replication slot already in use",
    "the slot `{slot}` {why}",
    "A slot holds the position of one follower and belongs to its state folder.",
    "Choose another slot. If this one is unused, run `SELECT pg_drop_replication_slot('{slot}');`.",
    test="tests/follow/test_slot.py::test_a_slot_of_somebody_else_is_refused",
)
BAD_ROW = FailureEntry(
    "TL7125",
    BadRow,
    "row cannot be converted to a fact",
    "{row}; following has stopped. Rows that cannot be converted: {count:,}",
    "With `--on-bad-row stop`, every row of a table must become a fact. Relations have no nulls, dates and "
    "times range from year 1 to 9999, and numbers must fit the type of the column.",
    "Correct or delete the row: Tidelog rereads the tables and resumes when they contain no such row. Otherwise, "
    "follow the table without that column, or restart with `--on-bad-row quarantine`.",
    test="tests/follow/test_quarantine.py::test_stop_keeps_the_relation_complete_until_the_row_is_corrected",
)
FILLED = FailureEntry(
    "TL7126",
    FollowError,
    "relation already contains other facts",
    "relation `{relation}` already contains {count:1 fact} that did not come from table `{table}`",
    "A relation that follows a table contains exactly the rows of the table.",
    "Follow the table under another name, and combine both relations in a rule.",
    test="tests/follow/test_follow.py::test_a_relation_with_facts_of_its_own_is_refused",
)
OUT_OF_STEP = FailureEntry(
    "TL7127",
    OutOfStep,
    "gap in the replication stream",
    "{why}; Tidelog reads the tables again",
    "Changes missing from the stream are recovered from a new snapshot. All differences become one epoch.",
    "No action is needed. The transactions in the gap appear as one epoch.",
    test="tests/follow/test_transaction.py::test_a_value_that_is_not_sent_and_not_known_needs_a_new_snapshot",
)
TARGET = FailureEntry(
    "TL7128",
    FollowError,
    "cannot publish a view to the table",
    "view `{view}` cannot be published to table `{table}`: {why}",
    "The table of a published view has the columns of the view and a primary key.",
    "Choose a table that does not exist yet; Tidelog creates it.",
    test="tests/follow/test_target.py::test_a_table_that_does_not_fit_is_refused",
)
ROWS_OF_OTHERS = FailureEntry(
    "TL7129",
    FollowError,
    "table already contains rows",
    "table `{table}` contains rows, but view `{view}` was never published to it",
    "The table of a published view contains exactly the rows of the view. Other rows would be lost.",
    "Choose another table, or empty this one: `TRUNCATE {table};`.",
    test="tests/follow/test_target.py::test_rows_of_others_are_never_overwritten",
)
NOT_STORED = FailureEntry(
    "TL7130",
    FollowError,
    "database cannot store a row of the view",
    "a row of view `{view}` cannot be stored in table `{table}`: {why}",
    "A view is published completely; rows are never omitted.",
    "Publish a view without such rows.",
    test="tests/follow/test_publish.py::test_a_row_that_cannot_be_stored_is_named",
)
CIRCLE = FailureEntry(
    "TL7131",
    FollowError,
    "table is both followed and published",
    "no view can be published to table `{table}`, because relation `{relation}` follows it",
    "Published rows would be read back as facts.",
    "Publish the view to a separate table.",
    test="tests/follow/test_target.py::test_a_table_that_is_followed_is_not_published_in",
)
WITHOUT_FOLLOW = FailureEntry(
    "TL7132",
    FollowError,
    "table option without a database",
    "`{option}` names a database table, but no database is followed",
    "Tables belong to the database given with `--follow`.",
    "Add the database: `--follow postgresql://...`.",
    "$ tidelog serve --state s --table link=public.link\n",
)
SETTING = FailureEntry(
    "TL7133",
    FollowError,
    "invalid setting of a follower",
    "{what}",
    "The settings of a follower are checked before it connects.",
    "Correct the setting. The page about PostgreSQL lists the settings and their values.",
    'from tidelog.follow import follow\nfollow(Engine(""), "dbname=x", tables={})\n',
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
    SETTING,
)
