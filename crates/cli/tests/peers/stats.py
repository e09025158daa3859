"""The statistics of a PGN file, counted in the plainest way, as `tabiya stats --full --json` tells them.

usage: stats.py GAMES.pgn [bare]

The file is read with python-chess, or, where its games have no comments and no variations, word by word.
"""

import collections
import json
import re
import sys

import chess.pgn

from plain import games_of

OWN = {"players", "titles"}


def band_of_moves(plies):
    moves = (plies + 1) // 2
    if moves == 0:
        return "0"
    if moves > 200:
        return "201-"
    low = (moves - 1) // 10 * 10
    return f"{low + 1}-{low + 10}"


def pace(text):
    if text in ("", "?"):
        return ""
    if text == "-":
        return "unlimited"
    left, seconds = 60, 0
    for stage in text.split(":"):
        found = re.fullmatch(r"(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", stage)
        if not found:
            return "odd"
        last = stage
        moves = int(found[1]) if found[1] else left
        moves = min(moves, left)
        seconds += int(float(found[2])) + int(float(found[3] or 0)) * moves
        left -= moves
    found = re.fullmatch(r"(\d+)/(\d+)(?:\+(\d+))?", last)
    while left > 0 and found:
        moves = min(int(found[1]), left)
        seconds += int(found[2]) + int(found[3] or 0) * moves
        left -= moves
    for name, limit in (("bullet", 180), ("blitz", 601), ("rapid", 3600), ("classical", 86400)):
        if seconds < limit:
            return name
    return "correspondence"


def unescaped(value):
    """python-chess hands on what stands between the quotes."""
    return re.sub(r'\\(["\\])', r"\1", value)


def read(path):
    """The tags of each game, and how many half-moves it has."""
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            tags = {name: unescaped(value) for name, value in game.headers.items()}
            # Men that are dropped are kept as text by Tabiya, and are no moves.
            drops = tags.get("Variant", "").lower() == "crazyhouse"
            yield tags, 0 if drops else len(list(game.mainline_moves()))


def read_bare(path):
    for tags, words in games_of(path):
        yield tags, len(words)


def main(path, bare=None):
    tables = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0, 0]))
    games = 0
    for tags, plies in read_bare(path) if bare else read(path):
        games += 1
        result = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}.get(tags.get("Result"), 3)

        def count(table, key, black=False):
            place = 2 - result if black and result < 3 else result
            tables[table][key][place] += 1

        count("results", "all")
        count("lengths", band_of_moves(plies))
        # What has more behind it is no date.
        year = re.fullmatch(r"(\d{4})(?:[./-][\d?]{1,2}){0,2}", tags.get("Date", ""))
        count("years", year[1] if year else "")
        elos = [tags.get(f"{side}Elo", "") for side in ("White", "Black")]
        elos = [int(elo) if elo.isascii() and elo.isdigit() else 0 for elo in elos]
        low = sum(elos) // 2 // 100 * 100
        count("ratings", f"{low}-{low + 99}" if all(elos) else "")
        gap = elos[0] - elos[1]
        gap = (abs(gap) + 50) // 100 * (100 if gap > 0 else -100)
        count("differences", (f"+{gap}" if gap > 0 else str(gap)) if all(elos) else "")
        eco = re.match(r"[A-E]\d\d", tags.get("ECO", ""))
        if eco:
            letter, tens = eco[0][0], eco[0][1]
            for key in (letter, f"{letter}{tens}0-{letter}{tens}9", eco[0]):
                count("openings", key)
        else:
            count("openings", "")
        for table, tag in (("events", "Event"), ("sites", "Site"), ("annotators", "Annotator"), ("terminations", "Termination")):
            count(table, tags.get(tag, ""))
        for side in ("White", "Black"):
            count("players", tags.get(side, ""), side == "Black")
            count("titles", tags.get(f"{side}Title", ""), side == "Black")
        time = tags.get("TimeControl", "")
        count("time-controls", pace(time))
        if time:
            count("time-controls", time)
    json.dump({"games": games, "tables": tables}, sys.stdout)


main(*sys.argv[1:])
