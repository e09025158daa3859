"""Counts the moves of games by position and by line with python-chess, and compares the counts with a Polyglot book and a
book of Arena, which is decoded here from its description.

books.py GAMES.pgn BOOK.bin BOOK.abk DEPTH MIN_GAMES RULE [SIDE]
"""

import struct
import sys
from collections import defaultdict

import chess
import chess.pgn
import chess.polyglot

games, polyglot, arena, depth, least, rule = sys.argv[1:7]
depth, least = int(depth), int(least)
side = {"white": chess.WHITE, "black": chess.BLACK}.get(sys.argv[7]) if len(sys.argv) > 7 else None
POINTS = {"1-0": 1, "0-1": -1}

positions = defaultdict(lambda: defaultdict(lambda: [0, 0]))
lines = []
with open(games, encoding="utf-8") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        board = game.board()
        outcome = POINTS.get(game.headers.get("Result"), 0)
        line = []
        for move in list(game.mainline_moves())[:depth]:
            count = positions[chess.polyglot.zobrist_hash(board)][move]
            count[0] += 1
            count[1] += 1 + (outcome if board.turn else -outcome)
            line.append((chess.polyglot.zobrist_hash(board), board.turn, move))
            board.push(move)
        lines.append((game.headers.get("Result"), line))


def weight(count):
    number, points = count
    return {"points": points, "games": number, "uniform": 1}.get(rule) or max(1, (points * 50 + number // 2) // number)


def is_played(count, turn):
    return count[0] >= least and count[1] > 0 and side in (None, turn)


def leads_on(count, turn):
    return is_played(count, turn) or (side is not None and turn != side and count[0] >= least)


# The Polyglot book: every entry is a move that is wanted, and none is missing.
turns = {key: turn for _, line in lines for key, turn, _ in line}
wanted = {}
for key, moves in positions.items():
    for move, count in moves.items():
        if is_played(count, turns[key]):
            wanted[key, move] = weight(count)
found = {}
with chess.polyglot.open_reader(polyglot) as book:
    before = (0, 0)
    for entry in book:
        # Python-chess reads castling as the king takes its rook where it does not know the position.
        found[entry.key, entry.raw_move] = entry.weight
        assert before[0] <= entry.key, "sorted by position"
        assert before[0] != entry.key or before[1] >= entry.weight, "the highest weight is first"
        before = (entry.key, entry.weight)


def raw(key, move, castling):
    target = castling.get((key, move), move.to_square)
    promotion = 0 if move.promotion is None else move.promotion - 1
    return target | move.from_square << 6 | promotion << 12


castling = {}
for _, line in lines:
    board = chess.Board()
    for key, _, move in line:
        if board.is_castling(move):
            castling[key, move] = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(move.from_square))
        board.push(move)
expected = {(key, raw(key, move, castling)): number for (key, move), number in wanted.items()}
assert expected == found, (len(expected), len(found), list(set(expected.items()) ^ set(found.items()))[:5])

# The book of Arena: a tree of the lines as they were played, each as far as the book goes.
tree = {}
for result, line in lines:
    place = tree
    for key, turn, move in line:
        count = positions[key][move]
        if not leads_on(count, turn):
            break
        best = max((weight(c) for c in positions[key].values() if is_played(c, turn)), default=1)
        known = place.setdefault(move.uci(), [0, 0, 0, 0, {}])
        known[0] = 1 + weight(count) * 8 // best if is_played(count, turn) else 0
        known[1] += 1
        known[2] += result == "1-0"
        known[3] += result == "0-1"
        place = known[4]

data = open(arena, "rb").read()
assert data[:4] == b"\x03ABK" and len(data) % 28 == 0
seen = set()


def decoded(index):
    place = {}
    while index > 0:
        assert index not in seen and index >= 900, index
        seen.add(index)
        origin, target, promotion, priority, number, won, lost, flags, first, following = struct.unpack_from("<BBbBiiiIii", data, index * 28)
        name = chess.square_name(origin) + chess.square_name(target) + "_rnbq"[abs(promotion)].strip("_")
        assert flags == 0
        place[name] = [priority, number, won, lost, decoded(first)]
        index = following
    return place


sys.setrecursionlimit(5000)
if tree:
    assert decoded(900) == tree, "the trees differ"
assert len(seen) == len(data) // 28 - 900 == struct.unpack_from("<i", data, 0xDA)[0]
print(len(found), len(seen))
