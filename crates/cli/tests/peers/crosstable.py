"""The table of the event in a PGN file, computed in the plainest way with python-chess, as `tabiya crosstable --json` tells it.

usage: crosstable.py GAMES.pgn

All games are of one event, and none of them is there twice.
"""

import collections
import json
import sys

import chess.pgn

# The tables of the world federation: what a score adds to the opponents' mean, and up to which difference of ratings a score is expected.
ADDED = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193, 202,
    211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
]
UP_TO = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188, 197, 206,
    215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391,
]


def expected(own, other):
    gap = max(-400, min(400, own - other))
    percent = 50 + sum(1 for most in UP_TO if abs(gap) > most)
    return (percent if gap >= 0 else 100 - percent) / 100


def main(path):
    played = []
    with open(path, encoding="utf-8") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            elos = [headers.get(f"{side}Elo", "") for side in ("White", "Black")]
            elos = [int(elo) if elo.isdigit() else 0 for elo in elos]
            white = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}.get(headers.get("Result"))
            played.append((headers["White"], headers["Black"], white, elos))
    games = collections.defaultdict(list)
    ratings = collections.defaultdict(collections.Counter)
    for white, black, points, (white_elo, black_elo) in played:
        games[white].append((black, points))
        games[black].append((white, None if points is None else 1 - points))
        for name, elo in ((white, white_elo), (black, black_elo)):
            if elo:
                ratings[name][elo] += 1
    elo = {name: max(seen, key=lambda elo: (seen[elo], elo)) for name, seen in ratings.items()}
    finished = {name: [(other, points) for other, points in own if points is not None] for name, own in games.items()}
    score = {name: sum(points for _, points in own) for name, own in finished.items()}
    table = {}
    for name, own in finished.items():
        rated = [(elo[other], points) for other, points in own if other in elo]
        row = {
            "points": score[name],
            "games": len(own),
            "wins": sum(points == 1 for _, points in own),
            "buchholz": sum(score[other] for other, _ in own),
            "sonneborn_berger": sum(points * score[other] for other, points in own),
            "direct": sum(points for other, points in own if score[other] == score[name]),
            "elo": elo.get(name),
            "opponents": None,
            "performance": None,
            "change": None,
        }
        if rated:
            mean = int(sum(rating for rating, _ in rated) / len(rated) + 0.5)
            share = sum(points for _, points in rated) * 100 / len(rated)
            percent = -int(-(share - 0.5) // 1)
            row["opponents"] = mean
            row["performance"] = mean + (ADDED[percent - 50] if percent >= 50 else -ADDED[50 - percent])
            if name in elo:
                factor = 10 if elo[name] >= 2400 else 20
                change = sum(points - expected(elo[name], rating) for rating, points in rated)
                row["change"] = round(factor * change, 2)
        table[name] = row
    json.dump(table, sys.stdout)


main(sys.argv[1])
