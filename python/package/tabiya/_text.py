"""Games from text."""

from __future__ import annotations

from ._tabiya import Game, games_of_pgn


def read_pgn(text: str | bytes) -> list[Game]:
    """All games of a PGN text. Bytes may be in any encoding: it is detected."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    return games_of_pgn(data)
