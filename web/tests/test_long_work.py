"""Long work has a bar, a time and a way to stop it, wherever it is begun."""

import json
import re

from app import Held, axe, expect, many_games, picture, served


def halfway(page):
    """The server says of all work that half of it is done."""
    done = json.dumps({"games": 5, "done": 50, "total": 100})
    page.route(re.compile("/api/v1/works/"), lambda route: route.fulfill(body=done, content_type="application/json"))


def opened(page, url):
    page.goto(url)
    page.get_by_role("link", name="long.pgn").click()
    expect(page.locator("#query-state")).to_have_text("300 games")


def base_of(folder):
    base = folder / "long.pgn"
    many_games(base, 300)
    return base


def test_work_of_the_first_page_can_be_stopped(page, folder):
    base = base_of(folder)
    halfway(page)
    with served(folder) as url:
        page.goto(url)
        works = page.locator(".works li")
        held = Held(page, "/check$")
        page.get_by_role("button", name="Check").click()
        held.arrived()
        expect(works).to_contain_text("Check: long.pgn")
        expect(works).to_contain_text(re.compile(r"50 % · 0:\d\d · 0:\d\d left"))
        expect(works.locator("progress")).to_have_attribute("value", "0.5")
        axe(page, "work under way")
        picture(page, "work-under-way")
        works.get_by_role("button", name="Stop").click()
        expect(works).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_text("Stopped. Close")
        held.release()
        # What is done at once is not shown, and what was stopped can be done again.
        page.get_by_role("button", name="Check").click()
        expect(page.locator(".card").filter(has_text="long.pgn")).to_contain_text("checked, no damage")
        expect(works).to_have_count(0)
        # A database that opens slowly.
        held = Held(page, "/bases$")
        page.get_by_label("Path of a database").fill(str(base))
        page.get_by_role("button", name="Open", exact=True).click()
        expect(works).to_contain_text(f"Open: {base}")
        works.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("alert")).to_have_text("Stopped. Close")
        held.release()


def test_what_is_asked_of_a_database_can_be_stopped(page, folder):
    halfway(page)
    with served(base_of(folder)) as url:
        opened(page, url)
        address = page.url.split("?")[0]
        for panel, pattern, there in [("names", r"/names\?", "names"), ("doubles", r"/doubles\?", "uplicates"), ("novelties", r"/novelties\?", "game"), ("statistics", r"/statistics\?", "games")]:
            held = Held(page, pattern)
            page.goto(f"{address}?panel={panel}")
            held.arrived()
            working = page.locator("main .working")
            expect(working).to_contain_text("50 %")
            expect(working).to_contain_text(re.compile(r"\d:\d\d"))
            working.get_by_role("button", name="Stop").click()
            expect(page.locator("main")).to_contain_text("Stopped.")
            held.release()
            page.get_by_role("button", name="Try again").click()
            expect(working).to_have_count(0)
            expect(page.locator("main")).to_contain_text(there)


def test_a_search_tells_how_far_it_is(page, folder):
    with served(base_of(folder)) as url:
        opened(page, url)
        held = Held(page, r"/search\?")
        page.locator("#query").fill("eco:B90")
        page.keyboard.press("Enter")
        held.arrived()
        state = page.locator("#query-state")
        expect(state).to_contain_text(re.compile(r"0:0[1-9]"))
        expect(state.locator("progress")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(state.locator("progress")).to_have_count(0)
        held.release()


def test_the_explorer_can_be_stopped(page, folder):
    with served(base_of(folder)) as url:
        opened(page, url)
        moves = page.locator(".explorer tbody th button")
        expect(moves.first).to_have_text("e4")
        held = Held(page, r"/explore\?")
        moves.first.click()
        held.arrived()
        working = page.locator(".explorer .working")
        expect(working).to_contain_text(re.compile(r"0:0[1-9]"))
        working.get_by_role("button", name="Stop").click()
        expect(page.locator(".explorer")).to_contain_text("Stopped.")
        held.release()
        page.locator(".explorer").get_by_role("button", name="Try again").click()
        expect(moves.first).to_have_text(re.compile("^(e5|c5)$"))
        expect(page.locator(".explorer")).not_to_contain_text("Stopped.")
