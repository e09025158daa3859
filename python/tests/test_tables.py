"""Tables: what pyarrow reads of a Parquet file of the same games is what they must be; python-chess judges moves and positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tabiya
from conftest import CORPUS

pa = pytest.importorskip("pyarrow")


def many(classics: Path) -> Path:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 40)
    return path


def plain(table: Any) -> Any:
    """A table with types that do not tell how texts are held."""
    import pyarrow as pa

    fields = [
        pa.field(field.name, {"string_view": pa.string(), "binary_view": pa.binary()}.get(str(field.type), field.type))
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).combine_chunks()


def test_games_are_what_pyarrow_reads_of_our_parquet(classics: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for source in (many(classics), CORPUS / "si5" / "ok" / "sample.si5", CORPUS / "pgn" / "ok" / "annotated.pgn"):
        target = tmp_path / "games.parquet"
        assert tabiya.convert(source, target, force=True).is_complete
        with tabiya.open(source) as db, tabiya.open(target) as copy:
            expected = plain(pq.read_table(target))
            assert plain(pa.table(db.games())).to_pydict() == expected.to_pydict()
            assert plain(pa.table(copy.games())).to_pydict() == expected.to_pydict()
            assert db.games().columns == expected.column_names
            part = plain(pa.table(db.games(["white", "game", "plies", "played"])))
            assert part.to_pydict() == expected.select(["white", "game", "plies", "played"]).to_pydict()
            query = plain(pa.table(db.search("result:1-0").games()))
            wins = [at for at, result in enumerate(expected["result"].to_pylist()) if result == "1-0"]
            assert query.to_pydict() == expected.take(wins).to_pydict()
            schema = pa.schema(db.games(["white", "game", "score", "played", "moves"]))
            assert [str(field.type) for field in schema] == ["string", "int64", "double", "date32[day]", "binary"]
            assert [field.nullable for field in schema] == [True, False, True, True, False]


def test_columns_that_are_none_are_told(classics: Path) -> None:
    with tabiya.open(classics) as db:
        with pytest.raises(tabiya.UsageError, match="there is no column wite; the columns are game, event"):
            db.games(["wite"])
        with pytest.raises(tabiya.UsageError, match="requested twice"):
            db.games(["white", "white"])
        with pytest.raises(tabiya.UsageError, match="give a list"):
            db.games("white")
        assert pa.table(db.games([])).num_rows == 37


def test_a_table_can_be_read_twice_and_left(classics: Path) -> None:
    with tabiya.open(many(classics)) as db:
        table = db.games(["white"])
        assert pa.table(table).equals(pa.table(table))
        for _ in range(20):
            reader = pa.RecordBatchReader.from_stream(table)
            assert reader.read_next_batch().num_rows > 0
            del reader


def test_moves_are_what_python_chess_plays(classics: Path) -> None:
    chess = pytest.importorskip("chess")
    with tabiya.open(classics) as db:
        names = ["game", "ply", "move", "side", "san", "uci", "comment", "nags", "fen"]
        rows = pa.table(db.moves(names)).to_pylist()
        assert "fen" not in db.moves().columns and "clk" in db.moves().columns
        expected: list[tuple[Any, ...]] = []
        for game in db:
            read = game.to_chess()
            board = read.board()
            for node in read.mainline():
                row = (game.number, len(expected), board.fullmove_number, "white" if board.turn else "black", board.san(node.move))
                uci = node.move.uci()
                board.push(node.move)
                expected.append((*row, uci, board.fen()))
        assert len(rows) == len(expected) == 2078
        ply = 0
        for row, (number, _, move, side, san, uci, fen) in zip(rows, expected, strict=True):
            ply = ply + 1 if row["ply"] > 1 else 1
            found = (row["game"], row["ply"], row["move"], row["side"], row["san"], row["uci"], chess.Board(row["fen"]).fen())
            assert found == (number, ply, move, side, san, uci, fen)
        comments = [(row["game"], row["comment"]) for row in rows if row["comment"]]
        assert comments == [(game.number, node.comment) for game in db for node in game.moves if node.comment]
        nags = [row["nags"] for row in rows if row["nags"]]
        assert nags == [" ".join(map(str, node.nags)) for game in db for node in game.moves if node.nags]


def test_clocks_and_evaluations_have_columns() -> None:
    pgn = "1. e4 {[%clk 1:02:03.5] [%eval -0.35,18]} e5 {[%emt 0:00:07] [%eval #-3]} 2. d4 *"
    import io

    with tabiya.open(io.StringIO(pgn)) as db:
        rows = pa.table(db.moves(["clk", "emt", "eval", "mate", "depth"])).to_pylist()
    nothing = dict.fromkeys(["clk", "emt", "eval", "mate", "depth"])
    assert rows == [
        {**nothing, "clk": 3723.5, "eval": -0.35, "depth": 18},
        {**nothing, "emt": 7.0, "mate": -3},
        nothing,
    ]


def test_positions_have_their_game_and_what_was_played(classics: Path) -> None:
    with tabiya.open(classics) as db:
        rows = pa.table(db.positions(["hash", "game", "ply", "move", "score", "white_elo", "fen"])).to_pylist()
        fens = [(game.number, ply, fen) for game in db for ply, fen in enumerate(game.fens())]
        assert [(row["game"], row["ply"], row["fen"]) for row in rows] == fens
        # The same pieces and side to move have the same key, others another one.
        keys: dict[str, int] = {}
        for row in rows:
            pieces = " ".join(row["fen"].split()[:2])
            assert keys.setdefault(pieces, row["hash"]) == row["hash"]
        assert len(set(keys.values())) == len(keys)
        squares = "abcdefgh"
        for game in db:
            of_game = [row for row in rows if row["game"] == game.number]
            assert of_game[-1]["move"] is None
            for row, uci in zip(of_game, game.uci, strict=False):
                code = row["move"]
                start = squares[code & 7] + str((code >> 3 & 7) + 1)
                assert uci.startswith(start)
            assert {row["score"] for row in of_game} == {{"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "*": None}[game.result]}
            assert {row["white_elo"] for row in of_game} == {game.white_elo}


def test_others_take_tables_too(classics: Path) -> None:
    path = many(classics)
    with tabiya.open(path) as db:
        expected = [game.white for game in db]
        polars = pytest.importorskip("polars")
        assert polars.DataFrame(db.games())["white"].to_list() == expected
        assert polars.DataFrame(db.games(["game", "result"])).filter(polars.col("result") == "1-0").height == 23 * 40
        pandas = pytest.importorskip("pandas")
        assert pandas.DataFrame.from_arrow(db.games())["white"].tolist() == expected
        duckdb = pytest.importorskip("duckdb")
        rows = db.games(["white", "result"])
        assert rows.columns == ["white", "result"]
        assert duckdb.sql("SELECT count(*) FROM rows WHERE result = '1-0'").fetchall() == [(23 * 40,)]


def test_a_change_while_a_table_is_read_is_told(classics: Path) -> None:
    # More than is read ahead.
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 1000)
    with tabiya.open(path) as db:
        reader = pa.RecordBatchReader.from_stream(db.games())
        reader.read_next_batch()
        with path.open("ab") as more:
            more.write(b'\n[White "New"]\n\n1. e4 *\n')
        with pytest.raises(Exception, match="changed"):
            reader.read_all()


FACTS = "game white white_elo black black_elo result date event site round eco plies".split()


def files() -> list[Path]:
    """Samples of every format."""
    return sorted((CORPUS).glob("*/*/*"))


def compare_columns(db: tabiya.Database) -> None:
    """A column is the same alone, with those that an index answers, and among all others, for which every game is read whole."""
    whole = pa.table(db.games())
    for name in whole.column_names:
        assert pa.table(db.games([name]))[name].to_pylist() == whole[name].to_pylist(), name
    for names in (FACTS, FACTS[:-1], ["plies", "annotator", "game"], ["year", "score", "played", "time_base", "flags", "fen"]):
        assert pa.table(db.games(names)).to_pydict() == whole.select(names).to_pydict(), names
    chosen = db[3:40] if len(db) > 3 else db[:]
    assert pa.table(chosen.games(FACTS)).to_pydict() == whole.select(FACTS).slice(3 if len(db) > 3 else 0, 37).to_pydict()


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_a_column_is_the_same_alone(path: Path) -> None:
    try:
        db = tabiya.open(path)
        list(db)
    except tabiya.TabiyaError as error:
        assert str(error)
        return
    with db:
        compare_columns(db)


ODD = """[Event "a"]
[White "b"]
[{name} "{value}"]
[Result "1-0"]
[{name} "{value}"]

