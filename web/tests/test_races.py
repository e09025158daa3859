"""Answers that come late: what was wished of them is done when they are there, and not where somebody has done something else."""

import re

from app import Held, axe, expect, many_games, served

GAMES = "".join(
    f'[White "{white}"]\n[Black "Black"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'
    for white, moves in [("Alpha", "1. e4 e5 2. Nf3 Nc6"), ("Tal, Mihail", "1. d4 d5 2. c4 e6 3. Nc3"), ("Gamma", "1. e4 c5 2. Nf3 d6")]
)


def base_of(folder):
    base = folder / "late.pgn"
    base.write_text(GAMES, encoding="utf-8")
    return base


def opened(page, url):
    page.goto(url)
    page.get_by_role("link", name="late.pgn").click()


def test_enter_waits_for_the_rows(page, folder):
    with served(base_of(folder)) as url:
        held = Held(page, r"/rows\?")
        opened(page, url)
        held.arrived()
        page.keyboard.press("g")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("grid", name="Games")).to_be_focused()
        assert "/game/" not in page.url
        held.release()
        expect(page).to_have_url(re.compile("/game/2"))
        expect(page.get_by_role("treeitem").first).to_have_text("d4")
        expect(page.locator(".board")).to_be_focused()


def test_what_is_done_after_enter_counts(page, folder):
    with served(base_of(folder)) as url:
        held = Held(page, r"/rows\?")
        opened(page, url)
        held.arrived()
        page.keyboard.press("g")
        page.keyboard.press("Enter")
        page.keyboard.press("b")
        held.release()
        expect(page.locator("#row-2")).to_contain_text("Gamma")
        assert "/game/" not in page.url
        # A menu waits in the same way, and a selection with Shift selects nothing that nobody sees.
        page.reload()
        expect(page.locator("#row-2")).to_contain_text("Gamma")
        held = Held(page, r"/search\?")
        page.get_by_role("button", name="White", exact=True).click()
        held.arrived()
        page.keyboard.press("g")
        page.keyboard.press("Shift+ArrowDown")
        expect(page.get_by_text(re.compile(r"\d+ selected"))).to_have_count(0)
        page.keyboard.press("Control+Enter")
        held.release()
        # By the names of White it is the second one.
        expect(page.locator(".strip")).to_contain_text("Gamma")


def test_words_that_are_looked_up_late_find_the_game_that_is_opened(page, folder):
    """The session that failed on a busy machine: a search, Escape, `g`, Enter, while names and scripts are still on their way."""
    for late in [r"/complete\?", r"/assets/search-", r"/search\?"]:
        with served(base_of(folder)) as url:
            opened(page, url)
            expect(page.locator("#row-2")).to_contain_text("Gamma")
            held = Held(page, late)
            page.keyboard.press("/")
            page.keyboard.type("tal" if "complete" in late else "white:Tal")
            page.keyboard.press("Enter")
            held.arrived()
            page.keyboard.press("Escape")
            page.keyboard.press("g")
            page.keyboard.press("Enter")
            assert "/game/" not in page.url, late
            held.release()
            expect(page.get_by_role("treeitem").first).to_have_text("d4")
            expect(page).to_have_url(re.compile("/game/2.*q="))
            # Nothing is offered for what was searched already.
            expect(page.locator("#query-list")).to_have_count(0)
            page.unroute(held.pattern)


def test_steps_wait_for_the_game(page, folder):
    with served(base_of(folder)) as url:
        opened(page, url)
        held = Held(page, r"/games/2$")
        page.locator("#row-1").click()
        held.arrived()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        held.release()
        expect(page.locator(".moves [aria-current]")).to_have_text("c4")


def test_moves_of_another_position_are_not_played(page, folder):
    with served(base_of(folder)) as url:
        opened(page, url)
        moves = page.locator(".explorer tbody th button")
        expect(moves.first).to_have_text("e4")
        moves.first.focus()
        held = Held(page, r"/explore\?")
        page.keyboard.press("Enter")
        held.arrived()
        expect(page.locator(".scratch")).to_contain_text("e4")
        expect(page.locator(".explorer .answer")).to_have_attribute("aria-busy", "true")
        axe(page, "an explorer that waits")
        # d4 was a move of the position before.
        page.keyboard.press("Enter")
        moves.nth(1).click(force=True)
        held.release()
        expect(moves.first).to_have_text(re.compile("^(e5|c5)$"))
        assert page.url.endswith("try=e2e4"), page.url
        # Who goes on with the keyboard is among the moves still.
        moves.nth(1).focus()
        chosen = moves.nth(1).inner_text()
        page.keyboard.press("Enter")
        expect(page.locator(".scratch")).to_contain_text(chosen)
        expect(moves.first).to_have_text("Nf3")
        expect(moves.first).to_be_focused()


def test_what_is_wished_before_the_library_is_known_is_done_then(page, folder):
    with served(base_of(folder)) as url:
        opened(page, url)
        page.get_by_role("row", name="Gamma").click()
        expect(page).to_have_url(re.compile("/game/3"))
        held = Held(page, r"/bases$")
        page.reload()
        held.arrived()
        expect(page.get_by_role("treeitem").first).to_have_text("e4")
        page.keyboard.press("e")
        held.release()
        expect(page.locator(".annotate .state")).to_be_visible()
        page.goto(url)
        held = Held(page, r"/bases$")
        page.reload()
        held.arrived()
        page.fill("#typed", "open late")
        page.keyboard.press("Enter")
        held.release()
        expect(page.locator(".said")).to_contain_text("3 games")


def test_a_long_list_that_comes_late_is_walked(page, folder):
    base = folder / "late.pgn"
    many_games(base, 5_000)
    with served(base) as url:
        opened(page, url)
        expect(page.locator("#row-2")).to_contain_text("A3")
        page.keyboard.press("g")
        # The last rows are not here yet.
        held = Held(page, r"/rows\?")
        page.keyboard.press("End")
        held.arrived()
        page.keyboard.press("Enter")
        assert "/game/" not in page.url
        held.release()
        expect(page).to_have_url(re.compile("/game/5000"))
