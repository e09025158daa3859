"""The library: cards, languages, what is live."""

import shutil

from app import ROOT, expect, many_games, served, themes


def test_open_shows_the_base_at_once(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base, command="open") as url:
        page.goto(url)
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        assert "/base/" in page.url and "token" not in page.url


def test_a_changed_base_is_told_and_jobs_come_along(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("button", name="Make an index").click()
        expect(page.locator(".badge.index-fresh")).to_be_visible()
        page.get_by_role("link", name="many.pgn").click()
        expect(page.locator("#query-state")).to_have_text("300 games")
        expect(page.get_by_role("button", name="Reload")).to_have_count(0)
        many_games(base, 301)
        page.get_by_role("button", name="Reload").click()
        expect(page.locator("#query-state")).to_have_text("301 games")
        expect(page.get_by_role("button", name="Reload")).to_have_count(0)


def test_what_was_opened_last_is_there_in_the_next_run(page, folder):
    base, home = folder / "opera.pgn", folder / "home"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    (home / "Chess").mkdir(parents=True)
    many_games(home / "Chess/many.pgn", 20)
    with served(base, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        # Games are copied together, and stay when the server has ended.
        page.locator(".list .scroll").focus()
        page.keyboard.press(" ")
        page.get_by_role("button", name="Copy to the clipboard base").click()
        expect(page.locator(".tools [role=status]")).to_have_text("1 selected · 1 copied")
    # Without paths: what was opened last, the folder Chess, and the clipboard.
    with served(home=home) as url:
        page.goto(url)
        for name in ["opera.pgn", "many.pgn", "Clipboard"]:
            expect(page.get_by_role("heading", name=name)).to_be_visible()
        page.get_by_role("link", name="Clipboard").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        expect(page.get_by_role("navigation").locator("b")).to_have_text("Clipboard")
    # With a path: the others are named, and open with a click.
    with served(home / "Chess/many.pgn", home=home) as url:
        page.goto(url)
        themes(page, "recent")
        page.locator(".recent").get_by_role("button", name="opera.pgn").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
    # The settings file names another folder.
    settings = home / ".config/tabiya/app.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"# mine\nfolder = {home}\nbrowser = no\n")
    many_games(home / "own.pgn", 3)
    (home / ".local/share/tabiya/recent.json").unlink()
    with served(home=home) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="own.pgn")).to_be_visible()
        expect(page.get_by_role("heading", name="opera.pgn")).to_have_count(0)
        page.get_by_role("button", name="Empty").click()
        expect(page.get_by_role("button", name="Empty")).to_have_count(0)


def test_languages_have_their_letters(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        for language, title, knight in [("de", "Datenbanken", "Sf3"), ("ru", "Базы данных", "Кf3"), ("fr", "Bases de données", "Cf3")]:
            page.evaluate("language => localStorage.setItem('language', language)", language)
            page.goto(url.split("?")[0])
            expect(page.get_by_role("heading", name=title)).to_be_visible()
            page.get_by_role("link", name="opera.pgn").click()
            page.locator(".list .window .row").first.click()
            expect(page.get_by_role("treeitem", name=knight, exact=True)).to_be_visible()
