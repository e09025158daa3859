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
def served(*paths, options=()):
    """A server of some paths; gives the address with its token."""
    server = subprocess.Popen(
        [PROGRAM, "serve", "--no-open", *options, *paths], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
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
        expect(page.locator("#query-state")).to_have_text(f"{wanted} games")
        page.fill("#query", "white: ((")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state .trouble")).to_be_visible()
        page.go_back()
        expect(page.locator("#query-state")).to_have_text(f"{wanted} games")
        # A heading sorts, and sorts the other way round.
        page.get_by_role("button", name="Date").click()
        first = json.loads(tabiya("search", "--sort", "date", "--first", "1", "--json", str(base), query))
        expect(rows.first).to_contain_text(first["date"])
        assert "sort=date" in page.url


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
        expect(page.locator("[aria-current]")).to_have_text(re.compile("e4"))
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
            expect(page.locator(".board [role=status]")).to_contain_text(answer)
        page.get_by_role("button", name="Help").click()
        axe(page, "help")
        picture(page, "help-light")
        page.keyboard.press("Escape")
        # An address is a place.
        there = page.url
        page.goto(there)
        expect(page.locator("[aria-current]")).to_have_text(re.compile("e4"))


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
        expect(page.locator("[aria-current]")).to_have_text(re.compile("e4"))


def test_a_hostile_base_shows_text(page, folder):
    base = folder / "hostile.pgn"
    hostile(base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="hostile.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.locator(".moves")).to_contain_text("<svg onload")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator("[aria-current]")).to_have_text(re.compile("e4"))
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
