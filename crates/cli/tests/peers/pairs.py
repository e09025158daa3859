"""Reads PGN files and says where the games of the others differ from those of the first: moves, variations, comments, NAGs, results, FEN."""
import sys
import chess.pgn


def games(path):
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                sys.exit(f"{path}: {game.errors[0]}")
            yield game


def told(game):
    fen = game.headers.get("FEN")
    body = game.accept(chess.pgn.StringExporter(headers=False, columns=None))
    # Lines are broken in comments, too.
    return fen, game.headers.get("Result"), " ".join(body.split())


one = [told(game) for game in games(sys.argv[1])]
for path in sys.argv[2:]:
    other = [told(game) for game in games(path)]
    if len(one) != len(other):
        sys.exit(f"{path}: {len(one)} games and {len(other)}")
    for number, (a, b) in enumerate(zip(one, other), 1):
        if a != b:
            sys.exit(f"{path}, game {number}:\n{a}\n{b}")
