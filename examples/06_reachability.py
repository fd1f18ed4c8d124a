"""Reachability: a view that stays up to date while facts and rules change."""

from tidelog import Engine

RULES = """
reach(X, Y) :- flight(X, Y).
onward: reach(X, Z) :- flight(X, Y), reach(Y, Z).
"""
FLIGHTS = [("oslo", "bergen"), ("oslo", "paris"), ("paris", "rome"), ("rome", "oslo"), ("rome", "malta")]


def describe(epoch, view):
    """The changes of a view in an epoch, in one line."""
    change = epoch.changes[view]
    signed = [
        f"{sign}{a}-{b}" for sign, rows in (("+", change.inserted), ("-", change.deleted)) for a, b in sorted(rows)
    ]
    return f"{len(signed)} changes: {' '.join(signed)}"


def main():
    db = Engine(RULES)
    with db.epoch() as epoch:
        epoch.insert("flight", FLIGHTS)
    print("from oslo you reach", ", ".join(sorted(place for (place,) in db.query("reach(oslo, Place)"))))

    with db.epoch() as epoch:
        epoch.delete("flight", [("rome", "oslo")])
    print("without rome-oslo:", describe(epoch, "reach"))

    # The cycle is broken, and facts that only supported each other are removed.
    print("rome reaches", sorted(place for (place,) in db.query("reach(rome, Place)")))

    with db.epoch() as epoch:
        label = epoch.add_rule("reach(X, Y) :- ferry(X, Y).")
        epoch.insert("ferry", [("malta", "oslo")])
    print("a ferry and a rule for it:", describe(epoch, "reach"))

    with db.epoch() as epoch:
        epoch.remove_rule(label)
        epoch.remove_rule("onward")
    print("no ferries, direct flights only:", sorted(db["reach"]))


if __name__ == "__main__":
    main()
