"""Databases, and games selected from them."""

from __future__ import annotations

import builtins
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, Literal, cast, overload

from ._edit import Edit
from ._errors import FormatError, NotFoundError, UsageError
from ._progress import Progress, shown
from ._reports import (
    Answer,
    Change,
    CheckReport,
    Conversion,
    DedupeReport,
    Diagnostic,
    NamesReport,
    answer_of,
    answers_of,
    changes_of,
    conversion_of,
    diagnostics_of,
)
from ._tabiya import Base, Game, Selection, Table, open_bases
from ._tabiya import convert as _convert
from ._tabiya import edit as _edit
from ._tabiya import write_games as _write_games
from ._tags import Tags
from ._tensors import FlatGames, TensorBatch, batches

Read = Literal["all", "moves", "tags"]
Deleted = Literal["included", "left-out", "only"]
Path = str | os.PathLike[str]


class Games:
    """Games of a database: all of them, a slice, or the matches of a query.

    Nothing is read before it is needed. A loop reads ahead on other threads, in bounded memory, and can be left at any time.
    """

    def __init__(
        self,
        database: Database,
        *,
        query: str | None = None,
        ranges: Sequence[tuple[int, int]] | None = None,
        deleted: Deleted = "included",
        unfinished: bool = False,
        sort: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        sample: tuple[int, int] | None = None,
        read: Read = "all",
    ) -> None:
        self._database = database
        self._query = query
        self._ranges = None if ranges is None else list(ranges)
        self._deleted: Deleted = deleted
        self._unfinished = unfinished
        self._sort = sort
        self._limit = limit
        self._offset = offset
        self._sample = sample
        self._read: Read = read
        # An invalid query fails now, and not at the first game.
        self._chosen()

    def _chosen(self) -> Selection:
        base = self._database._held()  # pyright: ignore[reportPrivateUsage]
        return Selection(base, self._query, self._ranges, self._deleted, self._unfinished)

    def _threads(self) -> int | None:
        return self._database.threads

    def _is_part(self) -> bool:
        return self._limit is not None or self._offset > 0 or self._sample is not None

    def _but(self, **changed: Any) -> Games:
        told: dict[str, Any] = {
            "query": self._query,
            "ranges": self._ranges,
            "deleted": self._deleted,
            "unfinished": self._unfinished,
            "sort": self._sort,
            "limit": self._limit,
            "offset": self._offset,
            "sample": self._sample,
            "read": self._read,
        }
        return Games(self._database, **{**told, **changed})

    def __iter__(self) -> Iterator[Game]:
        return self._chosen().stream(
            self._read, self._sort, self._limit, self._offset, self._sample, self._threads()
        )

    def count(self, progress: Progress | bool | None = None) -> int:
        """The number of games."""
        with shown(progress) as tell:
            told = (self._sample, self._query, self._ranges, self._deleted, self._unfinished)
            if told == (None, None, None, "included", False):
                found = self._database._held().count()  # pyright: ignore[reportPrivateUsage]
            else:
                found = self._chosen().count(self._threads(), tell)
        if self._sample is not None:
            found = min(found, self._sample[0])
        found = max(found - self._offset, 0)
        return found if self._limit is None else min(found, self._limit)

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return self.first() is not None

    @overload
    def __getitem__(self, at: int) -> Game: ...
    @overload
    def __getitem__(self, at: slice) -> Games: ...
    def __getitem__(self, at: int | slice) -> Game | Games:
        if isinstance(at, slice):
            return self._slice(at)
        if at < 0:
            at += len(self)
        if at < 0:
            raise IndexError("there is no such game")
        found = next(iter(self[at : at + 1]), None)
        if found is None:
            raise IndexError("there is no such game")
        return found

    def _slice(self, at: slice) -> Games:
        if at.step not in (None, 1):
            raise UsageError("the step of a slice must be one")
        start, stop = at.start or 0, at.stop
        if start < 0 or (stop is not None and stop < 0):
            start, stop, _ = at.indices(len(self))
        if self._limit is not None:
            stop = self._limit if stop is None else min(stop, self._limit)
        limit = None if stop is None else max(stop - start, 0)
        return self._but(offset=self._offset + start, limit=limit)

    def first(self) -> Game | None:
        """The first game, if there is one."""
        return next(iter(self[0:1]), None)

    def search(self, query: str) -> Games:
        """The games among them that match a query."""
        if self._is_part():
            raise UsageError("a part of the games cannot be searched: search first, then slice")
        return self._but(query=query if self._query is None else f"({self._query}) and ({query})")

    def sorted(self, order: str) -> Games:
        """The same in an order, such as ``-date,white``."""
        return self._but(sort=order)

    def sample(self, count: int, seed: int = 0) -> Games:
        """A random sample of ``count`` games; the same seed takes the same games."""
        return self._but(sample=(count, seed))

    def reading(self, read: Read) -> Games:
        """The same games, read only in part: ``tags``, or tags and the ``moves`` of main lines. The rest is missing."""
        return self._but(read=read)

    @property
    def note(self) -> str | None:
        """How the query is understood, if that is not obvious."""
        return self._chosen().note

    def numbers(self) -> list[int]:
        """The numbers of the games, rising."""
        if self._is_part():
            return sorted(game.number for game in self.reading("tags"))
        return self._chosen().numbers(self._threads())

    def _whole(self) -> Selection:
        """The games for jobs, which cannot use a part of a list."""
        if self._is_part():
            numbers = self.numbers()
            ranges: list[tuple[int, int]] = []
            for number in numbers:
                if ranges and ranges[-1][1] == number:
                    ranges[-1] = (ranges[-1][0], number + 1)
                else:
                    ranges.append((number, number + 1))
            base = self._database._held()  # pyright: ignore[reportPrivateUsage]
            return Selection(base, None, ranges, "included")
        return self._chosen()

    def headers(self) -> Iterator[Tags]:
        """The tags of the games, one game after another; nothing else is read. Each has the ``number`` of its game."""
        return self._chosen().headers(self._sort, self._limit, self._offset, self._sample, self._threads())

    def games(self, columns: Sequence[str] | None = None) -> Table:
        """A table with a row for each game, with the columns of our Parquet files; fewer columns are faster."""
        return self._whole().table("games", _list(columns), self._threads())

    def moves(self, columns: Sequence[str] | None = None) -> Table:
        """A table with a row for each move of the main lines: game, ply, move, side, san, uci, nags, clk, emt, eval, mate, depth,
        text, comment, and fen if it is requested."""
        return self._whole().table("moves", _list(columns), self._threads())

    def positions(self, columns: Sequence[str] | None = None) -> Table:
        """A table with a row for each position of the main lines: hash, game, ply, the move that was played, the score,
        both ratings, and fen if it is requested. The last position of a game has no move."""
        return self._whole().table("positions", _list(columns), self._threads())

    def flat(self, *, annotations: bool = True, verify: bool = True) -> Iterator[FlatGames]:
        """Blocks of games as flat NumPy arrays. Without ``annotations``, clocks and evaluations are not read; without ``verify``,
        a reader may trust the guarantees of its format."""
        stream = self._whole().tensors(annotations, verify, self._threads())
        return map(FlatGames, stream)

    def tensors(
        self,
        batch_size: int = 4096,
        *,
        seed: int | None = None,
        window: int = 1 << 18,
        annotations: bool = True,
        verify: bool = True,
    ) -> Iterator[TensorBatch]:
        """Batches of positions with the moves that were played there; shuffled within a window if a seed is given."""
        if batch_size < 1:
            raise UsageError("batch_size: give a number from 1 on")
        return batches(self.flat(annotations=annotations, verify=verify), batch_size, seed, window)

    def explore(
        self,
        line: str = "",
        *,
        fen: str | None = None,
        player: str | None = None,
        color: Literal["white", "black"] | None = None,
        elo: str | None = None,
        since: str | None = None,
        until: str | None = None,
        variations: bool = False,
        moves: int = 1000,
        games: int = 4,
        progress: Progress | bool | None = None,
    ) -> Answer:
        """What was played in a position and how it scored, in the form of the Lichess explorer."""
        with shown(progress) as tell:
            return answer_of(
                self._whole().explore(
                    fen, line, player, color, elo, since, until, variations, moves, games, self._threads(), tell
                )
            )

    def stats(
        self,
        *only: str,
        full: bool = False,
        top: int = 20,
        progress: Progress | bool | None = None,
    ) -> Answer:
        """Statistics: all of them, or the named ones, such as ``results`` and ``openings``."""
        with shown(progress) as tell:
            return answer_of(self._whole().stats(list(only), full, top, self._threads(), tell))

    def player(
        self,
        name: str,
        *,
        against: str | None = None,
        top: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Answer:
        """The record of a player."""
        with shown(progress) as tell:
            return answer_of(self._whole().player(name, against, top, self._threads(), tell))

    def crosstable(
        self,
        *,
        game: int | None = None,
        event: str | None = None,
        progress: Progress | bool | None = None,
    ) -> Answer:
        """The crosstables of events: that of a game, or those with a name."""
        with shown(progress) as tell:
            return answer_of(self._whole().crosstable(game, event, self._threads(), tell))

    def dedupe(
        self,
        *,
        keep: Literal["moves", "annotations", "elo", "newest", "first"] = "moves",
        swapped: bool = False,
        misspelt: bool = False,
        progress: Progress | bool | None = None,
    ) -> DedupeReport:
        """Duplicate games. Nothing is changed: ``edit.delete(report.drops)`` deletes them."""
        with shown(progress) as tell:
            pairs, games, drops = self._whole().dedupe(keep, swapped, misspelt, self._threads(), tell)
        return DedupeReport(games, answers_of(pairs), drops)

    def names(self, *, misspelt: bool = True, progress: Progress | bool | None = None) -> NamesReport:
        """Names that are spelt in several ways."""
        with shown(progress) as tell:
            told, spelling = self._whole().names(misspelt, self._threads(), tell)
        return NamesReport(list(answer_of(told).groups), spelling)

    def convert(self, target: Path, **options: Any) -> Conversion:
        """Copies these games into a new database; :func:`tabiya.convert` has the options."""
        return convert(self, target, **options)

    def __repr__(self) -> str:
        what = [f"query={self._query!r}"] if self._query is not None else []
        what += [f"sort={self._sort!r}"] if self._sort is not None else []
        return f"<tabiya.Games of {self._database.name}{''.join(', ' + text for text in what)}>"


class Database(Games):
    """An open database: a sequence of games, with searches and reports.

    ``db[0]`` is the first game; ``db.game(1)`` is the same, by its number. A ``with`` block closes it at its end.
    """

    def __init__(
        self,
        base: Base,
        arguments: dict[str, Any],
        threads: int | None = None,
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self._base = base
        self._arguments = arguments
        self._folder = folder
        self._name = base.name
        #: The number of threads for this database; all by default.
        self.threads = threads
        super().__init__(self)

    def _held(self) -> Base:
        return self._base

    @property
    def name(self) -> str:
        """Its path, or its name within an archive."""
        return self._name

    @property
    def format(self) -> str:
        """The name of its format."""
        return self._base.format

    @property
    def path(self) -> str:
        """The path that it was opened by."""
        return str(self._base.path)

    def __len__(self) -> int:
        return self._base.count()

    def game(self, number: int, read: Read = "all") -> Game:
        """A game by its number, from 1."""
        if not 1 <= number <= len(self):
            raise NotFoundError(f"there is no game {number}: the database has {len(self)} games", game=number)
        return self._base.read(number, read)

    @overload
    def __getitem__(self, at: int) -> Game: ...
    @overload
    def __getitem__(self, at: slice) -> Games: ...
    def __getitem__(self, at: int | slice) -> Game | Games:
        if not isinstance(at, slice):
            count = len(self)
            if not -count <= at < count:
                raise IndexError(f"there are {count} games")
            return self._base.read(at % count + 1, "all")
        if at.step not in (None, 1):
            raise UsageError("the step of a slice must be one")
        start, stop, _ = at.indices(len(self))
        return Games(self, ranges=[(start + 1, stop + 1)] if start < stop else [])

    def search(
        self,
        query: str,
        *,
        sort: str | None = None,
        deleted: Deleted = "included",
        unfinished: bool = False,
    ) -> Games:
        """The games that match a query; ``docs/query.md`` explains the language. With ``unfinished``, only those whose result
        is ``*``."""
        return Games(self, query=query, sort=sort, deleted=deleted, unfinished=unfinished)

    @property
    def info(self) -> Answer:
        """What is known of the database without reading its games; ``describe(full=True)`` reads them."""
        return self.describe()

    def describe(self, *, full: bool = False, progress: Progress | bool | None = None) -> Answer:
        """What is known of the database; with ``full``, after reading all games."""
        with shown(progress) as tell:
            return answer_of(self._base.info(full, self.threads, tell))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings about the database itself so far. Those about a game are in ``game.diagnostics``."""
        return diagnostics_of(self._base.diagnostics())

    def check(self, *, most: int = 1000, progress: Progress | bool | None = None) -> CheckReport:
        """Reads everything and reports what is damaged or unusual, with at most ``most`` findings of each kind."""
        with shown(progress) as tell:
            games, damaged, found = self._base.check(most, self.threads, tell)
        return CheckReport(games, damaged, diagnostics_of(found))

    def index(self, *, rebuild: bool = False, progress: Progress | bool | None = None) -> str:
        """Makes the index beside the database, so that searches take milliseconds; returns ``fresh``, ``anew`` or ``extended``."""
        with shown(progress) as tell:
            outcome = self._base.index(rebuild, self.threads, tell)
        self.reload()
        return outcome

    def remove_index(self) -> bool:
        """Removes the index beside the database; returns whether there was one."""
        removed = self._base.remove_index()
        self.reload()
        return removed

    def edit(self, *, lossy: Literal["refuse", "comment", "drop"] = "refuse") -> Edit:
        """A block of changes: ``with db.edit() as edit: edit.set_tags(1, {"Round": "3"})``.

        ``lossy`` says what to do with what the format cannot hold: refuse the change, keep it in a comment, or drop it.
        """
        return Edit(self, lossy)

    def undo(self) -> Change:
        """Undoes the last change that has not been undone yet."""
        done = changes_of(_edit(self._base, [("undo",)], "refuse"))
        self.reload()
        return done[0]

    def is_current(self) -> bool:
        """Whether the files are still those that were opened."""
        return self._base.is_current()

    def reload(self) -> None:
        """Opens the current state of the files."""
        self._base = self._base.reopened()

    def close(self) -> None:
        """Closes the database; loops over it end with an exception. It may be called twice."""
        self._base.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._base.is_closed

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._folder is not None:
            raise TypeError("a database opened from a file object cannot be pickled; one from a path can")
        return (_again, (self.name, self.path, self._arguments, self.threads))

    def __repr__(self) -> str:
        state = ", closed" if self.is_closed else ""
        return f"<tabiya.Database {self._name}{state}>"


def _list(columns: Sequence[str] | None) -> list[str] | None:
    if isinstance(columns, str):
        raise UsageError(f"columns: give a list, such as [{columns!r}]")
    return None if columns is None else list(columns)


def _again(name: str, path: str, arguments: dict[str, Any], threads: int | None) -> Database:
    for base in open_bases(path, **arguments):
        if base.name == name:
            return Database(base, arguments, threads)
    raise NotFoundError(f"{name} no longer exists", file=name)


def open(
    source: Path | IO[bytes] | IO[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    salvage: bool = False,
    password: bytes | str | None = None,
    audit: bool = False,
    threads: int | None = None,
) -> Database:
    """Opens a database: a file, a folder, an archive, or a file object, which is read to its end.

    ``format`` and ``encoding`` are detected by default. ``salvage`` recovers what is left of a damaged database; ``audit`` checks
    derived fields, too. If a path holds several databases, :func:`open_all` opens them.
    """
    arguments = _arguments(format, encoding, salvage, password, audit)
    if not isinstance(source, (str, os.PathLike)):
        return _of_file(source, arguments, threads)
    bases = open_bases(os.fspath(source), **arguments)
    if len(bases) != 1:
        names = ", ".join(base.name for base in bases)
        raise UsageError(f"there are {len(bases)} databases; open them with open_all: {names}", file=os.fspath(source))
    return Database(bases[0], arguments, threads)


def open_all(
    *sources: Path,
    format: str | None = None,
    encoding: str | None = None,
    salvage: bool = False,
    password: bytes | str | None = None,
    audit: bool = False,
    threads: int | None = None,
) -> list[Database]:
    """Opens all databases in paths, including those in folders and archives."""
    arguments = _arguments(format, encoding, salvage, password, audit)
    return [
        Database(base, arguments, threads)
        for source in sources
        for base in open_bases(os.fspath(source), **arguments)
    ]


def _arguments(
    format: str | None, encoding: str | None, salvage: bool, password: bytes | str | None, audit: bool
) -> dict[str, Any]:
    return {
        "format": format,
        "encoding": encoding,
        "salvage": salvage,
        "password": password.encode() if isinstance(password, str) else password,
        "audit": audit,
    }


def _of_file(source: IO[bytes] | IO[str], arguments: dict[str, Any], threads: int | None) -> Database:
    """The content of a file object, in a temporary file of our own, so that games can be read by number."""
    read: Callable[[int], bytes | str] | None = getattr(source, "read", None)
    if read is None:
        raise TypeError(f"a path or a file object is required, not {type(source).__name__}")
    folder = tempfile.TemporaryDirectory(prefix="tabiya-")
    try:
        path = os.path.join(folder.name, "games")
        with builtins.open(path, "wb") as copy:
            while data := read(1 << 20):
                copy.write(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
        bases = open_bases(path, **arguments)
        if len(bases) != 1:
            raise FormatError("the file object does not hold a single database")
        return Database(bases[0], arguments, threads, folder)
    except BaseException:
        folder.cleanup()
        raise


Source = Path | Database | Games


def convert(
    sources: Source | Iterable[Source],
    target: Path,
    *,
    to: str | None = None,
    force: bool = False,
    strict: bool = False,
    verify: bool = False,
    encoding: str | None = None,
    description: str | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Conversion:
    """Copies databases, or selected games, into a new one, and reports what it cannot hold.

    The format is that of the target's name, or ``to``. ``strict`` writes nothing if something would be lost; ``verify`` reads the
    copy again and compares it. Other keyword arguments are options of the target's format, such as ``width=0``.
    """
    given: list[Source] = [sources] if isinstance(sources, (str, os.PathLike, Games)) else list(sources)
    said: list[tuple[str, str | None]] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        if value is True:
            said.append((name, None))
        elif isinstance(value, (list, tuple)):
            said.append((name, ",".join(map(str, cast(Sequence[Any], value)))))
        else:
            said.append((name, str(value)))
    arguments = _Target(os.fspath(target), to, force, encoding, description, said)
    opened: list[Database] = []
    try:
        bases: list[Base] = []
        chosen: Selection | None = None
        sort: str | None = None
        for source in given:
            if isinstance(source, Database):
                bases.append(source._held())  # pyright: ignore[reportPrivateUsage]
            elif isinstance(source, Games):
                if len(given) > 1:
                    raise UsageError("selected games cannot be copied together with other sources")
                chosen, sort = source._whole(), source._sort  # pyright: ignore[reportPrivateUsage]
            else:
                found = open_all(source, threads=threads)
                opened += found
                bases += [database._held() for database in found]  # pyright: ignore[reportPrivateUsage]
        with shown(progress) as tell:
            answer, is_complete, fault = _convert(bases, chosen, arguments, strict, verify, sort, threads, tell)
        return conversion_of(answer, is_complete, fault)
    finally:
        for database in opened:
            database.close()


def write(
    games: Iterable[Game],
    target: Path,
    *,
    to: str | None = None,
    force: bool = False,
    encoding: str | None = None,
    threads: int | None = None,
) -> Conversion:
    """Writes games into a new database: those of :meth:`Game.from_chess`, or others that are not in a database."""
    arguments = _Target(os.fspath(target), to, force, encoding, None, [])
    answer, is_complete = _write_games(list(games), arguments, threads)
    return conversion_of(answer, is_complete, None)


class _Target:
    """The settings of a target."""

    def __init__(
        self,
        path: str,
        format: str | None,
        force: bool,
        encoding: str | None,
        description: str | None,
        options: list[tuple[str, str | None]],
    ) -> None:
        self.path = path
        self.format = format
        self.force = force
        self.encoding = encoding
        self.description = description
        self.options = options
