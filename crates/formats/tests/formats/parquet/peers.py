"""What others read in our Parquet files, beside python-chess on the same games as PGN; and the same rows as others write them.

usage: peers.py check GAMES.pgn GAMES.parquet
       peers.py rewrite GAMES.parquet FOLDER
"""

import datetime
import re
import sys

SPELLING = re.compile(
    r"(?:\[%eval (?P<eval>-?(?:\d+\.\d\d?|#[1-9]\d*)|#-[1-9]\d*)\])?(?: (?=\[%clk))?(?:\[%clk (?P<clock>\d{1,3}:\d\d:\d\d(?:\.[1-9])?)\])?")


def planes(cell, width, plies, signed=True):
    assert len(cell) == width * plies, (len(cell), width, plies)
    return [
        int.from_bytes(bytes(cell[plane * plies + ply] for plane in range(width)), "little", signed=signed)
        for ply in range(plies)
    ]


def steps(cell, plies):
    """Differences in tenths of seconds."""
    width = 3 if len(cell) == 3 * plies else 4
    unit, none = (10, 2**24 - 1) if width == 3 else (1, 2**31 - 1)
    for number in planes(cell, width, plies, signed=False):
        if number == none:
            yield None
            continue
        if width == 4:
            assert number >> 30 == 1, number
            number -= 2**30
        half, odd = divmod(number, 2)
        yield unit * (-half - 1 if odd else half)


def clocks(cell, plies):
    times, before = [], [0, 0]
    for ply, step in enumerate(steps(cell, plies)):
        if step is None:
            times.append(None)
        else:
            before[ply % 2] += step
            times.append(before[ply % 2] / 10)
    return times


def evals(cell, plies):
    return [None if value == -2**15 else value for value in planes(cell, 2, plies)]


def moves(cell):
    import chess

    codes = [int.from_bytes(cell[at:at + 2], "little") for at in range(0, len(cell), 2)]
    return [chess.Move(code & 63, code >> 6 & 63, code >> 12 or None) for code in codes]


def value_of(node):
    score = node.eval().white()
    if score.is_mate():
        mate = score.mate()
        return 32000 - mate if mate > 0 else -32000 - mate
    return score.score()


def plain(text):
    return int(text) if re.fullmatch(r"0|[1-9]\d{0,8}", text or "") else None


def compare_pawns(game, row):
    import chess

    board, left, promotions = game.board(), "", ""
    is_usual = board.fen() == chess.STARTING_FEN
    if is_usual:
        assert row["home_pawns"] is not None
    else:
        # A start that is set up has no pawns that left home.
        assert row["home_pawns"] is None, row["home_pawns"]
    home = {chess.square(file, rank): chess.FILE_NAMES[file].upper() if rank == 1 else chess.FILE_NAMES[file]
            for rank in (1, 6) for file in range(8)}
    for node in game.mainline():
        if node.move.promotion:
            symbol = chess.piece_symbol(node.move.promotion)
            promotions += symbol.upper() if board.turn else symbol
        board.push(node.move)
        for square in [square for square, letter in home.items()
                       if board.piece_at(square) != chess.Piece(chess.PAWN, letter.isupper())]:
            left += home.pop(square)
    if is_usual:
        assert row["home_pawns"] == left, (row["game"], row["home_pawns"], left)
    assert row["promotions"] == (promotions or None), (row["promotions"], promotions)


