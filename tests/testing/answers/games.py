"""Answers of programs with negation in cycles: games and blocks that depend on each other."""

from collections import Counter, defaultdict, deque
from functools import cache

from .graphs import successors


def decided(moves):
    """Retrograde analysis: from the positions without a move upwards, who wins; other positions are drawn."""
    before, left = defaultdict(set), Counter()
    for x, y in moves:
        before[y].add(x)
        left[x] += 1
    won, lost = set(), {place for move in moves for place in move} - set(left)
    waiting = deque(lost)
    while waiting:
        position = waiting.popleft()
        for x in before[position] - won - lost:
            left[x] -= 1
            if position in lost:
                won.add(x)
            elif not left[x]:
                lost.add(x)
            else:
                continue
            waiting.append(x)
    return won, lost


def win_move(facts, after):
    won, lost = decided(facts["move"])
    return {"win": {(x,) for x in won}, "lost": {(x,) for x in lost}}


def exceptions(facts, after):
    folders, setters = successors(facts["within"]), defaultdict(set)
    for who, user, document in facts["blocks"]:
        setters[user, document].add(who)

    @cache
    def views(user, document):
        if any(views(who, document) for who in setters[user, document]):
            return False
        above = (f for f in folders[document] if not (after and setters[user, f]))
        return (user, document) in facts["grants"] or any(views(user, folder) for folder in above)

    users = {user for user, _ in facts["grants"]} | {name for who, user, _ in facts["blocks"] for name in (who, user)}
    documents = {name for pair in facts["within"] for name in pair} | {d for _, d in facts["grants"]}
    view = {(user, document) for user in users for document in documents if views(user, document)}
    return {
        "view": view,
        "blocked": {(user, d) for (user, d), who in setters.items() if any((name, d) in view for name in who)},
        "viewers": set(Counter(document for _, document in view).items()),
        "lost": set(facts["grants"]) - view,
    }
