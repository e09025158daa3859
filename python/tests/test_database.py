"""Databases: opening, counting, games by their place, searches, and what happens where something goes wrong."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import threading
import time
from pathlib import Path

import pytest
import tabiya
from conftest import CORPUS, SAMPLES, day


def test_a_database_is_a_sequence(classics: Path) -> None:
    with tabiya.open(classics) as db:
        games = list(db)
        assert len(db) == len(games) == 37
        assert [game.number for game in games] == list(range(1, 38))
        assert db[0] == games[0] and db[-1] == games[-1] and db[36] == games[36]
        assert [game.number for game in db[5:8]] == [6, 7, 8]
        assert [game.number for game in db[-2:]] == [36, 37]
        assert list(db[8:8]) == [] and len(db[30:100]) == 7
        assert db[3:20][2].number == 6 and [game.number for game in db[3:20][1:3]] == [5, 6]
        assert db.game(1) == games[0]
        assert games[17] in db
        for at in (37, -38):
            with pytest.raises(IndexError):
                db[at]
        with pytest.raises(tabiya.NotFoundError) as failed:
            db.game(38)
        assert failed.value.game == 38
        with pytest.raises(tabiya.UsageError):
            db[::2]


@pytest.mark.parametrize("path", sorted((CORPUS).glob("*/ok/*")), ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_every_format_gives_the_same_games_in_order_and_by_number(path: Path) -> None:
    try:
        db = tabiya.open(path)
    except tabiya.TabiyaError as error:
        assert str(error)
        return
    with db:
        games = list(db)
        assert len(db) == len(games)
        assert [game.number for game in games] == list(range(1, len(games) + 1))
        for game in games[:20]:
            assert db.game(game.number) == game
            assert isinstance(str(game), str)
            assert len(game.san) == len(game.uci) == game.plies
            assert len(game.fens()) == game.plies + 1


def test_searches_are_lazy_counted_and_cut(classics: Path) -> None:
    with tabiya.open(classics) as db:
        found = db.search("result:1-0")
        assert found.count() == len(found) == 23
        assert all(game.result == "1-0" for game in found)
        assert found.numbers() == [game.number for game in found]
        assert [game.number for game in found[2:4]] == found.numbers()[2:4]
        newest = db.search("result:1-0", sort="-date")
        dates = [game.date for game in newest]
        assert dates == sorted(dates, key=day, reverse=True)
        assert newest[:3].count() == 3 and [game.date for game in newest[:3]] == dates[:3]
        assert found.search("ends:mate").count() == db.search("result:1-0 ends:mate").count() > 0
        sample = [game.number for game in found.sample(5, seed=7)]
        assert len(sample) == 5 and sample == [game.number for game in found.sample(5, seed=7)]
        assert set(sample) <= set(found.numbers())
        assert not db.search("white:Nobody") and db.search("white:Nobody").first() is None
        mate = db.search("ends:mate").first()
        assert mate is not None and mate.ply == mate.plies


def test_only_unfinished_games_are_chosen(tmp_path: Path) -> None:
    results = ("1-0", "*", "1/2-1/2", "*", "0-1")
    games = (f'[White "A{at}"]\n[Result "{result}"]\n\n1. e4 {result}\n\n' for at, result in enumerate(results))
    path = tmp_path / "some.pgn"
    path.write_text("".join(games))
    with tabiya.open(path) as db:
        unfinished = tabiya.Games(db, unfinished=True)
        assert unfinished.count() == 2 and unfinished.numbers() == [2, 4]
        assert [game.number for game in unfinished] == [2, 4]
        assert [game.number for game in unfinished[1:]] == [4]
        assert unfinished.stats().games == 2
        assert db.search("white:A1 or white:A2", unfinished=True).numbers() == [2]
        assert db.search("white:A1 or white:A2").numbers() == [2, 3]


def test_a_query_that_makes_no_sense_is_told_at_once(classics: Path) -> None:
    with tabiya.open(classics) as db, pytest.raises(tabiya.UsageError) as failed:
        db.search("white:(")
    assert failed.value.kind == "usage" and failed.value.code and "white:(" in str(failed.value)


def test_less_can_be_read(classics: Path) -> None:
    with tabiya.open(classics) as db:
        whole, tags, moves = list(db), list(db[:].reading("tags")), list(db[:].reading("moves"))
        assert [game.tags for game in tags] == [game.tags for game in whole]
        assert all(game.plies == 0 for game in tags)
        assert [game.san for game in moves] == [game.san for game in whole]
        assert [game.uci for game in moves] == [game.uci for game in whole]
        assert sum(len(list(game.tree.walk())) for game in moves) < sum(len(list(game.tree.walk())) for game in whole)


@pytest.mark.parametrize("make", [io.BytesIO, lambda data: io.StringIO(data.decode())])
def test_file_objects_are_databases(make: type, classics: Path) -> None:
    data = classics.read_bytes()
    with tabiya.open(make(data)) as db, tabiya.open(classics) as same:
        assert list(db) == list(same)
        folder = Path(db.path).parent
        assert folder.exists()
        with pytest.raises(TypeError):
            pickle.dumps(db)
    assert not folder.exists()
    with pytest.raises(TypeError):
        tabiya.open(17)  # type: ignore[arg-type]


def test_several_databases_are_told_apart(tmp_path: Path) -> None:
    for name in ("a.pgn", "b.pgn"):
        shutil.copy(SAMPLES / "classics.pgn", tmp_path / name)
    with pytest.raises(tabiya.UsageError, match="open_all"):
        tabiya.open(tmp_path)
    opened = tabiya.open_all(tmp_path)
    assert [Path(db.name).name for db in opened] == ["a.pgn", "b.pgn"]
    assert [len(db) for db in opened] == [37, 37]


def test_failures_say_what_and_where(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        tabiya.open(tmp_path / "nowhere.pgn")
    assert isinstance(missing.value, tabiya.MissingFileError)
    assert missing.value.kind == "io" and "nowhere.pgn" in str(missing.value.file)
    (tmp_path / "x.bin").write_bytes(b"\x00\x01\x02" * 100)
    with pytest.raises(tabiya.FormatError) as unknown:
        tabiya.open(tmp_path / "x.bin")
    assert unknown.value.code == "unknown-format"
    again = pickle.loads(pickle.dumps(unknown.value))
    assert (type(again), str(again), again.code, again.file) == (
        tabiya.FormatError,
        str(unknown.value),
        unknown.value.code,
        unknown.value.file,
    )
    with pytest.raises(tabiya.UsageError, match="no charset"):
        tabiya.open(SAMPLES / "classics.pgn", encoding="klingon")
    with pytest.raises(tabiya.UsageError, match="no format"):
        tabiya.open(SAMPLES / "classics.pgn", format="docx")


def test_damage_is_an_object(classics: Path) -> None:
    with tabiya.open(SAMPLES / "damaged.pgn") as db:
        report = db.check()
        assert report.games == len(db) and report.damaged > 0
        found = [one for one in report.diagnostics if one.is_damage]
        assert found and all(one.game and one.line and one.code and one.message and one.help for one in found)
        damaged = [game for game in db if game.is_damaged]
        assert len(damaged) == report.damaged
        assert damaged[0].diagnostics[0].game == damaged[0].number
    with tabiya.open(classics) as db:
        assert db.check().damaged == 0


def test_nothing_works_after_close(classics: Path) -> None:
    db = tabiya.open(classics)
    found, loop, table = db.search("result:1-0"), iter(db), db.games()
    game = next(loop)
    db.close()
    db.close()
    assert db.is_closed and "closed" in repr(db)
    for use in (
        lambda: len(db),
        lambda: db[0],
        lambda: list(db),
        lambda: found.count(),
        lambda: next(loop),
        lambda: db.stats(),
        lambda: db.info,
        lambda: table.__arrow_c_stream__(),
        lambda: next(db.flat()),
        lambda: db.search("white:Tal"),
        lambda: db.reload(),
    ):
        with pytest.raises(tabiya.ClosedError):
            use()
    # What was read stays.
    assert game.white and str(game)


def test_a_database_that_was_changed_says_so(classics: Path) -> None:
    with tabiya.open(classics) as db:
        assert db.is_current()
        with classics.open("a") as more:
            more.write('\n[White "New"]\n\n1. e4 *\n')
        assert not db.is_current()
        for use in (lambda: len(db), lambda: db[0], lambda: list(db), lambda: db.search("white:Tal").count()):
            with pytest.raises(tabiya.ChangedError):
                use()
        db.reload()
        assert len(db) == 38 and db[-1].white == "New"
        os.remove(classics)
        with pytest.raises(tabiya.TabiyaError):
            list(db)
        with pytest.raises(tabiya.TabiyaError):
            db.reload()


def test_a_file_that_is_cut_while_it_is_read_does_no_harm(tmp_path: Path) -> None:
    text = (SAMPLES / "classics.pgn").read_bytes()
    path = tmp_path / "many.pgn"
    path.write_bytes(text * 200)
    with tabiya.open(path) as db:
        loop = iter(db)
        next(loop)
        os.truncate(path, 1000)
        with pytest.raises(tabiya.TabiyaError):
            for _ in loop:
                pass


def test_eight_threads_share_a_database_and_a_loop(classics: Path) -> None:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 20)
    with tabiya.open(path) as db:
        expected = [game.white for game in db]
        loop = iter(db)
        seen: list[int] = []
        failures: list[BaseException] = []

        def work() -> None:
            try:
                for game in loop:
                    seen.append(game.number)
                    assert db.game(game.number).white == expected[game.number - 1]
                assert db.search("result:1-0").count() == 23 * 20
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert sorted(seen) == list(range(1, len(expected) + 1))


def tasks() -> int:
    """The threads of this process, those of the library among them."""
    folder = Path("/proc/self/task")
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_a_loop_can_be_left_and_may_raise(classics: Path) -> None:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 100)
    with tabiya.open(path) as db:
        before = tasks()
        for _ in range(50):
            for game in db:
                if game.number == 3:
                    break
        with pytest.raises(ZeroDivisionError):
            for game in db:
                1 / 0
        assert next(iter(db)).number == 1
        # The threads that read ahead end by themselves.
        for _ in range(1000):
            if tasks() <= before:
                break
            time.sleep(0.02)
        assert tasks() <= before


def test_databases_and_games_are_pickled(classics: Path) -> None:
    with tabiya.open(classics, threads=2) as db, pickle.loads(pickle.dumps(db)) as same:
        assert list(same) == list(db) and same.threads == 2
        for game in db:
            again = pickle.loads(pickle.dumps(game))
            assert again == game and again.number == game.number and str(again) == str(game)


def test_info_stats_and_the_explorer_answer_as_the_command_line_does(classics: Path) -> None:
    with tabiya.open(classics) as db:
        assert db.info.games == 37 and db.info["games"] == 37 and db.info.to_dict()["games"] == 37
        assert db.describe(full=True).half_moves == 2078
        with pytest.raises(AttributeError, match="has no field"):
            _ = db.info.nothing
        results = db.stats("results").statistics[0]
        assert sum(row.games for row in results.rows) == 37
        with pytest.raises(tabiya.UsageError, match="there is no statistic"):
            db.stats("weather")
        start = db.explore()
        assert {move.san for move in start.moves} >= {"e4", "d4"}
        assert start.whole and sum(move.games for move in start.moves) <= 37
        e4 = db.explore("1.e4 e5")
        assert e4.moves[0].games > 0 and e4.turn == "white"
        assert db.search("result:1-0").explore("1.e4").white > 0
        assert db.player("Morphy").player == "Morphy"
        with pytest.raises(tabiya.UsageError) as failed:
            db.explore("1.e5")
        assert failed.value.parameter == "line"
        with pytest.raises(tabiya.UsageError) as failed:
            db.explore(fen="no position")
        assert failed.value.parameter == "fen"


def test_an_index_changes_no_answer(classics: Path) -> None:
    with tabiya.open(classics) as db:
        before = (db.search("player:morphy").numbers(), db.explore("1.e4").to_dict(), len(db))
        assert db.index() == "anew" and db.index() == "fresh"
        assert (db.search("player:morphy").numbers(), db.explore("1.e4").to_dict(), len(db)) == before
        assert db.remove_index() and not db.remove_index()


def test_progress_is_told_and_may_stop_a_job(classics: Path) -> None:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 50)
    with tabiya.open(path) as db:
        told: list[tuple[int, int, int | None]] = []
        db.check(progress=lambda *now: told.append(now))
        assert told and told[-1][0] == 37 * 50

        def stop(games: int, done: int, total: int | None) -> None:
            raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            db.check(progress=stop)


def test_formats_are_listed() -> None:
    known = {name: (is_read, is_written) for name, _, is_read, is_written in tabiya.formats()}
    assert known["pgn"] == (True, True) and known["cbh"][0] and known["csv"] == (False, True)


@pytest.mark.parametrize("path", sorted((CORPUS).glob("*/*/*")), ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_headers_are_the_tags_of_the_games(path: Path) -> None:
    try:
        db = tabiya.open(path)
    except tabiya.TabiyaError as error:
        assert str(error)
        return
    with db:
        try:
            games = list(db)
        except tabiya.TabiyaError as error:
            with pytest.raises(type(error)):
                list(db.headers())
            return
        headers = list(db.headers())
        assert [tags.pairs for tags in headers] == [game.tags.pairs for game in games]
        assert [tags.number for tags in headers] == [game.number for game in games]


def test_headers_of_chosen_games(classics: Path) -> None:
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 60)
    with tabiya.open(path) as db:
        found = db.search("result:1-0", sort="-date")
        expected = [(game.number, game.white) for game in found]
        assert [(tags.number, tags["White"]) for tags in found.headers()] == expected
        assert [(tags.number, tags["White"]) for tags in found[3:9].headers()] == expected[3:9]
        kept = list(db.headers())
        loop = db.headers()
        next(loop)
        db.close()
        with pytest.raises(tabiya.ClosedError):
            next(loop)
    # What was read stays.
    assert len(kept) == 37 * 60 and {tags["Event"] for tags in kept} and kept[-1].number == 37 * 60


def test_progress_is_a_bar_of_tqdm_where_that_is_installed(classics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 50)
    with tabiya.open(path) as db:
        assert db.check(progress=True).games == 37 * 50
        shown = capsys.readouterr()
        assert "games=1850" in shown.err and shown.out == ""
        # Without it nothing is printed.
        assert db.check().games == 37 * 50
    shown = capsys.readouterr()
    assert shown.err == "" and shown.out == ""
