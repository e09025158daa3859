"""Where the games of a PGN file leave what was played before them in the same file, looked for in the plainest way with
python-chess that does not compare each game with each other, as `tabiya novelty --json` tells it.

usage: novelty.py GAMES.pgn [long]

`long` says that the moves are written as `e2e4 e7e5`, by another program that knows what is legal: whole corpora are read so.
"""

import array
import collections
import json
import sys

import chess.pgn

from plain import date_of, games_of


def day(year, month, day):
    return year * 512 + month * 32 + day


def bounds(text):
    """The first and the last day that a date can mean; nothing where the year is not known."""
    year, month, number = date_of(text)
    if year is None:
        return None
    return day(year, month or 1, number or 1), day(year, month or 12, number or 31)


def place(board):
    """The men on their squares and the side to move."""
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return hash((men, board.occupied_co[chess.WHITE], board.turn))


# Of a move: that it takes a pawn in passing. Games come to one place with this right and without it.
IN_PASSING = 1 << 16


def number_of(board, move):
    number = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
    # No other pawn goes to another file and takes nothing where it goes.
    is_empty = move and not board.occupied & chess.BB_SQUARES[move.to_square]
    leaves_file = (move.from_square ^ move.to_square) & 7
    if is_empty and leaves_file and board.pawns & chess.BB_SQUARES[move.from_square]:
        number |= IN_PASSING
    return number


class Line(chess.pgn.BaseVisitor):
    """The places of a game and its moves, each move in one number."""

    def begin_game(self):
        self.headers = {}
        self.places, self.moves = array.array("q"), array.array("I")
        self.start = None

    def visit_header(self, name, value):
        self.headers[name] = value

    def begin_variation(self):
        return chess.pgn.SKIP

    def visit_board(self, board):
        if self.start is None:
            self.start = board.copy()
        self.places.append(place(board))

    def visit_move(self, board, move):
        self.moves.append(number_of(board, move))

    def result(self):
        return bounds(self.headers.get("Date", "")), self.start, self.places, self.moves


def move_of(number):
    return chess.Move(number & 63, number >> 6 & 63, number >> 12 & 7 or None)


def name(board, number):
    """The name of a move in the game that played it."""
    if number & IN_PASSING:
        board = board.copy(stack=False)
        board.ep_square = number >> 6 & 63
    return board.san(move_of(number))


def lines(path):
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file, Visitor=Line):
            yield game


def long_lines(path):
    for tags, words in games_of(path):
        line = Line()
        line.begin_game()
        line.headers = tags
        board = chess.Board(tags.get("FEN", chess.STARTING_FEN), chess960="960" in tags.get("Variant", "") or "fischer" in tags.get("Variant", ""))
        line.visit_board(board)
        for word in words:
            move = chess.Move.null() if word == "--" else chess.Move.from_uci(word.lower())
            # What cannot be played is where a game ends here.
            if move and not board.piece_type_at(move.from_square):
                break
            line.visit_move(board, move)
            board.push(move)
            line.visit_board(board)
        yield line.result()


def main(path, long=None):
    games = list(long_lines(path) if long else lines(path))
    # A game was before another where the last day that its date can mean lies before the other's first.
    earliest = {}
    for days, _, places, _ in games:
        if days:
            for key in places:
                if earliest.get(key, days[1]) >= days[1]:
                    earliest[key] = days[1]
    left = []
    for days, _, places, moves in games:
        known = None
        for at, key in enumerate(places if days else ()):
            if earliest[key] < days[0]:
                known = at
            elif at - (known or 0) >= 8:
                break
        left.append(known)
    wanted = {places[known] for (_, _, places, _), known in zip(games, left) if known is not None}
    played = collections.defaultdict(list)
    for days, _, places, moves in games:
        if days:
            seen = set()
            for at, key in enumerate(places):
                if key in wanted and key not in seen:
                    seen.add(key)
                    played[key].append((days[1], moves[at] if at < len(moves) else None))
    for number, ((days, start, places, moves), known) in enumerate(zip(games, left), 1):
        if days is None:
            continue
        last = known or 0
        answer = {"number": number, "ply": None, "san": None, "before": {}}
        board = start.copy()
        for move in moves[:last]:
            board.push(move_of(move))
        if last < len(moves):
            answer["ply"], answer["san"] = last + 1, name(board, moves[last])
        if known is not None:
            before = [move for until, move in played[places[last]] if until < days[0]]
            before = collections.Counter(before).items()
            answer["before"] = {"" if move is None else name(board, move): games for move, games in before}
        print(json.dumps(answer))


main(*sys.argv[1:])
