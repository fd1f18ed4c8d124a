"""The load of the live benchmark: `python -m benchmarks.cases.live_load DSN RATE SECONDS` commits rows and prints when.

Law: a row is printed once it is committed; if that is not known, since the connection was lost, it is looked up.
"""

from __future__ import annotations

import sys
import time

import psycopg

NODES = 1_000


def main(dsn: str, rate: int, seconds: int) -> None:
    """Commit one row per transaction, never faster than requested, and slower if the database is."""
    committed: list[str] = []
    began, number, connection = time.time(), 0, None
    while number < rate * seconds:
        time.sleep(max(0.0, began + number / rate - time.time()))
        try:
            if connection is None:
                connection = psycopg.connect(dsn, autocommit=True)
            connection.execute(
                "INSERT INTO step VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (number, NODES + number, number % NODES),
                prepare=True,
            )
        except psycopg.Error:
            connection = None
            time.sleep(0.05)
            continue
        committed.append(f"{number} {time.time()}")
        number += 1
    print("\n".join(committed))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
