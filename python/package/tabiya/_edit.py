"""Changes of a database in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._reports import Change, changes_of
from ._tabiya import Game
from ._tabiya import edit as make

if TYPE_CHECKING:
    from ._database import Database


def _ranges(games: int | str | Iterable[int]) -> str | list[tuple[int, int]]:
    """Games by a query, by a number, or by several."""
    if isinstance(games, str):
        return games
    numbers = [games] if isinstance(games, int) else list(games)
    return [(number, number + 1) for number in numbers]


class Edit:
    """Changes of a database, made together when the block ends: all of them, or none.

    Games are chosen by their numbers (from 1, like ``game.number``) or by a query. Nothing is changed if the block raises an
    exception. Each change is a step in the history; afterwards, ``changes`` has what was done.
    """

    def __init__(self, database: Database, lossy: str) -> None:
        self._database = database
        self._lossy = lossy
        self._wishes: list[tuple[Any, ...]] = []
        self._is_open = False
        self.changes: list[Change] = []

    def __enter__(self) -> Edit:
        self._is_open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_open = False
        if kind is not None or not self._wishes:
            return
        base = self._database._held()  # pyright: ignore[reportPrivateUsage]
        self.changes = changes_of(make(base, self._wishes, self._lossy))
        self._database.reload()

    def _wish(self, *wish: Any) -> None:
        if not self._is_open:
            raise UsageError("changes must be made within the block: with db.edit() as edit: …")
        self._wishes.append(wish)

    def add(self, games: Game | Iterable[Game]) -> None:
        """Adds games at the end."""
        added = [games] if isinstance(games, Game) else list(games)
        if self._wishes and self._wishes[-1][0] == "add":
            self._wishes[-1][1].extend(added)
        elif added:
            self._wish("add", added)

    def append(self, database: Database) -> None:
        """Adds all games of another database at the end."""
        self._wish("append", [database._held()])  # pyright: ignore[reportPrivateUsage]

    def replace(self, number: int, game: Game, was: Game | None = None) -> None:
        """Replaces a game; with ``was``, only if that is still the current game."""
        self._wish("replace", number, game, was)

    def delete(self, games: int | str | Iterable[int]) -> None:
        """Deletes games: marks them if the format has a deletion mark, else removes them."""
        self._wish("delete", _ranges(games))

    def set_tags(self, games: int | str | Iterable[int], tags: Mapping[str, str | None]) -> None:
        """Sets tags; ``None`` removes a tag."""
        self._wish("set", _ranges(games), [(name, value or "") for name, value in tags.items()])

    def set_flags(self, games: int | str | Iterable[int], set: str = "", clear: str = "") -> None:
        """Sets and clears flags, in Scid's letters."""
        self._wish("flags", _ranges(games), set, clear)

    def strip(self, games: int | str | Iterable[int], *what: str) -> None:
        """Removes comments, variations, nags, clocks, evaluations, marks or flags from games."""
        self._wish("strip", _ranges(games), list(what))

    def sort(self, order: str) -> None:
        """Sorts the games, such as by ``-date,white``."""
        self._wish("sort", order)

    def compact(self) -> None:
        """Removes deleted games permanently. This cannot be undone, and must be the only change of its block."""
        self._wish("compact")
