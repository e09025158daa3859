"""The statistics of a PGN file, counted in the plainest way, as `tabiya stats --full --json` tells them.

usage: stats.py GAMES.pgn [bare]

The file is read with python-chess, or, where its games have no comments and no variations, word by word.
"""

import collections
import json
import re
import sys

import chess.pgn

from opening_codes import by_position, of_tag
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


def pace(tags):
    """The speed as Lichess has it: by the time for forty moves; days for a move are correspondence."""
    if tags.get("Mode", "").strip().upper() in ("PM", "EM") or "correspondence" in tags.get("Event", "").lower():
        return "correspondence"
    text = tags.get("TimeControl", "")
    stages = text.split(":")
    pattern = r"\?|-|\*\d+(\.\d+)?|(\d+/)?\d+(\.\d+)?(\+\d+(\.\d+)?)?"
    if not text or any(not re.fullmatch(pattern, stage.strip()) for stage in stages):
        return "odd" if text else ""
    first = stages[0].strip()
    if first in "?-":
        return {"?": "", "-": "unlimited"}[first]
    if first.startswith("*"):
        moves, start, increment = None, int(float(first[1:])) // 2, 0
    else:
        found = re.fullmatch(r"(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", first)
        moves = int(found[1]) if found[1] else None
        start, increment = int(float(found[2])), int(float(found[3] or 0))
    if increment >= 86400 and moves is None or moves is not None and start >= 86400 * max(moves, 1):
        return "correspondence"
    seconds = (start if moves is None else start * 40 // max(moves, 1)) + 40 * increment
    for name, limit in (("bullet", 180), ("blitz", 480), ("rapid", 1500)):
        if seconds < limit:
            return name
    return "classical"


def unescaped(value):
    """python-chess hands on what stands between the quotes."""
    return re.sub(r'\\(["\\])', r"\1", value)


def read(path):
    """The tags of each game, how many half-moves it has, and the code of its opening."""
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            tags = {name: unescaped(value) for name, value in game.headers.items()}
            # Men that are dropped are kept as text by Tabiya, and are no moves.
            drops = tags.get("Variant", "").lower() == "crazyhouse"
            moves = [] if drops else list(game.mainline_moves())
            eco = of_tag(tags.get("ECO", "")) or by_position(game.board(), moves)
            yield tags, len(moves), eco


def read_bare(path):
    for tags, words in games_of(path):
        eco = of_tag(tags.get("ECO", ""))
        if not eco:
            board = chess.Board(tags.get("FEN", chess.STARTING_FEN))
            start, moves = board.copy(), []
            for word in words:
                moves.append(board.push_san(word))
            eco = by_position(start, moves)
        yield tags, len(words), eco


def main(path, bare=None):
    tables = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0, 0]))
    games = 0
    for tags, plies, eco in read_bare(path) if bare else read(path):
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
        if eco:
            letter, tens = eco[0], eco[1]
            for key in (letter, f"{letter}{tens}0-{letter}{tens}9", eco):
                count("openings", key)
        else:
            count("openings", "")
        for table, tag in (("events", "Event"), ("sites", "Site"), ("annotators", "Annotator"), ("terminations", "Termination")):
            count(table, tags.get(tag, ""))
        for side in ("White", "Black"):
            count("players", tags.get(side, ""), side == "Black")
            count("titles", tags.get(f"{side}Title", ""), side == "Black")
        time = tags.get("TimeControl", "")
        speed = pace(tags)
        count("time-controls", speed)
        if time:
            # A text may stand under several paces.
            count("time-controls", time)
    json.dump({"games": games, "tables": tables}, sys.stdout)


main(*sys.argv[1:])
