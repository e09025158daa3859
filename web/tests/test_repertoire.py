"""Repertoires: made, compared, and trained by mouse, by keyboard alone and by commands."""

import json
import re

from app import Held, axe, expect, picture, served, settled, tabiya, themes

LINES = """[Event "Mine"]
[Repertoire "white"]
[Result "*"]

1. e4 e5 (1... c5 2. c3 d5 3. exd5) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 *
"""

# What the repertoire plays after each line.
ANSWERS = {
    "the start": ("e2", "e4", "e4"),
    "1.e4 e5": ("g1", "f3", "Nf3"),
    "1.e4 c5": ("c2", "c3", "c3"),
    "1.e4 c5 2.c3 d5": ("e4", "d5", "exd5"),
    "1.e4 e5 2.Nf3 Nc6": ("f1", "b5", "Bb5"),
    "1.e4 e5 2.Nf3 d6": ("d2", "d4", "d4"),
}

GAMES = "\n".join(
    f'[Event "Club"]\n[Date "2026.01.{day:02}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{moves} {result}\n'
    for day, white, black, result, moves in [
        (1, "Me", "A", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5"),
        (2, "Me", "B", "0-1", "1. e4 e6 2. d4 d5"),
        (3, "Me", "C", "0-1", "1. e4 e6 2. d4 d5"),
        (4, "Me", "D", "1-0", "1. e4 c5 2. c3 d5 3. exd5 Qxd5"),
        (5, "Me", "E", "1/2-1/2", "1. e4 e6 2. d3 d5"),
        (6, "Me", "F", "1-0", "1. e4 e6 2. d4 d5"),
        (7, "Me", "G", "1-0", "1. e4 e6 2. Qe2 d5"),
    ]
)


class Hand:
    """Moves pieces on the board, and counts what it does."""

    def __init__(self, page):
        self.page = page
        self.actions = 0

    def at(self, square, black=False):
        box = self.page.locator(".squares .ground cg-board").bounding_box()
        size = box["width"] / 8
        column, row = "abcdefgh".index(square[0]), 8 - int(square[1])
        if black:
            column, row = 7 - column, 7 - row
        return box["x"] + size * (column + 0.5), box["y"] + size * (row + 0.5)

    def drag(self, source, target):
        self.actions += 1
        settled(self.page)
        self.page.mouse.move(*self.at(source))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(target), steps=4)
        self.page.mouse.up()

    def click(self, locator):
        self.actions += 1
        locator.click()


def status(page):
    return page.locator(".training .verdict")


def asked(page):
    """The line that is asked; nothing at the end."""
    expect(status(page)).to_have_text(re.compile(r"Your move\?$|Training finished"))
    if "finished" in status(page).inner_text():
        return None
    return page.locator(".line-so-far").inner_text()


