"""Permissions with alerts: company tables in, a recursive view of rights out, an alert for every bad change."""

from pathlib import Path

from pyarrow import csv

from tidelog import ConstraintError, Engine

FOLDER = Path(__file__).parent / "data" / "permissions"
TABLES = ("employee", "team", "system", "permission")


def alerts(epoch):
    """Print the alerts that an epoch raised or cleared. In production this would send a message."""
    for word, rows in (
        ("ALERT  ", epoch.changes["alert"].inserted),
        ("cleared", epoch.changes["alert"].deleted),
    ):
        for what, person, system in sorted(rows):
            print(f"  {word} {person} {what}: {system}")


def main():
    db = Engine.from_file(FOLDER / "access.dl")
    with db.epoch() as epoch:
        for table in TABLES:
            epoch.insert(table, csv.read_csv(FOLDER / f"{table}.csv"))
    print(f"{len(db['can'])} rights follow from {sum(len(db[table]) for table in TABLES)} rows")
    alerts(epoch)

    print("priya.nair helps out in the payments team:")
    with db.epoch() as epoch:
        epoch.insert("employee", [("priya.nair", "payments", "permanent")])
    print(f"  {len(epoch.changes['can'].inserted)} new rights")
    alerts(epoch)

    print("why can she request payouts?")
    print(db.why('can("priya.nair", "request", "payouts")', depth=1))

    print("she leaves the treasury:")
    with db.epoch() as epoch:
        epoch.delete("employee", [("priya.nair", "treasury", "permanent")])
    alerts(epoch)

    print("from now on, refuse such changes instead of reporting them:")
    with db.epoch() as epoch:
        epoch.add_rule('four_eyes: :- can(p, "request", x), can(p, "approve", x).')
    try:
        with db.epoch() as epoch:
            epoch.insert("permission", [("payments", "approve", "payouts")])
    except ConstraintError as error:
        print(f"  refused: {error.violations[0].count} people would violate `four_eyes`")


if __name__ == "__main__":
    main()
