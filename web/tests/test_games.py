"""The list of games: scrolling, searching, columns, selection, the builder of queries."""

import json
import re
from pathlib import Path

from app import expect, many_games, picture, served, settled, tabiya, themes, until


def test_library_list_and_search(page, folder):
    base = folder / "many.pgn"
    many_games(base, 10_000)
    with served(base) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="many.pgn")).to_be_visible()
        expect(page.locator(".card")).to_contain_text("10,000 games · 1950–2019")
        assert "token" not in page.url
        themes(page, "library")
        page.get_by_role("link", name="many.pgn").click()
        rows = page.locator(".list .window .row")
        expect(rows.first).to_contain_text("Player, A1")
        assert rows.count() < 100, "only rows in sight are in the page"
        # To the end, by keyboard.
        page.locator(".list .scroll").focus()
        page.keyboard.press("End")
        expect(page.locator(".list .focused")).to_contain_text("10000")
        themes(page, "games")
        # All games in an order, without a query, both ways; the third click brings them back as they stand.
        for order in ["white-elo", "-white-elo"]:
            page.get_by_role("button", name="Elo").first.click()
            first = json.loads(tabiya("search", "--sort", order, "--first", "1", "--json", str(base), "number>=1"))
            expect(rows.first).to_contain_text(first["white"])
            expect(page.locator("#query-state")).to_have_text("10,000 games")
        page.get_by_role("button", name="Elo").first.click()
        expect(rows.first).to_contain_text("Player, A1")
        query = 'white:"Player, A7"'
        page.fill("#query", query)
        page.keyboard.press("Enter")
        wanted = int(tabiya("search", "--count", str(base), query).split()[0].replace(",", ""))
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 10,000 games")
        page.fill("#query", "white: ((")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state .trouble")).to_be_visible()
        # A query with a fault finds nothing, and says nothing of games.
        expect(page.locator(".list .empty")).to_have_count(0)
        page.go_back()
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 10,000 games")
        # A heading sorts, and sorts the other way round.
        page.get_by_role("button", name="Date").click()
        first = json.loads(tabiya("search", "--sort", "date", "--first", "1", "--json", str(base), query))
        expect(rows.first).to_contain_text(first["date"])
        expect(page).to_have_url(re.compile("sort=date"))


