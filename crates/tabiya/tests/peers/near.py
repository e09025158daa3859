"""How near games come to positions of other games, computed plainly. Arguments: file, seed, number of queries, games at most.
Answers one line of JSON a query: its text, and the games with the moves that they are away, none too far."""

import json
import random
import sys

import chess.pgn

import language


def main():
    path, seed, count, most = sys.argv[1], *map(int, sys.argv[2:5])
    games = []
    with open(path, encoding="utf-8", errors="replace") as file:
        number = 0
        while number < most and (game := chess.pgn.read_game(file)) is not None:
            number += 1
            board = game.board()
            places = [board.copy(stack=False)]
            for move in game.mainline_moves():
                board.push(move)
                places.append(board.copy(stack=False))
            games.append((number, places))
    chance = random.Random(seed)
    for _ in range(count):
        _, places = chance.choice(games)
        # Most positions that several games come near to stand early; a man is moved so that not all stand there.
        wanted = places[min(len(places) - 1, chance.randint(2, 12))].copy(stack=False)
        men = [s for kind in (2, 3, 5) for color in (True, False) for s in wanted.pieces(kind, color)]
        free = [s for s in range(64) if wanted.piece_at(s) is None]
        wanted.set_piece_at(chance.choice(free), wanted.remove_piece_at(chance.choice(men)))
        far = chance.choice([1, 3, 6])
        flip = chance.random() < 0.3
        boards = [wanted, wanted.mirror()] if flip else [wanted]
        found = []
        for number, others in games:
            each = [language.nearness(place, board, far) for board in boards for place in others]
            near = [moves for moves in each if moves is not None]
            if near:
                found.append([number, min(near)])
        options = f"within {far}" + (", flip" if flip else "")
        print(json.dumps({"query": f'similar[{options}]:"{wanted.board_fen()}"', "games": found}))


if __name__ == "__main__":
    main()
