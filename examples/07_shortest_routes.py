"""Shortest routes: `min` inside recursion, maintained when a road closes, slows down or opens."""

from tidelog import Engine

RULES = """
leg(X, Y, M) :- road(X, Y, M).
leg(X, Y, M) :- road(Y, X, M).
time(X, Y, min<M>) :- leg(X, Y, M).
time(X, Z, min<M>) :- time(X, Y, A), leg(Y, Z, B), X != Z, M = A + B.
first(X, Z, Y) :- time(X, Z, T), leg(X, Y, A), time(Y, Z, B), T = A + B.
first(X, Y, Y) :- time(X, Y, T), leg(X, Y, T).
"""
ROADS = [
    ("harbour", "station", 4),
    ("harbour", "market", 7),
    ("station", "market", 2),
    ("market", "castle", 5),
    ("station", "castle", 12),
    ("castle", "airport", 9),
    ("market", "airport", 20),
]


def way(db, start, end):
    """Follow the first legs and return a shortest route."""
    places = [start]
    while places[-1] != end:
        places.append(min(y for (y,) in db.query(f"first({places[-1]}, {end}, Y)")))
    (minutes,) = next(iter(db.query(f"time({start}, {end}, T)")))
    return f"{' - '.join(places)}: {minutes} minutes"


def main():
    db = Engine(RULES)
    with db.epoch() as epoch:
        epoch.insert("road", ROADS)
    print(way(db, "harbour", "airport"))

    for what, gone, come in (
        ("road works at the castle", [("castle", "airport", 9)], [("castle", "airport", 25)]),
        ("the market is closed", [("harbour", "market", 7), ("station", "market", 2)], []),
        ("a new tunnel", [], [("harbour", "airport", 11)]),
    ):
        with db.epoch() as epoch:
            epoch.delete("road", gone)
            epoch.insert("road", come)
        change = epoch.changes["time"]
        print(f"{what}: {len(change.inserted)} new travel times, {len(change.deleted)} no longer valid")
        print(" ", way(db, "harbour", "airport"))


if __name__ == "__main__":
    main()
