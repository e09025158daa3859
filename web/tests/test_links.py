"""Everything is a link: players, events, openings and sites have pages with addresses of their own, and so have moves that are tried."""

import re

from app import axe, expect, served, tabiya, themes

MATCH = """[Event "Match <b>1</b>"]
[Site "Moscow"]
[Date "1960.03.{day:02}"]
[Round "{day}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[WhiteElo "{elo}"]
[ECO "B90"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. {move} {result}

"""


def match(folder):
    base = folder / "match.pgn"
    with base.open("w", encoding="utf-8") as out:
        for day in range(1, 13):
            white, black = ("Tal, Mihail", "Botvinnik, Mikhail") if day % 2 else ("Botvinnik, Mikhail", "Tal, Mihail")
            result = ["1-0", "0-1", "1/2-1/2"][day % 3]
            out.write(MATCH.format(day=day, white=white, black=black, result=result, elo=2600 + 5 * day, move=["Be3", "Bg5", "h3"][day % 3]))
    return base


def test_names_lead_to_pages_with_addresses(page, folder):
    base = match(folder)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="match.pgn").click()
        page.locator(".list .window .row").first.click()
        # A player, from the heading of the game.
        page.locator(".moves h2").get_by_role("link", name="Tal, Mihail").click()
        expect(page.get_by_role("heading", level=1, name="Tal, Mihail")).to_be_visible()
        expect(page).to_have_url(re.compile(r"/player/Tal%2C%20Mihail$"))
        won = sum(1 for day in range(1, 13) if (day % 3 == 0) == (day % 2 == 1) and day % 3 != 2)
        drawn = sum(1 for day in range(1, 13) if day % 3 == 2)
        expect(page.locator(".record")).to_contain_text(f"12 games · +{won} ={drawn} −{12 - won - drawn}")
        expect(page.locator(".curve a")).not_to_have_count(0)
        themes(page, "player")
        # A page of a player is there again when it is loaded, and Back leads to the game.
        page.reload()
        expect(page.locator(".record")).to_contain_text("12 games")
        page.go_back()
        expect(page.locator(".moves h2")).to_contain_text("Tal, Mihail")
        # An event, with signs that mean something elsewhere.
        page.locator(".moves header").get_by_role("link", name="Match <b>1</b>").click()
        expect(page.locator(".crosstable tbody tr")).to_have_count(2)
        axe(page, "event")
        # From its table to a player, to an opponent, to the games.
        page.locator(".crosstable").get_by_role("link", name="Botvinnik, Mikhail").click()
        expect(page.get_by_role("heading", level=1, name="Botvinnik, Mikhail")).to_be_visible()
        page.locator("table[data-name=opponents]").get_by_role("link", name="Tal, Mihail").click()
        expect(page.get_by_role("heading", level=1, name="Tal, Mihail")).to_be_visible()
        page.get_by_role("link", name="Show the games").click()
        expect(page.locator("#query")).to_have_value('player:"Tal, Mihail"')
        expect(page.locator("#query-state")).to_have_text("12 of 12 games")


def test_an_opening_has_its_moves(page, folder):
    with served(match(folder)) as url:
        page.goto(url)
        page.get_by_role("link", name="match.pgn").click()
        page.locator(".list .window .row").first.click()
        page.locator(".moves header").get_by_role("link", name="B90").click()
        # The moves that all of its games begin with are found, and those that go on from there.
        expect(page.locator(".about-opening .line")).to_contain_text("5. Nc3")
        expect(page.locator(".about-opening tbody tr")).to_have_count(3)
        axe(page, "opening")
        page.locator(".about-opening tbody").get_by_role("button", name="6. Bg5").click()
        expect(page).to_have_url(re.compile("c1g5"))
        page.get_by_role("link", name="Open in the explorer").click()
        expect(page.locator(".scratch")).to_contain_text("Bg5")
        page.reload()
        expect(page.locator(".scratch")).to_contain_text("Bg5")


def test_a_row_of_the_list_leads_further(page, folder):
    with served(match(folder)) as url:
        page.goto(url)
        page.get_by_role("link", name="match.pgn").click()
        row = page.locator(".list .window .row").nth(1)
        row.click(button="right")
        menu = page.get_by_role("menu")
        expect(menu.get_by_role("menuitem").first).to_be_focused()
        axe(page, "ways of a row")
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
        row.click(button="right")
        page.keyboard.press("ArrowDown")
        expect(menu.get_by_role("menuitem", name="Player: Botvinnik, Mikhail")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Botvinnik, Mikhail")).to_be_visible()
        told = tabiya("player", "Botvinnik, Mikhail", str(folder / "match.pgn"))
        assert "12 games" in told, told
