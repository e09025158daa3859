"""Board, moves and explorer."""

import json
import re
import shutil
from pathlib import Path

from app import ROOT, axe, expect, many_games, picture, served, tabiya, themes


def test_game_board_and_explorer(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_have_text(re.compile("e4"))
        page.locator("body").click(position={"x": 2, "y": 2})
        page.keyboard.press("ArrowRight")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4"))
        expect(page).to_have_url(re.compile("at=1"))
        explored = json.loads(tabiya("explore", str(base), "--json", "--line", "1.e4"))
        expect(page.locator(".explorer tbody tr")).to_have_count(len(explored["moves"]))
        expect(page.locator(".explorer tbody th").first).to_have_text(explored["moves"][0]["san"])
        themes(page, "game")
        # A move of one's own is tried beside the game.
        page.fill("#typed", "c5")
        page.keyboard.press("Enter")
        expect(page.locator(".scratch")).to_contain_text("c5")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        # The same through the commands of the text field.
        for command, answer in [("p N", "b1, g1"), ("l", "e4"), ("s e", "e4 white pawn"), ("t", "Black to move")]:
            page.fill("#typed", command)
            page.keyboard.press("Enter")
            expect(page.locator(".said")).to_contain_text(answer)
        page.get_by_role("button", name="Help").click()
        expect(page.locator("#help")).to_be_visible()
        axe(page, "help")
        picture(page, "help-light")
        page.keyboard.press("Escape")
        # An address is a place.
        there = page.url
        page.goto(there)
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4"))


ANNOTATED = """[Event "Clocks"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 { [%eval 0.2] [%clk 0:10:00] } d5 { [%eval 0.4] [%clk 0:09:50] } 2. exd5 { [%eval 0.3] [%clk 0:09:40] }
(2. e5 c5 (2... Bf5)) 2... Qxd5 { [%eval 0.6] [%clk 0:09:00] } 3. Nc3 { [%eval #5] [%clk 0:08:00] } *
"""


def test_graph_captured_men_and_folding(page, folder):
    base = folder / "clocks.pgn"
    base.write_text(ANNOTATED)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="clocks.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem", name="Bf5")).to_be_visible()
        page.get_by_role("button", name="To the end").click()
        expect(page.locator(".player.white .captured")).to_have_attribute("aria-label", "Captured: black pawn")
        expect(page.locator(".player.black .captured")).to_have_attribute("aria-label", "Captured: white pawn")
        # A click into the curves goes to the move there.
        graph = page.locator(".graph svg")
        box = graph.bounding_box()
        graph.click(position={"x": box["width"] * 0.5, "y": 20})
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("exd5"))
        expect(page.locator(".player.white .captured")).to_have_attribute("aria-label", "Captured: black pawn, +1")
        themes(page, "graph")
        page.get_by_role("button", name="Fold variations").click()
        expect(page.get_by_role("treeitem", name="Bf5")).to_have_count(0)
        page.get_by_role("button", name="Show the variations").click()
        expect(page.get_by_role("treeitem", name="Bf5")).to_be_visible()


def test_moves_in_columns_and_games_as_pages(page, folder):
    base = folder / "clocks.pgn"
    base.write_text(ANNOTATED + "\n" + ANNOTATED.replace('"A"', '"<b>A</b>"').replace("(2. e5", "$220 (2. e5"))
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="clocks.pgn").click()
        page.locator(".list .window .row").nth(1).click()
        page.get_by_role("button", name="In columns").click()
        pairs = page.locator(".moves .pair")
        expect(pairs.first).to_have_text(re.compile(r"1\.\s*e4\s*d5"))
        # White's second move, the variation that replaces it, and Black's move in a row of its own.
        expect(page.locator(".moves .aside")).to_have_text(re.compile(r"\(2\.\s*e5.*Bf5.*\)"))
        expect(pairs.nth(2)).to_have_text(re.compile(r"2\.\s*…\s*Qxd5"))
        page.keyboard.press("End")
        expect(page.locator(".moves [aria-current]")).to_have_text("Nc3")
        themes(page, "columns-of-moves")
        kept = {}
        for label in ["PGN", "Page (HTML)", "Animation (SVG)"]:
            page.locator(".moves .menu > button").click()
            with page.expect_download() as saved:
                page.locator(".moves .menu").get_by_role("menuitem", name=label).click()
            kept[label] = Path(saved.value.path()).read_text(encoding="utf-8")
        assert kept["PGN"] == tabiya("cat", str(base), "2")
        other = page.context.browser.new_page()
        for label, kind in [("Page (HTML)", "html"), ("Animation (SVG)", "svg")]:
            path = folder / f"kept.{kind}"
            path.write_text(kept[label], encoding="utf-8")
            other.goto(path.as_uri())
            if kind == "html":
                expect(other.locator("h1")).to_have_text("<b>A</b> – B")
                expect(other.locator("body")).to_contain_text("(2. e5 c5 (2… Bf5 ) )")
                assert other.locator("script").count() == 0
                # The diagram that the game asks for, and the last position.
                assert other.locator("figure svg").count() == 2
            else:
                # One frame for each position, of which one is seen.
                assert other.evaluate("document.querySelectorAll('g').length") == 6
                seen = "[...document.querySelectorAll('g')].filter(g => getComputedStyle(g).visibility === 'visible').length"
                assert other.evaluate(seen) == 1
                other.evaluate("document.documentElement.setCurrentTime(2.5)")
                assert other.evaluate(seen) == 1
                squares = "[...document.querySelectorAll('g')].findIndex(g => getComputedStyle(g).visibility === 'visible')"
                assert other.evaluate(squares) == 2
            picture(other, f"kept-{kind}")
        other.close()


