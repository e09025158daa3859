"""What is left when the browser, the server or both are killed while somebody types; and two browsers beside the command line."""

import os
import random
import shutil
import signal
import subprocess
import time
import uuid
from contextlib import contextmanager

from app import CHROMIUM, FLAGS, FULL, PATIENCE, ROOT, Run, expect, served

# What was typed so long ago is on the disk.
KEPT = 1.0


@contextmanager
def own_browser(page):
    """A browser that may be killed; gives it with the numbers of its processes."""
    mark = f"--tabiya-test={uuid.uuid4()}"
    browser = page.context.browser.browser_type.launch(executable_path=CHROMIUM, args=[*FLAGS, mark])
    try:
        yield browser, processes(mark)
    finally:
        try:
            browser.close()
        except Exception:  # noqa: BLE001: it is killed
            pass


def processes(mark):
    """The processes of a browser by the mark that it was started with."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
        except OSError:
            continue
        if mark.encode() in line and not any(part.startswith(b"--type=") for part in line):
            found.append(int(name))
    assert found, "no process of the browser is found"
    return found


TOKEN = "a-token-that-is-long-enough-for-tests-0123456789"


@contextmanager
def served_to_many(folder, *paths, home=None):
    """A server with a token that serves any number of browsers."""
    path = folder / "token"
    path.write_text(f"{TOKEN}\n", encoding="utf-8")
    path.chmod(0o600)
    with served(*paths, home=home, options=["--token-file", path]) as url:
        yield f"{url.split('?')[0].rstrip('/')}/?token={TOKEN}"


# Tells of each key that the page has taken, by the clock of the machine: a busy machine takes its time between a key and the page.
TOLD = """() => document.querySelector('#comment-after').addEventListener(
    'input', event => console.info('taken', event.target.value.length, Date.now()), true)"""


class Typing:
    """Somebody who types, with what the page has taken and when, and what the server has answered."""

    def __init__(self, page):
        self.page = page
        self.typed = ""
        self.taken = []
        self.answered = ""
        self.slowest = 0.0
        self.asked = {}
        self.before = len(page.locator("#comment-after").input_value())
        page.on("console", self.told)
        page.on("request", self.request)
        page.on("response", self.response)
        page.evaluate(TOLD)

    def told(self, message):
        if message.text.startswith("taken "):
            _, length, when = message.text.split()
            self.taken.append((int(when) / 1000, int(length) - self.before))

    def request(self, request):
        if request.method == "POST" and request.url.endswith("/wishes"):
            self.asked[request] = time.time()

    def response(self, response):
        began = self.asked.pop(response.request, None)
        if began is None:
            return
        self.slowest = max(self.slowest, time.time() - began)
        if response.ok:
            self.answered = response.request.post_data_json["wishes"][-1]["wish"]["text"]

    def type(self, text):
        self.page.keyboard.type(text)
        self.typed += text

    def go_on(self, seconds, chance):
        """Types for about so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.type(chance.choice("abcdefghij klmnop"))
            self.page.wait_for_timeout(chance.randrange(5, 50))

    def kept(self, moment):
        """What the page took in time to be kept at a moment: a second before it. The short form runs beside anything, and adds the
        slowest answer that this machine gave meanwhile; the long form wants a quiet machine, and adds nothing."""
        slowest = 0.0 if FULL else max([self.slowest, *(moment - began for began in self.asked.values())])
        count = max((length for when, length in self.taken if when < moment - KEPT - slowest), default=0)
        return self.typed[:count]