def compare(game, row):
    headers = game.headers
    names = [line.rstrip("=~") for line in (row["tag_names"] or "").split("\n")]
    for name, column in [
        ("Event", "event"), ("Site", "site"), ("Date", "date"), ("Round", "round"), ("White", "white"),
        ("Black", "black"), ("Result", "result"), ("ECO", "eco"), ("FEN", "fen"), ("Variant", "variant"),
        ("TimeControl", "time_control"), ("Opening", "opening"), ("WhiteTitle", "white_title"),
    ]:
        # Empty tags are told apart from missing ones in other columns.
        # python-chess makes up tags of the roster that are missing.
        is_made_up = row[column] is None and set(headers.get(name, "")) <= set("?.")
        # Of a tag that stands there twice, python-chess keeps the last and the column the first.
        if headers.get(name) and not is_made_up and names.count(name) < 2:
            assert row[column] == headers[name], (row["game"], name, row[column], headers[name])
    for name, column in [("WhiteElo", "white_elo"), ("BlackElo", "black_elo")]:
        assert row[column] == plain(headers.get(name)), (name, row[column])
    found = re.fullmatch(r"(\d{4})\.(\d\d|\?\?)\.(\d\d|\?\?)", headers.get("Date", ""))
    if found:
        parts = [None if "?" in part else int(part) or None for part in found.groups()]
        assert [row["year"], row["month"], row["day"]] == parts, row["date"]
        if None not in parts:
            try:
                day = datetime.date(*parts)
            except ValueError:
                day = None
            assert row["played"] == day, (row["played"], day)
    if row["result"] == (row["outcome"] or row["result"]):
        score = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(row["result"])
        assert row["score"] == score, (row["score"], score)
    nodes = list(game.mainline())
    assert row["plies"] == len(nodes)
    board = game.board()
    for node, move in zip(nodes, moves(row["moves"]), strict=True):
        assert node.move == move or board.san(node.move) == board.san(board.parse_uci(move.uci())), (node.move, move)
        board.push(node.move)
    letters = "KQRBNP"
    men = ["".join(sorted((p.symbol().upper() for p in board.piece_map().values() if p.color == colour), key=letters.index))
           for colour in (True, False)]
    assert row["final_material"] == "v".join(men)
    compare_pawns(game, row)
    times = clocks(row["clocks"], len(nodes)) if row["clocks"] else [None] * len(nodes)
    values = evals(row["evals"], len(nodes)) if row["evals"] else [None] * len(nodes)
    seen = [0, 0]
    for node, time, value in zip(nodes, times, values):
        spelling = SPELLING.fullmatch((node.comment or "").strip())
        if time is not None:
            assert abs(node.clock() - time) < 0.01, (node.comment, time)
            seen[0] += 1
        if value is not None:
            assert value_of(node) == value, (node.comment, value)
            seen[1] += 1
        if spelling and spelling["clock"] and not spelling["eval"]:
            assert time is not None, node.comment
    return seen


def check(pgn, parquet):
    import chess.pgn
    import duckdb
    import pyarrow.parquet as pq

    tables = {"pyarrow": pq.read_table(parquet).to_pylist()}
    found = duckdb.sql(f"SELECT * FROM '{parquet}' ORDER BY game")
    names = found.columns
    tables["duckdb"] = [dict(zip(names, row)) for row in found.fetchall()]
    try:
        import polars

        tables["polars"] = polars.read_parquet(parquet).to_dicts()
    except ImportError:
        pass
    first = tables["pyarrow"]
    for name, rows in tables.items():
        assert rows == first, name
    games = seen = 0
    with open(pgn, encoding="utf-8") as file:
        for row in first:
            game = chess.pgn.read_game(file)
            games += 1
            assert row["game"] == games
            if not game.errors:
                clock, value = compare(game, row)
                seen += clock + value
        assert chess.pgn.read_game(file) is None
    print(games, seen, ",".join(tables))


def rewrite(parquet, folder):
    import duckdb
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    plain = {name: "PLAIN" for name in table.column_names}
    texts = [f.name for f in table.schema if str(f.type) in ("string", "binary")]
    numbers = [f.name for f in table.schema if str(f.type) in ("int32", "int64")]
    shared = plain | {name: "DELTA_BYTE_ARRAY" for name in texts} | {name: "DELTA_BINARY_PACKED" for name in numbers}
    lengths = plain | {name: "DELTA_LENGTH_BYTE_ARRAY" for name in texts} | {name: "BYTE_STREAM_SPLIT" for name in numbers}
    for name, options in {
        "snappy": {},
        "none": {"compression": "none"},
        "gzip": {"compression": "gzip", "data_page_version": "2.0"},
        "plain": {"use_dictionary": False, "column_encoding": plain, "compression": "zstd"},
        "shared": {"use_dictionary": False, "column_encoding": shared, "data_page_version": "2.0"},
        "lengths": {"use_dictionary": False, "column_encoding": lengths, "row_group_size": 7},
        "small": {"row_group_size": 3, "data_page_size": 64, "version": "1.0"},
    }.items():
        pq.write_table(table, f"{folder}/pyarrow-{name}.parquet", **options)
    duckdb.sql(f"COPY (SELECT * FROM '{parquet}' ORDER BY game) TO '{folder}/duckdb.parquet' (FORMAT parquet)")
    duckdb.sql(f"COPY (SELECT * FROM '{parquet}' ORDER BY game) TO '{folder}/duckdb-2.parquet' "
               "(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)")
    try:
        import polars

        polars.read_parquet(parquet).write_parquet(f"{folder}/polars.parquet")
    except ImportError:
        pass


if __name__ == "__main__":
    {"check": check, "rewrite": rewrite}[sys.argv[1]](*sys.argv[2:])