def test_men_are_won_from_where_the_game_begins(page, folder):
    base = folder / "ending.pgn"
    base.write_text(
        '[SetUp "1"]\n[FEN "8/P2k4/8/8/8/8/3K1p2/6N1 w - - 0 1"]\n\n1. a8=Q fxg1=N 2. Qa4+ *\n', encoding="utf-8"
    )
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="ending.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        assert page.locator(".player.black .captured").count() == 0
        page.get_by_role("button", name="To the end").click()
        expect(page.locator(".player.black .captured")).to_have_attribute("aria-label", "Captured: white knight")
        expect(page.locator(".player.white .captured")).to_have_attribute("aria-label", "+6")


def paste(page, text):
    """Pastes a text, and waits until the base that it becomes is shown: several have the same name."""
    before = page.url.split("/game/")[0]
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.setData('text/plain', text);
            document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true}));
        }""",
        text,
    )
    page.wait_for_url(lambda url: "/base/" in url and url.split("/game/")[0] != before)
    expect(page.locator(".list .window .row")).to_have_count(1)


def test_positions_are_pasted_set_up_and_drawn(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        expect(page.get_by_role("link", name="opera.pgn")).to_be_visible()
        paste(page, "1. d4 d5 2. c4 *")
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem", name="c4")).to_be_visible()
        paste(page, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        # The base stays.
        expect(page.get_by_role("navigation").locator("b")).to_contain_text("pasted")
        square = page.locator("[data-square=e5]")
        expect(square).to_have_attribute("aria-label", "e5, black king")
        position = page.get_by_role("button", name="Position", exact=True)
        with page.expect_download() as saved:
            position.click()
            page.get_by_role("menuitem", name="Diagram as SVG").click()
        drawn = Path(saved.value.path()).read_text(encoding="utf-8")
        assert drawn.count("<image ") == 3 and drawn.count("<rect ") == 65, drawn[:400]
        with page.expect_download() as saved:
            position.click()
            page.get_by_role("menuitem", name="Diagram as PNG").click()
        assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
        position.click()
        page.get_by_role("menuitem", name="Set up a position").click()
        editor = page.locator("#editor")
        editor.get_by_role("radio", name="black rook").click()
        editor.get_by_role("gridcell").nth(0).get_by_role("button").click()
        fen = editor.get_by_label("FEN", exact=True)
        expect(fen).to_have_value("r7/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        themes(page, "editor")
        editor.get_by_role("button", name="Put on the board").click()
        # The base stays, and the position is in the address.
        expect(page.get_by_role("navigation").locator("b")).to_contain_text("pasted")
        expect(page.locator("[data-square=a8]")).to_have_attribute("aria-label", "a8, black rook")
        page.reload()
        expect(page.locator("[data-square=a8]")).to_have_attribute("aria-label", "a8, black rook")
        page.get_by_role("button", name="Starting position").click()
        expect(page.locator("[data-square=e1]")).to_have_attribute("aria-label", "e1, white king")
        # The base of one game is searched for another's position.
        paste(page, "1. e4 *")
        page.locator(".list .window .row").first.click()
        position.click()
        page.get_by_role("menuitem", name="Games with this position").click()
        expect(page.locator("#query-state")).to_have_text("1 of 1 games")


def test_positions_are_set_up_by_drag_and_as_fen(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        editor = page.locator("#editor")

        def opened():
            page.get_by_role("button", name="Position", exact=True).click()
            page.get_by_role("menuitem", name="Set up a position").click()
            return editor.get_by_label("FEN", exact=True)

        fen = opened()
        expect(fen).to_have_value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")

        def drag(source, target):
            (one, other) = (box.bounding_box() for box in (source, target))
            page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
            page.mouse.down()
            page.mouse.move(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2, steps=4)
            page.mouse.up()

        square = lambda at: editor.locator(f"[data-at='{at}']")
        # From square to square, from the palette, and off the board.
        drag(square(52), square(36))
        expect(fen).to_have_value("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1")
        drag(editor.get_by_role("radio", name="black queen"), square(32))
        expect(fen).to_have_value("rnbqkbnr/pppppppp/8/8/q3P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1")
        drag(square(32), editor.get_by_role("heading"))
        expect(fen).to_have_value("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1")
        expect(page.locator(".dragged")).to_have_count(0)
        # A FEN that is typed or pasted is on the board; one that is none changes nothing.
        fen.fill("words")
        fen.press("Enter")
        expect(square(36)).to_have_attribute("aria-label", "e4, white pawn")
        fen.fill("rn1qkb1r/pppb1ppp/4pn2/8/8/8/8/8 b - - 0 1")
        fen.press("Enter")
        expect(editor.get_by_role("button", name="Find in this database")).to_be_disabled()
        expect(editor.get_by_role("status")).to_have_text("This position is illegal.")
        fen.evaluate("(one, text) => one.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, cancelable: true, clipboardData:"
                     " (data => (data.setData('text/plain', text), data))(new DataTransfer())}))",
                     "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -")
        expect(square(20)).to_have_attribute("aria-label", "e6, empty")
        expect(square(45)).to_have_attribute("aria-label", "f3, white knight")
        editor.get_by_role("button", name="Find in this database").click()
        expect(page.locator("#query-state")).to_contain_text("1 of 1 games")
        expect(page.locator("[data-square=f3]")).to_have_attribute("aria-label", "f3, white knight")
        expect(page.locator(".explorer tbody tr")).to_have_count(1)
        # One that is pasted on the page stands on the board of the base that is shown, and moves go on from there.
        paste(page, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        expect(page.locator("[data-square=e5]")).to_have_attribute("aria-label", "e5, black king")
        expect(page.get_by_role("navigation").locator("b")).to_have_text("opera.pgn")
        page.locator("#typed").fill("e4")
        page.keyboard.press("Enter")
        expect(page.locator(".scratch")).to_contain_text("e4")
        page.reload()
        expect(page.locator("[data-square=e4]")).to_have_attribute("aria-label", "e4, white pawn")
        # Typed into the field for moves it is the same.
        page.locator("#typed").fill("8/8/8/8/4k3/8/4P3/4K3 b - - 0 1")
        page.keyboard.press("Enter")
        expect(page.locator("[data-square=e4]")).to_have_attribute("aria-label", "e4, black king")
        expect(page.get_by_role("navigation").locator("b")).to_have_text("opera.pgn")
        page.go_back()
        expect(page.locator("[data-square=e4]")).to_have_attribute("aria-label", "e4, white pawn")


def test_explorer_asks_bases_side_by_side(page, folder):
    one, other = folder / "opera.pgn", folder / "many.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", one)
    many_games(other, 300)
    with served(one, other) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.get_by_role("button", name="Filter games").click()
        page.get_by_role("checkbox", name="many.pgn").check()
        answers = page.locator(".explorer .answer")
        expect(answers).to_have_count(2)
        explored = json.loads(tabiya("explore", str(other), "--json"))
        expect(answers.nth(1).locator("tbody tr")).to_have_count(len(explored["moves"]))
        for at, move in enumerate(explored["moves"]):
            row = answers.nth(1).locator("tbody tr").nth(at)
            expect(row.locator("th")).to_have_text(move["san"])
            expect(row.locator("td").first).to_have_text(str(move["games"]))
        # A move under the pointer is an arrow on the board.
        answers.nth(1).locator("tbody tr").first.hover()
        expect(page.locator(".ground svg.cg-shapes line, .ground .cg-shapes g line").first).to_be_attached()
        themes(page, "beside")


def test_explorer_shows_what_a_book_says(page, folder):
    base, book = folder / "opera.pgn", folder / "small.ctg"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    shutil.copy(ROOT / "corpus/ctg/ok/small.ctg", book)
    with served(base, book) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.get_by_role("button", name="Filter games").click()
        page.get_by_role("checkbox", name="small.ctg").check()
        shown = page.locator(".explorer .book")
        told = json.loads(tabiya("explore", str(book), "--json"))["books"][0]["moves"]
        assert len(told) == 3
        expect(shown.locator("tbody tr")).to_have_count(3)
        for at, move in enumerate(told):
            row = shown.locator("tbody tr").nth(at)
            expect(row.locator("th")).to_have_text(re.compile("^" + move["san"]))
            expect(row.locator("td").first).to_have_text(str(move["weight"]))
            expect(row).to_contain_text({"play": "play", "avoid": "avoid"}.get(move.get("advice"), ""))
        expect(shown.locator("th button").first).to_have_text("e4!")
        axe(page, "book")
        # A move of the book is tried on the board, and the book answers there.
        shown.locator("th button").first.click()
        expect(shown.locator("tbody tr")).to_have_count(2)
        expect(shown.locator("th button").first).to_have_text("e5")
        # Where the book has nothing it says so.
        page.fill("#typed", "a6")
        page.keyboard.press("Enter")
        expect(shown).to_contain_text("The book has no move here.")


def test_board_by_keyboard_alone(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        page.goto(url)
        expect(page.get_by_role("link", name="opera.pgn")).to_be_visible()
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "opera.pgn":
                break
        page.keyboard.press("Enter")
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        page.keyboard.press("g")
        page.keyboard.press("Enter")
        expect(page.get_by_role("treeitem").first).to_be_visible()
        page.keyboard.press("b")
        square = page.evaluate("document.activeElement.getAttribute('data-square')")
        assert square == "e4", square
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4"))
