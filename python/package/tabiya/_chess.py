"""Conversion of games to and from python-chess."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ._tabiya import Game, game_of_ops

if TYPE_CHECKING:
    import chess.pgn

_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

# What PGN says of a tag of the roster that has no value.
_UNKNOWN = {name: "?" for name in ("Event", "Site", "Round", "White", "Black")} | {"Date": "????.??.??", "Result": "*"}


def to_chess(game: Game) -> chess.pgn.Game:
    """The same game for python-chess.

    What python-chess cannot hold is left out: repeated tags (the last one is kept), tag names that it refuses, and the order of
    NAGs.
    """
    import chess

    if game.variant == "other":
        return _by_text(game)
    builder = _quiet_builder()
    builder.begin_game()
    headers = builder.begin_headers()
    _tell_tags(game, headers)
    # What our PGN adds where the tags do not say it.
    if game.is_set_up and "FEN" in headers and "SetUp" not in headers:
        headers["SetUp"] = "1"
    if game.variant == "chess960" and "Variant" not in headers:
        headers["Variant"] = "Chess960"
    try:
        board = headers.board()
    except ValueError:
        return _by_text(game)
    ops = game._ops(board.chess960)  # pyright: ignore[reportPrivateUsage]
    if game.is_set_up != ("FEN" in headers) or not all(map(_is_plain, ops)):
        return _by_text(game)
    for op in ops:
        kind = op[0]
        if kind == "move":
            move = chess.Move.null() if op[2] == "0000" else chess.Move.from_uci(op[2])
            builder.visit_move(board, move)
        elif kind == "comment":
            builder.visit_comment(op[1])
        elif kind == "nag":
            builder.visit_nag(op[1])
        elif kind == "begin":
            builder.begin_variation()
        else:
            builder.end_variation()
    builder.visit_result(game._ending or game.result)  # pyright: ignore[reportPrivateUsage]
    builder.end_game()
    return builder.result()


def _tell_tags(game: Game, headers: chess.pgn.Headers) -> None:
    for name, value in game.tags.pairs:
        # In a tag of PGN no line ends.
        line = value.replace("\r", " ").replace("\n", " ")
        try:
            headers[name] = line or _UNKNOWN.get(name, line)
        except ValueError:
            # A name that python-chess refuses.
            continue


def _is_plain(op: tuple[Any, ...]) -> bool:
    if op[0] == "move":
        return bool(op[3])
    return op[0] in ("comment", "nag", "begin", "end")


def _quiet_builder() -> chess.pgn.GameBuilder[chess.pgn.Game]:
    import chess.pgn

    class QuietBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
        """Keeps errors with the game, without logging them."""

        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    return QuietBuilder(Game=chess.pgn.Game)


def _by_text(game: Game) -> chess.pgn.Game:
    """The game as python-chess reads our PGN: for variants that only it knows, and for invalid moves."""
    import chess.pgn

    read = chess.pgn.read_game(io.StringIO(game.pgn(width=0)), Visitor=_quiet_builder)
    if read is None:
        return chess.pgn.Game()
    # It takes what stands between the quotes, escapes with it.
    result = read.headers["Result"]
    _tell_tags(game, read.headers)
    if read.headers["Result"] == "*":
        read.headers["Result"] = result
    return read


def from_chess(game: chess.pgn.Game) -> Game:
    """A game from python-chess with everything that it holds."""
    import chess

    try:
        is_chess = game.headers.variant() is chess.Board
    except ValueError:
        is_chess = True
    if not is_chess:
        return Game.from_pgn(str(game))
    ops: list[tuple[Any, ...]] = [("nag", nag) for nag in sorted(game.nags)]
    if game.comment:
        ops.append(("comment", game.comment))
    # What is still to be told, the next of it last: a move that goes on with a line, a variation, or the end of one.
    waiting: list[tuple[str, chess.pgn.ChildNode | None]] = []
    if game.variations:
        waiting.append(("line", game.variations[0]))
    while waiting:
        what, node = waiting.pop()
        if node is None:
            ops.append(("end",))
            continue
        if what == "variation":
            ops.append(("begin",))
        if node.starting_comment:
            ops.append(("comment", node.starting_comment))
        ops.append(("move", node.move.uci()))
        ops.extend(("nag", nag) for nag in sorted(node.nags))
        if node.comment:
            ops.append(("comment", node.comment))
        if what == "variation":
            waiting.append(("end", None))
        if node.variations:
            waiting.append(("line", node.variations[0]))
        if what == "line":
            waiting.extend(("variation", other) for other in reversed(node.parent.variations[1:]))
    result = game.headers.get("Result", "*")
    return game_of_ops(list(game.headers.items()), ops, result if result in _RESULTS else None)
