"""Playing through games: by wheel, by itself, from game to game of the list, and from place to place of a game."""

from app import expect, served, until

GAMES = """[Event "One"]
[White "A"]
[Black "B"]
[Date "2001.01.01"]
[Result "1-0"]

1. e4 e5 2. Nf3 {the usual move} 2... Nc6 3. Bb5 (3. Bc4 {quiet} 3... Bc5) 3... a6?? 4. Ba4 $14 Nf6 1-0

[Event "Two"]
[White "C"]
[Black "D"]
[Date "2002.01.01"]
[Result "0-1"]

1. e4 e5 2. Nf3 {[%eval 0.3]} 2... Nc6 {[%eval 0.2]} 3. Ng5 {[%eval -6.0]} 0-1

[Event "Three"]
[White "E"]
[Black "F"]
[Date "2003.01.01"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""


def opened(page, folder, url, query=None):
    page.goto(url)
    page.get_by_role("link", name="three.pgn").click()
    if query:
        page.fill("#query", query)
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_contain_text(" of 3 games")
        page.keyboard.press("Escape")
    page.locator(".list .window .row").first.click()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def made(folder):
    base = folder / "three.pgn"
    base.write_text(GAMES, encoding="utf-8")
    return base


def test_keys_go_from_game_to_game(page, folder):
    names = page.locator(".moves h2")
    with served(made(folder)) as url:
        opened(page, folder, url)
        expect(names).to_contain_text("A")
        page.keyboard.press("n")
        expect(names).to_contain_text("C")
        expect(page.locator(".list .row[aria-current]")).to_contain_text("C")
        # In the list it is a page of that.
        page.keyboard.press("b")
        page.keyboard.press("PageDown")
        expect(names).to_contain_text("E")
        # The last one stays, and that is said.
        page.keyboard.press("n")
        expect(page.locator(".said")).to_have_text("This is the last game of the list")
        expect(names).to_contain_text("E")
        page.keyboard.press("N")
        expect(names).to_contain_text("C")
        # In the order of the list, and in what a query has found.
        opened(page, folder, url.split("?")[0], "not white:C")
        expect(names).to_contain_text("A")
        page.keyboard.press("n")
        expect(names).to_contain_text("E")
        # The order is in the address: beside a game the list has few columns.
        page.goto(f"{page.url}&sort=-date")
        expect(names).to_contain_text("E")
        expect(page.locator(".list .window .row").first).to_contain_text("E")
        page.keyboard.press("n")
        expect(names).to_contain_text("A")


def test_the_wheel_turns_moves_and_games(page, folder):
    names = page.locator(".moves h2")
    current = page.locator(".moves [aria-current]")
    with served(made(folder)) as url:
        opened(page, folder, url)
        page.locator(".squares").hover()
        for move in ["e4", "e5", "Nf3"]:
            page.mouse.wheel(0, 100)
            expect(current).to_contain_text(move)
            page.wait_for_timeout(400)
        page.mouse.wheel(0, -100)
        expect(current).to_contain_text("e5")
        page.wait_for_timeout(400)
        # A long turn goes to the end of the game and no further.
        page.locator(".squares").evaluate(
            "board => {for (let at = 0; at < 20; at++) board.dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true, cancelable: true}))}"
        )
        expect(current).to_contain_text("Nf6")
        page.wait_for_timeout(400)
        expect(names).to_contain_text("A")
        # A new one goes on to the next game, and back.
        page.mouse.wheel(0, 100)
        expect(names).to_contain_text("C")
        page.wait_for_timeout(400)
        page.mouse.wheel(0, -100)
        expect(names).to_contain_text("A")
        # The page does not scroll with it.
        assert page.evaluate("scrollY") == 0


def test_a_game_plays_by_itself(page, folder):
    page.add_init_script("localStorage.setItem('pace', '0.05')")
    with served(made(folder)) as url:
        opened(page, folder, url)
        page.keyboard.press("a")
        expect(page.locator(".moves [aria-current]")).to_contain_text("Nf6")
        # It has stopped by itself: a step back stays.
        page.get_by_text("Play through").click()
        expect(page.get_by_role("button", name="Play a")).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("Escape")


def test_keys_jump_from_place_to_place(page, folder):
    current = page.locator(".moves [aria-current]")
    with served(made(folder)) as url:
        opened(page, folder, url)
        for key, move in [("w", "Nf3"), ("v", "Bc4"), ("x", "a6"), ("s", "Ba4"), ("W", "Bc4"), ("W", "Nf3")]:
            page.keyboard.press(key)
            expect(current).to_contain_text(move)
        page.keyboard.press("W")
        expect(page.locator(".said")).to_have_text("There are no more.")
        # The evaluations tell of a blunder too; the move that is new in this base is told by the server.
        page.keyboard.press("n")
        expect(page.locator(".moves h2")).to_contain_text("C")
        page.keyboard.press("x")
        expect(current).to_contain_text("Ng5")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("y")
        expect(current).to_contain_text("Ng5")
        until(page, lambda: page.locator(".said").inner_text() == "3. Ng5", "the novelty is said")
