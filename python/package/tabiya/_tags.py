"""The tags of a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._tabiya import Game


class Tags(Mapping[str, str]):
    """The tags of a game: a mapping from names to values, in their order.

    A name that is there twice has its first value here; ``pairs`` has all of them, ``get_all`` those of a name.
    """

    __slots__ = ("_first", "_pairs")

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._pairs = list(pairs)
        self._first: dict[str, str] = {}
        for name, value in self._pairs:
            self._first.setdefault(name, value)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All names and values, those that are there twice among them."""
        return list(self._pairs)

    def get_all(self, name: str) -> list[str]:
        """All values of a name."""
        return [value for known, value in self._pairs if known == name]

    def __getitem__(self, name: str) -> str:
        return self._first[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tags):
            return self._pairs == other._pairs
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tags({self._pairs!r})"


def tags_of(game: Game) -> Tags:
    """The tags of a game."""
    return Tags(game._pairs())  # pyright: ignore[reportPrivateUsage]
