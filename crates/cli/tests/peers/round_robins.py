"""Counts the events that are round-robins as far as their rounds can tell, by what `tabiya crosstable --json` calls them.

usage: tabiya crosstable GAMES --json | round_robins.py

An event counts that has five players and more, of which all rounds have numbers, the last of them just the one that everybody needs to meet
everybody once or more, and in which no pair met more often than that. This knows nothing of how the program decides.
"""

import collections
import json
import sys

MOST_TIMES = 8


def meetings_of(event):
    """How often each pair met, and the last round; nothing where a round has no number."""
    met, last = collections.Counter(), 0
    for place, player in enumerate(event["players"], 1):
        for game in player["results"]:
            met[tuple(sorted((place, game["opponent"])))] += 1
            number = game["round"].split(".")[0]
            if not number.isdecimal():
                return None
            last = max(last, int(number))
    # Each game stands in the rows of both players.
    return {pair: games // 2 for pair, games in met.items()}, last


def is_round_robin(players, met, last):
    each = players - 1 + players % 2
    most = max(met.values())
    return any(last in (times * each, times * (players - 1)) and most <= times for times in range(1, MOST_TIMES + 1))


def share(players, met):
    of_pairs = len(met) / (players * (players - 1) / 2)
    for name, least in [("3/4 and more", 3 / 4), ("2/5 to 3/4", 2 / 5), ("1/3 to 2/5", 1 / 3)]:
        if of_pairs >= least:
            return name
    return "less than 1/3"


counts = collections.defaultdict(collections.Counter)
for event in json.load(sys.stdin)["events"]:
    players = len(event["players"])
    found = meetings_of(event)
    if players < 5 or found is None or not found[0]:
        continue
    if is_round_robin(players, *found):
        counts[share(players, found[0])][event["kind"]] += 1
for name in ["3/4 and more", "2/5 to 3/4", "1/3 to 2/5", "less than 1/3"]:
    print(name, json.dumps(dict(sorted(counts[name].items()))))
