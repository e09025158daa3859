#!/usr/bin/env python3
"""Opens the app of a server in a browser of this system, annotates a game, and fetches those of an account.

page.py ADDRESS

The server has the games of docs/samples/classics.pgn, and fetches from a stand-in for Lichess. Errors are printed, with exit code 1."""

import shutil
import sys

from playwright.sync_api import expect, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
# Milliseconds: this is no measurement, and machines are slow and busy.
expect.set_options(timeout=60_000)


def look(page, address):
    page.goto(address)
    page.get_by_role("link", name="classics.pgn").click()
    rows = page.locator(".list .window .row")
    expect(page.locator("#query-state")).to_have_text("37 games")
    expect(rows.first).to_contain_text("Legall de Kermeur")
    page.fill("#query", "ends:mate eco:C")
    page.keyboard.press("Enter")
    expect(page.locator("#query-state")).to_have_text("5 of 37 games")
    rows.nth(1).click()
    expect(page.get_by_role("treeitem").first).to_be_visible()
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator(".annotate .state")).to_be_visible()
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    page.fill("#comment-after", "A note of the browser")
    page.locator("body").click(position={"x": 2, "y": 2})
    expect(page.locator(".annotate .state:not([data-waits])")).to_contain_text("draft")
    page.get_by_role("button", name="Save into the database").click()
    expect(page.locator(".annotate .state")).to_contain_text("Saved")
    # The games of an account at a site.
    page.goto(address)
    page.get_by_role("link", name="classics.pgn").first.click()
    page.get_by_role("link", name="My games", exact=True).click()
    page.get_by_label("Account").fill("SampleRook")
    page.get_by_role("button", name="Fetch", exact=True).click()
    expect(page.get_by_text("lichess samplerook: 6 new games")).to_be_visible()
    expect(page.locator(".record")).to_contain_text("games")


def main():
    wrong = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        look(page, sys.argv[1])
        browser.close()
    if wrong:
        sys.exit("\n".join(wrong))
    print("a list, a search, a game, a note that was saved, and the games of an account")


main()
