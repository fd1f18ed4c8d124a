"""The load of the live benchmark: `python -m benchmarks.cases.live_load DSN RATE SECONDS` commits and tells when.

Law: a row is told once it is committed; one of which that is not known, since the database went away, is looked up.
"""

from __future__ import annotations

import sys
import time

import psycopg

NODES = 1_000


def main(dsn: str, rate: int, seconds: int) -> None:
    """Commit a row a transaction; never faster than asked for, and slower where the database is."""
    told: list[str] = []
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
        told.append(f"{number} {time.time()}")
        number += 1
    print("\n".join(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
