"""Connected components: every node carries the least node it is connected to; links come and go in a data frame."""

from random import Random

import pandas as pd

from tidelog import Engine

RULES = """
near(X, Y) :- link(X, Y).
near(X, Y) :- link(Y, X).
component(X, min<X>) :- near(X, _).
component(Y, min<C>) :- component(X, C), near(X, Y).
size(C, N) :- component(_, C), N = count : { component(_, C) }.
components(N) :- N = count : { size(_, _) }.
"""
NODES, LINKS = 2_000, 2_400


def facts(db):
    """The number of components and the size of the largest."""
    ((number,),) = db["components"]
    return f"{number} components, the largest of {max(n for _, n in db['size'])} nodes"


def main():
    rng = Random(7)
    links = pd.DataFrame({"a": rng.choices(range(NODES), k=LINKS), "b": rng.choices(range(NODES), k=LINKS)})
    db = Engine(RULES)
    with db.epoch() as epoch:
        epoch.insert("link", links)
    print(f"{len(db['link']):,} links: {facts(db)} ({1000 * epoch.statistics.seconds:.0f} ms)")

    for count in (1, 10, 100):
        with db.epoch() as epoch:
            epoch.delete("link", links.iloc[:count])
        links = links.iloc[count:]
        moved = len(epoch.changes["component"].inserted)
        spent = 1000 * epoch.statistics.seconds
        print(f"cut {count:>3} links: {moved:>4} nodes change their component; {facts(db)} ({spent:.1f} ms)")

    with db.epoch() as epoch:
        epoch.insert("link", [(0, node) for node in range(1, NODES)])
    print(f"join everything to node 0: {facts(db)}")


if __name__ == "__main__":
    main()