def reviews(home):
    log = home / ".local/share/tabiya/reviews.log"
    return [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def base(folder):
    home = folder / "home"
    home.mkdir()
    (folder / "white.pgn").write_text(LINES, encoding="utf-8")
    return folder / "white.pgn", home


def begin(page, url):
    page.goto(url)
    page.get_by_role("link", name="white.pgn").first.click()
    page.get_by_role("link", name="Repertoire", exact=True).click()
    expect(page.get_by_text("Repertoire for White")).to_be_visible()
    page.get_by_role("tab", name="Train").click()


def test_a_training_by_mouse(page, folder):
    path, home = base(folder)
    with served(path, home=home) as url:
        begin(page, url)
        hand = Hand(page)
        assert asked(page) == "the start"
        # A wrong move is taken back, and the right one is shown.
        hand.drag("d2", "d4")
        expect(status(page)).to_have_text("Wrong. The repertoire plays e4.")
        themes(page, "training")
        page.get_by_role("button", name="Continue").click()
        seen = []
        while True:
            expect(status(page)).to_have_text(re.compile(r"Your move\?$|The line ends\.$|Training finished"))
            if "ends" in status(page).inner_text():
                page.get_by_role("button", name="Next line").click()
                continue
            line = asked(page)
            if line is None:
                break
            assert len(seen) < 30, seen
            source, target, _ = ANSWERS[line]
            if line == "1.e4 c5":
                page.get_by_role("button", name="Hard").click()
            if seen:
                hand.drag(source, target)
            else:
                # Two clicks are a move too.
                settled(page)
                page.mouse.click(*hand.at(source))
                page.mouse.click(*hand.at(target))
            seen.append(line)
            wait_for_answer(page, line)
        assert set(seen) == set(ANSWERS), seen
        told = reviews(home)
        ratings = [(fields[2], fields[3]) for fields in told]
        assert ratings[0] == ("d2d4", "again"), ratings
        assert ("c2c3", "hard") in ratings and ("e2e4", "good") in ratings, ratings
        # Each position stands there once as known, however often it was asked.
        known = [fields[1] for fields in told if fields[3] != "again"]
        assert len(known) == len(set(known)) == len(ANSWERS), told
        expect(page.locator(".training")).to_contain_text("0 due, 0 new")
        axe(page, "the end of a training")
        held = Held(page, r"/bases$")
        page.reload()
        held.arrived()
        # It begins when the library is known, which says whether the server may be changed.
        expect(page.get_by_text("read-only")).to_have_count(0)
        held.release()
        expect(status(page)).to_have_text("Nothing is due.")
        page.get_by_role("button", name="Train ahead").click()
        assert asked(page) in ANSWERS


def wait_for_answer(page, line):
    """The answer was judged: another question, the end of the line or of the training is there."""
    page.wait_for_function(
        """line => {
            const verdict = document.querySelector('.training .verdict')?.textContent ?? '';
            const now = document.querySelector('.line-so-far')?.textContent;
            return /ends|finished|Wrong/.test(verdict) || (now !== line && verdict.includes('Your move'));
        }""",
        arg=line,
    )


def test_a_training_by_keyboard(page, folder):
    path, home = base(folder)
    with served(path, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="white.pgn").first.click()
        expect(page.locator("#query-state")).to_have_text("1 game")
        page.goto(page.url.split("?")[0] + "?panel=repertoire-train")
        assert asked(page) == "the start"

        def square(name):
            """Goes to a square with the arrow keys."""
            now = page.evaluate("document.activeElement.dataset.square")
            column = "abcdefgh".index(name[0]) - "abcdefgh".index(now[0])
            row = int(name[1]) - int(now[1])
            for _ in range(abs(column)):
                page.keyboard.press("ArrowRight" if column > 0 else "ArrowLeft")
            for _ in range(abs(row)):
                page.keyboard.press("ArrowUp" if row > 0 else "ArrowDown")
            page.keyboard.press("Enter")

        # Who does not know it is shown it; the right move goes on.
        page.keyboard.press("r")
        expect(status(page)).to_have_text("Wrong. The repertoire plays e4.")
        page.keyboard.press("Enter")
        seen = []
        while True:
            expect(status(page)).to_have_text(re.compile(r"Your move\?$|The line ends\.$|Training finished"))
            if "ends" in status(page).inner_text():
                page.keyboard.press("n")
                continue
            line = asked(page)
            if line is None:
                break
            assert len(seen) < 30, seen
            source, target, _ = ANSWERS[line]
            page.keyboard.press("b")
            if line == "1.e4 c5":
                page.keyboard.press("3")
            square(source)
            square(target)
            seen.append(line)
            wait_for_answer(page, line)
        assert set(seen) == set(ANSWERS), seen
        ratings = [(fields[2], fields[3]) for fields in reviews(home)]
        assert ratings[0] == ("-", "again"), ratings
        assert ("c2c3", "easy") in ratings, ratings


def test_a_training_by_commands(page, folder):
    path, home = base(folder)
    with served(path, home=home) as url:
        page.goto(url)

        def say(command, answer):
            page.fill("#typed", command)
            page.keyboard.press("Enter")
            expect(page.locator(".said")).to_contain_text(answer)
            return page.locator(".said").inner_text()

        say("open white", "1 game")
        say("repertoire", "Repertoire")
        expect(page.get_by_text("Repertoire for White")).to_be_visible()
        say("what", "e4")
        say("due", "0 due, 6 new")
        say("train", re.compile("training|Your move"))
        assert asked(page) == "the start"
        say("d4", "Wrong. The repertoire plays e4.")
        say("next", "Your move?")
        seen = []
        while True:
            expect(status(page)).to_have_text(re.compile(r"Your move\?$|The line ends\.$|Training finished"))
            if "ends" in status(page).inner_text():
                say("next", "Your move?")
                expect(status(page)).to_have_text("Your move?")
                continue
            line = asked(page)
            if line is None:
                break
            assert len(seen) < 30, seen
            _, _, san = ANSWERS[line]
            say(san + (" hard" if line == "1.e4 c5" else ""), "Right.")
            wait_for_answer(page, line)
            seen.append(line)
        expect(page.locator(".said")).to_contain_text("Training finished")
        assert set(seen) == set(ANSWERS), seen
        ratings = [(fields[2], fields[3]) for fields in reviews(home)]
        assert ratings[0] == ("d2d4", "again") and ("c2c3", "hard") in ratings, ratings
        say("quit", "Lines")
        say("due", "0 due, 0 new")


def test_from_an_empty_app_to_the_first_trained_line_in_under_ten_actions(page, folder):
    home = folder / "home"
    home.mkdir()
    with served(home=home) as url:
        page.goto(url)
        hand = Hand(page)
        hand.click(page.get_by_role("link", name="Repertoire", exact=True))
        hand.click(page.get_by_role("button", name="Create"))
        expect(page.get_by_text("No moves yet")).to_be_visible()
        for source, target, san in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")]:
            hand.drag(source, target)
            expect(page.locator(".new-line")).to_contain_text(san)
        hand.click(page.get_by_role("button", name="Add these 3 moves"))
        expect(page.get_by_text("3 moves added.")).to_be_visible()
        hand.click(page.get_by_role("tab", name="Train"))
        assert asked(page) == "the start"
        hand.drag("e2", "e4")
        wait_for_answer(page, "the start")
        assert asked(page) == "1.e4 e5"
        hand.drag("g1", "f3")
        expect(status(page)).to_have_text("Training finished.")
        assert hand.actions < 10, hand.actions
        assert [fields[2] for fields in reviews(home)] == ["e2e4", "g1f3"]
    # The next run shows it again.
    with served(home=home) as url:
        page.goto(url)
        expect(page.get_by_role("link", name="white-repertoire.pgn")).to_be_visible()


def test_gaps_are_answered_and_games_compared(page, folder):
    path, home = base(folder)
    (folder / "club.pgn").write_text(GAMES, encoding="utf-8")
    with served(folder, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="white.pgn").first.click()
        page.get_by_role("link", name="Repertoire", exact=True).click()
        page.get_by_label("Compare with").select_option(label="club.pgn")
        tree = page.get_by_role("region", name="The tree")
        expect(tree).to_contain_text("7 games")
        themes(page, "repertoire")
        tree.get_by_role("button", name="c3").click()
        expect(page.locator(".scratch")).to_contain_text("c3")
        page.get_by_role("tab", name="Gaps").click()
        gap = page.get_by_role("button", name=re.compile("1.e4 1…e6"))
        expect(gap).to_be_visible()
        themes(page, "gaps")
        gap.click()
        expect(page.locator(".new-line")).to_contain_text("e6")
        page.fill("#typed", "d4")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Add these 2 moves").click()
        expect(page.get_by_text("2 moves added.")).to_be_visible()
        expect(tree).to_contain_text("e6")
        assert "1... e6 2. d4" in path.read_text(encoding="utf-8")
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_text("The last change was undone.")).to_be_visible()
        assert path.read_text(encoding="utf-8") == LINES
        page.get_by_role("tab", name="Conflicts").click()
        expect(page.get_by_role("region", name="Conflicts")).to_contain_text(re.compile("line ends before|No conflicts"))
        themes(page, "conflicts")
        page.get_by_role("tab", name="My games").click()
        page.get_by_label("Player").fill("Me")
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_text("7 games were compared.")).to_be_visible()
        left = page.locator(".games-left li")
        expect(left).to_have_count(7)
        expect(left.last).to_contain_text("You leave it here.")
        expect(left.last).to_contain_text("the repertoire has Bb5")
        themes(page, "checked games")
        # From any game: where did it leave?
        left.last.get_by_role("link").click()
        expect(page.locator(".moves [aria-current]")).to_have_text("Nc6")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("menuitem", name="Where did this leave my repertoire?").click()
        where = page.get_by_role("region", name="Where did this leave my repertoire?")
        expect(where).to_contain_text("You leave it here.")
        themes(page, "where a game left")
        where.get_by_role("button", name="You leave it here.").click()
        expect(page.get_by_text("Repertoire for White")).to_be_visible()
        # Home tells what is to be trained.
        page.keyboard.press("h")
        expect(page.get_by_role("region", name="To train")).to_contain_text("0 due, 6 new")
        themes(page, "home with training")


