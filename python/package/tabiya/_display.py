"""Boards for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._tabiya import Game
    from ._tree import Arrow, Square

_FIELD = 45
_PIECES = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
_COLOURS = {
    "green": "#15781b",
    "red": "#882020",
    "yellow": "#e68f00",
    "blue": "#003088",
    "orange": "#c86400",
    "purple": "#68217a",
    "pink": "#c83c8c",
    "cyan": "#008b8b",
    "white": "#ffffff",
    "black": "#000000",
    "gray": "#707070",
}


def _corner(square: str) -> tuple[int, int]:
    return (ord(square[0]) - ord("a")) * _FIELD, (8 - int(square[1])) * _FIELD


def board_svg(
    fen: str,
    last: str = "",
    arrows: Sequence[Arrow] = (),
    squares: Sequence[Square] = (),
    size: int = 360,
) -> str:
    """A picture of a position: ``last`` is the move that led to it, in UCI notation."""
    side = 8 * _FIELD
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {side} {side}">',
        f"<title>{escape(fen)}</title>",
    ]
    moved = {last[0:2], last[2:4]} if len(last) >= 4 and last[0].isalpha() and last != "0000" else set[str]()
    for rank in range(8, 0, -1):
        for file in "abcdefgh":
            square = f"{file}{rank}"
            x, y = _corner(square)
            is_dark = (ord(file) - ord("a") + rank) % 2 == 1
            colour = ("#b58863" if is_dark else "#f0d9b5") if square not in moved else ("#aaa23a" if is_dark else "#cdd26a")
            parts.append(f'<rect x="{x}" y="{y}" width="{_FIELD}" height="{_FIELD}" fill="{colour}"/>')
    for mark in squares:
        x, y = _corner(mark.square)
        colour = _COLOURS.get(mark.colour, "#882020")
        parts.append(
            f'<rect x="{x + 2}" y="{y + 2}" width="{_FIELD - 4}" height="{_FIELD - 4}" '
            f'fill="{colour}" fill-opacity="0.5"/>'
        )
    for rank, line in zip(range(8, 0, -1), fen.split(" ", 1)[0].split("/"), strict=False):
        column = 0
        for letter in line:
            if letter.isdigit():
                column += int(letter)
                continue
            piece = _PIECES.get(letter.lower())
            if piece is not None and column < 8:
                x, y = _corner(f"{'abcdefgh'[column]}{rank}")
                fill, edge = ("#ffffff", "#000000") if letter.isupper() else ("#000000", "#ffffff")
                parts.append(
                    f'<text x="{x + _FIELD // 2}" y="{y + 36}" font-size="40" text-anchor="middle" '
                    f'fill="{fill}" stroke="{edge}" stroke-width="0.8">{piece}</text>'
                )
            column += 1
    for arrow in arrows:
        (x1, y1), (x2, y2) = _corner(arrow.tail), _corner(arrow.head)
        half = _FIELD // 2
        colour = _COLOURS.get(arrow.colour, "#882020")
        parts.append(
            f'<line x1="{x1 + half}" y1="{y1 + half}" x2="{x2 + half}" y2="{y2 + half}" '
            f'stroke="{colour}" stroke-width="6" stroke-opacity="0.6" stroke-linecap="round"/>'
            f'<circle cx="{x2 + half}" cy="{y2 + half}" r="8" fill="{colour}" fill-opacity="0.8"/>'
        )
    parts.append("</svg>")
    return "".join(parts)


def game_svg(game: Game) -> str:
    """The last position of a game."""
    moves = game.moves
    if not moves:
        return board_svg(game.fen)
    last = moves[-1]
    return board_svg(game.fen, last.uci, last.arrows, last.squares)


def game_html(game: Game) -> str:
    """A game with its players, its last position and its moves."""
    # The movetext is the last line of a game without comments.
    plain = game.pgn(width=0, no_comments=True, no_variations=True, no_nags=True)
    moves = escape(plain.strip().rsplit("\n", 1)[-1])
    players = escape(f"{game.white} – {game.black}")
    told = escape(", ".join(text for text in (game.event, game.date) if text and text.strip("?.")))
    return (
        f"<div><strong>{players}</strong> {escape(game.result)}<br>{told}<br>{game_svg(game)}"
        f'<p style="max-width: 40em">{moves}</p></div>'
    )
