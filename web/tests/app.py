"""What all browser tests need: the program, a server of some bases, a watch over the page, bases of their own making."""

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
# Long forms of tests are wanted.
FULL = "TABIYA_FULL" in os.environ
# Milliseconds in which what is waited for has to come: nobody measures here, and machines are slow and busy.
PATIENCE = 60_000
# A folder whose scripts and styles are shown in place of those that the program carries: what web/src makes can be tried without
# building the program.
PAGES = os.environ.get("TABIYA_WEB_DIST")
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


class Run:
    """What the command line has said: the built program, where pictures go, and how late answers come, in milliseconds."""

    program = None
    pictures = None
    slow = 0


def own_pages(context):
    """Gives the page's scripts and styles from the folder of `PAGES`, where one is named; everything else is the server's, the page
    around them among it: where it comes from is what the browser's rules go by."""
    if not PAGES:
        return
    folder = Path(PAGES).resolve()

    def asset(route):
        file = folder / route.request.url.split("?")[0].rsplit("/", 1)[1]
        route.fulfill(path=file) if file.is_file() else route.fallback()

    context.route(re.compile(r"^http://127\.0\.0\.1:\d+/assets/[^/]+$"), asset)


def tabiya(*args):
    """What the program says to a command."""
    done = subprocess.run([Run.program, *args], capture_output=True, text=True, check=False)
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


@contextmanager
def served(*paths, options=(), command="serve", home=None):
    """A server of some paths, with a home of its own unless one is given; gives the address with its token."""
    own = tempfile.TemporaryDirectory()
    places = {"HOME": str(home or own.name), "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}
    server = subprocess.Popen(
        [Run.program, command, "--no-open", *options, *paths],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **places},
    )
    served.process, address = server, None
    try:
        for line in server.stderr:
            found = re.search(r"(http://127\.0\.0\.1:\d+/)\S*", line)
            if found:
                address = found.group(1)
                yield found.group(0)
                break
        else:
            raise AssertionError("the server says no address")
    finally:
        if address:
            Watch.ended.add(address.removeprefix("http:"))
        server.terminate()
        server.wait(60)
        own.cleanup()


class Skipped(Exception):
    """Something that a test wants is not here."""


class Watch:
    """What a page must never do."""

    # Where servers were that a test has ended: a page that is left open calls for its own now and then.
    ended = set()

    def __init__(self, page):
        self.wrong = []
        page.add_init_script(
            "addEventListener('securitypolicyviolation', event =>"
            " console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`))"
        )
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))
        page.on("console", self.console)
        page.on("request", self.request)

    def console(self, message):
        about = f"{message.location.get('url', '')} {message.text}"
        is_of_ended = any(word in about for word in ("net::ERR_", "status of 503")) and any(address in about for address in self.ended)
        if message.type == "error" and "status of 4" not in message.text and not is_of_ended:
            self.wrong.append(f"console: {message.text}")

    def request(self, request):
        if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", request.url):
            self.wrong.append(f"asked for {request.url}")

    def check(self):
        assert not self.wrong, self.wrong


def asks(page):
    """A move that is played where another one goes on is asked about; else it becomes a variation."""
    page.add_init_script("localStorage.setItem('newMoves', 'ask')")


def until(page, holds, what):
    """Waits for something that is not in the page; the page goes on meanwhile."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, what
        page.wait_for_timeout(50)


class Held:
    """Requests of a kind that are kept from the server, until they are let go."""

    def __init__(self, page, pattern):
        self.page, self.pattern, self.routes, self.is_over = page, re.compile(pattern), [], False
        page.route(self.pattern, self.take)

    def take(self, route):
        if self.is_over:
            route.fallback()
        else:
            self.routes.append(route)

    def arrived(self):
        until(self.page, lambda: self.routes, f"nothing asks for {self.pattern.pattern}")

    def release(self):
        self.is_over = True
        for route in self.routes:
            route.fallback()


def settled(page):
    """Waits until nothing in the page moves any more: the board follows a window some frames later."""
    page.evaluate(
        """async () => {
            const boxes = () => JSON.stringify([...document.querySelectorAll('body, main, main *')].slice(0, 2000).map(one => {
                const box = one.getBoundingClientRect();
                return [box.x, box.y, box.width, box.height];
            }));
            let before = '';
            for (let same = 0, frames = 0; same < 3 && frames < 120; frames++) {
                await new Promise(requestAnimationFrame);
                const now = boxes();
                same = now === before ? same + 1 : 0;
                before = now;
            }
        }"""
    )


def axe(page, where):
    """No violation of the rules of axe-core."""
    source = ROOT / "web/node_modules/axe-core/axe.min.js"
    if not source.exists():
        print(f"skipped: the rules of axe-core on {where}: the package is not installed")
        return
    # A page that is still empty breaks rules of its own.
    page.locator("main").wait_for()
    page.evaluate(source.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    told = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
    assert not told, f"{where}: {told}"


def picture(page, name):
    if Run.pictures:
        Run.pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Run.pictures / f"{name}.png")


def themes(page, name):
    """The rules and a picture in both themes, and a picture of a narrow window."""
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        axe(page, f"{name}, {theme}")
        picture(page, f"{name}-{theme}")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 700})
    settled(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, f"{name}: {wide} pixels wide in a window of 320"
    picture(page, f"{name}-narrow")
    page.set_viewport_size(size)
