"""The tables of the events in a PGN file, computed in the plainest way, as `tabiya crosstable --json` tells them.

usage: crosstable.py GAMES.pgn

The games are bare: no comments, no variations. The answer has a table for each event, under the number of its first game that counts.
"""

import collections
import json
import re
import sys

from plain import date_of, games_of

# The tables of the world federation: what a score adds to the opponents' mean, and up to which difference of ratings a score is expected.
ADDED = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193, 202,
    211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
]
UP_TO = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188, 197, 206,
    215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391,
    411, 432, 456, 484, 517, 559, 619, 735,
]


def expected(own, other, is_unlimited):
    gap = own - other
    if not (is_unlimited and own >= 2650):
        gap = max(-400, min(400, gap))
    percent = 50 + sum(1 for most in UP_TO if abs(gap) > most)
    return (percent if gap >= 0 else 100 - percent) / 100



def events(games):
    """Games with their numbers, event by event."""
    named = collections.defaultdict(list)
    for number, (tags, words) in enumerate(games, 1):
        event = tags.get("Event", "")
        if event.strip() not in ("", "?", "-"):
            began = date_of(tags.get("EventDate", "")) if tags.get("EventDate") else None
            if began and not began[0]:
                began = None
            named[event, tags.get("Site", ""), str(began)].append((number, tags, len(words)))
    for (_, _, began), own in named.items():
        if began != "None":
            yield own
            continue
        # Those that no long pause parts; those of a year alone go to the first of that year.
        exact, vague = [], []
        for game in own:
            year, month, day = date_of(game[1].get("Date", ""))
            if year and month:
                exact.append(((year * 12 + month) * 31 + (day or 1), game[0], game))
            else:
                vague.append((year, game))
        parts, last = [], None
        for day, _, game in sorted(exact, key=lambda one: one[:2]):
            if last is None or day - last > 93:
                parts.append([])
            parts[-1].append(game)
            last = day
        of_year = {}
        for part in parts:
            for game in part:
                of_year.setdefault(date_of(game[1]["Date"])[0], part)
        for year, game in vague:
            if year not in of_year:
                of_year[year] = []
                parts.append(of_year[year])
            of_year[year].append(game)
        yield from parts


def counted(games):
    """The games that count: none of a player against himself, and none that is there twice."""
    seen = set()
    for number, tags, plies in sorted(games, key=lambda game: game[0]):
        white, black, result = (tags.get(name, "") for name in ("White", "Black", "Result"))
        key = white, black, tags.get("Round", ""), tags.get("Date", ""), result, plies
        is_round = re.match(r"\s*\d+\s*($|[.( ])", tags.get("Round", ""))
        if white == black or (is_round and key in seen):
            continue
        seen.add(key)
        elos = [tags.get(f"{side}Elo", "") for side in ("White", "Black")]
        elos = [int(elo) if elo.isdigit() else 0 for elo in elos]
        points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}.get(result)
        yield number, white, black, points, elos, tags.get("Round", ""), plies


def round_of(text):
    found = re.match(r"\s*\+?(\d+)\s*($|[.( ])", text)
    return int(found[1]) if found else None


def progressive(own, last):
    """The scores after each round, one after another."""
    rounds = [round_of(text) for text, _ in own]
    if None in rounds:
        rounds = range(1, len(own) + 1)
    if last > 1000:
        return sum((points or 0) * (last - number + 1) for number, (_, points) in zip(rounds, own))
    total = 0
    for after in range(1, last + 1):
        total += sum(points or 0 for number, (_, points) in zip(rounds, own) if number <= after)
    return total


def last_of(all_games):
    last = 0
    for own in all_games:
        rounds = [round_of(text) for text, _ in own]
        last = max([last] + (list(range(1, len(own) + 1)) if None in rounds else rounds))
    return last


def table_of(played, is_unlimited):
    games = collections.defaultdict(list)
    said = collections.defaultdict(list)
    ratings = collections.defaultdict(collections.Counter)
    # Who has made no move has not played, where games have moves at all.
    have_moves = any(plies > 1 for *_, plies in played)
    unplayed = set()
    for number, white, black, points, (white_elo, black_elo), round_said, plies in played:
        games[white].append((black, points))
        games[black].append((white, None if points is None else 1 - points))
        said[white].append((round_said, points))
        said[black].append((round_said, None if points is None else 1 - points))
        if have_moves and plies < 2:
            unplayed.add((white, len(games[white])))
            unplayed.add((black, len(games[black])))
        for name, elo in ((white, white_elo), (black, black_elo)):
            if elo:
                ratings[name][elo] += 1
    elo = {name: max(seen, key=lambda elo: (seen[elo], elo)) for name, seen in ratings.items()}
    finished = {name: [(other, points) for other, points in own if points is not None] for name, own in games.items()}
    over_board = {
        name: [
            (other, points) for at, (other, points) in enumerate(own, 1)
            if points is not None and (name, at) not in unplayed
        ]
        for name, own in games.items()
    }
    last = last_of(said.values())
    score = {name: sum(points for _, points in own) for name, own in finished.items()}
    table = {}
    for name, own in finished.items():
        rated = [(elo[other], points) for other, points in over_board[name] if other in elo]
        row = {
            "points": score[name],
            "games": len(own),
            "wins": sum(points == 1 for _, points in own),
            "buchholz": sum(score[other] for other, _ in own),
            "sonneborn_berger": sum(points * score[other] for other, points in own),
            "direct": sum(points for other, points in own if score[other] == score[name]),
            "progressive": progressive(said[name], last),
            "elo": elo.get(name),
            "opponents": None,
            "performance": None,
            "change": None,
        }
        if rated:
            mean = int(sum(rating for rating, _ in rated) / len(rated) + 0.5)
            share = sum(points for _, points in rated) * 100 / len(rated)
            percent = int(share + 0.5)
            row["opponents"] = mean
            row["performance"] = mean + (ADDED[percent - 50] if percent >= 50 else -ADDED[50 - percent])
            if name in elo:
                factor = 10 if elo[name] >= 2400 else 20
                change = sum(points - expected(elo[name], rating, is_unlimited) for rating, points in rated)
                row["change"] = round(factor * change, 2)
        table[name] = row
    return table


def main(path):
    tables = {}
    for event in events(games_of(path)):
        played = list(counted(event))
        if played:
            dates = (date_of(tags.get("Date", "")) for _, tags, _ in event)
            months = [(year, month or 0) for year, month, _ in dates if year]
            tables[played[0][0]] = table_of(played, bool(months) and min(months) >= (2025, 10))
    json.dump(tables, sys.stdout)


main(sys.argv[1])
