"""Copies and changes: what they lose is told, and what is changed can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
import tabiya
from conftest import SAMPLES, day


def test_a_copy_tells_what_it_cannot_hold(classics: Path, tmp_path: Path) -> None:
    report = tabiya.convert(classics, tmp_path / "old.cbf")
    assert report.games == 37 and not report.is_complete and (tmp_path / "old.cbf").exists()
    kinds = {loss.kind: loss for loss in report.losses}
    assert kinds["cbf-date"].count == 26 and kinds["cbf-date"].aspect == "tags"
    assert kinds["cbf-date"].examples[0].game == 1 and "1750" in kinds["cbf-date"].examples[0].detail
    assert report.sources[0].games == 37 and report.sources[0].source == str(classics)
    strict = tabiya.convert(classics, tmp_path / "strict.cbf", strict=True)
    assert strict.fault and not (tmp_path / "strict.cbf").exists() and strict.games == 0


def test_a_copy_that_holds_everything_is_complete(classics: Path, tmp_path: Path) -> None:
    report = tabiya.convert(classics, tmp_path / "new.si5", verify=True, description="Classics")
    assert report.is_complete and not report.losses and report.sources[0].unreported_differences == []
    with tabiya.open(classics) as db, tabiya.open(tmp_path / "new.si5") as copy:
        assert copy.format == "si5" and copy.info.description == "Classics"
        assert [game.san for game in copy] == [game.san for game in db]
        assert [game.white for game in copy] == [game.white for game in db]
    with pytest.raises(tabiya.UsageError) as failed:
        tabiya.convert(classics, tmp_path / "new.si5")
    assert failed.value.code == "target-exists"
    assert tabiya.convert([classics, tmp_path / "new.si5"], tmp_path / "both.pgn").games == 74


def test_games_that_are_chosen_are_copied(classics: Path, tmp_path: Path) -> None:
    with tabiya.open(classics) as db:
        report = db.search("result:1-0", sort="-date").convert(tmp_path / "won.pgn", width=0)
        assert report.games == 23 and report.is_complete
        with tabiya.open(tmp_path / "won.pgn") as won:
            dates = [game.date for game in won]
            assert dates == sorted(dates, key=day, reverse=True)
            assert all(len(str(game.pgn(width=0)).strip().split("\n\n")) <= 2 for game in won)
        assert db[2:5].convert(tmp_path / "three.pgn").games == 3
        with pytest.raises(tabiya.UsageError, match="has no option colour"):
            tabiya.convert(db, tmp_path / "x.pgn", colour="red")
        assert not (tmp_path / "x.pgn").exists()


def test_games_of_nowhere_are_written(tmp_path: Path) -> None:
    games = tabiya.read_pgn('[White "A"]\n\n1. e4 {x} *\n\n[White "B"]\n\n1. d4 (1. c4) *\n')
    report = tabiya.write(games, tmp_path / "made.si4")
    assert report.games == 2 and report.is_complete
    with tabiya.open(tmp_path / "made.si4") as db:
        assert [game.white for game in db] == ["A", "B"]
        assert [game.tree.next.comment for game in db if game.tree.next] == ["x", ""]


@pytest.mark.parametrize("name", ["games.pgn", "games.si5", "games.si4"])
def test_changes_are_made_together_and_undone(name: str, classics: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    if path.name != classics.name:
        tabiya.convert(classics, path)
    with tabiya.open(path) as db:
        before = [str(game) for game in db]
        with db.edit() as edit:
            edit.set_tags(1, {"Round": "3", "Site": "Paris"})
            edit.add(tabiya.Game.from_pgn('[White "New"]\n[Black "?"]\n\n1. e4 e5 *'))
            edit.replace(2, db.game(2).with_tags({"White": "Other"}), was=db.game(2))
        assert len(edit.changes) == 3 and edit.changes[1].added == [38]
        assert len(db) == 38 and db[0].round == "3" and db[-1].white == "New" and db[1].white == "Other"
        for _ in range(3):
            assert db.undo().games >= 1
        assert [str(game) for game in db] == before
        with pytest.raises(tabiya.TabiyaError):
            db.undo()


def test_a_block_that_fails_changes_nothing(classics: Path) -> None:
    data = classics.read_bytes()
    with tabiya.open(classics) as db:
        with pytest.raises(ZeroDivisionError), db.edit() as edit:
            edit.delete(1)
            raise ZeroDivisionError
        assert classics.read_bytes() == data
        with pytest.raises(tabiya.TabiyaError), db.edit() as edit:
            edit.set_tags(1, {"Round": "9"})
            edit.replace(99, db.game(1))
        assert classics.read_bytes() == data
        db.reload()
        assert len(db) == 37 and db[0].round != "9"
        with pytest.raises(tabiya.ConflictError), db.edit() as edit:
            edit.replace(1, db.game(2), was=db.game(3))
        assert classics.read_bytes() == data
        with pytest.raises(tabiya.UsageError, match="within the block"):
            edit.delete(1)


def test_queries_choose_what_is_changed(classics: Path) -> None:
    with tabiya.open(classics) as db:
        wins = db.search("result:1-0").count()
        with db.edit() as edit:
            edit.set_tags("result:1-0", {"Note": "won"})
            edit.strip([1, 2, 3], "comments", "variations")
        assert sum(game.tags.get("Note") == "won" for game in db) == wins
        assert not any(node.comments for game in db[:3] for node in game.tree.walk())
        with pytest.raises(tabiya.UsageError, match="give comments"), db.edit() as edit:
            edit.strip(1, "everything")


def test_duplicates_and_names_are_found(classics: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.pgn"
    text = classics.read_text(encoding="utf-8")
    path.write_text(text + "\n" + text, encoding="utf-8")
    with tabiya.open(path) as db:
        report = db.dedupe()
        # Two games of the sample are there twice already.
        assert report.games == 74 and set(report.drops) >= set(range(38, 75)) and len(report.drops) == 39
        assert len(report.pairs) == 39 and report.pairs[0].kind == "same" and report.pairs[0].reasons
        with db.edit() as edit:
            edit.delete(report.drops)
        assert db.dedupe().drops == [] or all(db.game(number).is_deleted for number in report.drops)
    names = tmp_path / "names.pgn"
    game = '[White "{}"]\n[Black "Karpov, Anatoly"]\n[Date "1985.09.03"]\n[Result "1-0"]\n\n1. d4 1-0\n\n'
    names.write_text(game.format("Kasparov, Garry") * 2 + game.format("Kasparov, G"))
    with tabiya.open(names) as db:
        found = db.names()
        assert "Kasparov, Garry\n= Kasparov, G" in found.spelling_file
        assert found.groups[0].keep.name == "Kasparov, Garry"


def test_samples_stay_as_they_are() -> None:
    data = (SAMPLES / "classics.pgn").read_bytes()
    with tabiya.open(SAMPLES / "classics.pgn") as db:
        list(db)
        db.check()
    assert (SAMPLES / "classics.pgn").read_bytes() == data