def test_columns_selection_and_preview(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        rows = page.locator(".list .window .row")
        expect(rows.first).to_contain_text("Player, A1")
        # A column of one's choice, which stays.
        page.get_by_role("button", name="Columns", exact=True).click()
        page.get_by_role("checkbox", name="Round").check()
        picture(page, "columns-light")
        page.get_by_role("button", name="Columns", exact=True).click()
        expect(page.get_by_role("columnheader", name="Round")).to_be_visible()
        page.reload()
        expect(page.get_by_role("columnheader", name="Round")).to_be_visible()
        expect(rows.first).to_contain_text("Player, A1")
        # Three games by the keyboard, and a range by the mouse; saved in the order of their numbers.
        page.locator(".list .scroll").focus()
        page.keyboard.press(" ")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press(" ")
        rows.nth(4).locator(".tick").click(modifiers=["Shift"])
        expect(page.locator(".tools [role=status]")).to_have_text("4 selected")
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save as PGN").click()
        text = Path(saved.value.path()).read_text(encoding="utf-8")
        assert text == tabiya("cat", str(base), "1", "3", "4", "5"), text
        # The preview keeps its half-move from game to game.
        page.get_by_role("button", name="Preview").click()
        status = page.locator(".preview [role=status]")
        expect(status).to_have_text(re.compile(r"^2…"))
        page.locator(".preview").get_by_role("button", name="Back").click()
        expect(status).to_have_text(re.compile(r"^2\."))
        page.locator(".list .scroll").focus()
        page.keyboard.press("ArrowDown")
        expect(status).to_have_text(re.compile(r"^2\."))
        themes(page, "preview")


def test_query_builder_and_kept_queries(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        page.get_by_role("button", name="Build a query").click()
        builder = page.locator("#builder")
        builder.get_by_label("White", exact=True).fill("Player, A7")
        builder.get_by_label("Date, from").fill("1950")
        builder.get_by_label("Date, to").fill("2020")
        builder.get_by_role("checkbox", name="1-0").check()
        builder.get_by_role("radio", name="white pawn").click()
        builder.get_by_role("gridcell").nth(36).get_by_role("button").click()
        themes(page, "builder")
        query = builder.locator(".built code").inner_text()
        assert query == 'white:"Player, A7" date:1950..2020 result:1-0 pattern:"8/8/8/8/4P3/8/8/8"', query
        builder.get_by_role("button", name="Search").click()
        wanted = int(tabiya("search", "--count", str(base), query).split()[0])
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 300 games")
        page.get_by_role("button", name="Saved searches").click()
        page.get_by_label("Name", exact=True).fill("The seventh")
        page.get_by_role("button", name="Save this search").click()
        page.reload()
        page.fill("#query", "")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("300 games")
        page.get_by_role("button", name="Saved searches").click()
        page.get_by_role("link", name="The seventh").click()
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 300 games")
        page.locator("#query").focus()
        page.fill("#query", "eco:B has:c")
        expect(page.locator("#query-list [role=option]").first).to_have_text("eco:B has:comments")


def test_large_selections_and_what_is_said_of_queries(page, folder):
    base = folder / "many.pgn"
    many_games(base, 10_000)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        rows = page.locator(".list .window .row")
        status = page.locator(".tools [role=status]")
        # Over rows that were never loaded: of the whole base, and of a search in another order.
        for query in ["", 'player:"Player, A7"']:
            page.fill("#query", query)
            page.keyboard.press("Enter")
            wanted = int(tabiya("search", "--count", str(base), query).split()[0].replace(",", "")) if query else 10_000
            expect(page.locator("#query-state")).to_have_text(f"{wanted} of 10,000 games" if query else "10,000 games")
            rows.nth(2).locator(".tick").click()
            page.locator(".list .scroll").focus()
            page.keyboard.press("Shift+End")
            expect(status).to_have_text(f"{wanted - 2:,} selected")
            page.get_by_role("button", name="Select none").click()
        # A word without a name is text; a name that is nearly right is told.
        page.fill("#query", "Somewhere")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_contain_text("searched as text")
        page.fill("#query", 'white:"Plaxer, A7"')
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_contain_text("did you mean")


def test_the_list_shows_its_columns(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        expect(page.locator(".list .window .row").first).to_contain_text("Player, A1")
        in_sight = """() => {
            const box = document.querySelector('.list .scroll').getBoundingClientRect();
            const all = [...document.querySelectorAll('.list .heading [role=columnheader]')];
            return all.filter(one => one.getBoundingClientRect().right <= box.right + 1).length;
        }"""
        # The box to select and all nine; beside a game at least those up to the result.
        assert page.evaluate(in_sight) == 10
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        assert page.evaluate(in_sight) >= 7, page.evaluate(in_sight)


def test_the_last_game_is_in_sight_at_the_end(page, folder):
    base = folder / "many.pgn"
    many_games(base, 5_000)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        expect(page.locator("#query-state")).to_contain_text("5,000 games")
        box = page.locator(".list .scroll")
        for size in [{"width": 1400, "height": 860}, {"width": 1024, "height": 768}]:
            page.set_viewport_size(size)
            box.focus()
            page.keyboard.press("Home")
            first = page.locator("[role=row][aria-rowindex='2']")
            expect(first).to_be_visible()
            page.keyboard.press("End")
            last = page.locator("[role=row][aria-rowindex='5001']")
            expect(last).to_be_visible()
            settled(page)
            row, around = last.bounding_box(), box.bounding_box()
            assert row["y"] + row["height"] <= around["y"] + around["height"] + 1, (size, row, around)
            # It stays in sight where the window becomes lower.
            page.set_viewport_size({**size, "height": size["height"] - 200})
            until(page, lambda: box.bounding_box()["height"] < around["height"] - 30, "the list is lower")
            settled(page)
            row, around = last.bounding_box(), box.bounding_box()
            assert row["y"] + row["height"] <= around["y"] + around["height"] + 1, (size, row, around)
            page.keyboard.press("Home")
            settled(page)
            row, heading = first.bounding_box(), page.locator(".list .heading").bounding_box()
            assert row["y"] >= heading["y"] + heading["height"] - 1, (size, row, heading)
