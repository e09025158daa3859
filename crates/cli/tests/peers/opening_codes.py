"""The code of an opening by position, looked up in the table of the project in the plainest way with python-chess."""

import collections
import pathlib
import re

import chess

TABLE = pathlib.Path(__file__).parents[3] / "openings" / "data" / "openings.tsv"


def passing(board):
    """The square that a pawn may be taken on, where one stands beside it that could."""
    return board.ep_square if board.ep_square is not None and board.has_pseudo_legal_en_passant() else None


def table():
    rows = collections.defaultdict(list)
    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        code, _, _, epd = line.split("\t")
        board = chess.Board(epd + " 0 1")
        rows[board.board_fen(), board.turn].append((passing(board), code))
    return rows


ROWS = table()


def at(board):
    rows = ROWS.get((board.board_fen(), board.turn), [])
    square = passing(board)
    # The same men may stand there twice, told apart by what may be taken in passing.
    for wanted in ([square] if square is not None else []) + [None]:
        for ep, code in rows:
            if ep == wanted:
                return code
    return rows[0][1] if rows else None


def by_position(board, moves):
    board, found = board.copy(), at(board)
    for move in moves:
        board.push(move)
        found = at(board) or found
    return found


def of_tag(text):
    code = re.match(r"[A-E]\d\d", text)
    return code[0] if code else None
