"""Takes the picture of the app in README.md: `python3 docs/pictures/app.py TABIYA`, with playwright, pillow and Chromium."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

here = Path(__file__).resolve().parent
chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")

with tempfile.TemporaryDirectory() as folder:
    games = Path(folder, "classics.pgn")
    games.write_bytes((here.parent / "samples" / "classics.pgn").read_bytes())
    server = subprocess.Popen(
        [Path(sys.argv[1]).resolve(), "serve", "--no-open", games],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder},
    )
    try:
        address = next(filter(None, (re.search(r"http://\S+", line) for line in server.stderr))).group()
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
            page.goto(address)
            page.get_by_role("link", name="classics.pgn").first.click()
            page.get_by_placeholder("player:").first.fill("year:1850..1912 or player:Kasparov")
            page.keyboard.press("Enter")
            page.get_by_text("Morphy, Paul").nth(1).click()
            page.get_by_text("Qb8+").first.click()
            page.get_by_text("Nxb8").nth(1).wait_for()
            page.wait_for_timeout(1000)
            whole = Path(folder, "whole.png")
            page.screenshot(path=whole)
            browser.close()
        # 96 colours are enough for a board and text.
        Image.open(whole).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(here / "app.png", optimize=True)
    finally:
        server.kill()
