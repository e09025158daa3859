"""The app in a real browser: what a user does, what a hostile base tries, and what a screen reader would find.

    python3 web/tests/browser.py PROGRAM [PICTURES]

PROGRAM is the built `tabiya`. Chromium and the package playwright are wanted; without them everything is skipped, aloud.
With a folder PICTURES, pictures of each page in light, dark and narrow are left there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv[1]).resolve()
PICTURES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def skip(why):
    print(f"skipped: every browser test, because {why}")
    sys.exit(0)


if CHROMIUM is None:
    skip("chromium is not installed")
try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    skip("the package playwright is not installed")


def tabiya(*args):
    """What the program says to a command."""
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False)
    return done.stdout


def many_games(path, count):
    """A base of its own making: short games with names that differ."""
    lines = ["1. e4 e5 2. Nf3 Nc6", "1. d4 Nf6 2. c4 g6", "1. e4 c5 2. Nf3 d6", "1. Nf3 d5 2. g3 Nf6", "1. c4 e5 2. Nc3 Nf6"]
    results = ["1-0", "0-1", "1/2-1/2"]
    with path.open("w", encoding="utf-8") as out:
        for number in range(1, count + 1):
            result = results[number % 3]
            out.write(
                f'[Event "Open {number % 97}"]\n[Site "Somewhere"]\n[Date "{1950 + number % 70}.01.02"]\n[Round "{number % 9}"]\n'
                f'[White "Player, A{number % 501}"]\n[Black "Player, B{number % 499}"]\n[Result "{result}"]\n'
                f'[WhiteElo "{2000 + number % 800}"]\n[BlackElo "{2000 + number * 7 % 800}"]\n\n{lines[number % 5]} {result}\n\n'
            )


HOSTILE = """[Event "<script>window.hit=1</script>"]
[Site "<img src=x onerror=window.hit=2>"]
[Date "2020.??.??"]
[Round "javascript:window.hit=3"]
[White "\u202eevil <b>bold</b> {control}"]
[Black "{long}"]
[Result "1-0"]

