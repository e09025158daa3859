"""Positions and moves as arrays of NumPy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._tabiya import flat_texts
from ._tags import Tags

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Each array with its type, and how many of its values belong to one thing.
_ARRAYS = {
    "boards": ("u1", 64),
    "castling": ("?", 4),
    "en_passant": ("i1", 1),
    "halfmoves": ("u1", 1),
    "turns": ("?", 1),
    "from_squares": ("u1", 1),
    "to_squares": ("u1", 1),
    "promotions": ("i1", 1),
    "clocks": ("f4", 1),
    "evals": ("f4", 1),
    "scores": ("f4", 1),
    "numbers": ("i8", 1),
    "checkmates": ("?", 1),
    "stalemates": ("?", 1),
    "insufficient": ("?", 2),
    "legal_moves": ("u2", 1),
    "valid": ("?", 1),
}


class FlatGames:
    """Some games as flat arrays, one game after the other.

    For ``P`` positions: ``boards`` (P, 64) of bytes, a1 to h8, 0 empty, 1 to 6 White's pieces from pawn to king, 7 to 12 Black's;
    ``castling`` (P, 4) White's short and long, Black's; ``en_passant`` the file of a pawn that may be captured en passant, or -1;
    ``halfmoves``, the fifty-move clock; ``turns``, true if White is to move.

    For ``M`` moves: ``from_squares``, ``to_squares``, ``promotions`` (2 knight to 5 queen, or -1), ``clocks`` in seconds, ``evals`` in
    pawns seen from White (a mate in n is 100 - n); NaN if there is none.

    For ``G`` games: ``scores`` seen from White, NaN if unknown; ``numbers``; ``move_offsets`` and ``position_offsets``
    (G + 1), where each begins; ``checkmates``, ``stalemates``, ``insufficient`` (G, 2), ``legal_moves`` of the last position;
    ``valid``. The arrays are read-only; ``.copy()`` makes a writable one.
    """

    boards: NDArray[np.uint8]
    castling: NDArray[np.bool_]
    en_passant: NDArray[np.int8]
    halfmoves: NDArray[np.uint8]
    turns: NDArray[np.bool_]
    from_squares: NDArray[np.uint8]
    to_squares: NDArray[np.uint8]
    promotions: NDArray[np.int8]
    clocks: NDArray[np.float32]
    evals: NDArray[np.float32]
    scores: NDArray[np.float32]
    numbers: NDArray[np.int64]
    checkmates: NDArray[np.bool_]
    stalemates: NDArray[np.bool_]
    insufficient: NDArray[np.bool_]
    legal_moves: NDArray[np.uint16]
    valid: NDArray[np.bool_]
    move_offsets: NDArray[np.int64]
    position_offsets: NDArray[np.int64]

    def __init__(self, flat: dict[str, Any]) -> None:
        import numpy as np

        for name, (kind, width) in _ARRAYS.items():
            array: Any = np.frombuffer(flat[name], dtype=kind)
            setattr(self, name, array.reshape(-1, width) if width > 1 else array)
        ends = np.frombuffer(flat["move_ends"], dtype="u4")
        self.move_offsets = np.zeros(len(ends) + 1, dtype=np.int64)
        self.move_offsets[1:] = ends
        # Each game has a position more than it has moves.
        self.position_offsets = self.move_offsets + np.arange(len(ends) + 1)
        self._tags = flat["tags"]

    def __len__(self) -> int:
        return len(self.numbers)

    def tags(self, game: int) -> Tags:
        """The tags of a game, by its index here."""
        return Tags(self._tags.pairs(range(len(self))[game]))

    @cached_property
    def game_of_move(self) -> NDArray[np.int64]:
        """The index of the game of each move."""
        import numpy as np

        return np.repeat(np.arange(len(self)), np.diff(self.move_offsets))

    @cached_property
    def position_of_move(self) -> NDArray[np.int64]:
        """The index of the position in which each move was played."""
        import numpy as np

        return np.arange(len(self.from_squares)) + self.game_of_move

    def __repr__(self) -> str:
        return f"<tabiya.FlatGames: {len(self)} games, {len(self.from_squares)} moves>"


@dataclass(frozen=True, slots=True)
class TensorBatch:
    """Positions, each with the move that was played there. All arrays have ``N`` rows.

    ``boards`` (N, 64), ``castling`` (N, 4), ``en_passant``, ``halfmoves``, ``turns``, ``from_squares``, ``to_squares``, ``promotions``,
    ``clocks``, ``evals`` are those of :class:`FlatGames`; ``scores`` and ``numbers`` are of the game, ``plies`` count from 0.
    """

    boards: NDArray[np.uint8]
    castling: NDArray[np.bool_]
    en_passant: NDArray[np.int8]
    halfmoves: NDArray[np.uint8]
    turns: NDArray[np.bool_]
    from_squares: NDArray[np.uint8]
    to_squares: NDArray[np.uint8]
    promotions: NDArray[np.int8]
    clocks: NDArray[np.float32]
    evals: NDArray[np.float32]
    scores: NDArray[np.float32]
    numbers: NDArray[np.int64]
    plies: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.from_squares)


_NAMES = tuple(TensorBatch.__dataclass_fields__)


def _rows_of(flat: FlatGames) -> list[Any]:
    at, game = flat.position_of_move, flat.game_of_move
    import numpy as np

    return [
        flat.boards[at],
        flat.castling[at],
        flat.en_passant[at],
        flat.halfmoves[at],
        flat.turns[at],
        flat.from_squares,
        flat.to_squares,
        flat.promotions,
        flat.clocks,
        flat.evals,
        flat.scores[game],
        flat.numbers[game],
        np.arange(len(game)) - flat.move_offsets[game],
    ]


def batches(blocks: Iterator[FlatGames], size: int, seed: int | None, window: int) -> Iterator[TensorBatch]:
    """Batches of ``size`` positions, the last one shorter.

    With a seed they are shuffled within a window: of ``window`` positions, each is equally likely to be next. The same seed gives
    the same batches.
    """
    import numpy as np

    chance = None if seed is None else np.random.default_rng(seed)
    held: list[list[Any]] = []
    count = 0
    wanted = size if chance is None else max(window, size)

    def cut(is_last: bool) -> Iterator[TensorBatch]:
        nonlocal held, count
        if not count:
            return
        rows = [np.concatenate(parts) for parts in zip(*held, strict=True)]
        if chance is not None:
            order = chance.permutation(count)
            rows = [array[order] for array in rows]
        # Half of a window stays, to be mixed with what comes.
        end = count if is_last else (count if chance is None else max(count // 2, size)) // size * size
        for start in range(0, end, size):
            yield TensorBatch(*(array[start : min(start + size, end)] for array in rows))
        held = [[array[end:] for array in rows]]
        count -= end

    for flat in blocks:
        held.append(_rows_of(flat))
        count += len(flat.from_squares)
        if count >= wanted:
            yield from cut(is_last=False)
    yield from cut(is_last=True)


def flat(
    texts: Iterable[str] | Any,
    *,
    annotations: bool = True,
    verify: bool = True,
    threads: int | None = None,
) -> Iterator[FlatGames]:
    """Texts of one game each as flat arrays: a list of strings, or an Arrow column such as ``movetext`` of a Parquet file.

    Only the first game of each text counts, and ``numbers`` are the places of the texts, from 1; a text without a game is a game
    without moves that is not ``valid``. A column of pyarrow, Polars or pandas needs pyarrow.
    """
    columns = _columns(texts)
    return map(FlatGames, flat_texts(columns, annotations, verify, threads))


def _columns(texts: Any) -> list[tuple[bytes, bytes, int]]:
    """Texts in the layout of Arrow arrays: the bytes of each, and the offsets of its texts."""
    if isinstance(texts, str):
        raise UsageError("texts: give a list of them")
    if not hasattr(texts, "__arrow_c_stream__") and not hasattr(texts, "__arrow_c_array__"):
        parts = [text.encode("utf-8", "replace") for text in texts]
        places = array("q", [0])
        for part in parts:
            places.append(places[-1] + len(part))
        return [(b"".join(parts), places.tobytes(), 8)]
    # Its types are not everywhere.
    pa: Any = import_module("pyarrow")
    column: Any = pa.chunked_array([pa.array(texts)]) if hasattr(texts, "__arrow_c_array__") else pa.chunked_array(texts)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        column = column.cast(pa.large_string())
    width = 4 if pa.types.is_string(column.type) else 8
    columns: list[tuple[bytes, bytes, int]] = []
    for chunk in column.chunks:
        _, places, data = chunk.buffers()
        if len(chunk) > 0:
            of_chunk = places[chunk.offset * width : (chunk.offset + len(chunk) + 1) * width]
            columns.append((b"" if data is None else data.to_pybytes(), of_chunk.to_pybytes(), width))
    return columns
