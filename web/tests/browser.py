"""The app in a real browser: what a user does, what a hostile base tries, and what a screen reader would find.

    python3 web/tests/browser.py PROGRAM [--pictures FOLDER] [--browsers N] [--slow MS] [NAMES...]

PROGRAM is the built `tabiya`. Chromium and the package playwright are wanted; without them everything is skipped, aloud.
With --pictures, pictures of each page in light, dark and narrow are left there. With --slow, every answer comes late, up to
so many milliseconds and in any order, as over a bad line or on a busy machine: nothing that a user does may depend on it.
With TABIYA_WEB_DIST=FOLDER, scripts and styles come from that folder and not out of the program.
With names, only tests whose names contain one of them run. Tests are the functions `test_...` of the files `test_....py`
beside this one. They know nothing of each other, and run in several browsers at once, each with the next test that is left.
A test that fails is shown and runs once more, alone, when all others are done: one that passes then is listed at the end as
unsteady, and has to be mended, but a machine that was too busy does not hide what the others say.
"""

import argparse
import importlib
import multiprocessing
import os
import sys
import tempfile
import textwrap
import time
import traceback
from pathlib import Path

from app import CHROMIUM, FLAGS, PATIENCE, Run, Skipped, Watch, expect, own_pages, sync_playwright

# These take longest: who begins with them is not waited for at the end.
FIRST = [
    "test_a_long_conversion_goes_on_alone_and_stops_clean",
    "test_monstrous_games_leave_the_page_usable",
    "test_kills_lose_no_more_than_a_second",
]

# More failures than these are no accident.
MOST_UNSTEADY = 3


def tests():
    """The names of all tests with their files."""
    found = []
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for name, value in vars(importlib.import_module(path.stem)).items():
            # What a file has from another one is that one's.
            if name.startswith("test_") and callable(value) and value.__module__ == path.stem:
                found.append((path.stem, name))
    return sorted(found, key=lambda one: FIRST.index(one[1]) if one[1] in FIRST else len(FIRST))


def run(browser, file, name):
    """Runs a test in a page of its own; gives what came of it and what is to be told."""
    context = browser.new_context(viewport={"width": 1400, "height": 860}, locale="en-GB")
    own_pages(context)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    watch = Watch(page)
    began = time.monotonic()
    try:
        if Run.slow:
            slow_down(context, page)
        test = getattr(importlib.import_module(file), name)
        with tempfile.TemporaryDirectory() as folder:
            test(page, Path(folder))
        watch.check()
        return "passed", f"{name} ... ok ({time.monotonic() - began:.1f} s)"
    except Skipped as why:
        return "skipped", f"skipped: {name}, because {why}"
    except Exception as error:  # noqa: BLE001: every failure is told, and the next test runs
        line = traceback.extract_tb(error.__traceback__)
        own = [f"{Path(one.filename).name}:{one.lineno}" for one in line if Path(one.filename).parent == Path(__file__).parent]
        why = textwrap.indent(f"{error}\n{watch.wrong}", "    ")
        return "failed", f"{name} ... FAILED ({time.monotonic() - began:.1f} s, {' '.join(own)})\n{why}"
    finally:
        try:
            context.close()
        except Exception:  # noqa: BLE001: what is gone already is closed
            pass


def slow_down(context, page):
    """Answers are given to the page late: files after half of the time, what is asked of the server after any part of all."""
    context.new_cdp_session(page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": Run.slow / 2, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    page.add_init_script(
        "{const ask = fetch; fetch = async (...what) => {const came = await ask(...what);"
        f" await new Promise(go => setTimeout(go, Math.random() * {Run.slow / 2})); return came}}}}"
    )


def work(asked, waiting, told):
    """One browser: takes tests until none is left."""
    Run.program, Run.pictures, Run.slow = asked.program.resolve(), asked.pictures, asked.slow
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        while (test := waiting.get()) is not None:
            if not browser.is_connected():
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            told.put((test, *run(browser, *test)))
        browser.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--browsers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_intermixed_args()
    left = [test for test in tests() if not asked.names or any(part in test[1] for part in asked.names)]
    if not left:
        parser.error(f"no test has a name with {' or '.join(asked.names)}")
    came = run_all(asked, left, asked.browsers)
    # On a machine that many want at once a step can take longer than a test waits. Whether it was that, only a second try shows.
    unsteady = []
    if 0 < len(came["failed"]) <= MOST_UNSTEADY:
        print(f"once more: {len(came['failed'])} failed", flush=True)
        again = run_all(asked, came["failed"], 1)
        unsteady, came["failed"] = again["passed"], again["failed"]
        came["passed"] += again["passed"]
    print(", ".join(f"{len(tests)} {what}" for what, tests in came.items()))
    if unsteady:
        print(f"unsteady, failed once: {', '.join(name for _, name in unsteady)}")
    sys.exit(1 if came["failed"] else 0)


def run_all(asked, tests, count):
    """Runs tests in so many browsers, prints what comes of each, and gives the tests by what came of them."""
    left = list(tests)
    kind = multiprocessing.get_context("spawn")
    waiting, told = kind.Queue(), kind.Queue()
    browsers = [kind.Process(target=work, args=(asked, waiting, told)) for _ in range(max(1, min(count, len(left))))]
    for test in [*left, *[None] * len(browsers)]:
        waiting.put(test)
    for browser in browsers:
        browser.start()
    came = {"passed": [], "failed": [], "skipped": []}
    while left:
        if told.empty() and not any(browser.is_alive() for browser in browsers):
            # What is said last is on its way when its process ends.
            time.sleep(1)
            if told.empty():
                break
        if told.empty():
            time.sleep(0.1)
            continue
        test, what, text = told.get()
        left.remove(test)
        came[what].append(test)
        print(text, flush=True)
    for file, name in left:
        came["failed"].append((file, name))
        print(f"{name} ... FAILED\n    its browser has ended", flush=True)
    for browser in browsers:
        browser.join()
    return came


if __name__ == "__main__":
    main()
