"""Statistics and conversion."""

import json
import shutil
import subprocess

from app import ROOT, Skipped, axe, expect, many_games, picture, served, tabiya, themes, until


def test_statistics_say_what_the_commands_say(page, folder):
    base = folder / "many.pgn"
    many_games(base, 600)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        page.get_by_role("link", name="Statistics").click()
        counted = json.loads(tabiya("stats", str(base), "--json"))
        page.get_by_role("button", name="Charts").click()
        themes(page, "statistics-pictures")
        page.get_by_role("button", name="Tables").click()
        for table in counted["statistics"]:
            shown = page.locator(f"table[data-name={table['name']}]")
            # What has rows below it shows them once it is opened.
            closed = shown.locator("button.fold[aria-expanded=false]")
            while closed.count():
                closed.first.click()
            rows = shown.locator("tbody tr")
            expect(rows).to_have_count(len(table["rows"]))
            for at in range(min(5, len(table["rows"]))):
                row = table["rows"][at]
                told = [text.replace(",", "") for text in rows.nth(at).locator("td").all_inner_texts()[:4]]
                assert told == [str(row[name]) for name in ("games", "wins", "draws", "losses")], (table["name"], row, told)
        themes(page, "statistics")
        page.fill("[name=name]", "Player, A1")
        page.locator("form", has=page.locator("[name=name]")).get_by_role("button").click()
        told = json.loads(tabiya("player", "Player, A1", str(base), "--json"))
        expect(page.locator(".statistics [role=status]")).to_contain_text(f"{told['games']} game")
        themes(page, "player")
        page.fill("[name=event]", "Open 5")
        page.locator("form", has=page.locator("[name=event]")).get_by_role("button").click()
        told = json.loads(tabiya("crosstable", str(base), "--event", "Open 5", "--json"))
        expect(page.locator(".crosstable")).to_have_count(len(told["events"]))
        themes(page, "event")
        # Each point leads to its game.
        page.locator(".crosstable tbody td a").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()


def test_a_conversion_is_rehearsed_and_made(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.get_by_role("link", name="Convert", exact=True).click()
        page.fill("[name=path]", str(folder / "copy.cbf"))
        page.get_by_role("button", name="What would be lost?").click()
        expect(page.locator(".report")).to_contain_text("1 game")
        assert not (folder / "copy.cbf").exists()
        predicted = page.locator(".report li").all_inner_texts()
        themes(page, "convert")
        page.get_by_label("read the copy back").check()
        page.get_by_role("button", name="Make the copy").click()
        expect(page.locator(".report")).to_contain_text("copy.cbf")
        assert page.locator(".report li").all_inner_texts() == predicted
        assert (folder / "copy.cbf").exists()
        # Who comes back finds the report.
        page.reload()
        expect(page.locator(".jobs li")).to_have_count(2)
        page.locator(".jobs li").last.get_by_role("button").click()
        expect(page.locator(".report")).to_contain_text("copy.cbf")


def test_an_engine_tells_its_lines(page, folder):
    if shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        raise Skipped("no engine is installed")
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        page.get_by_role("button", name="Annotate").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        page.get_by_role("button", name="Engine", exact=True).click()
        expect(page.locator(".engine li")).to_have_count(3)
        expect(page.locator(".engine .score")).not_to_be_empty()
        picture(page, "engine")
        axe(page, "engine")
        moves = page.locator(".moves .move").count()
        page.locator(".engine li").nth(2).get_by_role("button", name="Insert").click()
        expect(page.locator(".annotate .state")).to_contain_text("draft")
        assert page.locator(".moves .move").count() > moves
        page.get_by_role("button", name="Engine", exact=True).click()
        # Nobody reads any more: the engine goes.
        left = lambda: subprocess.run(["pgrep", "-P", str(served.process.pid)], capture_output=True, text=True, check=False).stdout
        until(page, lambda: not left().strip(), "a process of the engine is left")


def test_an_address_that_is_no_text_names_no_base(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        expect(page.get_by_role("link", name="opera.pgn")).to_be_visible()
        for path in ("/base/%zz", "/base/%", "/base/%e0%a4%a"):
            # As a step back or a link within the page comes to it.
            page.evaluate("path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path)
            # The page stands, and its links go on.
            expect(page.locator("a.home")).to_be_visible()
            assert page.evaluate("document.body.innerText.trim().length") > 20, path
            page.locator("a.home").click()
            expect(page.get_by_role("link", name="opera.pgn")).to_be_visible()
