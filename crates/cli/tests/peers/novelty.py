"""Where the games of a PGN file leave what was played before them in the same file, looked for in the plainest way with
python-chess, as `tabiya novelty --json` tells it.

usage: novelty.py GAMES.pgn
"""

import collections
import json
import sys

import chess.pgn


def bounds(text):
    parts = text.split(".")
    if not parts[0].isdigit():
        return None
    year = int(parts[0])
    month = int(parts[1]) if parts[1].isdigit() else None
    day = int(parts[2]) if parts[2].isdigit() else None
    return (year, month or 1, day or 1), (year, month or 12, day or 31)


def main(path):
    games = []
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            board = game.board()
            places, moves = [(board.board_fen(), board.turn)], []
            for move in game.mainline_moves():
                moves.append(board.san(move))
                board.push(move)
                places.append((board.board_fen(), board.turn))
            games.append((bounds(game.headers.get("Date", "")), places, moves))
    for number, (days, places, moves) in enumerate(games, 1):
        if days is None:
            continue
        earlier = [other for other in games if other[0] and other[0][1] < days[0]]
        seen = {place for other in earlier for place in other[1]}
        known = None
        for at, place in enumerate(places):
            if place in seen:
                known = at
            elif at - (known or 0) >= 8:
                break
        last = known or 0
        answer = {"number": number, "ply": None, "san": None, "before": {}}
        if last < len(moves):
            answer["ply"], answer["san"] = last + 1, moves[last]
            if known is not None:
                before = collections.Counter()
                for other in earlier:
                    if places[last] in other[1]:
                        at = other[1].index(places[last])
                        before[other[2][at] if at < len(other[2]) else ""] += 1
                answer["before"] = before
        print(json.dumps(answer))


main(sys.argv[1])