def test_a_read_only_server_shows_repertoires_and_trains_nothing(page, folder):
    path, home = base(folder)
    with served(path, home=home, options=["--read-only"]) as url:
        begin(page, url)
        expect(page.get_by_text("This server is read-only")).to_be_visible()
        page.get_by_role("tab", name="Lines").click()
        page.fill("#typed", "d4")
        page.keyboard.press("Enter")
        expect(page.locator(".new-line")).to_contain_text("d4")
        expect(page.get_by_role("button", name=re.compile("^Add"))).to_have_count(0)
        picture(page, "repertoire-read-only")


def test_moves_are_marked_and_unmarked(page, folder):
    path, home = base(folder)
    with served(path, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="white.pgn").first.click()
        page.get_by_role("link", name="Repertoire", exact=True).click()
        here = page.locator(".here")
        only = here.get_by_role("button", name="Train only e4 here")
        skip = here.get_by_role("button", name="Leave out e4 and what follows")
        expect(only).to_have_attribute("aria-pressed", "false")
        only.click()
        expect(only).to_have_attribute("aria-pressed", "true")
        expect(here).to_contain_text("only this")
        assert "[%rep only]" in path.read_text(encoding="utf-8")
        axe(page, "marks of a repertoire")
        picture(page, "repertoire-marks")
        # With the keyboard, and both at once.
        skip.focus()
        page.keyboard.press("Enter")
        expect(skip).to_have_attribute("aria-pressed", "true")
        assert "[%rep only,skip]" in path.read_text(encoding="utf-8")
        for button in [only, skip]:
            button.click()
            expect(button).to_have_attribute("aria-pressed", "false")
        assert "%rep" not in path.read_text(encoding="utf-8")
        # A sign that is pressed again goes.
        good = here.get_by_role("button", name="Choose e4")
        good.click()
        expect(good).to_have_attribute("aria-pressed", "true")
        good.click()
        expect(good).to_have_attribute("aria-pressed", "false")
        # A move of the opponent is left out, and nothing else.
        here.get_by_role("button", name="e4", exact=True).click()
        expect(here.get_by_role("button", name="Leave out e5 and what follows")).to_be_visible()
        expect(here.get_by_role("button", name="Train only e5 here")).to_have_count(0)