1. e4 {{<svg onload=window.hit=4></svg> [%cal Ge2e4,Rd1h5] "quoted' text}} e5 ({deep} 1... c5) 2. Nf3 e9 {{text that cannot be read <script>window.hit=5</script>}} 1-0
"""


def hostile(path):
    deep = ""
    for _ in range(300):
        deep = f"1... a6 ({deep} 1... b6)" if deep else "1... h6"
    text = HOSTILE.format(control="\x01\x1b[31m", long="long " * 50_000, deep=deep)
    path.write_text(text, encoding="utf-8")


@contextmanager
def served(*paths, options=(), command="serve"):
    """A server of some paths; gives the address with its token."""
    server = subprocess.Popen(
        [PROGRAM, command, "--no-open", *options, *paths], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    try:
        for line in server.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                yield found.group(0)
                break
        else:
            raise AssertionError("the server says no address")
    finally:
        server.terminate()
        server.wait(10)


class Watch:
    """What a page must never do."""

    def __init__(self, page):
        self.wrong = []
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))
        page.on("console", self.console)
        page.on("request", self.request)

    def console(self, message):
        if message.type == "error" and "status of 4" not in message.text:
            self.wrong.append(f"console: {message.text}")

    def request(self, request):
        if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", request.url):
            self.wrong.append(f"asked for {request.url}")

    def check(self):
        assert not self.wrong, self.wrong


def axe(page, where):
    """No violation of the rules of axe-core."""
    source = ROOT / "web/node_modules/axe-core/axe.min.js"
    if not source.exists():
        print(f"skipped: the rules of axe-core on {where}: the package is not installed")
        return
    page.evaluate(source.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    told = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
    assert not told, f"{where}: {told}"


def picture(page, name):
    if PICTURES:
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png")


def themes(page, name):
    """The rules and a picture in both themes, and a picture of a narrow window."""
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        axe(page, f"{name}, {theme}")
        picture(page, f"{name}-{theme}")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 700})
    # The board follows the window a moment later.
    page.wait_for_timeout(500)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, f"{name}: {wide} pixels wide in a window of 320"
    picture(page, f"{name}-narrow")
    page.set_viewport_size(size)


def test_library_list_and_search(page, folder):
    base = folder / "many.pgn"
    many_games(base, 10_000)
    with served(base) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="many.pgn")).to_be_visible()
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
        query = 'white:"Player, A7"'
        page.fill("#query", query)
        page.keyboard.press("Enter")
        wanted = int(tabiya("search", "--count", str(base), query).split()[0].replace(",", ""))
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 10,000 games")
        page.fill("#query", "white: ((")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state .trouble")).to_be_visible()
        page.go_back()
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 10,000 games")
        # A heading sorts, and sorts the other way round.
        page.get_by_role("button", name="Date").click()
        first = json.loads(tabiya("search", "--sort", "date", "--first", "1", "--json", str(base), query))
        expect(rows.first).to_contain_text(first["date"])
        assert "sort=date" in page.url


def test_columns_selection_and_preview(page, folder):
    base = folder / "many.pgn"
    many_games(base, 300)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        rows = page.locator(".list .window .row")
        expect(rows.first).to_contain_text("Player, A1")
        # A column of one's choice, which stays.
        page.locator(".tools summary").click()
        page.get_by_role("checkbox", name="Round").check()
        picture(page, "columns-light")
        page.locator(".tools summary").click()
        expect(page.get_by_role("columnheader", name="Round")).to_be_visible()
        page.reload()
        expect(page.get_by_role("columnheader", name="Round")).to_be_visible()
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
        page.locator(".query summary").click()
        page.get_by_role("button", name="Keep this query").click()
        page.reload()
        page.fill("#query", "")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("300 games")
        page.locator(".query summary").click()
        page.locator(".query .menu a").click()
        expect(page.locator("#query-state")).to_have_text(f"{wanted} of 300 games")
        page.fill("#query", "eco:B has:c")
        assert page.locator("#query-terms option").first.get_attribute("value") == "eco:B has:comments"


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
        assert "at=1" in page.url
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
            expect(page.locator(".board > [role=status]")).to_contain_text(answer)
        page.get_by_role("button", name="Help").click()
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
        expect(page.get_by_role("navigation").locator("b")).to_contain_text("pasted")
        page.locator(".list .window .row").first.click()
        square = page.locator("[data-square=e5]")
        expect(square).to_have_attribute("aria-label", "e5, black king")
        position = page.locator(".controls summary")
        with page.expect_download() as saved:
            position.click()
            page.get_by_role("button", name="Diagram as SVG").click()
        drawn = Path(saved.value.path()).read_text(encoding="utf-8")
        assert drawn.count("<image ") == 3 and drawn.count("<rect ") == 65, drawn[:400]
        with page.expect_download() as saved:
            position.click()
            page.get_by_role("button", name="Diagram as PNG").click()
        assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
        position.click()
        page.get_by_role("button", name="Set up a position").click()
        editor = page.locator("#editor")
        editor.get_by_role("radio", name="black rook").click()
        editor.get_by_role("gridcell").nth(0).get_by_role("button").click()
        expect(editor.locator(".built")).to_have_text("r7/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        themes(page, "editor")
        editor.get_by_role("button", name="Play from here").click()
        expect(page.locator("[data-square=a8]")).to_have_attribute("aria-label", "a8, black rook")
        # The base of one game is searched for another's position.
        paste(page, "1. e4 *")
        page.locator(".list .window .row").first.click()
        position.click()
        page.get_by_role("button", name="Games with this position").click()
        expect(page.locator("#query-state")).to_have_text("1 of 1 games")


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


def test_explorer_asks_bases_side_by_side(page, folder):
    one, other = folder / "opera.pgn", folder / "many.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", one)
    many_games(other, 300)
    with served(one, other) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.locator(".filters summary").click()
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


def test_open_shows_the_base_at_once(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base, command="open") as url:
        page.goto(url)
        expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
        assert "/base/" in page.url and "token" not in page.url


def test_a_hostile_base_shows_text(page, folder):
    base = folder / "hostile.pgn"
    hostile(base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="hostile.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.locator(".moves")).to_contain_text("<svg onload")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4"))
        assert page.evaluate("window.hit") is None
        picture(page, "hostile-light")


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


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    passed = failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, test in tests:
            context = browser.new_context(viewport={"width": 1400, "height": 860}, locale="en-GB")
            page = context.new_page()
            page.set_default_timeout(15_000)
            expect.set_options(timeout=15_000)
            watch = Watch(page)
            began = time.monotonic()
            try:
                with tempfile.TemporaryDirectory() as folder:
                    test(page, Path(folder))
                watch.check()
                passed += 1
                print(f"{name} ... ok ({time.monotonic() - began:.1f} s)")
            except Exception as error:  # noqa: BLE001: every failure is told, and the next test runs
                failed += 1
                print(f"{name} ... FAILED\n    {error}\n    {watch.wrong}")
            context.close()
        browser.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
