"""Access control: roles that inherit, folders that contain, and a denial that beats every grant."""

from tidelog import Engine

RULES = """
holds(U, R) :- member(U, R).
holds(U, S) :- holds(U, R), inherits(R, S).
covers(F, F) :- within(_, F).
covers(F, X) :- within(X, F).
covers(F, X) :- within(X, G), covers(F, G).
granted(U, A, X) :- holds(U, R), grants(R, A, F), covers(F, X).
denied(U, A, X)  :- holds(U, R), forbids(R, A, F), covers(F, X).
may(U, A, X)     :- granted(U, A, X), !denied(U, A, X).
exposed(X, N)    :- within(X, _), N = count : { may(_, read, X) }.
"""
FACTS = {
    "member": [("ada", "engineer"), ("bob", "auditor"), ("eve", "contractor")],
    "inherits": [("engineer", "staff"), ("auditor", "staff"), ("contractor", "guest")],
    "grants": [("staff", "read", "handbook"), ("engineer", "write", "code"), ("guest", "read", "handbook")],
    "forbids": [("guest", "read", "salaries")],
    "within": [
        ("salaries", "handbook"),
        ("holidays", "handbook"),
        ("payroll.csv", "salaries"),
        ("main.py", "code"),
    ],
}


def show(epoch):
    """The permissions that an epoch gave and took."""
    change = epoch.changes["may"]
    for word, rows in (("gained", change.inserted), ("lost", change.deleted)):
        for user, action, thing in sorted(rows):
            print(f"  {user} {word} the right to {action} {thing}")


def main():
    db = Engine(RULES)
    with db.epoch() as epoch:
        for relation, rows in FACTS.items():
            epoch.insert(relation, rows)
    print("at first:")
    show(epoch)

    print("eve becomes an engineer, but stays a contractor:")
    with db.epoch() as epoch:
        epoch.insert("member", [("eve", "engineer")])
    show(epoch)

    print("contractors are no longer guests:")
    with db.epoch() as epoch:
        epoch.delete("inherits", [("contractor", "guest")])
    show(epoch)

    print("a new policy for auditors:")
    with db.epoch() as epoch:
        epoch.add_rule("granted(U, read, X) :- holds(U, auditor), within(X, _).", "audit")
    show(epoch)
    print("readers per file:", dict(sorted(db["exposed"])))


if __name__ == "__main__":
    main()