def test_the_coverage_is_told_ply_by_ply(page, folder):
    path, home = base(folder)
    games = folder / "club.pgn"
    games.write_text(GAMES, encoding="utf-8")
    with served(path, games, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="white.pgn").first.click()
        page.get_by_role("link", name="Repertoire", exact=True).click()
        page.get_by_role("tab", name="Coverage").click()
        expect(page.locator(".about-lines")).to_contain_text("Choose a database to compare with")
        page.get_by_label("Compare with").select_option(label="club.pgn")
        rows = page.locator(".about-lines tbody tr")
        told = [json.loads(line) for line in tabiya("repertoire", "coverage", str(path), "--reference", str(games), "--json").splitlines()]
        assert len(told) > 4
        expect(rows).to_have_count(len(told))
        for at, one in enumerate(told):
            cells = rows.nth(at).locator("td").all_inner_texts()
            share = f"{round(1000 * one['inside'] / one['games']) / 10:g} %" if one["games"] else "0 %"
            assert cells == [share, *(str(one[name]) for name in ("games", "opponent", "me", "line_end"))], (cells, one)
        themes(page, "coverage")
        page.locator("#typed").fill("lines")
        page.locator("#typed").press("Enter")
        expect(page.get_by_role("tab", name="Lines")).to_have_attribute("aria-selected", "true")
        page.locator("#typed").fill("coverage")
        page.locator("#typed").press("Enter")
        expect(page.get_by_role("tab", name="Coverage")).to_have_attribute("aria-selected", "true")
