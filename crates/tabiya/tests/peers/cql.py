"""What examples of CQL 6 ask for, in our words and computed plainly with python-chess. Arguments: file, games at most. Answers
one line of JSON a query: its text, and the games that it finds."""

import json
import sys

import chess
import chess.pgn

import language

SIDES = (chess.WHITE, chess.BLACK)


def men(board, side, *kinds):
    return [s for kind in kinds for s in board.pieces(kind, side)]


def ranks(side, *numbers):
    """The squares of these ranks as a side counts them."""
    return {8 * (n - 1 if side else 8 - n) + file for n in numbers for file in range(8)}


def smothered(p):
    board = p.whole
    if not p.mate:
        return False
    king = board.king(board.turn)
    knights = board.pieces(chess.KNIGHT, not board.turn)
    return any(king in board.attacks(s) for s in knights) and all(
        board.piece_at(s) for s in chess.SquareSet(chess.BB_KING_ATTACKS[king])
    )


def fork(p):
    """A knight attacks king and queen."""
    board = p.whole
    for side in SIDES:
        for s in board.pieces(chess.KNIGHT, side):
            targets = board.attacks(s)
            if board.king(not side) in targets and targets & board.pieces(chess.QUEEN, not side):
                return True
    return False


def queen_pinned(p):
    board = p.whole
    return any(board.is_pinned(side, s) for side in SIDES for s in board.pieces(chess.QUEEN, side))


def in_a_row(p, *kinds):
    """White's men of these kinds, then the black king where there is a `None`, on a rank or file with nothing between."""
    board = p.whole

    def on(s, kind):
        piece = board.piece_at(s)
        if kind is None:
            return piece is not None and piece.piece_type == chess.KING and not piece.color
        return piece is not None and piece.piece_type == kind and piece.color

    for start in chess.SQUARES:
        if not on(start, kinds[0]):
            continue
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            file, rank, met = start % 8, start // 8, 1
            while met < len(kinds):
                file, rank = file + x, rank + y
                if not (0 <= file < 8 and 0 <= rank < 8):
                    break
                if board.piece_at(8 * rank + file) is None:
                    continue
                if not on(8 * rank + file, kinds[met]):
                    break
                met += 1
            if met == len(kinds):
                return True
    return False