1. e4 1-0

[{name} "{value}"]

1. e4 e5 *

"""


def test_odd_tags_are_columns_as_they_stand(tmp_path: Path) -> None:
    odd = {
        "Date": ["2011.19.11", "11.04.1992", "1992", "2011.02.31", "1992.??.11", "????.??.??", "?", "", "next week"],
        "ECO": ["", "b90", "B90a", "B90/12", "?", "ZZ9", "B90 "],
        "WhiteElo": ["", "2785?", " 2785", "02785", "0", "-", "70000", "+5"],
        "Result": ["", "0-1", "1/2", "0-0", "1-0 ", "*"],
        "Event": ["", "?", " a "],
        "SetUp": ["", "0", "1"],
        "FEN": ["", "x", "8/8/8/8/8/8/8/K1k5 w - - 0 1"],
        "ScidFlags": ["D", "DW!", "z"],
        "TimeControl": ["300+3", "40/7200:3600", "-", "?"],
        "Variant": ["Chess960", "Crazyhouse"],
        "white": ["x"],
    }
    source = tmp_path / "odd.pgn"
    source.write_text("".join(ODD.format(name=name, value=value) for name, values in odd.items() for value in values))
    compared = 0
    for name, _, is_read, is_written in tabiya.formats():
        target = tmp_path / f"odd-{name}"
        if not (is_read and is_written):
            continue
        try:
            tabiya.convert(source, target, to=name)
            db = tabiya.open(target, format=name)
        except tabiya.TabiyaError:
            continue
        with db:
            compare_columns(db)
            compared += 1
    assert compared > 3
    with tabiya.open(source) as db:
        compare_columns(db)
        db.index()
        compare_columns(db)


def test_eight_threads_take_tables_and_headers(classics: Path) -> None:
    import threading

    with tabiya.open(many(classics)) as db:
        table, expected = db.games(), pa.table(db.games())
        names = expected["white"].to_pylist()
        headers = db.headers()
        seen: list[str] = []
        failures: list[BaseException] = []

        def work() -> None:
            try:
                assert pa.table(table).equals(expected)
                seen.extend(tags["White"] for tags in headers)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and sorted(seen) == sorted(names)