def test_kills_lose_no_more_than_a_second(page, folder):
    base, home = folder / "opera.pgn", folder / "home"
    home.mkdir()
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    original = base.read_bytes()
    chance = random.Random(11)
    kept = ""
    for attempt in range(50 if FULL else 5):
        victims = ["server", "browser", "both"][attempt % 3]
        with served_to_many(folder, base, home=home) as url:
            server = served.process
            with own_browser(page) as (browser, own):
                tab = browser.new_page()
                tab.set_default_timeout(PATIENCE)
                tab.goto(url)
                if attempt == 0:
                    tab.get_by_role("link", name="opera.pgn").click()
                    tab.locator(".list .window .row").first.click()
                    expect(tab.get_by_role("treeitem").first).to_be_visible()
                    tab.get_by_role("button", name="Annotate").click()
                else:
                    expect(tab.locator(".drafts")).to_contain_text("Morphy")
                    tab.get_by_role("button", name="Continue").click()
                expect(tab.locator(".annotate .state")).to_be_visible()
                field = tab.locator("#comment-after")
                expect(field).to_have_value(kept.strip())
                field.focus()
                field.press("End")
                typed = Typing(tab)
                typed.type(f"{attempt}.")
                typed.go_on(1.2 + 2 * chance.random(), chance)
                moment = time.time()
                if victims != "server":
                    for process in own:
                        os.kill(process, signal.SIGKILL)
                if victims != "browser":
                    server.send_signal(signal.SIGKILL)
                    server.wait(60)
            assert base.read_bytes() == original, f"{attempt}: {victims}"
            if victims == "browser":
                # Another browser finds what the first one has sent.
                with own_browser(page) as (browser, _):
                    kept = found_in(browser, url, kept, typed, moment)
                continue
        with served_to_many(folder, base, home=home) as url, own_browser(page) as (browser, _):
            kept = found_in(browser, url, kept, typed, moment)
    checked = subprocess.run([Run.program, "check", base], capture_output=True, check=False)
    assert checked.returncode == 0


def found_in(browser, url, kept, typed, moment):
    """What the draft holds: what was typed, but at most the last second."""
    tab = browser.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.goto(url)
    expect(tab.locator(".drafts")).to_contain_text("Morphy")
    tab.get_by_role("button", name="Continue").click()
    expect(tab.locator(".annotate .state")).to_be_visible()
    field = tab.locator("#comment-after")
    expect(field).not_to_have_value("")
    found = field.input_value()
    everything = kept + typed.typed
    assert everything.startswith(found.rstrip()), (found, everything)
    for surely in [kept + typed.kept(moment), typed.answered]:
        assert len(found) >= len(surely.rstrip()), (found, surely)
    return found


def test_two_browsers_and_the_command_line_lose_nothing(page, folder):
    """Each saves comments into the same game; what was said to be saved is there, and what was not was told as a conflict."""
    base = folder / "two.pgn"
    opera = (ROOT / "corpus/pgn/ok/opera.pgn").read_text(encoding="utf-8").strip()
    base.write_text(f"{opera}\n\n{opera.replace('Morphy', 'Second')}\n", encoding="utf-8")
    rounds = 166 if FULL else 8
    chance = random.Random(3)
    said = []
    conflicts = 0
    with served_to_many(folder, base) as url, own_browser(page) as (other, _):
        tabs = []
        for at, tab in enumerate([page, other.new_page()]):
            tab.set_default_timeout(PATIENCE)
            tab.goto(url)
            tab.get_by_role("link", name="two.pgn").click()
            tab.locator(".list .window .row").nth(at).click()
            expect(tab.get_by_role("treeitem").first).to_be_visible()
            tab.get_by_role("button", name="Annotate").click()
            expect(tab.locator(".annotate .state")).to_be_visible()
            tabs.append(tab)
        expected = {1: None, 2: None}
        rounded = {1: None, 2: None}
        for round_ in range(1, rounds + 1):
            for at, tab in enumerate(tabs):
                number = at + 1
                text = f"tab{number} says {round_}"
                tab.fill("#typed", f"say {text}")
                tab.keyboard.press("Enter")
                expect(tab.locator("#typed")).to_have_value("")
                expect(tab.locator(".moves .comment", has_text=text)).to_have_count(1)
                between = chance.random() < 0.4
                if between:
                    told = subprocess.run(
                        [Run.program, "edit", base, "set", "--games", str(number), f"Round={round_}"], capture_output=True, text=True, check=False
                    )
                    assert told.returncode == 0, told.stderr
                    rounded[number] = round_
                tab.get_by_role("button", name="Save into the database").click()
                state = tab.locator(".annotate .state", has_text="Saved").or_(tab.locator(".refusal"))
                expect(state.first).to_be_visible()
                if between:
                    expect(tab.locator(".refusal")).to_contain_text(str(round_))
                    conflicts += 1
                    # Both are shown; the user's own is chosen in full sight.
                    tab.locator(".refusal").get_by_role("button", name="Replace with mine").click()
                    rounded[number] = None
                expect(tab.locator(".annotate .state")).to_contain_text("Saved")
                expected[number] = text
                said.append(text)
                games = base.read_text(encoding="utf-8").split("[Event ")[1:]
                assert len(games) == 2
                for one, comment in expected.items():
                    assert comment is None or comment in games[one - 1], (one, comment)
    assert conflicts > 0
    checked = subprocess.run([Run.program, "check", base], capture_output=True, check=False)
    assert checked.returncode == 0
