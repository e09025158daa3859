"""Flat arrays: python-chess judges boards and moves."""

from __future__ import annotations

from pathlib import Path

import pytest
import tabiya

np = pytest.importorskip("numpy")


def test_flat_arrays_are_what_python_chess_plays(classics: Path) -> None:
    chess = pytest.importorskip("chess")
    with tabiya.open(classics) as db:
        games = list(db)
        blocks = list(db.flat())
        assert sum(len(block) for block in blocks) == 37
        at = 0
        for block in blocks:
            assert block.numbers.tolist() == [game.number for game in games[at : at + len(block)]]
            for place in range(len(block)):
                game = games[at + place]
                read = game.to_chess()
                board = read.board()
                first, last = block.position_offsets[place], block.position_offsets[place + 1]
                assert last - first == game.plies + 1
                moves = list(read.mainline_moves())
                for ply, position in enumerate(range(first, last)):
                    codes = [0] * 64
                    for square, piece in board.piece_map().items():
                        codes[square] = piece.piece_type + (0 if piece.color else 6)
                    assert block.boards[position].tolist() == codes
                    assert bool(block.turns[position]) == board.turn
                    assert block.halfmoves[position] == board.halfmove_clock
                    rights = [
                        board.has_kingside_castling_rights(True),
                        board.has_queenside_castling_rights(True),
                        board.has_kingside_castling_rights(False),
                        board.has_queenside_castling_rights(False),
                    ]
                    assert block.castling[position].tolist() == rights
                    passing = chess.square_file(board.ep_square) if board.has_legal_en_passant() else -1
                    assert block.en_passant[position] == passing
                    if ply < len(moves):
                        move = moves[ply]
                        m = block.move_offsets[place] + ply
                        assert (block.from_squares[m], block.to_squares[m]) == (move.from_square, move.to_square)
                        assert block.promotions[m] == (move.promotion or -1)
                        assert block.position_of_move[m] == position and block.game_of_move[m] == place
                        board.push(move)
                assert bool(block.checkmates[place]) == board.is_checkmate()
                assert bool(block.stalemates[place]) == board.is_stalemate()
                assert block.legal_moves[place] == board.legal_moves.count()
                assert block.insufficient[place].tolist() == [
                    board.has_insufficient_material(True),
                    board.has_insufficient_material(False),
                ]
                score = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(game.result)
                assert block.scores[place] == score or (score is None and np.isnan(block.scores[place]))
                assert block.tags(place) == game.tags
                assert block.valid[place]
            at += len(block)


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/8/8/K1k5 w - - 0 1", "8/8/8/8/8/8/8/KNk5 w - - 0 1", "8/8/8/8/8/8/8/KNNkn3 w - - 0 1", "8/8/8/8/8/8/8/KBkb4 w - - 0 1",
            "8/8/8/8/8/8/8/KBkb1b2 w - - 0 1", "8/8/8/8/8/8/8/KNkq4 w - - 0 1", "8/8/8/8/8/8/P7/K1k5 w - - 0 1", "8/8/8/8/8/8/8/KBkn4 w - - 0 1"]
)
def test_what_cannot_win_is_what_python_chess_says(fen: str) -> None:
    chess = pytest.importorskip("chess")
    import io

    with tabiya.open(io.StringIO(f'[FEN "{fen}"]\n[SetUp "1"]\n\n*\n')) as db:
        (block,) = db.flat()
    board = chess.Board(fen)
    assert block.insufficient[0].tolist() == [board.has_insufficient_material(True), board.has_insufficient_material(False)]


def test_clocks_and_evaluations_are_numbers() -> None:
    import io

    pgn = "1. e4 {[%clk 0:01:02] [%eval -0.35]} e5 {[%eval #3]} 2. d4 {[%eval #-2]} d5 *"
    with tabiya.open(io.StringIO(pgn)) as db:
        (block,) = db.flat()
        assert np.array_equal(block.clocks, np.array([62, np.nan, np.nan, np.nan], dtype="f4"), equal_nan=True)
        assert np.array_equal(block.evals, np.array([-0.35, 97, -98, np.nan], dtype="f4"), equal_nan=True)
        (block,) = db.flat(annotations=False)
        assert np.isnan(block.clocks).all() and np.isnan(block.evals).all()
        with pytest.raises(ValueError, match="read-only"):
            block.boards[0, 0] = 1


