"""Databases that are made: new, merged, split, repaired, downloaded, out of locked archives; and the first steps."""

import json
import os
import shutil
from pathlib import Path

from app import FULL, ROOT, Skipped, axe, expect, many_games, picture, served, tabiya, themes, until
from test_corpora import corpus

OPERA = ROOT / "corpus/pgn/ok/opera.pgn"


def shared(path):
    """Something of the large samples beside the project."""
    found = Path(os.environ.get("TABIYA_SHARED", ROOT / "../shared")) / path
    if not found.exists():
        raise Skipped(f"{path} is not here")
    return found


def opened(page, url, name, link):
    page.goto(url)
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("link", name=link, exact=True).click()


def make(page):
    page.get_by_role("button", name="Make the copy").click()
    expect(page.locator(".report")).to_be_visible()


def test_a_new_database_is_made_and_filled(page, folder):
    shutil.copy(OPERA, folder / "opera.pgn")
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("link", name="New database").click()
        page.get_by_label("Format").select_option("si5")
        expect(page.locator("[name=path]")).to_have_value(str(folder / "new.si5"))
        page.get_by_text("Options of").click()
        themes(page, "new")
        page.get_by_role("button", name="Create the database").click()
        expect(page.locator("#query-state")).to_have_text("0 games")
        page.get_by_role("button", name="New game").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        page.fill("#typed", "e4")
        page.keyboard.press("Enter")
        expect(page.locator(".moves [aria-current]")).to_have_text("e4")
        page.get_by_role("button", name="Save into the database").click()
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        assert json.loads(tabiya("ls", str(folder / "new.si5"), "--json"))["plies"] == 1
        # Outside of the named folders nothing is made.
        page.goto(url.split("?")[0] + "?panel=new")
        page.fill("[name=path]", "/tmp/tabiya-test-new.pgn")
        page.get_by_role("button", name="Create the database").click()
        expect(page.get_by_role("alert")).to_contain_text("is not in a folder")


def test_first_steps_lead_to_games(page, folder):
    home = folder / "home"
    home.mkdir()
    with served(home=home) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        themes(page, "first-steps")
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("#query-state")).to_have_text("5 games")
        page.locator(".list .window .row").first.click()
        page.get_by_role("button", name="Annotate").click()
        expect(page.locator(".annotate .state")).to_be_visible()
    with served(options=["--read-only"]) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        expect(page.get_by_role("button", name="Try it")).to_have_count(0)


def test_databases_are_merged_split_and_grown(page, folder):
    shutil.copy(OPERA, folder / "opera.pgn")
    many_games(folder / "many.pgn", 60)
    with served(folder) as url:
        opened(page, url, "opera.pgn", "Convert")
        page.get_by_label("many.pgn").check()
        page.fill("[name=path]", str(folder / "all.si5"))
        page.get_by_label("drop duplicates").check()
        make(page)
        expect(page.locator(".report")).to_contain_text("61 games")
        # Grown by one of them.
        page.get_by_label("many.pgn").uncheck()
        page.get_by_label("drop duplicates").uncheck()
        page.get_by_label("the end of an existing database").check()
        page.get_by_role("button", name="Make the copy").click()
        expect(page.locator(".report")).to_contain_text("1 game")
        assert len(tabiya("ls", str(folder / "all.si5"), "--json").splitlines()) == 62
        # Split, as the command splits it.
        page.get_by_label("opera.pgn").uncheck()
        page.get_by_label("many.pgn").check()
        page.get_by_label("several files in a folder").check()
        page.locator("[name=split]").select_option("result")
        page.fill("[name=path]", str(folder / "parts"))
        themes(page, "convert-split")
        page.get_by_role("button", name="Make the copy").click()
        expect(page.locator(".report")).to_contain_text("60 games")
        tabiya("convert", str(folder / "many.pgn"), str(folder / "wanted"), "--split-by", "result")
        names = sorted(path.name for path in (folder / "wanted").iterdir())
        assert names and names == sorted(path.name for path in (folder / "parts").iterdir())
        for name in names:
            assert (folder / "wanted" / name).read_bytes() == (folder / "parts" / name).read_bytes()
        # What fails is told in the language of the app.
        page.evaluate("localStorage.setItem('language', 'de')")
        page.reload()
        page.fill("[name=path]", str(folder / "many.pgn"))
        page.get_by_role("button", name="Kopie anlegen").click()
        expect(page.locator(".report .trouble")).to_have_text(f"{folder / 'many.pgn'}: Eine Datei dieses Namens gibt es schon. Wählen Sie einen anderen Namen.")


def test_options_of_a_format_and_a_download(page, folder):
    shutil.copy(OPERA, folder / "opera.pgn")
    with served(folder, options=["--read-only"]) as url:
        opened(page, url, "opera.pgn", "Convert")
        expect(page.get_by_role("radio")).to_have_count(1)
        page.get_by_label("Format").select_option("pgn")
        page.get_by_text("Options of").click()
        page.get_by_label("Omit + and #").check()
        page.get_by_label("Piece letters in moves").fill("german")
        page.get_by_label("Piece letters in moves").blur()
        themes(page, "convert-options")
        make(page)
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download opera.pgn").click()
        assert downloading.value.suggested_filename == "opera.pgn"
        wanted = folder / "wanted.pgn"
        tabiya("convert", str(folder / "opera.pgn"), str(wanted), "--no-checks", "--pieces", "german")
        assert downloading.value.path().read_bytes() == wanted.read_bytes()


