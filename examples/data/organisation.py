"""An organisation of 30,000 people for the demo: groups, folders, documents and grants, the same on every machine.

`python examples/data/organisation.py FOLDER` writes fact files, for `tidelog run examples/data/access.dl -F FOLDER`.
"""

import sys
from pathlib import Path
from random import Random

PEOPLE, GROUPS, FOLDERS, DOCUMENTS, SECRETS = 30_000, 2_000, 4_000, 36_000, 40
Facts = dict[str, list[tuple[str, ...]]]


def person(number: int) -> str:
    return f"person{number:05}"


def group(number: int) -> str:
    return f"group{number:04}"


def folder(number: int) -> str:
    return f"folder{number:04}"


def document(number: int) -> str:
    return f"document{number:05}"


def nested(rng: Random, count: int, name, extra: float) -> list[tuple[str, str]]:
    """Put each item into one with a smaller number, and some items into two."""
    pairs = [(name(i), name(rng.randrange(i // 4, i))) for i in range(1, count)]
    pairs += [(name(i), name(rng.randrange(i // 2, i))) for i in range(2, count) if rng.random() < extra]
    return sorted(set(pairs))


def organisation(seed: int = 2026) -> Facts:
    """All base facts by relation, about 105,000."""
    rng = Random(seed)
    return {
        "joins": sorted({(person(i), group(rng.randrange(GROUPS))) for i in range(PEOPLE) for _ in range(2)}),
        "part_of": nested(rng, GROUPS, group, 0.1),
        "lies_in": nested(rng, FOLDERS, folder, 0.0)
        + [(document(i), folder(rng.randrange(FOLDERS))) for i in range(DOCUMENTS)],
        "grant": sorted({(group(rng.randrange(50, GROUPS)), folder(rng.randrange(50, FOLDERS))) for _ in range(3_000)}),
        "secret": [(document(i),) for i in rng.sample(range(DOCUMENTS), SECRETS)],
    }


def write(target: Path, facts: Facts) -> None:
    """One tab-separated file per relation."""
    target.mkdir(parents=True, exist_ok=True)
    for relation, rows in facts.items():
        text = "".join("\t".join(row) + "\n" for row in rows)
        (target / f"{relation}.facts").write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "organisation"), organisation())
