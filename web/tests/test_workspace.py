"""The workspace: panes and their bars, layouts, tabs, two games beside each other, menus, density, and the phone."""

import json
import os
import re
import shutil

from app import ROOT, axe, expect, many_games, picture, served, settled, themes, until
from test_replay import made

BOOK = """[Event "Book"]
[White "Alpha, A"]
[Black "Beta, B"]
[Result "1-0"]

{Before the game.} 1. e4 {The first word.} e5 (1... c5 {sharp} 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3! $220 Nc6? 3. Bb5 a6 4. Ba4 1-0
"""


def first_game(page, url, name, row=0):
    page.goto(url)
    page.get_by_role("link", name=name).click()
    page.locator(".list .window .row").nth(row).click()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def box(page, place):
    return page.locator(place).first.bounding_box()


def test_thirty_games_and_a_large_board_are_seen_at_once(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    page.set_viewport_size({"width": 1440, "height": 900})
    with served(base) as url:
        first_game(page, url, "many.pgn")
        settled(page)
        seen = page.evaluate(
            """() => {
                const box = document.querySelector('.list .scroll').getBoundingClientRect();
                const heading = document.querySelector('.list .heading').getBoundingClientRect();
                return [...document.querySelectorAll('.list .window .row')].filter(row => {
                    const now = row.getBoundingClientRect();
                    return now.top >= heading.bottom - 1 && now.bottom <= box.bottom + 1;
                }).length;
            }"""
        )
        assert seen >= 30, seen
        assert box(page, ".board .squares")["width"] >= 640, box(page, ".board .squares")
        # Figures are whole in every row.
        cut = page.evaluate(
            "[...document.querySelectorAll('.list .window .row > .end, .list .heading .end')].filter(one => one.scrollWidth > one.clientWidth + 1).length"
        )
        assert cut == 0, cut


def test_panes_are_sized_hidden_and_remembered(page, folder):
    base = folder / "many.pgn"
    many_games(base, 60)
    with served(base) as url:
        first_game(page, url, "many.pgn")
        bar = page.get_by_role("separator", name="Size: Games")
        before = box(page, "#pane-list")["width"]
        # By the keyboard.
        bar.focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        until(page, lambda: box(page, "#pane-list")["width"] > before + 60, "the list is wider")
        wide = box(page, "#pane-list")["width"]
        # The arrow keys were for the bar alone.
        assert "at=" not in page.url, page.url
        # By the pointer.
        at = bar.bounding_box()
        page.mouse.move(at["x"] + 3, at["y"] + 200)
        page.mouse.down()
        page.mouse.move(at["x"] - 57, at["y"] + 200, steps=4)
        page.mouse.up()
        until(page, lambda: abs(box(page, "#pane-list")["width"] - (wide - 60)) < 4, "the list follows the pointer")
        narrow = box(page, "#pane-list")["width"]
        page.reload()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        assert abs(box(page, "#pane-list")["width"] - narrow) < 2
        # A pane goes, and the board takes its room; and it comes back.
        board = box(page, ".board .squares")["width"]
        page.get_by_role("button", name="Layout").click()
        page.get_by_role("menuitemcheckbox", name="Games").click()
        expect(page.locator("#pane-list")).to_have_count(0)
        until(page, lambda: box(page, ".board .squares")["width"] > board, "the board takes what is free")
        page.get_by_role("button", name="Layout").click()
        page.get_by_role("menuitemcheckbox", name="Games").click()
        expect(page.locator("#pane-list")).to_have_count(1)
        # Layouts are one key apart.
        page.locator(".board").focus()
        names = []
        for _ in range(4):
            page.keyboard.press("l")
            names.append(json.loads(page.evaluate("localStorage.workspace"))["preset"])
        assert names == ["annotate", "prepare", "train", "browse"], names
        # What somebody else wrote there is no layout.
        for wrong in ["{", '{"preset": 7, "layouts": {"browse": {"panes": 3, "list": "x", "side": 99}}}', "null"]:
            page.evaluate("text => localStorage.setItem('workspace', text)", wrong)
            page.reload()
            expect(page.get_by_role("treeitem").first).to_be_visible()
            until(page, lambda: box(page, ".board .squares")["width"] > 200, wrong)


def test_who_annotates_has_room_for_the_notation(page, folder):
    base = folder / "book.pgn"
    base.write_text(BOOK, encoding="utf-8")
    with served(base) as url:
        first_game(page, url, "book.pgn")
        page.get_by_role("button", name="Annotate").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        settled(page)
        column, book = box(page, ".moves"), box(page, ".moves .book")
        assert book["height"] >= column["height"] * 2 / 3 - 1, (column, book)
        # A move beside the game's is a variation without a question.
        page.keyboard.press("ArrowRight")
        page.fill("#typed", "e6")
        page.keyboard.press("Enter")
        expect(page.locator(".moves [aria-current]")).to_have_text("e6")
        expect(page.locator(".choice")).to_have_count(0)
        # Between two moves there is one field for what is said; before a variation there is another place.
        page.keyboard.press("Escape")
        expect(page.locator("#comment-before")).to_be_visible()
        page.locator("#comment-after").blur()
        page.locator(".board").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#comment-after")).to_have_value("The first word.")
        expect(page.locator("#comment-before")).to_be_hidden()
        page.get_by_role("button", name="Stop annotating").click()
        expect(page.locator("#pane-list")).to_be_visible()


def test_the_notation_is_set_as_in_a_book(page, folder):
    base = folder / "book.pgn"
    base.write_text(BOOK, encoding="utf-8")
    with served(base) as url:
        first_game(page, url, "book.pgn")
        style = lambda place, name: page.locator(place).first.evaluate(f"one => getComputedStyle(one).{name}")
        assert int(style(".moves .depth-0", "fontWeight")) > int(style(".moves .depth-1", "fontWeight")) > int(style(".moves .depth-2", "fontWeight")) - 1
        # Variations are paragraphs that are moved in, deeper ones more; what is said of the main line is a paragraph, too.
        left = lambda place: box(page, place)["x"]
        assert left(".moves .block.level-0") < left(".moves .block.level-1") < left(".moves .block.level-2")
        assert style(".moves .level-0 .comment", "display") == "block"
        assert style(".moves .level-1 .comment", "display") == "inline"
        # A diagram where the game asks for one, with the pieces of its position.
        expect(page.locator(".moves .diagram piece")).to_have_count(32)
        assert "nag" in page.locator(".moves .move", has_text="Nf3!").locator("span").get_attribute("class")
        # Who copies the text has the brackets.
        # Behind a diagram a move has its number.
        assert re.search(r"Nf3!\s*2…\s*Nc6\?", page.locator(".moves .text").text_content()), page.locator(".moves .text").text_content()
        assert re.search(r"\(1…\s*c5.*\(2\.\s*c3.*\).*\)", page.locator(".moves .text").text_content().replace("\n", " "))
        themes(page, "book")


def test_the_current_move_stays_in_sight(page, folder):
    base = folder / "long.pgn"
    moves = " ".join(f"{4 * n + 1}. Nf3 Nf6 {4 * n + 2}. Ng1 Ng8 {4 * n + 3}. Nc3 Nc6 {4 * n + 4}. Nb1 Nb8" for n in range(40))
    base.write_text(f'[White "Player, A"]\n[Black "Player, B"]\n[ECO "A04"]\n\n{moves} *\n', encoding="utf-8")
    inside = """() => {
        const move = document.querySelector('.moves .move[aria-current]')?.getBoundingClientRect();
        const book = document.querySelector('.moves .book').getBoundingClientRect();
        return Boolean(move) && move.top >= book.top && move.bottom <= book.bottom;
    }"""
    with served(base) as url:
        first_game(page, url, "long.pgn")
        page.locator(".moves .move").nth(90).click()
        page.wait_for_function(inside)
        # What comes late above the text takes its room from the text.
        page.locator(".moves header").evaluate("one => one.append(Object.assign(document.createElement('div'), {style: 'height: 300px'}))")
        page.wait_for_function(inside)
        # Who has turned the wheel reads elsewhere, and is left there.
        page.locator(".moves .text").hover()
        page.mouse.wheel(0, -4000)
        page.wait_for_function("() => document.querySelector('.moves .book').scrollTop === 0")
        page.locator(".moves header").evaluate("one => one.lastChild.style.height = '350px'")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator(".moves .book").evaluate("one => one.scrollTop") == 0
        # The next move is looked for again.
        page.locator("body").press("ArrowRight")
        page.wait_for_function(inside)


def test_games_are_open_in_tabs_and_beside_each_other(page, folder):
    base = folder / "many.pgn"
    many_games(base, 60)
    with served(base) as url:
        first_game(page, url, "many.pgn", 0)
        rows = page.locator(".list .window .row")
        expect(page.get_by_role("tablist", name="Open games")).to_have_count(0)
        rows.nth(3).click(modifiers=["Control"])
        rows.nth(5).click(button="middle")
        tabs = page.get_by_role("tablist", name="Open games").get_by_role("tab")
        expect(tabs).to_have_count(3)
        # The user stays where they are.
        assert "/game/1" in page.url
        axe(page, "tabs")
        tabs.nth(1).click()
        expect(page.locator(".moves h2")).to_contain_text("Player, A")
        game = re.search(r"/game/(\d+)", page.url)[1]
        assert game in ("4", "6"), page.url
        # Each tab is an address: where the reader was is where they come back to.
        page.locator(".board").focus()
        page.keyboard.press("ArrowRight")
        until(page, lambda: "at=1" in page.url, "the step is in the address")
        page.keyboard.press(".")
        until(page, lambda: f"/game/{game}" not in page.url, "another tab")
        page.keyboard.press(",")
        until(page, lambda: f"/game/{game}" in page.url and "at=1" in page.url, "back where the reader was")
        # Beside each other, each with a reader of its own.
        page.get_by_role("button", name="Show beside").click()
        page.get_by_role("menuitem").first.click()
        other = page.locator(".other")
        expect(other.locator("piece")).to_have_count(32)
        axe(page, "two games")
        other.get_by_role("button", name="Forward").click()
        expect(other.locator("[aria-current]")).to_have_count(1)
        until(page, lambda: "beside=" in page.url and "at%3D1" in page.url, "the second reader is in the address")
        page.reload()
        expect(page.locator(".other [aria-current]")).to_have_count(1)
        expect(tabs).to_have_count(3)
        themes(page, "beside")
        page.get_by_role("button", name="Close the second game").click()
        expect(other).to_have_count(0)
        page.get_by_role("button", name="Close the tab").click()
        expect(tabs).to_have_count(2)


def test_menus_close_on_escape_and_elsewhere(page, folder):
    base = folder / "book.pgn"
    base.write_text(BOOK, encoding="utf-8")
    with served(base) as url:
        first_game(page, url, "book.pgn")
        expect(page.get_by_role("button", name="Database", exact=True)).to_be_visible()
        closed = lambda: page.evaluate("document.querySelectorAll('.popup:popover-open').length") == 0
        for name in ["Columns", "Saved searches", "Database", "Position", "Save", "Layout", "Filter games", "Play through"]:
            button = page.get_by_role("button", name=name, exact=True).first
            button.click()
            expect(page.locator(".popup:popover-open")).to_have_count(1)
            # Keys of the board are none in a menu.
            before = page.url
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Escape")
            until(page, closed, f"{name} closes on Escape")
            assert page.url == before
            expect(button).to_be_focused()
            button.click()
            page.mouse.click(3, 300)
            until(page, closed, f"{name} closes on a press elsewhere")
        assert page.locator("details").count() == 0
        # Two never lie over each other.
        page.get_by_role("button", name="Columns", exact=True).click()
        page.get_by_role("button", name="Position", exact=True).click()
        expect(page.locator(".popup:popover-open")).to_have_count(1)
        axe(page, "a menu")


def test_a_phone_keeps_the_board_in_sight(page, folder):
    base = folder / "book.pgn"
    base.write_text(BOOK, encoding="utf-8")
    page.set_viewport_size({"width": 390, "height": 844})
    with served(base) as url:
        first_game(page, url, "book.pgn")
        sheets = page.get_by_role("tablist", name="Panes")
        expect(sheets).to_be_visible()
        top = box(page, ".board .squares")["y"]
        for name, pane in [("Explorer", "explorer"), ("Engine", "engine"), ("Games", "list"), ("Moves", "moves")]:
            sheets.get_by_role("tab", name=name).click()
            expect(page.locator(f"#pane-{pane}")).to_be_visible()
            # The board stands where it was, and what moves on is near the thumb.
            assert box(page, ".board .squares")["y"] == top
            axe(page, f"phone, {name}")
            picture(page, f"phone-{pane}")
        button = page.get_by_role("button", name="Forward").bounding_box()
        assert button["height"] >= 44 and button["y"] > 844 / 2, button
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "the page does not scroll"


def test_a_phone_lists_games_in_the_room_of_the_board(page, folder):
    base = folder / "many.pgn"
    many_games(base, 60)
    page.set_viewport_size({"width": 390, "height": 844})
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        rows = page.locator(".list .window .row")
        expect(rows.first).to_be_visible()
        bottom = page.get_by_role("tablist", name="Panes").bounding_box()["y"]
        seen = [box for box in (rows.nth(at).bounding_box() for at in range(rows.count())) if box and box["y"] + box["height"] <= bottom]
        assert len(seen) >= 18, len(seen)
        expect(page.locator(".board")).to_be_hidden()
        picture(page, "phone-games")
        rows.nth(2).click()
        expect(page.locator(".board .squares")).to_be_visible()
        page.get_by_role("tab", name="Games").click()
        expect(page.locator(".board .squares")).to_be_visible()


def test_charts_fit_the_window(page, folder):
    base = folder / "many.pgn"
    many_games(base, 400)
    page.set_viewport_size({"width": 1440, "height": 900})
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        page.get_by_role("link", name="Statistics").click()
        expect(page.locator(".statistics figure").first).to_be_visible()
        for size in [(1440, 900), (1024, 768), (390, 844)]:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            settled(page)
            scrolls = page.evaluate(
                "[...document.querySelectorAll('main, main *')].filter(one => !one.matches('.wide') && one.scrollWidth > one.clientWidth + 1"
                " && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).map(one => one.className)"
            )
            assert scrolls == [], (size, scrolls)


BOXES = ROOT / "web/tests/ui-boxes.json"

# What is the same on every machine: colours, heights and edges. Fonts differ, so that pictures would, and widths of words do.
MEASURE = """() => {
    const told = {};
    for (const part of document.querySelectorAll('.part')) {
        told[part.dataset.part] = [...part.querySelectorAll('button, input, [role], table, progress, svg')].slice(0, 24).map(one => {
            const style = getComputedStyle(one);
            const high = one.matches('button, input, [role=separator], [role=treeitem]') ? ` ${Math.round(one.getBoundingClientRect().height)}px` : '';
            return `${one.getAttribute('role') ?? one.localName}${high} ${style.color} ${style.backgroundColor} ${style.borderTopColor} ${style.borderTopWidth}`;
        });
    }
    return told;
}"""


def test_the_design_system_looks_as_it_was_decided(page, folder):


    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", folder / "opera.pgn")
    with served(folder) as url:
        page.goto(url)
        expect(page.get_by_role("link", name="opera.pgn")).to_be_visible()
        page.evaluate("() => { history.pushState(null, '', '/ui'); dispatchEvent(new PopStateEvent('popstate')); }")
        expect(page.locator(".part")).to_have_count(13)
        found = {}
        for theme in ["light", "dark", "contrast"]:
            page.get_by_role("button", name={"light": "light", "dark": "dark", "contrast": "high contrast"}[theme], exact=True).click()
            page.locator("h1").hover()
            settled(page)
            found[theme] = page.evaluate(MEASURE)
            axe(page, f"/ui, {theme}")
            picture(page, f"ui-{theme}")
        if os.environ.get("TABIYA_BLESS"):
            BOXES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        kept = json.loads(BOXES.read_text(encoding="utf-8"))
        for theme, parts in kept.items():
            for part, lines in parts.items():
                assert found[theme].get(part) == lines, (theme, part, found[theme].get(part), lines)
        assert found == kept
        # The keyboard's ways: tabs, tree, menu, splitter, toast.
        page.get_by_role("tab", selected=True).focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", selected=True)).to_have_text("game 2")
        expect(page.get_by_role("tab", selected=True)).to_be_focused()
        page.get_by_role("treeitem", name="A", exact=True).focus()
        for key in ["ArrowRight", "ArrowRight"]:
            page.keyboard.press(key)
        expect(page.get_by_role("treeitem", name="A00")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("treeitem", name="A", exact=True)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("treeitem")).to_have_count(2)
        page.locator("[data-part=Menu] button").first.press("Enter")
        expect(page.get_by_role("menuitem", name="PGN")).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("menuitemcheckbox")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("[data-part=Menu] button").first).to_be_focused()
        bar = page.get_by_role("separator")
        bar.press("End")
        expect(bar).to_have_attribute("aria-valuenow", "90")
        page.locator("[data-part=Toast] button").click()
        expect(page.locator(".toasts")).to_contain_text("Saved.")
        # A dialog closes on a press beside it.
        page.locator("[data-part=Dialog] > button").click()
        expect(page.locator("#gallery-dialog")).to_be_visible()
        page.mouse.click(5, 5)
        expect(page.locator("#gallery-dialog")).to_be_hidden()


def test_a_tablet_shows_all_pages_of_a_base(page, folder):
    page.set_viewport_size({"width": 1024, "height": 768})
    with served(made(folder)) as url:
        page.goto(url)
        page.get_by_role("link", name="three.pgn").click()
        expect(page.locator("#query-state")).to_contain_text("game")
        width = page.evaluate("[...document.querySelectorAll('.top .pages')].map(one => [one.scrollWidth, one.clientWidth])[0]")
        assert width[0] <= width[1], width