def passed(board, side, s):
    ahead = (lambda r: r > s // 8) if side else (lambda r: r < s // 8)
    return not any(abs(t % 8 - s % 8) <= 1 and ahead(t // 8) for t in board.pieces(chess.PAWN, not side))


def beside(board, side, s, ranks_apart=7):
    return any(
        abs(t % 8 - s % 8) == 1 and abs(t // 8 - s // 8) <= ranks_apart for t in board.pieces(chess.PAWN, side)
    )


def marching_pair(p):
    """Two connected passed pawns on the sixth rank."""
    board = p.whole
    for side in SIDES:
        pawns = [s for s in board.pieces(chess.PAWN, side) if s in ranks(side, 6)]
        if sum(passed(board, side, s) and beside(board, side, s, 1) for s in pawns) >= 2:
            return True
    return False


def lonely_runner(p):
    board = p.whole
    return any(
        passed(board, True, s) and not beside(board, True, s) for s in board.pieces(chess.PAWN, True) & chess.BB_RANK_7
    )


def knight_outpost(p):
    board = p.whole
    for s in board.pieces(chess.KNIGHT, True) & chess.BB_RANK_6:
        protected = any(s in board.attacks(t) for t in board.pieces(chess.PAWN, True))
        driven = any(abs(t % 8 - s % 8) == 1 and t // 8 > s // 8 for t in board.pieces(chess.PAWN, False))
        if protected and not driven:
            return True
    return False


def hunted_queen(p):
    board = p.whole
    return any(len(board.attackers(False, s)) >= 3 for s in board.pieces(chess.QUEEN, True))


def wanderer(p):
    """A king on the sixth rank or further while both have queens."""
    board = p.whole
    queens = all(board.pieces(chess.QUEEN, side) for side in SIDES)
    return queens and any(board.king(side) in ranks(side, 6, 7, 8) for side in SIDES)


def material(p, white, black):
    """Counts of pawns, knights, bishops, rooks, queens; `+` for one or more."""
    board = p.whole
    have = [[len(board.pieces(kind, side)) for kind in range(1, 6)] for side in SIDES]
    fits = lambda n, want: n >= 1 if want == "+" else n == want
    return all(fits(n, want) for side, counts in zip(have, (white, black)) for n, want in zip(side, counts))


def opposite_bishops(p):
    if not material(p, ["+", 0, 1, 0, 0], ["+", 0, 1, 0, 0]):
        return False
    colors = {(s % 8 + s // 8) % 2 for side in SIDES for s in p.whole.pieces(chess.BISHOP, side)}
    return len(colors) == 2


def corner_to_corner(p):
    if not p.moved or p.castle:
        return False
    return {p.origin, p.to} in ({chess.A1, chess.H8}, {chess.A8, chess.H1})


def seventh(p):
    return len(p.whole.pieces(chess.ROOK, True) & chess.BB_RANK_7) >= 2


def then(first, second, within=10**9):
    """Somewhere one, and later the other."""

    def holds(line):
        at = [place.ply for place in line if first(place)]
        return any(second(place) and any(0 < place.ply - ply <= within for ply in at) for place in line)

    return holds


def somewhere(fits):
    return lambda line: any(fits(place) for place in line)


def opposite(p):
    return None not in p.castled.values() and len(set(p.castled.values())) == 2


EXAMPLES = [
    ('same[flip]:(mate pieces:"N attacks k" pieces:"- near 1 k":0)', somewhere(smothered)),
    ('move:"O-O#,O-O-O#"', somewhere(lambda p: p.castle and p.mate)),
    ("same:(en-passant check)", somewhere(lambda p: p.en_passant and p.check)),
    ('move:"?8=N+,?1=N+"', somewhere(lambda p: p.promotion == "N" and p.check)),
    ("under-promotion", somewhere(lambda p: p.promotion not in (None, "Q"))),
    ("same:(discovered-check moved:K)", somewhere(lambda p: p.discovered and p.moved == "K")),
    ("same:(double-check mate)", somewhere(lambda p: p.double and p.mate)),
    (
        'same:(stalemate pieces:"Qq")',
        somewhere(lambda p: p.stalemate and any(p.whole.pieces(chess.QUEEN, side) for side in SIDES)),
    ),
    ('material:"KBP+ v KBP+, bishops=opposite"', somewhere(opposite_bishops)),
    ('pieces:"R [7]">=2', somewhere(seventh)),
    ('same[flip]:(some[n]:"N" (pieces:"$n attacks k" pieces:"$n attacks q"))', somewhere(fork)),
    ('same[flip]:(pieces:"q pinned")', somewhere(queen_pinned)),
    ('same[flip]:(pieces:"K [6-8]" pieces:"Q" pieces:"q")', somewhere(wanderer)),
    ('pieces:"P passed isolated [7]"', somewhere(lonely_runner)),
    ('same[flip]:(pieces:"P passed connected [6]">=2)', somewhere(marching_pair)),
    ('ray[straight]:"Q, R, k"', somewhere(lambda p: in_a_row(p, chess.QUEEN, chess.ROOK, None))),
    ('ray[straight]:"Q, R, R"', somewhere(lambda p: in_a_row(p, chess.QUEEN, chess.ROOK, chess.ROOK))),
    ('pieces:"N outpost [6]"', somewhere(knight_outpost)),
    ('some[q]:"Q" pieces:"a attacks $q">=3', somewhere(hunted_queen)),
    (
        "captured[black]:Q then within 6 plies same:(mate turn:black)",
        then(lambda p: p.captured == "Q" and not p.color, lambda p: p.mate and not p.turn, 6),
    ),
    ("promotion then within 1 ply captured:Q", then(lambda p: p.promotion, lambda p: p.captured == "Q", 1)),
    ("opposite-castling then mate", then(opposite, lambda p: p.mate)),
    ('move:"?a1h8,?h8a1,?a8h1,?h1a8"', somewhere(corner_to_corner)),
    (
        'material[either]:"KR v KP+"',
        somewhere(
            lambda p: material(p, [0, 0, 0, 1, 0], ["+", 0, 0, 0, 0])
            or material(p, ["+", 0, 0, 0, 0], [0, 0, 0, 1, 0])
        ),
    ),
    ("count:(same:(legal-moves:1 check))>=5", lambda line: sum(p.legal == 1 and p.check for p in line) >= 5),
]


def main():
    path, most = sys.argv[1], int(sys.argv[2])
    found = [[] for _ in EXAMPLES]
    with open(path, encoding="utf-8", errors="replace") as file:
        number = 0
        while number < most and (game := chess.pgn.read_game(file)) is not None:
            number += 1
            line = language.Game(number, game).main
            for games, (_, holds) in zip(found, EXAMPLES):
                if holds(line):
                    games.append([number, "any"])
    for games, (text, _) in zip(found, EXAMPLES):
        print(json.dumps({"query": text, "games": games}))


if __name__ == "__main__":
    main()
