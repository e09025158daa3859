"""Measures how soon the app paints what follows a key or a click, with the processor of the page slowed down.

    python3 bench/interaction.py PROGRAM BASE [--rate 4]

PROGRAM is a build of `tabiya`, BASE a large database with its index. Real keys and clicks go through the browser; what the browser itself says
of each (Event Timing: from the event to the next frame, in steps of 8 ms) is told by kind: the middle, the 95th percentile, the worst.
An interaction is all events of one key or click, and lasts as long as the longest of them. Chromium and the package playwright are wanted.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "web/tests"))

from app import CHROMIUM, FLAGS, Run, own_pages, served, sync_playwright  # noqa: E402

# Keeps the longest event of each interaction.
WATCH = """window.longest = new Map();
new PerformanceObserver(list => {
    for (const one of list.getEntries()) {
        if (one.interactionId) window.longest.set(one.interactionId, Math.max(window.longest.get(one.interactionId) ?? 0, one.duration));
    }
}).observe({type: 'event', durationThreshold: 16, buffered: true});"""


class Measure:
    """What was done, by kind."""

    def __init__(self, page):
        self.page, self.kinds = page, {}

    def during(self, kind, act, times, pause=250):
        page = self.page
        page.wait_for_timeout(1_000)
        page.evaluate("() => window.longest.clear()")
        for at in range(times):
            act(at)
            page.wait_for_timeout(pause)
        page.wait_for_timeout(1_000)
        told = page.evaluate("() => [...window.longest.values()]")
        # What is painted within 16 ms is not told of.
        self.kinds[kind] = sorted(told + [16] * max(0, times - len(told)))


def percentile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))]


def rows(kinds):
    for kind, values in kinds:
        print(f"| {kind} | {len(values)} | {percentile(values, 0.5):.0f} | {percentile(values, 0.95):.0f} | {values[-1]:.0f} |", flush=True)


def listed(page, measure):
    """The list: keys, headings, the field for queries."""
    press = page.keyboard.press
    page.locator(".list .scroll").focus()
    measure.during("a row further in the list (arrow)", lambda _: press("ArrowDown"), 40)
    measure.during("a page further in the list", lambda _: press("PageDown"), 20)
    measure.during("the end and the beginning of the list", lambda at: press("Home" if at % 2 else "End"), 10, 500)
    measure.during("a row selected (space)", lambda _: press(" "), 10)
    page.get_by_role("button", name="Select none").click()
    headings = page.locator(".list .heading button")
    measure.during("sorted by a column", lambda at: headings.nth(at % 4).click(), 8, 1_500)
    page.locator("#query").focus()
    measure.during("a letter in the field for queries", lambda at: press("sicilian najdorf carlsen "[at % 25]), 50, 150)
    page.fill("#query", "")

    def search(at):
        page.fill("#query", f"elo>={2400 + at}")
        press("Enter")

    measure.during("a search", search, 8, 1_500)
    page.fill("#query", "")
    press("Enter")
    page.wait_for_timeout(2_000)
    columns = page.get_by_role("button", name="Columns")
    measure.during("a menu opened and closed", lambda _: columns.click(), 10)


def read(page, measure):
    """A game: opened, stepped through, walked through by clicks and by the explorer."""
    press = page.keyboard.press
    row = page.locator(".list .window .row")
    measure.during("a game opened by a click on its row", lambda at: row.nth(3 + at % 8).click(), 16, 600)
    page.locator(".board").focus()
    measure.during("a step in the game", lambda at: press("ArrowLeft" if at % 20 >= 15 else "ArrowRight"), 60, 200)
    moves = page.locator(".moves .move")
    measure.during("a move of the game clicked", lambda at: moves.nth((7 * at) % moves.count()).click(), 20)
    measure.during("the board turned", lambda _: press("f"), 10)
    measure.during("another layout", lambda _: press("l"), 8, 600)
    measure.during("the next game of the list", lambda _: press("n"), 12, 600)
    press("Home")
    page.wait_for_timeout(1_000)

    def explore(_):
        page.locator(".explorer tbody th button").first.click()

    measure.during("a move of the explorer clicked", explore, 10, 1_000)
    press("Escape")


def annotated(page, measure):
    """Changes of a game: moves, comments, annotation symbols, undo."""
    press = page.keyboard.press
    press("Home")
    press("e")
    page.locator(".annotate .state").wait_for()
    for _ in range(6):
        press("ArrowRight")
    measure.during("an annotation symbol", lambda at: press(str(1 + at % 6)), 12)
    measure.during("a change undone and done again", lambda at: press("U" if at % 2 else "u"), 12)
    press("c")
    measure.during("a letter of a comment", lambda at: press("a comment that is typed at an even pace "[at % 40]), 80, 90)
    press("Escape")
    page.locator("#typed").focus()

    def play(at):
        page.locator("#typed").fill(["a4", "h4", "a3", "h3", "b3", "g3"][at % 6])
        press("Enter")
        page.wait_for_timeout(150)
        press("Escape")
        press("ArrowLeft")
        page.locator("#typed").focus()

    measure.during("a move typed, and a step back", play, 6, 500)
    page.get_by_role("button", name="Discard").first.click()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("--rate", type=float, default=4)
    asked = parser.parse_args()
    Run.program = asked.program.resolve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with served(asked.base.resolve()) as url:
            context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
            own_pages(context)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.add_init_script(WATCH)
            page.goto(url)
            page.locator(".cards a").first.click()
            page.locator(".list .window .row").nth(12).wait_for()
            page.wait_for_timeout(2_000)
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": asked.rate})
            measure = Measure(page)
            print(f"load {os.getloadavg()[0]:.1f}, processor slowed down {asked.rate:g} times\n", flush=True)
            print("| interaction | how many | middle | 95th percentile | worst |\n|---|--:|--:|--:|--:|", flush=True)
            for part in [listed, read, annotated]:
                before = len(measure.kinds)
                part(page, measure)
                rows(list(measure.kinds.items())[before:])
            every = sorted(value for values in measure.kinds.values() for value in values)
            rows([("all", every)])
        browser.close()


if __name__ == "__main__":
    main()
