"""The records of players in a PGN file, computed in the plainest way with python-chess, as `tabiya player --json` tells them.

usage: player.py GAMES.pgn NAMES...

Each argument is one player: the names, as they are spelled, that count as the player's, one a line. The answer is a list.
"""

import collections
import json
import sys

import chess.pgn

from opening_codes import by_position, of_tag
from plain import date_of, dotted

WIN, DRAW, LOSS, OTHER = range(4)


def when(game):
    parts = [part or 0 for part in date_of(game["date"])]
    rounds = [int(part) if part.isascii() and part.isdigit() else 2**32 - 1 for part in game["round"].split(".")]
    return parts, rounds, game["number"]


def all_headers(path):
    with open(path, encoding="utf-8") as file:
        start = file.tell()
        while (headers := chess.pgn.read_headers(file)) is not None:
            yield dict(headers) | {" start": start}
            start = file.tell()


def eco_of(path, headers):
    """The code of the tag; where it has none, that of the moves, which are read for it."""
    code = of_tag(headers.get("ECO", ""))
    if code is None:
        with open(path, encoding="utf-8") as file:
            file.seek(headers[" start"])
            game = chess.pgn.read_game(file)
        code = by_position(game.board(), list(game.mainline_moves()))
    return code


def played(path, games, names):
    for number, headers in enumerate(games, 1):
        if headers.get("White", "") in names or headers.get("Black", "") in names:
            for side, other in (("White", "Black"), ("Black", "White")):
                if headers.get(side, "") not in names:
                    continue
                result = {"1-0": WIN, "1/2-1/2": DRAW, "0-1": LOSS}.get(headers.get("Result"), OTHER)
                if side == "Black" and result < OTHER:
                    result = LOSS - result
                elo = [headers.get(f"{who}Elo", "") for who in (side, other)]
                elo = [int(text) if text.isascii() and text.isdigit() else 0 for text in elo]
                yield {
                    "number": number,
                    "side": side,
                    "name": headers[side],
                    "opponent": headers.get(other, ""),
                    "event": headers.get("Event", ""),
                    "round": headers.get("Round", ""),
                    "date": dotted(headers.get("Date", "")),
                    "elo": elo[0],
                    "theirs": elo[1],
                    "result": result,
                    "eco": eco_of(path, headers),
                }


def streaks(games):
    games = [game for game in games if game["result"] != OTHER and game["date"][:4].isdigit()]
    kinds = (("won", {WIN}), ("unbeaten", {WIN, DRAW}), ("drawn", {DRAW}), ("winless", {DRAW, LOSS}), ("lost", {LOSS}))
    for name, wanted in kinds:
        best, run = [], []
        for game in games:
            run = run + [game["number"]] if game["result"] in wanted else []
            if len(run) > len(best):
                best = run
        if best:
            yield name, len(best), best[0], best[-1]


def record(path, games, names):
    games = sorted(played(path, games, names), key=when)
    tables = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0, 0]))
    ratings = []
    for game in games:
        keys = [
            ("names", game["name"]),
            ("colors", game["side"]),
            ("opponents", game["opponent"]),
            ("events", game["event"]),
            ("years", game["date"][:4] if game["date"][:4].isdigit() else ""),
        ]
        low = game["theirs"] // 100 * 100
        keys.append(("ratings", f"{low}-{low + 99}" if game["theirs"] else ""))
        table, eco = "openings-" + game["side"].lower(), game["eco"]
        if eco:
            keys += [(table, eco[0]), (table, f"{eco[:2]}0-{eco[:2]}9"), (table, eco)]
        else:
            keys.append((table, ""))
        for table, key in keys:
            tables[table][key][game["result"]] += 1
        if game["elo"] and game["date"][5:7].isdigit():
            if ratings and ratings[-1][1] == game["elo"]:
                ratings[-1][2] += 1
            else:
                ratings.append([game["date"], game["elo"], 1])

    def remarkable(result, sign):
        chosen = [game for game in games if game["result"] == result and game["theirs"]]
        return [game["number"] for game in sorted(chosen, key=lambda game: sign * game["theirs"])]

    return {
        "games": len(games),
        "tables": tables,
        "ratings": ratings,
        "best": remarkable(WIN, -1),
        "worst": remarkable(LOSS, 1),
        "series": list(streaks(games)),
    }


def main(path, players):
    games = list(all_headers(path))
    json.dump([record(path, games, set(names.split("\n"))) for names in players], sys.stdout)


main(sys.argv[1], sys.argv[2:])
