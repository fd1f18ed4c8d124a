"""The demo: who can read the secrets of an organisation, while people move and policies change.

Five rules over about 105,000 facts, on Spark in local mode: facts are read as DataFrames, and two resident partitions
maintain the views. Each step is one epoch, compared with evaluating everything again. Without Java, set
TIDELOG_RUNTIME=embedded.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from tidelog import ConstraintError, Engine
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import TidelogError

sys.path.insert(0, str(Path(__file__).parent / "data"))
from organisation import GROUPS, Facts, group, organisation, write

RULES = (Path(__file__).parent / "data" / "access.dl").read_text("utf-8")
DEPUTY = "deputy: reads(V, D) :- stands_in(V, U), reads(U, D)."
OUTSIDERS = "outsiders: :- reads(U, D), outsider(U)."
PROOF_LINES = 18
PARTITIONS = 2


@dataclass(frozen=True)
class Result:
    """One step: what it did to the view, what it cost, and what recomputing costs."""

    title: str
    inserted: int
    deleted: int
    seconds: float
    again: float
    example: tuple[str, ...]
    epoch: Epoch


@contextmanager
def engine(console: Console, facts: Facts) -> Iterator[tuple[Engine, dict[str, object]]]:
    """An empty engine, and the facts for it: on Spark as DataFrames of files, otherwise as rows."""
    if os.environ.get("TIDELOG_RUNTIME", "spark") == "embedded":
        with Engine() as db:
            yield db, dict(facts)
        return
    from tidelog.spark import local_session

    began = time.perf_counter()
    with ExitStack() as open_:
        folder = open_.enter_context(tempfile.TemporaryDirectory())
        write(Path(folder), facts)
        with console.status(f"starting Spark and {PARTITIONS} partitions"):
            spark = open_.enter_context(local_session(PARTITIONS))
            db = open_.enter_context(Engine(spark=spark, partitions=PARTITIONS))
        seconds = time.perf_counter() - began
        console.print(
            f"Spark {spark.version} and {PARTITIONS} resident partitions, after {seconds:.1f} s", highlight=False
        )
        columns = {name: ", ".join(f"c{i + 1} string" for i in range(len(rows[0]))) for name, rows in facts.items()}
        yield db, {name: spark.read.csv(f"{folder}/{name}.facts", sep="\t", schema=columns[name]) for name in facts}


def fill(db: Engine, rules: str, facts: dict[str, object]) -> float:
    """Load all rules and facts in one epoch and return the seconds it took."""
    began = time.perf_counter()
    with db.epoch() as epoch:
        for relation, rows in facts.items():
            epoch.insert(relation, rows)
        for line in rules.splitlines():
            if line and not line.startswith("//"):
                epoch.add_rule(line)
    return time.perf_counter() - began


def step(db: Engine, title: str, facts: Facts, rules: str, change, author: str | None = None) -> Result:
    """One epoch, its cost, and the cost of evaluating the rules from nothing in one process; both must agree."""
    began = time.perf_counter()
    with db.epoch(author=author) as epoch:
        change(epoch)
    seconds = time.perf_counter() - began
    with Engine() as again:
        recomputed = fill(again, rules, facts)
        assert set(again["reads"]) == set(db["reads"]), "maintained and recomputed views differ"
    moved = epoch.changes["reads"]
    example = min(moved.inserted if len(moved.inserted) else moved.deleted)
    return Result(title, len(moved.inserted), len(moved.deleted), seconds, recomputed, example, epoch)


def sizes(db: Engine) -> Table:
    """The relations with their sizes and placement."""
    placement = db.explain().placement
    table = Table(title="facts", title_justify="left")
    for name in ("relation", "facts", *(["on two partitions"] if placement else [])):
        table.add_column(name, justify="right" if name == "facts" else "left")
    for name in db.relations:
        home = [placement.relations[name].removeprefix(f"{name}: ")] if placement else []
        table.add_row(name, f"{len(db[name]):,}", *home)
    return table


def burst(facts: Facts, rng: Random) -> tuple[list, list]:
    """500 people leave a group and join another."""
    leaving = rng.sample(facts["joins"], 500)
    return leaving, [(who, group(rng.randrange(GROUPS))) for who, _ in leaving]


def show(result: Result, db: Engine, console: Console) -> None:
    """What a step changed, why, and what it cost."""
    console.print()
    console.rule(Text(result.title), align="left")
    console.print(
        f"[green]+{result.inserted:,}[/] [red]-{result.deleted:,}[/] rights to read a secret", highlight=False
    )
    factor = result.again / result.seconds
    console.print(
        f"[bold]{1000 * result.seconds:,.1f} ms[/]; evaluating everything again takes {1000 * result.again:,.0f} ms "
        f"([bold]{factor:,.0f} times[/] as long)",
        highlight=False,
    )
    fact = f"reads({', '.join(result.example)})"
    word, reason = ("why", db.why(fact)) if result.inserted else ("why not", db.why_not(fact))
    lines = str(reason).splitlines()
    more = f"\n... {len(lines) - PROOF_LINES} more lines" if len(lines) > PROOF_LINES else ""
    console.print(Panel(Text("\n".join(lines[:PROOF_LINES]) + more), title=f"{word} {fact}", title_align="left"))


def summary(first: float, results: list[Result]) -> Table:
    """All steps in one table."""
    table = Table(title="rights to read a secret, kept true", title_justify="left")
    for name in ("step", "inserted", "deleted", "epoch", "again, in one process"):
        table.add_column(name, justify="left" if name == "step" else "right")
    table.add_row("loading", "", "", f"{first:.2f} s", "")
    for r in results:
        times = f"{1000 * r.seconds:,.1f} ms", f"{1000 * r.again:,.0f} ms"
        table.add_row(r.title, f"{r.inserted:,}", f"{r.deleted:,}", *times)
    return table


def main() -> None:
    console = Console()
    facts = organisation()
    console.print(Syntax(RULES, "prolog", background_color="default", word_wrap=True))
    with Engine() as db:
        fill(db, RULES, {name: rows[:50] for name, rows in facts.items()})  # compiled code is loaded once
    try:
        with engine(console, facts) as (db, data):
            tour(db, data, facts, console)
    except TidelogError as error:
        sys.exit(f"error: {error}".replace("`--runtime embedded`", "`TIDELOG_RUNTIME=embedded make demo`"))


def tour(db: Engine, data: dict[str, object], facts: Facts, console: Console) -> None:
    """Load, then epochs of facts and of rules."""
    rng = Random(1)
    first = fill(db, RULES, data)
    base = sum(map(len, facts.values()))
    console.print(f"{base:,} facts, {sum(len(db[n]) for n in db.relations) - base:,} derived, in {first:.2f} s")
    console.print(sizes(db))

    leaving, joining = burst(facts, rng)
    facts["joins"] = sorted((set(facts["joins"]) - set(leaving)) | set(joining))
    results = [step(db, "500 people change their group", facts, RULES, lambda e: move(e, leaving, joining))]
    show(results[-1], db, console)

    grant = sorted(db.query("grant(G, F), inside(D, F)"))[0][:2]
    facts["grant"] = [row for row in facts["grant"] if row != grant]
    results.append(step(db, f"{grant[0]} loses {grant[1]}", facts, RULES, lambda e: e.delete("grant", [grant])))
    show(results[-1], db, console)

    people = sorted({who for who, _ in facts["joins"]})
    facts["stands_in"] = [(a, b) for a, b in (rng.sample(people, 2) for _ in range(300))]
    with_deputies = f"{RULES}{DEPUTY}\n"
    title = "a rule is added: deputies can read what the people they stand in for can read"
    results.append(step(db, title, facts, with_deputies, lambda e: appoint(e, facts)))
    show(results[-1], db, console)

    results.append(step(db, "the rule is removed", facts, RULES, lambda e: e.remove_rule("deputy")))
    show(results[-1], db, console)

    grant = sorted(db.query("grant(G, F), inside(D, F)"))[0][:2]
    facts["grant"] = [row for row in facts["grant"] if row != grant]
    title = "on Friday evening somebody changes two things at once"
    results.append(step(db, title, facts, with_deputies, lambda e: friday(e, grant), author="zoe"))
    show(results[-1], db, console)
    accuse(results[-1], console)
    refusal(db, min(db.query("grant(G, F), inside(D, F)"))[0], console)
    console.print()
    console.print(summary(first, results))


def refusal(db: Engine, team: str, console: Console) -> None:
    """A constraint, and an epoch that it refuses."""
    with db.epoch() as epoch:
        epoch.insert("outsider", [("guest",)])
        epoch.add_rule(OUTSIDERS)
    console.print()
    console.rule(Text(f"guest joins {team}, and a constraint refuses it"), align="left")
    try:
        with db.epoch() as epoch:
            epoch.insert("joins", [("guest", team)])
    except ConstraintError as error:
        lines = str(error).splitlines()
        more = f"\n... {len(lines) - PROOF_LINES} more lines" if len(lines) > PROOF_LINES else ""
        console.print(Panel(Text("\n".join(lines[:PROOF_LINES]) + more), title=error.code, title_align="left"))
    else:
        sys.exit("the epoch was not refused")


def accuse(result: Result, console: Console) -> None:
    """Which of the changes of an epoch caused what: of the whole view, and of one right."""
    view = result.epoch.blame("reads")
    console.print(Panel(Text(str(view)), title="blame reads", title_align="left"))
    fact = f"reads({', '.join(result.example)})"
    lines = str(result.epoch.blame(fact)).split("\n\n")[0]
    console.print(Panel(Text(lines), title=f"blame {fact}", title_align="left"))


def move(epoch, leaving: list, joining: list) -> None:
    epoch.delete("joins", leaving)
    epoch.insert("joins", joining)


def friday(epoch, grant: tuple[str, str]) -> None:
    epoch.add_rule(DEPUTY.replace("deputy", "deputies"))
    epoch.delete("grant", [grant])


def appoint(epoch, facts: Facts) -> None:
    epoch.insert("stands_in", facts["stands_in"])
    epoch.add_rule(DEPUTY)


if __name__ == "__main__":
    main()
