"""Points-to analysis: which objects may a variable hold? The answer stays up to date while the program is edited."""

from tidelog import Engine

RULES = """
.decl new(var: symbol, object: symbol)
.decl assign(to: symbol, from: symbol)
.decl load(to: symbol, base: symbol, field: symbol)
.decl store(base: symbol, field: symbol, from: symbol)
.decl points_to(var: symbol, object: symbol)
.decl heap(object: symbol, field: symbol, target: symbol)
.decl alias(one: symbol, other: symbol)

points_to(v, o) :- new(v, o).
points_to(v, o) :- assign(v, w), points_to(w, o).
points_to(v, o) :- load(v, b, f), points_to(b, p), heap(p, f, o).
heap(p, f, o)   :- store(b, f, w), points_to(b, p), points_to(w, o).
alias(v, w)     :- points_to(v, o), points_to(w, o), v < w.
"""
SOURCE = """
list = new List      node = new Node      other = new Node
list.head = node     node.next = other    first = list.head
second = first.next  cursor = first       cursor = second
"""


def statements(text):
    """The facts of a program of assignments, by relation."""
    facts = {"new": [], "assign": [], "load": [], "store": []}
    for line in filter(None, (part.strip() for part in text.replace("\n", "  ").split("  "))):
        left, right = (side.strip() for side in line.split("="))
        if right.startswith("new "):
            facts["new"].append((left, f"{right[4:]}@{left}"))
        elif "." in right:
            facts["load"].append((left, *right.split(".")))
        elif "." in left:
            facts["store"].append((*left.split("."), right))
        else:
            facts["assign"].append((left, right))
    return facts


def edit(db, *, add="", remove=""):
    """Add and remove statements in one epoch."""
    with db.epoch() as epoch:
        for relation, rows in statements(add).items():
            epoch.insert(relation, rows)
        for relation, rows in statements(remove).items():
            epoch.delete(relation, rows)
    return epoch.changes


def main():
    db = Engine(RULES)
    edit(db, add=SOURCE)
    for variable in ("first", "second", "cursor"):
        objects = sorted(o for v, o in db["points_to"] if v == variable)
        print(f"{variable} may hold {', '.join(objects)}")
    print("aliases:", ", ".join(f"{a}~{b}" for a, b in sorted(db["alias"])))

    changes = edit(db, add="other.next = list  last = second.next")
    print("after `other.next = list`:", *(f"{v}->{o}" for v, o in sorted(changes["points_to"].inserted)))

    changes = edit(db, remove="cursor = second  first = list.head")
    print("after removing two lines, gone:", *(f"{v}->{o}" for v, o in sorted(changes["points_to"].deleted)))


if __name__ == "__main__":
    main()
