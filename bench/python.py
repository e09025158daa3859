"""Compares the Python module with others on the same files, in one run.

    python bench/python.py GAMES.pgn [--annotated LICHESS.pgn] [--runs 3]

Wanted: the wheel of `cargo xtask python --release`, chess, polars, pyarrow, numpy, rust-pgn-reader-python-binding==4.1.0. Each figure is the least of the runs, in which the contestants take turns: of the time on the clock, and of the
processors' time of all threads, which other work on the machine changes less. What takes python-chess long is
measured on a part of the games, which all contestants read, and told by its speed. `--only NAME` measures one table: moves, headers, flat, parquet or frames.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import tabiya


class Figures(NamedTuple):
    """What a contestant took at least, and what it counted."""

    clock: float
    processors: float
    count: int


def least(runs: int, contestants: dict[str, Callable[[], int]]) -> dict[str, Figures]:
    """The least times of each."""
    found: dict[str, Figures] = {}
    for _ in range(runs):
        for name, run in contestants.items():
            start, used = time.perf_counter(), time.process_time()
            count = run()
            took, used = time.perf_counter() - start, time.process_time() - used
            before = found.get(name, Figures(took, used, count))
            if count != before.count:
                raise SystemExit(f"{name}: {count} and {before.count} of the same file")
            found[name] = Figures(min(took, before.clock), min(used, before.processors), count)
    return found


def show(title: str, found: dict[str, Figures], unit: str) -> None:
    print(f"\n{title}\n\n| | s | CPU s | {unit} | {unit} a second | {unit} a CPU second |\n|---|--:|--:|--:|--:|--:|")
    for name, it in found.items():
        speeds = f"{it.count / it.clock:,.0f} | {it.count / it.processors:,.0f}"
        print(f"| {name} | {it.clock:.2f} | {it.processors:.2f} | {it.count:,} | {speeds} |", flush=True)


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
    parser.add_argument("--only", choices=["moves", "headers", "flat", "parquet", "frames"])
    args = parser.parse_args()
    annotated = args.annotated or args.games
    tables: dict[str, Callable[[], None]] = {
        "moves": lambda: moves_of(args.games, args.runs, args.part),
        "headers": lambda: headers_of(args.games, args.runs),
        "flat": lambda: flat_of(annotated, args.runs),
        "parquet": lambda: parquet_of(annotated, args.runs),
        "frames": lambda: frames(args.games, args.runs),
    }
    for name, table in tables.items():
        if args.only in (None, name):
            table()


def moves_of(path: Path, runs: int, part: int) -> None:
    import chess.pgn

    text = "".join(islice(texts_of(path), part))

    def chess_moves() -> int:
        handle, count = io.StringIO(text), 0
        while (game := chess.pgn.read_game(handle)) is not None:
            board, words = game.board(), []
            for move in game.mainline_moves():
                words.append(board.san_and_push(move))
            count += 1
        return count

    def ours(threads: int) -> int:
        with tabiya.open(path, threads=threads) as db:
            return sum(1 for game in db[:].reading("moves") if game.san is not None)

    moves = least(
        runs,
        {
            "tabiya, two threads": lambda: ours(2),
            "tabiya, one thread": lambda: ours(1),
            "python-chess": chess_moves,
        },
    )
    show("All main lines as lists of SAN", moves, "games")


def headers_of(path: Path, runs: int) -> None:
    """Everybody reads all games of the same file, and asks each for White's name."""
    import chess.pgn

    def theirs() -> int:
        count = 0
        with path.open(encoding="latin-1") as handle:
            while (headers := chess.pgn.read_headers(handle)) is not None:
                count += 1 if headers.get("White") is not None else 0
        return count

    def ours(threads: int) -> Callable[[], int]:
        def run() -> int:
            with tabiya.open(path, threads=threads) as db:
                return sum(1 for tags in db.headers() if tags.get("White") is not None)

        return run

    def games() -> int:
        with tabiya.open(path, threads=2) as db:
            return sum(1 for game in db[:].reading("tags") if game.white is not None)

    found = least(
        runs,
        {
            "tabiya, db.headers(), two threads": ours(2),
            "tabiya, db.headers(), one thread": ours(1),
            "tabiya, games read as far as their tags, two threads": games,
            "python-chess, read_headers": theirs,
        },
    )
    show("Headers alone", found, "games")


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


def parquet_of(path: Path, runs: int) -> None:
    """The same Parquet file for all: headers and a column `movetext`, as the data sets of Lichess have it. Reading the column belongs to it."""
    try:
        import rust_pgn_reader_python_binding as other
    except ImportError:
        print("skipped: rust-pgn-reader-python-binding is not installed")
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        file, our_file = Path(folder) / "movetext.parquet", Path(folder) / "games.parquet"
        texts = texts_of(path)
        white = [text.split('[White "', 1)[1].split('"', 1)[0] for text in texts]
        movetext = [text.split("\n\n", 1)[1].strip() for text in texts]
        pq.write_table(pa.table({"White": white, "movetext": movetext}), file)
        tabiya.convert(path, our_file)

        def theirs(threads: int) -> Callable[[], int]:
            def run() -> int:
                column = pq.ParquetFile(file).read(columns=["movetext"]).column("movetext")
                return sum(len(chunk.from_squares) for chunk in other.parse_games(column, num_threads=threads).chunks)

            return run

        def ours(threads: int) -> Callable[[], int]:
            def run() -> int:
                column = pq.ParquetFile(file).read(columns=["movetext"]).column("movetext")
                return sum(len(block.from_squares) for block in tabiya.flat(column, threads=threads))

            return run

        def of_ours(threads: int) -> Callable[[], int]:
            def run() -> int:
                with tabiya.open(our_file, threads=threads) as db:
                    return sum(len(block.from_squares) for block in db.flat())

            return run

        found: dict[str, Callable[[], int]] = {}
        for threads in (1, 2):
            found[f"tabiya.flat of the column, {threads} thread(s)"] = ours(threads)
            found[f"rust-pgn-reader-python-binding, parse_games of the column, {threads} thread(s)"] = theirs(threads)
            found[f"tabiya, db.flat() of our own Parquet of the same games, {threads} thread(s)"] = of_ours(threads)
        show(f"The same arrays from Parquet: {path.name}", least(runs, found), "moves")


def frames(path: Path, runs: int) -> None:
    import polars as pl

    columns = ["game", "white", "white_elo", "black", "black_elo", "result", "date", "event", "site", "round", "eco", "plies"]
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name in ("games.csv", "games.si5", "games.parquet"):
            made[name] = Path(folder) / name
            tabiya.convert(path, made[name])
        made["indexed.pgn"] = Path(folder) / "indexed.pgn"
        made["indexed.pgn"].write_bytes(path.read_bytes())
        with tabiya.open(made["indexed.pgn"]) as db:
            db.index()

        def frame(source: Path) -> Callable[[], int]:
            def run() -> int:
                with tabiya.open(source) as db:
                    return pl.DataFrame(db.games(columns)).height

            return run

        # What the CSV holds, but for whether a game is deleted.
        found = {
            "tabiya, db.games() of PGN": frame(path),
            "tabiya, db.games() of PGN with its index": frame(made["indexed.pgn"]),
            "tabiya, db.games() of Scid 5": frame(made["games.si5"]),
            "tabiya, db.games() of Parquet": frame(made["games.parquet"]),
            "polars.read_csv of our CSV": lambda: pl.read_csv(made["games.csv"], infer_schema_length=None).height,
        }
        show("The table of games as a frame of Polars", least(runs, found), "games")


if __name__ == "__main__":
    main()
