"""Whole sessions without a mouse: by keys alone, and through the command field as one who listens uses it."""

import json
import re
import shutil

from app import ROOT, expect, served, tabiya

STUDY = """[Event "A study"]
[White "Tal, Mihail"]
[Black "Botvinnik, Mikhail"]
[Date "1960.03.15"]
[Result "1-0"]

1. e4 c6 2. d4 d5 3. Nc3 (3. e5 {the advance} Bf5 (3... c5)) 3... dxe4 1-0
"""


def bases(folder):
    study = folder / "study.pgn"
    study.write_text(STUDY + "\n" + STUDY.replace("Tal, Mihail", "Bronstein, David"), encoding="utf-8")
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", folder / "opera.pgn")
    return study


def active(page):
    return page.evaluate("document.activeElement.getAttribute('data-square') ?? document.activeElement.textContent")


def tab_to(page, text):
    """Presses Tab until something with that text has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if active(page) == text:
            return
    raise AssertionError(f"{text} cannot be reached with Tab")


def test_a_session_by_keys_alone(page, folder):
    study = bases(folder)
    with served(folder) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="study.pgn")).to_be_visible()
        tab_to(page, "study.pgn")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("2 games")
        # Finds a game.
        page.keyboard.press("/")
        page.keyboard.type("white:Tal")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("1 of 2 games")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("Enter")
        current = page.locator(".moves [aria-current]")
        expect(page.get_by_role("treeitem").first).to_be_visible()
        # Steps through it and its variations, and out of them.
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        expect(current).to_have_text("Nc3")
        page.keyboard.press("Shift+ArrowDown")
        expect(current).to_have_text("e5")
        page.keyboard.press("ArrowRight")
        expect(current).to_have_text("Bf5")
        page.keyboard.press("Shift+ArrowDown")
        expect(current).to_have_text("c5")
        page.keyboard.press("Shift+ArrowLeft")
        expect(current).to_have_text("Bf5")
        page.keyboard.press("Shift+ArrowLeft")
        expect(current).to_have_text("Nc3")
        page.keyboard.press("Home")
        expect(current).to_have_count(0)
        page.keyboard.press("End")
        expect(current).to_have_text("dxe4")
        # Reads the board, square by square.
        page.keyboard.press("b")
        assert active(page) == "e4"
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label == "e4, black pawn", label
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "d4, white pawn"
        # Plays a move beside the game: the knight takes.
        for key in ["ArrowLeft", "ArrowDown", "Enter", "ArrowUp", "ArrowRight", "ArrowRight", "Enter"]:
            page.keyboard.press(key)
        expect(page.locator(".scratch")).to_contain_text("Nxe4")
        page.keyboard.press("Escape")
        expect(page.locator(".scratch")).to_have_count(0)
        # Asks the explorer: its moves are buttons that Tab reaches.
        page.keyboard.press("0")
        explored = json.loads(tabiya("explore", str(study), "--json"))
        first = explored["moves"][0]["san"]
        expect(page.locator(".explorer tbody th").first).to_have_text(first)
        tab_to(page, first)
        page.keyboard.press("Enter")
        expect(current).to_have_text("e4")
        # Help and settings open and close, and the focus comes back.
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#help")).not_to_be_visible()
        page.keyboard.press("h")
        expect(page.get_by_role("heading", name="opera.pgn")).to_be_visible()


def test_a_session_through_the_command_field(page, folder):
    study = bases(folder)
    with served(folder) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="study.pgn")).to_be_visible()
        page.keyboard.press("m")

        def ask(command, *answers):
            page.locator("#typed").focus()
            page.keyboard.type(command)
            page.keyboard.press("Enter")
            for answer in answers:
                expect(page.locator(".said")).to_contain_text(answer)
            expect(page.locator("#typed")).to_have_value("")

        ask("list", "opera.pgn: 1 game", "study.pgn: 2 games")
        ask("open study", "study.pgn: 2 games")
        ask("find white:Tal", "1 game")
        ask("list", "1: Tal, Mihail – Botvinnik, Mikhail, 1-0, 1960.03.15")
        ask("game 1", "Tal, Mihail, Botvinnik, Mikhail, 1-0")
        for move in ["e4", "c6", "d4", "d5", "Nc3"]:
            ask("n", move)
        ask("v", "e5")
        ask("c", "the advance")
        ask("w", "Bf5, c5")
        ask("n", "Bf5")
        ask("v", "c5")
        ask("up", "Bf5")
        ask("up", "Nc3")
        ask("end", "dxe4")
        ask("p n", "black knight: b8, g8")
        ask("s e", "e8 black king", "e4 black pawn", "e1 white king")
        ask("t", "White to move")
        ask("Nxe4", "Nxe4")
        ask("b", "dxe4")
        ask("start", "start position")
        explored = json.loads(tabiya("explore", str(study), "--json"))
        move = explored["moves"][0]
        games = move["games"]
        expect(page.locator(".explorer tbody th").first).to_have_text(move["san"])
        ask("best", f"{move['san']}, {games} games")
        ask("find", "2 games")
        # What is neither is said, and stays in the field.
        page.locator("#typed").fill("nonsense")
        page.keyboard.press("Enter")
        expect(page.locator(".said")).to_contain_text("nonsense is neither")
        expect(page.locator("#typed")).to_have_value("nonsense")
        page.locator("#typed").fill("")
        ask("open nothing", "no open database is called nothing")
        ask("home", "opera.pgn: 1 game")
        assert re.search(r"/$", page.url)
