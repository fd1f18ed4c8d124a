"""Answers of programs with aggregates in recursion: invitations, take-overs and bonuses."""

from collections import Counter, defaultdict
from functools import cache
from math import fsum


def attendance(facts, after):
    enough, come = 2 if after else 3, {person for (person,) in facts["organizer"]}
    while True:
        coming = Counter(person for person, friend in facts["friend"] if friend in come)
        more = {person for person, count in coming.items() if count >= enough} - come
        if not more:
            return {"attend": {(person,) for person in come}, "coming": set(coming.items())}
        come |= more


def company_control(facts, after):
    needed, total, control = 66 if after else 50, {}, set()
    for company in {name for name, _, _ in facts["owns"]}:
        held = {company}
        while True:
            shares = Counter()
            for owner, other, percent in facts["owns"]:
                shares[other] += percent if owner in held else 0
            more = {other for other, percent in shares.items() if percent > needed} - held
            if not more:
                break
            held |= more
        total |= {(company, other): percent for other, percent in shares.items() if percent}
        control |= {(company, other) for other, percent in shares.items() if percent > needed}
    return {"total": {(*pair, percent) for pair, percent in total.items()}, "control": control}


def mlm_bonus(facts, after):
    rate, sponsored, profits = 0.5 if after else 0.1, defaultdict(set), dict(facts["profit"])
    for member, other in facts["sponsor"]:
        sponsored[member].add(other)

    @cache
    def bonus(member):
        parts = [0.1 * profits[member]] if member in profits else []
        parts += [rate * below for other in sponsored[member] if (below := bonus(other)) is not None]
        return fsum(parts) if parts else None

    members = {*profits, *sponsored}
    return {"bonus": {(member, amount) for member in members if (amount := bonus(member)) is not None}}
