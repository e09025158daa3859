"""What a player loses where, computed with pandas of what python-chess reads, as `tabiya mistakes --json` tells it.

usage: mistakes.py GAMES.pgn PLAYER
"""

import json
import math
import re
import sys

import chess
import chess.pgn
import pandas

EVAL = re.compile(r"\[%eval\s+(#?)(-?[0-9.]+)")
CLOCK = re.compile(r"\[%clk\s+(\d+):(\d+):(\d+)")
PIECES = {1: "pawn", 2: "knight", 3: "bishop", 4: "rook", 5: "queen", 6: "king"}
BOUNDS = [(10, "under 10 s"), (30, "10 to 30 s"), (60, "30 to 60 s"), (180, "1 to 3 min"), (600, "3 to 10 min")]


def evaluation(comment):
    """Hundredths of a pawn or a mate in so many moves, of White."""
    found = EVAL.findall(comment)
    if not found:
        return None
    mark, number = found[-1]
    if mark:
        return None if int(number) == 0 else ("mate", int(number))
    return ("cp", round(float(number) * 100))


def capped(score):
    kind, value = score
    return max(-1000, min(1000, value)) if kind == "cp" else (1000 if value > 0 else -1000)


def chances(value):
    return 2 / (1 + math.exp(-0.00368208 * value)) - 1


def graded(value):
    return "inaccuracy" if value >= 1000 else "mistake" if value > 700 else "blunder"


def judged(before, after, sign):
    (kind, old), (then, new) = before, after
    old, new = old * sign, new * sign
    if kind == then == "cp":
        lost = chances(old) - chances(new)
        return next((name for bound, name in ((0.3, "blunder"), (0.2, "mistake"), (0.1, "inaccuracy")) if lost >= bound), None)
    if kind == "cp":
        return graded(-old) if new < 0 else None
    if then == "cp":
        return graded(new) if old > 0 else None
    return "blunder" if old > 0 > new else None


def clock_name(seconds):
    if seconds is None:
        return "unknown"
    return next((name for bound, name in BOUNDS if seconds < bound), "10 min and more")


def moves_of(number, game):
    board = game.board()
    start = evaluation(game.comment) if game.comment else None
    score = start or (("cp", 15) if "FEN" not in game.headers else None)
    clocks = {True: None, False: None}
    for ply, node in enumerate(game.mainline()):
        mover = board.turn
        officers = sum(piece.piece_type not in (chess.PAWN, chess.KING) for piece in board.piece_map().values())
        before, after = score, evaluation(node.comment)
        sign = 1 if mover else -1
        side = "White" if mover else "Black"
        elo = game.headers.get(f"{side}Elo", "")
        row = {
            "number": number,
            "ply": ply + 1,
            "name": game.headers.get(side, ""),
            "elo": int(elo) if elo.isdigit() else 0,
            "opening": game.headers.get("ECO", "")[:3] or "?",
            "phase": "endgame" if officers <= 6 else "opening" if ply < 20 else "middlegame",
            "clock": clock_name(clocks[mover]),
            "piece": PIECES[board.piece_type_at(node.move.from_square)],
        }
        if before and after:
            row["judgement"] = judged(before, after, sign) or ""
            row["loss"] = max(0, (capped(before) - capped(after)) * sign)
            mated = after[0] == "mate" and after[1] * sign < 0
            missed = before[0] == "mate" and before[1] * sign > 0 and not (after[0] == "mate" and after[1] * sign > 0)
            row["kind"] = ("allows mate" if mated else "misses mate" if missed else "loses ground") if row["judgement"] else None
            row["motif"] = "unknown" if row["judgement"] and len(node.parent.variations) == 1 else None
            yield row
        clock = CLOCK.findall(node.comment)
        clocks[mover] = sum(int(part) * unit for part, unit in zip(clock[-1], (3600, 60, 1))) if clock else None
        score = after
        board.push(node.move)


def counted(rows):
    return {
        "moves": len(rows),
        "inaccuracies": int((rows.judgement == "inaccuracy").sum()),
        "mistakes": int((rows.judgement == "mistake").sum()),
        "blunders": int((rows.judgement == "blunder").sum()),
        "loss": int(rows.loss.sum()),
    }


def games(rows):
    return sorted({int(number) for number in rows.number})


def named(own, others):
    return {
        "moves": games(own),
        "inaccuracies": games(own[own.judgement == "inaccuracy"]),
        "mistakes": games(own[own.judgement == "mistake"]),
        "blunders": games(own[own.judgement == "blunder"]),
        "others": games(others)[:1000],
        "others_whole": len(games(others)) <= 1000,
    }


def main():
    path, player = sys.argv[1:]
    rows, sides = [], []
    number = 0
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            number += 1
            has_any = any(evaluation(node.comment) for node in game.mainline())
            for side in ("White", "Black"):
                if game.headers.get(side, "") == player:
                    elo = game.headers.get(f"{side}Elo", "")
                    sides.append((number, has_any, int(elo) if elo.isdigit() else 0))
            if has_any:
                rows.extend(moves_of(number, game))
    rows = pandas.DataFrame(rows)
    own = rows[rows.name == player]
    ratings = [elo for _, has_any, elo in sides if has_any and elo > 0]
    rating = (2 * sum(ratings) + len(ratings)) // (2 * len(ratings)) if ratings else None
    others = rows[(rows.name != player) & (rows.elo > 0)]
    band = others.elo // 100 - rating // 100 if rating is not None else None
    others = others[band.abs() <= 1] if rating is not None else others[:0]
    groups = {}
    for by in ("opening", "phase", "clock", "piece", "kind", "motif"):
        table = {}
        for value, part in own.groupby(by):
            wrong = part[part.judgement != ""]
            alike = others[others[by] == value]
            table[value] = {
                "own": counted(part),
                "others": counted(alike),
                "in_games": named(part, alike),
                "places": [[int(a), int(b), c] for a, b, c in zip(wrong.number, wrong.ply, wrong.judgement)],
            }
        groups[by] = table
    answer = {
        "games": len({number for number, has_any, _ in sides if has_any}),
        "without_evaluations": len({number for number, has_any, _ in sides if not has_any}),
        "rating": rating,
        "all": counted(own),
        "others": counted(others),
        "in_games": named(own, others),
        "with": sorted({number for number, has_any, _ in sides if has_any}),
        "without": sorted({number for number, has_any, _ in sides if not has_any}),
        "groups": groups,
    }
    print(json.dumps(answer))


main()