def test_batches_hold_every_position_once_in_an_order_that_a_seed_says(classics: Path) -> None:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 30)
    with tabiya.open(path) as db:

        def rows(**options: object) -> list[tuple[int, int]]:
            found: list[tuple[int, int]] = []
            sizes: list[int] = []
            for batch in db.tensors(1000, **options):  # type: ignore[arg-type]
                sizes.append(len(batch))
                assert batch.boards.shape == (len(batch), 64) and batch.castling.shape == (len(batch), 4)
                found += list(zip(batch.numbers.tolist(), batch.plies.tolist(), strict=True))
            assert all(size == 1000 for size in sizes[:-1]) and 0 < sizes[-1] <= 1000
            return found

        plain = rows()
        assert plain == [(game.number, ply) for game in db for ply in range(game.plies)]
        one, same, other = rows(seed=1, window=5000), rows(seed=1, window=5000), rows(seed=2, window=5000)
        assert one == same != other
        assert sorted(one) == sorted(other) == sorted(plain) and one != plain
        assert rows(seed=3, window=1 << 30) != one
        with pytest.raises(tabiya.UsageError):
            db.tensors(0)


def test_a_search_has_tensors_too(classics: Path) -> None:
    with tabiya.open(classics) as db:
        found = db.search("ends:mate")
        numbers = [number for block in found.flat() for number in block.numbers.tolist()]
        assert numbers == found.numbers()
        assert sum(len(batch) for batch in found.tensors()) == sum(game.plies for game in found)


TEXTS = [
    "1. e4 e5 2. Nf3 1-0",
    "",
    "1. d4 { [%clk 0:10:00] } d5 { [%clk 0:09:58] [%eval 0.3] } 1/2-1/2",
    "no game at all",
    "1. c4 c5",
    "1. Nf3 d5 { never closed",
    '[White "A"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O+ Ke7 1-0',
    "1. e4 (1. d4 d5) e6 * 1. g3 g6 0-1",
    "1. e5 e4 *",
    "e4 e5 0-1",
]


def test_texts_are_read_one_by_one_whatever_stands_in_them() -> None:
    pa = pytest.importorskip("pyarrow")
    many = TEXTS * 700

    def plies_of(text: str) -> int:
        try:
            return tabiya.read_pgn(text)[0].plies
        except (tabiya.FormatError, IndexError):
            return 0

    alone = [plies_of(text) for text in TEXTS]
    assert alone[:5] == [3, 0, 2, 0, 2] and alone[6:8] == [2, 2] and alone[9] == 2
    column = pa.chunked_array([pa.array(["left out", *many[:3]])[1:], pa.array(many[3:], pa.large_string()).cast(pa.string())])
    for texts in (many, column, pa.array(many, pa.string_view()), column.cast(pa.large_string())):
        blocks = list(tabiya.flat(texts))
        assert [int(number) for block in blocks for number in block.numbers] == list(range(1, len(many) + 1))
        at = 0
        for block in blocks:
            for game in range(len(block)):
                start, end = block.move_offsets[game], block.move_offsets[game + 1]
                assert end - start == alone[at % len(TEXTS)], TEXTS[at % len(TEXTS)]
                at += 1
        valid = [bool(is_valid) for block in blocks for is_valid in block.valid]
        assert valid[0] and valid[2] and not valid[3] and not valid[8]
        clocks = [float(clock) for block in blocks[:1] for clock in block.clocks[3:5]]
        assert clocks == [600.0, 598.0]
        tags = [block.tags(game) for block in blocks for game in range(len(block))]
        assert tags[6]["White"] == "A" and not tags[0]
    with pytest.raises(tabiya.UsageError, match="give a list"):
        tabiya.flat("1. e4 *")
    assert list(tabiya.flat([])) == []
    with pytest.raises(TypeError):
        list(tabiya.flat(17))