def test_a_damaged_database_is_repaired(page, folder):
    many_games(folder / "many.pgn", 400)
    tabiya("convert", str(folder / "many.pgn"), str(folder / "hurt.si4"))
    games = folder / "hurt.sg4"
    games.write_bytes(games.read_bytes()[: games.stat().st_size // 2])
    (folder / "many.pgn").unlink()
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("link", name="Repair", exact=True).click()
        page.fill("[name=damaged]", str(folder / "hurt.si4"))
        page.fill("[name=path]", str(folder / "sound.pgn"))
        page.get_by_role("button", name="What is left?").click()
        report = page.locator(".report")
        for heading in ["Intact", "Found", "Lost"]:
            expect(report.get_by_role("heading", name=heading)).to_be_visible()
        assert not (folder / "sound.pgn").exists()
        themes(page, "repair")
        told_below = lambda: report.inner_text().split("Intact", 1)[1]
        examined = told_below()
        page.get_by_role("button", name="Write the sound copy").click()
        expect(report).to_contain_text("sound.pgn")
        assert told_below() == examined
        # It is what the command writes and tells.
        wanted, told = folder / "wanted.pgn", folder / "told.json"
        tabiya("repair", str(folder / "hurt.si4"), str(wanted), "--report", str(told))
        assert (folder / "sound.pgn").read_bytes() == wanted.read_bytes()
        for source in json.loads(told.read_text(encoding="utf-8"))["sources"]:
            for found in source["diagnostics"]:
                expect(report).to_contain_text(found["summary"])
            whole = source["games"] - source["damaged_games"]
            expect(report).to_contain_text(f"{whole} games were read without damage")


def test_a_locked_archive_asks_for_its_password(page, folder):
    archive = shared("oracles/cbh/small/small.cbz")
    shutil.copy(archive, folder / "small.cbz")
    home = folder / "home"
    home.mkdir()
    shutil.copy(OPERA, folder / "opera.pgn")
    with served(folder, home=home) as url:
        page.goto(url)
        page.fill("[name=path]", str(folder / "small.cbz"))
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_label("Password of")).to_be_focused()
        expect(page.get_by_role("alert")).to_have_count(0)
        themes(page, "password")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("password is wrong")
        page.get_by_label("Password of").fill("password")
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("small.cbz")
        # It is an empty base.
        expect(page.locator("#query-state")).to_have_text("0 games")
        # Dropped, it is asked for too.
        page.goto(url.split("?")[0])
        page.locator("input[type=file]").set_input_files(archive)
        page.get_by_label("Password of").fill("password")
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("small.cbz")
        # It is an empty base.
        expect(page.locator("#query-state")).to_have_text("0 games")
        # It is kept nowhere.
        assert "password" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
        for path in home.rglob("*"):
            assert not path.is_file() or b"password" not in path.read_bytes(), path


def is_stopped_on_the_way(page, url, target):
    """Begins to copy all databases, leaves, comes back, finds the job with its progress, and stops it; false where the work was
    done before that."""
    listed = page.locator(".jobs li").last
    progress = listed.locator("progress")

    def is_under_way():
        expect(listed).to_be_visible()
        until(page, lambda: progress.count() == 1 or "done" in listed.inner_text(), "the job is under way or done")
        return progress.count() == 1

    opened(page, url, "games-00", "Convert")
    boxes = page.locator("fieldset input[type=checkbox]")
    expect(boxes).to_have_count(50)
    for box in boxes.all():
        box.check()
    page.fill("[name=path]", str(target))
    page.get_by_label("read the copy back").check()
    # The request has left the page before the page is left.
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Make the copy").click()
    page.goto("about:blank")
    opened(page, url.split("?")[0], "games-00", "Convert")
    if not is_under_way():
        return False
    value = lambda: page.evaluate("Number([...document.querySelectorAll('.jobs li')].at(-1)?.querySelector('progress')?.getAttribute('value') ?? 1e15)")
    before = value()
    until(page, lambda: value() > before, "the job comes along")
    if not is_under_way():
        return False
    picture(page, "convert-under-way")
    listed.get_by_role("button", name="Stop").click()
    until(page, lambda: "stopped" in listed.inner_text() or "done" in listed.inner_text(), "the job ends")
    axe(page, "convert, stopped")
    return "stopped" in listed.inner_text()


def test_a_long_conversion_goes_on_alone_and_stops_clean(page, folder):
    """Fifty databases over: the tab goes, the job stays, is found again with its progress, and leaves nothing half-written when it is stopped."""
    target = folder / "target"
    target.mkdir()
    if FULL:
        # As bases of Scid, which open at once.
        games = corpus("otb", 0, folder)
        tabiya("convert", str(games), str(folder / "games.si5"))
        games.unlink()
    # A fast machine is given more, until the job is still under way when the page is back.
    for count in [None] if FULL else [20_000, 100_000, 500_000]:
        if count:
            many_games(folder / "games.pgn", count)
        sources = folder / f"sources-{count}"
        sources.mkdir()
        for number in range(50):
            for path in folder.glob("games.*"):
                (sources / f"games-{number:02}{path.suffix}").hardlink_to(path)
        with served(sources, target) as url:
            if is_stopped_on_the_way(page, url, target / "all.si5"):
                page.locator(".jobs li").last.get_by_role("button", name="Report").click()
                told = page.locator(".report")
                expect(told).to_contain_text("stopped")
                expect(told).not_to_contain_text("Nothing is lost")
                # Nothing is left; or, where it was being read again already, the whole, and that is said.
                if "written completely, but not compared" in told.inner_text():
                    games = tabiya("search", "--count", str(target / "all.si5"), "plies:0..").split()[0].replace(",", "")
                    assert int(games) == 50 * (count or 286_040), games
                else:
                    assert list(target.iterdir()) == [], list(target.iterdir())
                return
            page.goto("about:blank")
        for path in target.iterdir():
            path.unlink()
    raise AssertionError("every job was done before it could be stopped")
