"""Repertoires: what the reports tell is counted again with python-chess, or known of a repertoire of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest
import tabiya

BOOK = """[Event "Mine"]
[Repertoire "white"]

1. e4 e5 (1... c5 2. Nf3) 2. Nf3 (2. Bc4) 2... Nc6 3. Bb5 *
"""

GAMES = [
    ("e4 e5 Nf3 Nc6 Bb5 a6", "1-0"),
    ("e4 e5 Nf3 Nf6", "0-1"),
    ("e4 e5 Nf3 Nf6", "1/2-1/2"),
    ("e4 e5 d4", "1-0"),
    ("e4 c5 Nf3 d6", "1-0"),
    ("d4 d5", "*"),
    ("e4 e5", "*"),
]


def book(folder: Path) -> Path:
    path = folder / "book.pgn"
    path.write_text(BOOK)
    return path


def played(folder: Path) -> Path:
    path = folder / "played.pgn"
    text = [f'[White "{"Me" if at % 2 == 0 else "Other"}"]\n[Result "{end}"]\n\n{moves} {end}\n\n' for at, (moves, end) in enumerate(GAMES)]
    path.write_text("".join(text))
    return path


def test_games_leave_where_they_do(tmp_path: Path) -> None:
    mine = tabiya.repertoire(book(tmp_path))
    assert mine.sides == {"white": 9} and repr(mine) == "<tabiya.Repertoire white: 9 positions>"
    assert mine.games[0].san == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    with tabiya.open(played(tmp_path)) as db:
        report = mine.check(db)
        assert report.seen == 7 and report.damaged == 0
        ends = [(game.game.number, game.end, game.ply) for game in report.games]
        assert ends == [
            (1, "line-end", 5),
            (2, "opponent", 3),
            (3, "opponent", 3),
            (4, "me", 2),
            (5, "line-end", 3),
            (6, "me", 0),
            (7, "inside", 2),
        ]
        assert sum(line.games for line in report.lines) == 7
        assert [game.game.number for game in mine.check(db, player="Me").games] == [1, 3, 5, 7]
        assert [game.game.number for game in mine.check(db.search("result:1-0")).games] == [1, 4, 5]
        few = mine.check(db, most=2)
        assert len(few.games) == 2 and few.seen == 7
        rows = mine.coverage(db)
        assert [(row.ply, row.games, row.inside) for row in rows][:3] == [(0, 7, 7), (1, 7, 6), (2, 7, 6)]


def test_gaps_conflicts_and_the_tree(tmp_path: Path) -> None:
    with tabiya.open(book(tmp_path)) as source, tabiya.open(played(tmp_path)) as db:
        mine = tabiya.repertoire(source, color="white")
        gaps = mine.gaps(db, share=10, min_games=1)
        assert [(gap.line, gap.san, gap.games, gap.of) for gap in gaps if gap.san == "Nf6"] == [("1.e4 e5 2.Nf3", "Nf6", 2, 3)]
        assert mine.gaps(db, share=10, min_games=100) == []
        several = [conflict for conflict in mine.conflicts() if conflict.kind == "several"]
        assert [[move.san for move in conflict.moves] for conflict in several] == [["Nf3", "Bc4"]]
        tree = mine.show()
        assert tree[0].line == "" and [move.san for move in tree[0].moves] == ["e4"] and tree[0].frequency is None
        assert mine.show(db)[0].frequency == 1.0 and mine.show(db)[0].moves[0].games == 6


def test_what_makes_no_sense_is_told(tmp_path: Path) -> None:
    mine = tabiya.repertoire(book(tmp_path))
    with tabiya.open(played(tmp_path)) as db:
        with pytest.raises(tabiya.UsageError, match="share: give per cent"):
            mine.gaps(db, share=101)
        with pytest.raises(tabiya.UsageError, match="give a database"):
            mine.coverage("played.pgn")  # type: ignore[arg-type]
        with pytest.raises(tabiya.UsageError, match="white or black"):
            tabiya.repertoire(db, color="red")  # type: ignore[arg-type]
    with pytest.raises(tabiya.MissingFileError):
        tabiya.repertoire(tmp_path / "nowhere.pgn")
    closed = tabiya.open(book(tmp_path))
    closed.close()
    with pytest.raises(tabiya.ClosedError):
        tabiya.repertoire(closed)
