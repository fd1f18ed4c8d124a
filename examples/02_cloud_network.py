"""Reachability of a cloud network: which machines can an attacker reach from the internet, and by which hops?"""

from pathlib import Path

from pyarrow import csv

from tidelog import Engine

FOLDER = Path(__file__).parent / "data" / "cloud"  # a Soufflé program and its fact files


def read_facts(path):
    """Read a Soufflé fact file, which is tab-separated and has no header, as a table."""
    options = csv.ReadOptions(autogenerate_column_names=True)
    return csv.read_csv(path, options, csv.ParseOptions(delimiter="\t"))


def report(db, title):
    """Print what is exposed, and which data is at risk."""
    exposed = ", ".join(f"{machine}:{port}" for machine, port in sorted(db["exposed"]))
    data = ", ".join(f"{data} on {machine}" for machine, data in sorted(db["risk"]))
    print(f"{title}\n  exposed: {exposed}\n  at risk: {data or 'nothing'}")


def main():
    db = Engine.from_file(FOLDER / "network.dl")
    with db.epoch() as epoch:
        for path in sorted(FOLDER.glob("*.facts")):
            epoch.insert(path.stem, read_facts(path))
    report(db, "at first")
    proof = db.why('risk("backup", "orders")')
    print("  why the backup:", ", ".join(fact.text for fact in proof.facts() if fact.text.startswith("connects")))

    with db.epoch() as epoch:
        epoch.insert("allow", [("anywhere", "admin", 22)])
    report(db, "somebody opens SSH on the bastion host to the world")

    trials = db.what_if(
        {
            "close the bastion again": '-allow("anywhere", "admin", 22).',
            "cut the archive off": '-route("data", "archive").',
            "databases accept nothing from web servers": '-allow("web", "database", 5432).',
        }
    )
    for name, trial in trials.items():
        print(f"{name}: risks removed: {len(trial.changes['risk'].deleted)}")

    with db.epoch() as epoch:
        epoch.delete("allow", [("anywhere", "admin", 22), ("web", "database", 5432)])
    report(db, "after the repair")


if __name__ == "__main__":
    main()
