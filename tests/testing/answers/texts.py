"""Answers about texts and numbers."""

import math
from collections import Counter


def log_report(facts, after):
    words = {n: text.split(" ") for n, text in facts["line"]}
    level = {n: w[0] for n, w in words.items() if len(w) > 1}
    code = {n: int(w[1]) for n, w in words.items() if len(w) > 2 and w[1].isdecimal()}
    host = {n: w[2] for n, w in words.items() if len(w) > 3}
    return {
        "level": set(level.items()),
        "code": set(code.items()),
        "host": set(host.items()),
        "trouble": set(Counter(h for n, h in host.items() if level[n] == "ERROR").items()),
        "tag": {(n, f"{h}:{code[n]}") for n, h in host.items() if code.get(n, 0) >= 500},
        "slow": {(n,) for n, text in facts["line"] if "timeout" in text and not text.startswith("DEBUG")},
    }


def grammar(facts, after):
    accepted, readings, longest = set(), set(), set()
    for w, text in facts["word"]:
        n = len(text)
        table = {(i, i + 1): {a for a, x in facts["letter"] if x == text[i]} for i in range(n)}
        for width in range(2, n + 1):
            for i in range(n - width + 1):
                table[i, i + width] = {
                    a
                    for j in range(i + 1, i + width)
                    for a, b, c in facts["pair"]
                    if b in table[i, j] and c in table[j, i + width]
                }
        spans = [(i, k) for (i, k), found in table.items() if "S" in found]
        if (0, n) in spans:
            accepted.add((w,))
            readings.add((w, len(spans)))
        if spans:
            longest.add((w, max(k - i for i, k in spans)))
    return {"accepted": accepted, "readings": readings, "longest": longest}


def primes(facts, after):
    numbers = range(1, 51)
    collatz = set()
    for n in range(1, 10):
        k = n
        while (n, k) not in collatz:
            collatz.add((n, k))
            k = k if k == 1 else k // 2 if k % 2 == 0 else 3 * k + 1
    return {
        "prime": {(n,) for n in numbers if n > 1 and all(n % d for d in range(2, n))},
        "perfect": {(n,) for n in numbers if n == sum(d for d in range(1, n) if n % d == 0)},
        "gcd": {(a, b, math.gcd(a, b)) for a in range(1, 13) for b in range(13)},
        "collatz": collatz,
    }
