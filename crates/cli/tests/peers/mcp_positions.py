"""Judges what the tools say of positions and games.

Reads one JSON object a line: {"position": the answer of the tool `position`}, or {"game": the answer of the tool `game`, "pgn": its
PGN}. Prints what is wrong, and how many were judged.
"""

import io
import json
import sys

import chess
import chess.pgn

NAMES = {chess.KING: "king", chess.QUEEN: "queen", chess.ROOK: "rook", chess.BISHOP: "bishop", chess.KNIGHT: "knight", chess.PAWN: "pawn"}


def position(told):
    board = chess.Board(told["fen"])
    faults = []
    legal = sorted(board.san(move) for move in board.legal_moves)
    if told["legal_moves"] != legal:
        faults.append(f"legal moves {told['legal_moves']} and not {legal}")
    state = (
        "checkmate" if board.is_checkmate()
        else "stalemate" if board.is_stalemate()
        else "check" if board.is_check()
        else "play"
    )
    if told["state"] != state:
        faults.append(f"{told['state']} and not {state}")
    if told["turn"] != ("white" if board.turn else "black"):
        faults.append("the side to move")
    pieces = {}
    for square, piece in board.piece_map().items():
        name = lambda squares: sorted(chess.square_name(one) for one in squares)
        pieces[chess.square_name(square)] = {
            "square": chess.square_name(square),
            "color": "white" if piece.color else "black",
            "piece": NAMES[piece.piece_type],
            "attacked_by": name(board.attackers(not piece.color, square)),
            "defended_by": name(board.attackers(piece.color, square)),
        }
    for piece in told["pieces"]:
        piece["attacked_by"].sort()
        piece["defended_by"].sort()
        if pieces.pop(piece["square"], None) != piece:
            faults.append(f"{piece}")
    faults.extend(pieces)
    values = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
    balance = sum(value * (len(board.pieces(kind, True)) - len(board.pieces(kind, False))) for kind, value in values.items())
    if told["material"]["balance"] != balance:
        faults.append(f"a balance of {told['material']['balance']} and not {balance}")
    return faults


def game(told, pgn):
    """The same tree: each line of moves from the start is there in both."""
    read = chess.pgn.read_game(io.StringIO(pgn))
    lines = set()

    def walk(node, line):
        for child in node.variations:
            longer = (*line, child.san())
            lines.add(longer)
            walk(child, longer)

    walk(read, ())
    by_id = {node["id"]: node for node in told["nodes"]}
    mine = set()
    for node in told["nodes"][1:]:
        line, here = [], node
        while here["parent"] is not None:
            line.append(here["san"])
            here = by_id[here["parent"]]
        mine.add(tuple(reversed(line)))
        if node["ply"] != len(line):
            return [f"{node['san']} at ply {node['ply']}"]
    main = [node["san"] for node in told["nodes"] if node["main"] and node["san"]]
    faults = []
    if main != [node.san() for node in read.mainline()]:
        faults.append("another main line")
    if mine != lines:
        faults.append(f"other lines: {list(mine ^ lines)[:3]}")
    headers = {tag["name"]: tag["value"] for tag in told["tags"]}
    for name in ("White", "Black", "Result"):
        if headers.get(name) != read.headers.get(name):
            faults.append(f"another {name}")
    return faults


judged = 0
for line in sys.stdin:
    told = json.loads(line)
    faults = position(told["position"]) if "position" in told else game(told["game"], told["pgn"])
    for fault in faults:
        print(f"{told.get('position', told.get('game'))['fen' if 'position' in told else 'number']}: {fault}")
    judged += 1
print(f"{judged} judged")
