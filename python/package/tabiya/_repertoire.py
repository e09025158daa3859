"""Repertoires, compared with games."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

from ._database import Database, Games, open_all
from ._errors import UsageError
from ._progress import Progress, shown
from ._reports import Answer, answers_of
from ._tabiya import Base, Game, RepertoireSides, Selection, read_repertoire


@dataclass(frozen=True, slots=True)
class RepertoireCheck:
    """Where games leave a repertoire.

    ``games`` are the games, each with ``end``, ``ply``, ``fen``, ``expected`` and ``played``; ``lines`` the positions in which they
    left, the most frequent first. ``seen`` games were read, and ``damaged`` of them could not be read completely.
    """

    games: list[Answer]
    lines: list[Answer]
    seen: int
    damaged: int


class Repertoire:
    """Opening lines of one side, or of both. The reports have the fields of ``tabiya repertoire --json`` (``docs/json.md``)."""

    def __init__(self, sides: RepertoireSides, threads: int | None = None) -> None:
        self._sides = sides
        #: The number of threads for the reports; all by default.
        self.threads = threads

    @property
    def sides(self) -> dict[str, int]:
        """The sides, ``white`` and ``black``, each with the number of its positions."""
        return dict(self._sides.sides())

    @property
    def games(self) -> list[Game]:
        """The lines as games with variations."""
        return self._sides.games()

    def check(
        self,
        games: Games,
        *,
        player: str | None = None,
        most: int | None = None,
        progress: Progress | bool | None = None,
    ) -> RepertoireCheck:
        """Where games leave the repertoire, and who leaves it.

        With ``player`` only games in which this player has the side of the repertoire; ``most`` limits the number of games that are
        listed for each side.
        """
        with shown(progress) as tell:
            found, lines, seen, damaged = self._sides.check(_chosen(games), player, most, self.threads, tell)
        return RepertoireCheck(answers_of(found), answers_of(lines), seen, damaged)

    def gaps(
        self,
        games: Games,
        *,
        share: float = 5.0,
        min_games: int = 5,
        progress: Progress | bool | None = None,
    ) -> list[Answer]:
        """The opponent's moves that the repertoire does not answer, the most frequent first.

        Only moves that were played in at least ``share`` per cent of the games in a position, and in at least ``min_games``.
        """
        with shown(progress) as tell:
            return answers_of(self._sides.gaps(_chosen(games), share, min_games, self.threads, tell))

    def conflicts(
        self,
        games: Games | None = None,
        *,
        often: float = 30.0,
        min_games: int = 5,
        points: float = 10.0,
        centipawns: int = 50,
        progress: Progress | bool | None = None,
    ) -> list[Answer]:
        """Where the repertoire contradicts itself: several moves without a chosen one, moves that are marked bad, lines that stop,
        moves that score or are evaluated lower than others.

        With games, a line that stops is reported if the opponent has a move in at least ``often`` per cent of them, and a score if it
        is at least ``points`` per cent lower; evaluations count if they are at least ``centipawns`` lower.
        """
        with shown(progress) as tell:
            chosen = None if games is None else _chosen(games)
            return answers_of(self._sides.conflicts(chosen, often, min_games, points, centipawns, self.threads, tell))

    def coverage(self, games: Games, *, progress: Progress | bool | None = None) -> list[Answer]:
        """How many games are still inside the repertoire at each ply."""
        with shown(progress) as tell:
            return answers_of(self._sides.coverage(_chosen(games), self.threads, tell))

    def show(self, games: Games | None = None, *, progress: Progress | bool | None = None) -> list[Answer]:
        """The positions of the repertoire with their moves; with games, how often each arises and how each move scores."""
        with shown(progress) as tell:
            chosen = None if games is None else _chosen(games)
            return answers_of(self._sides.show(chosen, self.threads, tell))

    def __repr__(self) -> str:
        sides = ", ".join(f"{side}: {positions} positions" for side, positions in self.sides.items())
        return f"<tabiya.Repertoire {sides}>"


def _chosen(games: Games) -> Selection:
    if not isinstance(games, Games):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError("games: give a database, or games of one")
    return games._whole()  # pyright: ignore[reportPrivateUsage]


def repertoire(
    *sources: str | os.PathLike[str] | Database,
    color: Literal["white", "black"] | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Repertoire:
    """Reads a repertoire from databases, or folders of them.

    Its side is ``color``, or that of the tag Repertoire, or recognised. Other keyword arguments are those of :func:`open`.
    """
    opened: list[Database] = []
    try:
        bases: list[Base] = []
        for source in sources:
            if isinstance(source, Database):
                found = [source]
            else:
                found = open_all(source, threads=threads, **options)
                opened += found
            bases += [database._held() for database in found]  # pyright: ignore[reportPrivateUsage]
        with shown(progress) as tell:
            return Repertoire(read_repertoire(bases, color, threads, tell), threads)
    finally:
        for database in opened:
            database.close()
