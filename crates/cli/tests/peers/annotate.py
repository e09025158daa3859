"""Asks an engine about every position of the main lines of a PGN file, one at a time and with nothing remembered, and
says in JSON what that makes of each game by Lichess's published formulas. Arguments: engine, games, nodes, file."""

import json
import math
import sys

import chess
import chess.engine
import chess.pgn

INITIAL = ("cp", 15)


def chances(cp):
    return max(-1.0, min(1.0, 2 / (1 + math.exp(-0.00368208 * cp)) - 1))


def cut(score):
    kind, value = score
    if kind == "mate":
        return 1000 if value > 0 else -1000
    return max(-1000, min(1000, value))


def percent(score):
    return 50 + 50 * chances(cut(score))


def judge(before, after, white):
    sign = 1 if white else -1
    (kind_a, a), (kind_b, b) = before, after
    a, b = sign * a, sign * b
    if kind_a == "cp" and kind_b == "cp":
        lost = chances(a) - chances(b)
        for bound, name in ((0.3, "blunder"), (0.2, "mistake"), (0.1, "inaccuracy")):
            if lost >= bound:
                return name
        return None
    if kind_a == "cp" and b < 0:
        return "inaccuracy" if a < -999 else "mistake" if a < -700 else "blunder"
    if kind_a == "mate" and a > 0 and kind_b == "cp":
        return "inaccuracy" if b > 999 else "mistake" if b > 700 else "blunder"
    if kind_a == "mate" and kind_b == "mate" and a > 0 and b < 0:
        return "blunder"
    return None


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def accuracy(before, after):
    if after >= before:
        return 100.0
    raw = 103.1668100711649 * math.exp(-0.04354415386753951 * (before - after)) - 3.166924740191411
    return max(0.0, min(100.0, raw + 1))


def game_accuracy(scores, white_first):
    percents = [percent(score) for score in scores]
    count = len(scores) - 1
    size = max(2, min(8, count // 10))
    windows = [percents[:size]] * (min(size, len(percents)) - 2)
    windows += [percents[i:i + size] for i in range(len(percents) - size + 1)]
    weights = [max(0.5, min(12.0, deviation(window))) for window in windows]
    found = {}
    for name, is_white in (("white", True), ("black", False)):
        moves = [i for i in range(count) if (i % 2 == 0) == (white_first == is_white)]
        if not moves:
            found[name] = None
            continue
        turn = (lambda p: p) if is_white else (lambda p: 100 - p)
        values = [accuracy(turn(percents[i]), turn(percents[i + 1])) for i in moves]
        own = [weights[i] for i in moves]
        weighted = sum(v * w for v, w in zip(values, own)) / sum(own)
        harmonic = len(values) / sum(1 / max(1.0, v) for v in values)
        sign = 1 if is_white else -1
        losses = [max(0, sign * (cut(scores[i]) - cut(scores[i + 1]))) for i in moves]
        found[name] = {
            "accuracy": (weighted + harmonic) / 2,
            "average_loss": math.floor(sum(losses) / len(losses) + 0.5),
        }
    return found


def main():
    path, games, nodes, source = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    engine = chess.engine.SimpleEngine.popen_uci(path)
    engine.configure({"Threads": 1, "Hash": 16})
    known = {}

    def ask(board):
        board = chess.Board(board.fen(en_passant="fen"))
        if board.is_checkmate():
            return None
        if board.is_stalemate():
            return ("cp", 0)
        key = board.fen().rsplit(" ", 1)[0]
        if key not in known:
            info = engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
            score = info["score"].white()
            known[key] = ("mate", score.mate()) if score.is_mate() else ("cp", score.score())
        return known[key]

    with open(source, encoding="utf-8", errors="replace") as file:
        for _ in range(games):
            game = chess.pgn.read_game(file)
            if game is None:
                break
            board = game.board()
            white_first = board.turn
            scores = []
            for move in game.mainline_moves():
                board.push(move)
                scores.append(ask(board))
            whole = [INITIAL] + [score for score in scores if score is not None]
            judgements = [
                judge(whole[i], whole[i + 1], (i % 2 == 0) == white_first) for i in range(len(whole) - 1)
            ]
            print(json.dumps({
                "scores": [None if s is None else list(s) for s in scores],
                "judgements": judgements,
                "sides": game_accuracy(whole, white_first) if len(whole) > 1 else {"white": None, "black": None},
            }))
    engine.quit()


if __name__ == "__main__":
    main()
