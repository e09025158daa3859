"""Measures how long the app takes from each key and click to the next paint, on a processor that the browser slows down.

    python3 bench/interactions.py PROGRAM BASE [--slower N] [--profile FILE]

PROGRAM is a release build of `tabiya`, BASE a large database. Keys and clicks are those of the browser's own input, and
times those of its `event` entries: the longest event of each interaction, from the key to the paint after it, in steps of
8 ms. What takes less than 16 ms is not told one by one, and counts as 16. Prints rows for RESULTS.md. With `--profile`, a
trace of all of it is left in FILE, as Chromium's own tools read it. Chromium and the package playwright are wanted, as for the
browser tests.
"""

import argparse
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "web/tests"))

from app import CHROMIUM, FLAGS, Run, own_pages, served, sync_playwright  # noqa: E402

# Milliseconds; what is asked for at the 95th percentile.
BAR = 50
# The shortest time that a browser tells.
LEAST = 16

OBSERVED = """
window.told = new Map();
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
        if (!entry.interactionId) continue;
        const { duration, name } = entry;
        const before = window.told.get(entry.interactionId);
        if (!before || before.duration < duration) window.told.set(entry.interactionId, { duration, name });
    }
}).observe({ type: 'event', durationThreshold: 16, buffered: true });
"""

WORDS = "White gives the bishop for two pawns and an attack, since the rook on the seventh rank keeps the king where it is. "


class Scenes:
    """What somebody does with the app: each scene is a kind of keys or clicks, with pauses as a quick hand makes them."""

    def __init__(self, page):
        self.page = page

    def pause(self, milliseconds):
        self.page.wait_for_timeout(milliseconds)

    def press(self, key, times, pause=90):
        for _ in range(times):
            self.page.keyboard.press(key)
            self.pause(pause)

    def click_all(self, selector, count, pause):
        """Clicks in turn what is in sight of a kind."""
        found = self.page.locator(selector)
        boxes = [found.nth(at).bounding_box() for at in range(min(found.count(), count))]
        for box in boxes:
            if box:
                self.page.mouse.click(box["x"] + min(20, box["width"] / 2), box["y"] + box["height"] / 2)
                self.pause(pause)

    def opening(self):
        self.click_all(".list .window .row [role=gridcell]:nth-child(3)", 20, 350)

    def stepping(self):
        self.press("ArrowRight", 60)
        self.press("ArrowLeft", 30)
        self.press("End", 1, 300)
        self.press("Home", 1, 300)

    def moves(self):
        self.click_all(".moves .text .move", 40, 200)

    def games(self):
        self.press("n", 15, 300)

    def list(self):
        self.page.keyboard.press("g")
        self.press("ArrowDown", 60)
        self.press("PageDown", 20, 150)
        self.press("End", 1, 500)
        self.press("PageUp", 20, 150)
        self.press("Home", 1, 500)

    def searching(self):
        self.page.keyboard.press("/")
        for word in ["carlsen sicilian", "tal 1960", "najdorf"]:
            for letter in word:
                self.press(letter if letter != " " else "Space", 1, 120)
            self.press("ArrowDown", 3, 150)
            self.press("Escape", 1, 200)
            self.page.locator("#query").fill("")
        self.press("Escape", 2, 300)

    def signs(self):
        self.page.locator(".moves .text .move").first.click()
        for sign in "123456" * 3:
            self.press(sign, 1, 150)
        self.press("u", 10, 150)

    def typing(self):
        self.page.locator(".moves .text .move").nth(10).click()
        self.page.keyboard.press("c")
        for letter in WORDS * 2:
            self.press(letter, 1, 70)
        self.page.keyboard.press("Escape")


NAMES = {
    "opening": "open a game from the list, by a click",
    "stepping": "move through a game, by arrow keys",
    "moves": "click moves of the notation",
    "games": "next game of the list, by `n`",
    "list": "arrow keys, pages and ends of the list",
    "searching": "type into the search field, with suggestions",
    "signs": "annotation symbols and undo",
    "typing": "type a comment",
}


def percentile(values, share):
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0


def measured(page, scene):
    """The time of each interaction of a scene."""
    page.wait_for_timeout(500)
    count = page.evaluate("window.told.clear(); performance.interactionCount")
    scene()
    page.wait_for_timeout(700)
    told = page.evaluate("[...window.told.values()]")
    count = page.evaluate("performance.interactionCount") - count
    times = [max(LEAST, one["duration"]) for one in told]
    return times + [LEAST] * max(0, count - len(times)), told


def row(what, times):
    middle, most, worst = percentile(times, 0.5), percentile(times, 0.95), max(times, default=0)
    print(f"| {what} | {len(times)} | {middle:.0f} | {most:.0f} | {worst:.0f} |", flush=True)


def all_measured(page):
    scenes = Scenes(page)
    everything = []

    def scene(name):
        times, told = measured(page, getattr(scenes, name))
        assert len(times) >= 15, f"{name}: {len(times)} interactions"
        row(NAMES[name], times)
        slow = sorted((one for one in told if one["duration"] > BAR), key=lambda one: -one["duration"])
        if slow:
            print(f"{NAMES[name]}: over {BAR} ms: {[(one['name'], one['duration']) for one in slow[:8]]}", file=sys.stderr)
        everything.extend(times)

    for name in ["opening", "stepping", "moves", "games", "list", "searching"]:
        scene(name)
    page.locator(".list .window .row").first.click()
    page.locator(".moves .text .move").first.wait_for()
    page.get_by_role("button", name="Annotate").click()
    page.locator(".annotate .state").wait_for()
    for name in ["signs", "typing"]:
        scene(name)
    row("all", everything)
    return percentile(everything, 0.95) <= BAR


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("--slower", type=float, default=4)
    parser.add_argument("--profile", type=Path)
    asked = parser.parse_args()
    Run.program = asked.program.resolve()
    with sync_playwright() as playwright, served(asked.base.resolve()) as url:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
        own_pages(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.add_init_script(OBSERVED)
        page.goto(url)
        page.locator(".cards a").first.click()
        page.locator(".list .window .row").first.wait_for()
        page.wait_for_timeout(2_000)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": asked.slower})
        if asked.profile:
            browser.start_tracing(page=page, path=asked.profile)
        print("| what | interactions | median, ms | 95th percentile, ms | worst, ms |\n|---|--:|--:|--:|--:|", flush=True)
        is_within = all_measured(page)
        if asked.profile:
            browser.stop_tracing()
        browser.close()
    sys.exit(0 if is_within else 1)


if __name__ == "__main__":
    main()
