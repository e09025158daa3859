"""How many clicks and keys everyday work wants. Letters of what is looked for are one word each, whoever types them."""

import re
import shutil

from app import ROOT, expect, served, tabiya
from test_board import paste
from test_links import match
from test_replay import made
from test_thinking import needs_engine


class Hands:
    """Does things, and counts them: a click, a key, a word that is typed, a drag."""

    def __init__(self, page):
        self.page, self.clicks, self.keys, self.words = page, 0, 0, 0

    def click(self, locator):
        self.clicks += 1
        locator.click()

    def press(self, key):
        self.keys += 1
        self.page.keyboard.press(key)

    def type(self, word):
        self.words += 1
        self.page.keyboard.type(word)

    def done(self):
        """What was done since the last time."""
        done = (self.clicks, self.keys, self.words)
        self.clicks = self.keys = self.words = 0
        return done


def opened(page, url, name):
    page.goto(url)
    page.get_by_role("link", name=name).first.click()
    expect(page.locator("#query-state")).to_contain_text("game")


def test_searching_is_counted(page, folder):
    base = match(folder)
    hands = Hands(page)
    state = page.locator("#query-state")
    with served(base) as url:
        opened(page, url, "match.pgn")
        # The games of a player in an opening, whose code nobody has to know.
        hands.press("/")
        hands.type("tal sicilian najdorf")
        hands.press("Enter")
        expect(state).to_contain_text("12 of 12 games")
        expect(page.locator("#query")).to_have_value("player:tal opening:sicilian opening:najdorf")
        assert hands.done() == (0, 2, 1)
        # The query is kept.
        hands.click(page.get_by_role("button", name="Saved searches"))
        hands.click(page.get_by_role("button", name="Save this search"))
        assert sum(hands.done()) <= 2
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        # The games with the position on the board.
        page.locator(".list .window .row").first.click()
        page.keyboard.press("End")
        hands.click(page.get_by_role("button", name="Position"))
        hands.click(page.get_by_role("menuitem", name="Games with this position"))
        expect(page.locator("#query")).to_have_value(re.compile("^position:"))
        assert hands.done() == (2, 0, 0)
        # The report on a player, from the name over the board.
        page.locator(".list .window .row").first.click()
        hands.click(page.locator(".moves h2").get_by_role("link", name="Tal, Mihail"))
        with page.expect_download():
            hands.click(page.get_by_role("button", name="HTML"))
        assert hands.done() == (2, 0, 0)


def test_playing_through_and_annotating_are_counted(page, folder):
    base = made(folder)
    hands = Hands(page)
    current = page.locator(".moves [aria-current]")
    with served(base) as url:
        opened(page, url, "three.pgn")
        hands.click(page.locator(".list .window .row").first)
        expect(page.get_by_role("treeitem").first).to_be_visible()
        assert hands.done() == (1, 0, 0)
        # The next game.
        hands.press("n")
        expect(page.locator(".moves h2")).to_contain_text("C")
        assert hands.done() == (0, 1, 0)
        page.keyboard.press("e")
        expect(page.locator(".annotate .state")).to_be_visible()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        # A variation: the move is played, and no question is asked.
        hands.press("m")
        hands.type("c5")
        hands.press("Enter")
        expect(current).to_have_text("c5")
        assert hands.done() == (0, 2, 1)
        page.keyboard.press("Escape")
        # A comment and a sign.
        hands.press("c")
        hands.type("sharper")
        hands.press("Escape")
        hands.press("1")
        expect(page.locator(".moves .comment")).to_contain_text(["sharper"])
        assert hands.done() == (0, 3, 1)
        hands.press("Control+s")
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        assert hands.done() == (0, 1, 0)
        text = base.read_text(encoding="utf-8")
        assert "c5 $1 {sharper}" in re.sub(r"\s+", " ", text), text


def test_opening_and_converting_are_counted(page, folder):
    inner = folder / "club"
    inner.mkdir()
    tabiya("convert", str(ROOT / "corpus/pgn/ok/opera.pgn"), str(inner / "opera.cbf"))
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", folder / "first.pgn")
    hands = Hands(page)
    with served(folder / "first.pgn", inner) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="opera.cbf")).to_be_visible()
        # A game out of the clipboard.
        hands.keys += 1
        paste(page, "1. d4 d5 2. c4 *")
        expect(page.get_by_role("navigation").locator("b")).to_contain_text("pasted")
        expect(page.get_by_role("treeitem").first).to_be_visible()
        assert hands.done() == (0, 1, 0)
        # A database of another format as PGN.
        page.keyboard.press("h")
        hands.click(page.get_by_role("link", name="opera.cbf"))
        hands.click(page.get_by_role("link", name="Convert", exact=True))
        page.get_by_label("Path of the copy").fill(str(inner / "opera.pgn"))
        hands.click(page.get_by_role("button", name="Make the copy"))
        expect(page.locator(".report").first).to_be_visible()
        assert hands.done() == (3, 0, 0)
        made_files = [path for path in inner.iterdir() if path.suffix == ".pgn"]
        assert len(made_files) == 1, list(inner.iterdir())
        assert len(tabiya("ls", str(made_files[0]), "--json").splitlines()) == 1
        # A database that is not open yet, without its path.
        page.keyboard.press("h")
        shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", inner / "late.pgn")
        hands.click(page.get_by_role("button", name="Browse folders"))
        hands.click(page.get_by_role("treeitem").filter(has_text=re.compile("/club$")))
        hands.click(page.get_by_role("treeitem").filter(has_text="late.pgn"))
        expect(page.locator("#query-state")).to_have_text("1 game")
        assert hands.done() == (3, 0, 0)


def test_an_engine_with_three_lines_is_counted(page, folder):
    needs_engine()
    hands = Hands(page)
    with served(made(folder)) as url:
        opened(page, url, "three.pgn")
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        hands.click(page.locator(".engine").get_by_role("button", name="Engine"))
        expect(page.locator(".engine li")).to_have_count(3)
        assert hands.done() == (1, 0, 0)
