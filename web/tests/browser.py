"""The app in a real browser: what a user does, what a hostile base tries, and what a screen reader would find.

    python3 web/tests/browser.py PROGRAM [--pictures FOLDER] [NAMES...]

PROGRAM is the built `tabiya`. Chromium and the package playwright are wanted; without them everything is skipped, aloud.
With --pictures, pictures of each page in light, dark and narrow are left there. With names, only tests whose names contain
one of them run. Tests are the functions `test_...` of the files `test_....py` beside this one.
"""

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path

from app import CHROMIUM, FLAGS, Run, Skipped, Watch, expect, sync_playwright


def tests():
    """All tests with their names, file by file."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for name, value in vars(importlib.import_module(path.stem)).items():
            if name.startswith("test_") and callable(value):
                yield name, value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_intermixed_args()
    Run.program = asked.program.resolve()
    Run.pictures = asked.pictures
    passed = failed = skipped = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, test in tests():
            if asked.names and not any(part in name for part in asked.names):
                continue
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
                print(f"{name} ... ok ({time.monotonic() - began:.1f} s)", flush=True)
            except Skipped as why:
                skipped += 1
                print(f"skipped: {name}, because {why}", flush=True)
            except Exception as error:  # noqa: BLE001: every failure is told, and the next test runs
                failed += 1
                print(f"{name} ... FAILED\n    {error}\n    {watch.wrong}", flush=True)
            context.close()
        browser.close()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
