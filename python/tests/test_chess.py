"""Games of python-chess: it is the judge of what we give it, and we are given what it has.

What python-chess reads of our own PGN is what :meth:`Game.to_chess` must give. Nothing here asks our code what a game holds.
"""

from __future__ import annotations

import io
import random
import re
from pathlib import Path
from typing import Any

import pytest
import tabiya
from conftest import CORPUS, IS_FULL, SAMPLES, shared, unpacked

chess = pytest.importorskip("chess")
import chess.pgn  # noqa: E402

# So much of each corpus of others is compared; all of it with TABIYA_FULL=1.
SIZE = None if IS_FULL else 300_000


class Quiet(chess.pgn.GameBuilder):  # type: ignore[type-arg,name-defined,misc]
    """Reads without a log."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def read_by_chess(pgn: str) -> Any:
    return chess.pgn.read_game(io.StringIO(pgn), Visitor=Quiet)


def told(game: Any, is_read: bool) -> tuple[Any, ...]:
    """Everything that a game of python-chess holds, as plain values."""
    headers = dict(game.headers)
    if is_read:
        # It takes what stands between the quotes, escapes with it.
        headers = {name: re.sub(r"\\(.)", r"\1", value) for name, value in headers.items()}
    nodes: list[Any] = []
    waiting = [game]
    while waiting:
        node = waiting.pop()
        nodes.append(
            (
                None if node.parent is None else node.move.uci(),
                # A line end in a comment is one of the text's layout.
                " ".join(node.comment.split()),
                "" if node.parent is None else " ".join(node.starting_comment.split()),
                sorted(node.nags),
                len(node.variations),
            )
        )
        waiting.extend(reversed(node.variations))
    return headers, nodes


def compare(games: Any) -> int:
    """Compares games, and says how many there were. A tag that stands twice has one value there."""
    count = 0
    for game in games:
        count += 1
        read = read_by_chess(game.pgn(width=0))
        ours = game.to_chess()
        if read is None:
            assert not game.moves and not dict(game.tags)
            continue
        assert told(ours, False) == told(read, True), f"game {game.number}:\n{game}"
    return count


@pytest.mark.parametrize("name", ["annotated-human.pgn.zst", "annotated.pgn.zst", "lichess-real.pgn.zst", "engine-matches.pgn.zst"])
def test_annotated_games_are_what_python_chess_reads(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path, SIZE)
    with tabiya.open(path) as db:
        assert compare(db) == len(db) > 5


def test_our_own_samples_are_what_python_chess_reads() -> None:
    count = 0
    for path in sorted(CORPUS.glob("*/ok/*")) + sorted(SAMPLES.glob("*.pgn")):
        try:
            db = tabiya.open(path)
        except tabiya.TabiyaError:
            continue
        with db:
            count += compare(db)
    assert count > 100


def test_nasty_files_are_what_python_chess_reads() -> None:
    count = 0
    for path in sorted(shared("nasty").iterdir()):
        if path.stat().st_size > (1 << 30 if IS_FULL else 20_000):
            continue
        try:
            databases = tabiya.open_all(path)
        except tabiya.TabiyaError:
            continue
        for db in databases:
            with db:
                try:
                    count += compare(db)
                except tabiya.TabiyaError as error:
                    assert str(error)
    assert count > 300


NASTY = [
    '[White "a \\\\ b"]\n\n1. e4 {} {a} {b} $1 $1 $999 (1. d4 $2 {x} {y}) {after} (1. c4 (1. Nf3 (1. g3 {deep}))) 1... e5 *',
    "{only a comment} *",
    "{one} {two} 1. -- {null} -- 2. e4 1/2-1/2",
    '[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 3 17"]\n[SetUp "1"]\n\n17. O-O Kd7 18. e4 1-0',
    '[Variant "Chess960"]\n[FEN "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"]\n[SetUp "1"]\n\n'
    "9. Nf3 O-O 10. O-O *",
    '[FEN "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"]\n[SetUp "1"]\n\n1... O-O-O+ (1... O-O {castled}) 2. O-O *',
    '[Variant "Atomic"]\n\n1. e4 e5 2. Nf3 *',
    '[Variant "Klingon"]\n\n1. e4 *',
    '[FEN "nonsense"]\n[SetUp "1"]\n\n1. e4 *',
    "1. e4 e5 2. Ke3 Nf6 *",
    "1. e4 (1. d4 (1. c4) 1... d5) (1. Nf3 *) e5 1-0",
    '[Result "0-1"]\n\n1. e4 1-0',
    '[Odd Name "x"]\n[A "1"]\n[A "2"]\n\n1. e4 *',
    "1. e4 {a \n b\tc} e5 ; to the end\n2. Nf3 *",
    "1. e8=Q *",
    '[FEN "8/P6k/8/8/8/8/7K/8 w - - 0 1"]\n[SetUp "1"]\n\n1. a8=N (1. a8=Q) Kg6 *',
]


@pytest.mark.parametrize("pgn", NASTY)
def test_nasty_games_are_what_python_chess_reads(pgn: str) -> None:
    assert compare(tabiya.read_pgn(pgn)) >= 1


def some_game(chance: random.Random) -> Any:
    """A game of python-chess with anything that it can hold."""
    game = chess.pgn.Game()
    words = ["good", "}", "{", "a \"quote\"", "\\", "line\nend", "ünïcödé ♞", "[%clk 0:01:02]", "(1. e4)", "; x", "  ", "%"]

    def text() -> str:
        return " ".join(chance.choice(words) for _ in range(chance.randrange(1, 4))).strip() if chance.random() < 0.3 else ""

    for name in ("White", "Black", "Event", "Annotator", "X_1"):
        if chance.random() < 0.7:
            game.headers[name] = text().replace("\n", " ") or "?"
    game.headers["Result"] = chance.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if chance.random() < 0.2:
        board = chess.Board.from_chess960_pos(chance.randrange(960)) if chance.random() < 0.5 else chess.Board()
        for _ in range(chance.randrange(12)):
            moves = list(board.legal_moves)
            if moves:
                board.push(chance.choice(moves))
        game.setup(chess.Board(board.fen(), chess960=board.chess960))
    game.comment = text()
    nodes = [game]
    for _ in range(chance.randrange(40)):
        parent = nodes[-1] if chance.random() < 0.8 else chance.choice(nodes)
        board = parent.board()
        moves = [move for move in board.legal_moves if not parent.has_variation(move)]
        if not board.is_check() and chance.random() < 0.03 and not parent.has_variation(chess.Move.null()):
            moves = [chess.Move.null()]
        if not moves:
            continue
        node = parent.add_variation(chance.choice(moves))
        node.comment = text()
        if not node.is_main_variation() and node.starts_variation():
            node.starting_comment = text()
        if chance.random() < 0.2:
            node.nags = set(chance.sample(range(1, 256), chance.randrange(1, 3)))
        nodes.append(node)
    return game


def exactly(game: Any) -> tuple[Any, ...]:
    nodes: list[Any] = []
    waiting = [game]
    while waiting:
        node = waiting.pop()
        move = None if node.parent is None else node.move.uci()
        start = "" if node.parent is None else node.starting_comment
        nodes.append((move, node.comment, start, sorted(node.nags), len(node.variations)))
        waiting.extend(reversed(node.variations))
    return dict(game.headers), nodes


def test_random_games_of_python_chess_come_back_as_they_were() -> None:
    for seed in range(10_000 if IS_FULL else 300):
        game = some_game(random.Random(seed))
        ours = tabiya.Game.from_chess(game)
        assert exactly(ours.to_chess()) == exactly(game), f"seed {seed}"


def test_games_of_python_chess_survive_a_database(tmp_path: Path) -> None:
    games = [some_game(random.Random(seed)) for seed in range(1000, 1100)]
    ours = [tabiya.Game.from_chess(game) for game in games]
    for name in ("games.parquet", "games.ndjson"):
        report = tabiya.write(ours, tmp_path / name)
        assert report.is_complete and report.games == 100 and not report.losses
        with tabiya.open(tmp_path / name) as db:
            for game, read in zip(games, db, strict=True):
                assert exactly(read.to_chess()) == exactly(game)


def test_variants_go_as_text() -> None:
    pgn = '[Variant "Crazyhouse"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 *\n'
    game = read_by_chess(pgn)
    again = tabiya.Game.from_chess(game).to_chess()
    assert [move.uci() for move in again.mainline_moves()] == [move.uci() for move in game.mainline_moves()]
    assert again.headers["Variant"] == "Crazyhouse" and not again.errors


def test_a_move_that_is_none_is_refused() -> None:
    game = chess.pgn.Game()
    game.add_variation(chess.Move.from_uci("e2e5"))
    with pytest.raises(tabiya.UsageError, match="e2e5"):
        tabiya.Game.from_chess(game)


def test_deep_variations_take_no_stack() -> None:
    game = chess.pgn.Game()
    node = game.add_variation(chess.Move.from_uci("e2e4"))
    moves = ["e7e5", "g1f3", "g8f6", "f3g1", "f6g8"]
    for at in range(3000):
        node = node.add_variation(chess.Move.from_uci(moves[0] if at == 0 else moves[1 + (at - 1) % 4]))
    assert len(tabiya.Game.from_chess(game).moves) == 3001
    deep = "1. e4 " + "".join("(1. d4 (1. e4 " for _ in range(40)) + "))" * 40 + " *"
    assert compare(tabiya.read_pgn(deep)) == 1
