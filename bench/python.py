"""Compares the Python module with others on the same files, in one run.

    python bench/python.py GAMES.pgn [--annotated LICHESS.pgn] [--runs 3]

Wanted: the wheel of `cargo xtask python --release`, chess, polars, pyarrow, numpy, rust-pgn-reader-python-binding==4.1.0. Each figure is the least of the runs, in which the contestants take turns. python-chess reads a part of the
games, and is told by its speed.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import tabiya


def least(runs: int, contestants: dict[str, Callable[[], int]]) -> dict[str, tuple[float, int]]:
    """The least time of each, and what it counted."""
    found: dict[str, tuple[float, int]] = {}
    for _ in range(runs):
        for name, run in contestants.items():
            start = time.perf_counter()
            count = run()
            took = time.perf_counter() - start
            if name not in found or took < found[name][0]:
                found[name] = (took, count)
    return found


def show(title: str, found: dict[str, tuple[float, int]], unit: str) -> None:
    print(f"\n{title}\n\n| | s | {unit} | {unit} a second |\n|---|--:|--:|--:|")
    for name, (took, count) in found.items():
        print(f"| {name} | {took:.2f} | {count:,} | {count / took:,.0f} |")


def texts_of(path: Path) -> list[str]:
    """The texts of the games of a file, one each."""
    text = path.read_bytes().decode("latin-1")
    parts = text.split("\n[Event ")
    # The line end belongs to the game before: without it no empty line would part two of them.
    return [(part if at == 0 else "[Event " + part) + "\n" for at, part in enumerate(parts) if part.strip()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=Path)
    parser.add_argument("--annotated", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--part", type=int, default=1500)
    args = parser.parse_args()

    import chess.pgn

    part = "".join(islice(texts_of(args.games), args.part))

    def chess_moves() -> int:
        handle, count = io.StringIO(part), 0
        while (game := chess.pgn.read_game(handle)) is not None:
            board, words = game.board(), []
            for move in game.mainline_moves():
                words.append(board.san_and_push(move))
            count += 1
        return count

    def chess_headers() -> int:
        handle, count = io.StringIO(part), 0
        while chess.pgn.read_headers(handle) is not None:
            count += 1
        return count

    def our_moves(threads: int) -> int:
        with tabiya.open(args.games, threads=threads) as db:
            return sum(1 for game in db[:].reading("moves") if game.san is not None)

    def our_tags() -> int:
        with tabiya.open(args.games) as db:
            return sum(1 for game in db[:].reading("tags") if game.white is not None)

    moves = least(
        args.runs,
        {
            "tabiya, two threads": lambda: our_moves(2),
            "tabiya, one thread": lambda: our_moves(1),
            "python-chess": chess_moves,
        },
    )
    show("All main lines as lists of SAN", moves, "games")
    tags = least(args.runs, {"tabiya": our_tags, "python-chess": chess_headers})
    show("Headers alone", tags, "games")

    flat_of(args.annotated or args.games, args.runs)
    frames(args.games, args.runs)


def flat_of(path: Path, runs: int) -> None:
    try:
        import rust_pgn_reader_python_binding as other
    except ImportError:
        print("skipped: rust-pgn-reader-python-binding is not installed")
        return
    import pyarrow as pa

    def theirs(threads: int) -> Callable[[], int]:
        def run() -> int:
            # Reading the file and cutting it into texts belongs to it: it takes texts alone.
            texts = pa.chunked_array([pa.array(texts_of(path))])
            games = other.parse_games(texts, num_threads=threads)
            return sum(len(chunk.from_squares) for chunk in games.chunks)

        return run

    texts = pa.chunked_array([pa.array(texts_of(path))])

    def alone(threads: int) -> Callable[[], int]:
        return lambda: sum(len(chunk.from_squares) for chunk in other.parse_games(texts, num_threads=threads).chunks)

    def ours(threads: int) -> Callable[[], int]:
        def run() -> int:
            with tabiya.open(path, threads=threads) as db:
                return sum(len(block.from_squares) for block in db.flat())

        return run

    found: dict[str, Callable[[], int]] = {}
    for threads in (1, 2):
        found[f"tabiya from the file, {threads} thread(s)"] = ours(threads)
        found[f"rust-pgn-reader-python-binding from the file, {threads} thread(s)"] = theirs(threads)
        found[f"the same from texts in memory, {threads} thread(s)"] = alone(threads)
    show(f"Boards, moves, clocks and evaluations as flat arrays: {path.name}", least(runs, found), "moves")


def frames(path: Path, runs: int) -> None:
    import polars as pl

    columns = ["game", "white", "white_elo", "black", "black_elo", "result", "date", "event", "site", "round", "eco", "plies"]
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name in ("games.csv", "games.si5", "games.parquet"):
            made[name] = Path(folder) / name
            tabiya.convert(path, made[name])

        def frame(source: Path) -> Callable[[], int]:
            def run() -> int:
                with tabiya.open(source) as db:
                    return pl.DataFrame(db.games(columns)).height

            return run

        found = {
            "tabiya, db.games() of PGN": frame(path),
            "tabiya, db.games() of Scid 5": frame(made["games.si5"]),
            "tabiya, db.games() of Parquet": frame(made["games.parquet"]),
            "polars.read_csv of our CSV": lambda: pl.read_csv(made["games.csv"], infer_schema_length=None).height,
        }
        show("The table of games as a frame of Polars", least(runs, found), "games")


if __name__ == "__main__":
    main()
