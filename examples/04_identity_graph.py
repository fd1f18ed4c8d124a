"""An identity graph on Spark: which records of three systems belong to the same person?

Records are linked by identifiers that they share: an e-mail address, a telephone number, a device. With Java 17 it runs
on Spark; `TIDELOG_RUNTIME=embedded python 04_identity_graph.py` runs the same rules in this process.
"""

import os
from contextlib import contextmanager
from random import Random

from tidelog import Engine

RULES = """
// An identifier that many records share, such as the telephone number of a hotel, does not identify a person.
crowded(K, V) :- has(_, K, V), N = count : { has(_, K, V) }, N > 4.
linked(R, S) :- has(R, K, V), has(S, K, V), R != S, !crowded(K, V).
person(R, min<R>) :- has(R, _, _).
person(R, min<P>) :- linked(R, S), person(S, P).
found(P) :- person(_, P).
people(count<*>) :- found(_).
"""
PEOPLE = 300


def identifiers():
    """Records of a shop, a newsletter and an app: (record, kind, value)."""
    rng, rows = Random(5), []
    for person in range(PEOPLE):
        email, phone, device = f"user{person}@mail.example", f"+49 30 {person:06}", f"device-{person}"
        shop, newsletter, app = (10_000 * system + person for system in (1, 2, 3))
        rows += [(shop, "email", email), (shop, "phone", phone)]
        rows += [(newsletter, "email", email)] if rng.random() < 0.7 else []
        rows += [(app, "device", device), (app, "phone", phone)] if rng.random() < 0.5 else []
    return rows + [(10_000 + guest, "phone", "+49 30 700700") for guest in range(20)]  # a hotel


@contextmanager
def engine():
    """An engine on Spark, or in this process."""
    if os.environ.get("TIDELOG_RUNTIME") == "embedded":
        yield Engine(RULES), lambda rows: rows
        return
    from tidelog.spark import local_session

    with local_session(partitions=2) as spark, Engine(RULES, spark=spark, partitions=2) as db:
        yield db, lambda rows: spark.createDataFrame(rows, "record long, kind string, value string")


def main():
    rows = identifiers()
    with engine() as (db, table):
        with db.epoch() as epoch:
            epoch.insert("has", table(rows))
        print(f"{len({row[0] for row in rows})} records belong to {db['people'].rows()[0][0]} people")

        with db.epoch() as epoch:
            epoch.insert("has", table([(10_007, "email", "user2@mail.example")]))
        print(f"an address that two people share: {db['people'].rows()[0][0]} people")
        print(db.why("linked(10002, 10007)", depth=1))

        with db.epoch() as epoch:
            epoch.delete("has", table([row for row in rows if row[0] == 10_007]))
            epoch.delete("has", table([(10_007, "email", "user2@mail.example")]))
        print(f"record 10007 is erased on request: {db['people'].rows()[0][0]} people")


if __name__ == "__main__":
    main()
