"""Asks an engine about every move of the solver in a file of puzzles, each time with nothing remembered, and says in JSON
whether that move alone wins or holds. Arguments: engine, nodes, processes, file."""

import json
import math
import multiprocessing
import sys

import chess
import chess.engine
import chess.pgn

MARGIN, WON, HELD = 0.65, 0.5, -0.2

engine = None


def chances(score):
    if score.is_mate():
        return 1.0 if score.mate() > 0 else -1.0
    return 2 / (1 + math.exp(-0.00368208 * score.score())) - 1


def start(path):
    global engine
    engine = chess.engine.SimpleEngine.popen_uci(path)
    engine.configure({"Threads": 1, "Hash": 64})


def ask(question):
    index, ply, fen, move, goal, nodes = question
    board = chess.Board(fen)
    infos = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2, game=object())
    scores = [info["score"].pov(board.turn) for info in infos]
    first = chances(scores[0])
    second = chances(scores[1]) if len(scores) > 1 else -1.0
    alone = infos[0]["pv"][0] == chess.Move.from_uci(move)
    clear = len(scores) == 1 or first - second >= MARGIN
    reached = first >= WON or (first >= HELD and second <= -WON)
    # A mate that is announced has to be there, from the first move on.
    mates = not goal.startswith("mate") or (scores[0].is_mate() and scores[0].mate() > 0)
    return {
        "puzzle": index, "ply": ply, "fen": fen, "move": move, "goal": goal,
        "best": infos[0]["pv"][0].uci(), "first": round(first, 3), "second": round(second, 3),
        "only": alone and clear and reached and mates,
    }


def main():
    path, nodes, processes, source = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    questions = []
    with open(source, encoding="utf-8", errors="replace") as file:
        index = 0
        while (game := chess.pgn.read_game(file)) is not None:
            index += 1
            board = game.board()
            for ply, move in enumerate(game.mainline_moves()):
                if ply % 2 == 0:
                    questions.append((index, ply, board.fen(), move.uci(), game.headers["Goal"], nodes))
                board.push(move)
    with multiprocessing.Pool(processes, start, (path,)) as pool:
        for answer in pool.imap(ask, questions):
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
