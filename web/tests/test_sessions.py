"""Whole sessions without a mouse: by keys alone, and through the command field as one who listens uses it."""

import json
import re
import shutil

from app import ROOT, asks, expect, served, tabiya

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


def reach(page, *names):
    """Presses Tab until something of one of these names has the focus; backwards where it is not found."""
    name = """() => {
        const at = document.activeElement;
        const [whole] = at.labels ?? [];
        const label = (whole?.querySelector('span') ?? whole)?.textContent ?? '';
        return [at.getAttribute('aria-label'), at.getAttribute('name'), label, at.textContent].map(text => (text ?? '').trim());
    }"""
    for key in ["Tab"] * 120:
        page.keyboard.press(key)
        if set(names) & set(page.evaluate(name)):
            return
    raise AssertionError(f"{names} cannot be reached with Tab")


def press(page, *names):
    reach(page, *names)
    page.keyboard.press("Enter")


def game_of(base, number):
    return json.loads(tabiya("cat", str(base), str(number), "--json"))


def bases_to_change(folder):
    """A database of two games, one that holds less, and one that marks games."""
    study = bases(folder)
    other = folder / "other.cbf"
    tabiya("convert", str(folder / "opera.pgn"), str(other))
    (folder / "opera.pgn").unlink()
    tabiya("convert", str(study), str(folder / "marks.si5"))
    return study, other


def test_annotating_by_keys_alone(page, folder):
    """Everything that annotating and saving are, and no mouse."""
    study, other = bases_to_change(folder)
    key = page.keyboard.press
    state = page.locator(".annotate .state")
    current = page.locator(".moves [aria-current]")
    asks(page)
    with served(folder) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="study.pgn")).to_be_visible()
        tab_to(page, "study.pgn")
        key("Enter")
        expect(page.locator("#query-state")).to_have_text("2 games")
        key("g")
        key("Enter")
        expect(page.get_by_role("treeitem").first).to_be_visible()
        key("e")
        expect(state).to_be_visible()
        key("ArrowRight")
        # A variation, a new main line, and a move in place of another.
        for move, way in [("c5", "1"), ("e6", "2"), ("g6", "3")]:
            expect(current).to_have_text("e4")
            key("m")
            page.keyboard.type(move)
            key("Enter")
            expect(page.locator(".choice button").first).to_be_focused()
            key(way)
            expect(current).to_have_text(move)
            key("Escape")
            key("ArrowLeft")
        key("ArrowRight")
        expect(current).to_have_text("g6")
        # Lines up and down, and away.
        key("Shift+ArrowDown")
        expect(current).to_have_text("c6")
        key("p")
        expect(page.locator(".moves .move").nth(1)).to_have_text("c6")
        key("d")
        expect(page.locator(".moves .move").nth(1)).to_have_text("g6")
        press(page, "Delete the variation")
        expect(page.locator(".moves .move", has_text="c6")).to_have_count(0)
        press(page, "Undo")
        expect(page.locator(".moves .move", has_text="c6")).to_have_count(1)
        # What is said, signs, arrows and squares.
        key("c")
        page.keyboard.type("after it")
        key("Escape")
        key("C")
        page.keyboard.type("before it")
        key("Escape")
        expect(page.locator(".moves .comment")).to_contain_text(["before it", "after it"])
        key("5")
        press(page, "=")
        for text in ["e2e4", "d5"]:
            reach(page, "Arrow e2e4 or square e4")
            page.keyboard.type(text)
            key("Enter")
        expect(page.locator(".ground svg.cg-shapes line")).to_have_count(1)
        # A move goes on from here: it is asked what becomes of it.
        press(page, "Null move (--)")
        expect(page.locator(".choice button").first).to_be_focused()
        key("1")
        expect(page.locator(".moves .move", has_text="--")).to_have_count(1)
        key("u")
        expect(page.locator(".moves .move", has_text="--")).to_have_count(0)
        key("U")
        expect(page.locator(".moves .move", has_text="--")).to_have_count(1)
        # Tags, the result.
        press(page, "Players, event, result, start")
        reach(page, "tag-Site")
        page.keyboard.type("Riga")
        key("Enter")
        reach(page, "Name of a tag")
        page.keyboard.type("Weather")
        key("Tab")
        page.keyboard.type("rain")
        key("Enter")
        reach(page, "Result")
        page.keyboard.type("0-1")
        expect(page.locator(".moves .result")).to_contain_text("0-1")
        key("Escape")
        key("Control+s")
        expect(state).to_contain_text("Saved")
        saved = study.read_text(encoding="utf-8")
        for text in ["after it", "before it", '[Site "Riga"]', '[Weather "rain"]', "[%cal Ge2e4]", "[%csl Gd5]", '[Result "0-1"]', "--"]:
            assert text in saved, (text, saved)
        # As a new game, and into another database, which cannot hold all of it.
        press(page, "Save as a new game")
        expect(page).to_have_url(re.compile("/game/3\\?"))
        expect(state).to_contain_text("Saved")
        reach(page, "Save into another database…")
        # A letter chooses, and nothing is done before it is wanted.
        page.keyboard.type("o")
        expect(page.locator("[name=into] option:checked")).to_have_text("other.cbf")
        press(page, "Save there")
        expect(page.locator(".refusal")).to_be_focused()
        # Keys of the board are none while something is asked.
        for letter in "hbgu":
            key(letter)
        expect(page.locator(".refusal")).to_be_focused()
        press(page, "Save without it")
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("other.cbf")
        expect(state).to_contain_text("Saved")
        assert len(tabiya("ls", str(other), "--json").splitlines()) == 2
        # Back to the first one; an earlier version of its game is restored.
        page.go_back()
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("study.pgn")


def test_annotating_through_the_command_field(page, folder):
    """The same and the changes of the database, spoken."""
    study, other = bases_to_change(folder)
    asks(page)
    with served(folder) as url:
        page.goto(url)
        expect(page.get_by_role("heading", name="study.pgn")).to_be_visible()
        page.keyboard.press("m")

        def ask(command, *answers):
            page.locator("#typed").focus()
            page.keyboard.type(command)
            page.keyboard.press("Enter")
            expect(page.locator("#typed")).to_have_value("")
            for answer in answers:
                expect(page.locator(".said")).to_contain_text(answer)

        ask("open study", "study.pgn: 2 games")
        ask("game 1", "Tal, Mihail")
        ask("edit", "Annotating")
        expect(page.locator(".annotate .state")).to_be_visible()
        current = page.locator(".moves [aria-current]")
        for move, way in [("c5", "1"), ("e6", "2"), ("g6", "3")]:
            ask("start")
            ask("n", "e4")
            ask(move, "How should", "2: New main line")
            expect(page.locator(".choice button").first).to_be_focused()
            ask(way, move)
            expect(current).to_have_text(move)
        for command in ["say after it", "before before it", "!?", "nag 14", "draw e2e4", "draw red d5", "tag Site Riga", "result 0-1", "--", "undo", "redo"]:
            ask(command)
        ask("b", "g6")
        ask("c", "after it")
        ask("v", "c6")
        ask("promote", "promote")
        ask("demote", "demote")
        ask("remove line")
        expect(page.locator(".moves .move", has_text="c6")).to_have_count(0)
        ask("undo")
        ask("save", "Saved")
        saved = study.read_text(encoding="utf-8")
        for text in ["after it", "before it", '[Site "Riga"]', "[%cal Ge2e4]", "[%csl Rd5]", '[Result "0-1"]', "--"]:
            assert text in saved, (text, saved)
        # Somebody else changes the game: both are told, and one's own takes its place knowingly.
        ask("say mine now")
        told = tabiya("edit", str(study), "set", "--games", "1", "Round=7")
        assert told is not None
        ask("save", "changed in the meantime")
        ask("save over", "Saved")
        assert "mine now" in study.read_text(encoding="utf-8") and '[Round "7"]' not in study.read_text(encoding="utf-8")
        # Another start; and a database that cannot hold everything.
        ask("fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 cut")
        ask("undo")
        ask("tag Weather rain")
        ask("save into other", "cannot hold")
        ask("save into other drop", "Saved")
        assert len(tabiya("ls", str(other), "--json").splitlines()) == 2
        ask("done")
        # What the game was comes back.
        ask("open study", "study.pgn: 2 games")
        ask("game 1")
        ask("edit", "Annotating")
        expect(page.locator(".annotate .state")).to_be_visible()
        ask("versions", "1: ")
        ask("restore 1")
        expect(page.locator(".annotate")).to_have_count(0)
        # The database itself.
        ask("new", "New game")
        expect(page.locator(".annotate .state")).to_be_visible()
        ask("d4")
        ask("tag White Nobody")
        ask("save", "Saved")
        assert game_of(study, 3)["plies"] == 1
        ask("done")
        ask("open marks", "marks.si5: 2 games")
        ask("delete 2", "1 game changed")
        ask("undelete 2", "1 game changed")
        ask("flags 1-2 W", "2 games changed")
        ask("sort white", "2 games")
        first = lambda: json.loads(tabiya("ls", str(folder / "marks.si5"), "--json").splitlines()[0])["white"]
        assert first().startswith("Bronstein")
        ask("revert", "undo")
        assert first().startswith("Tal")
        ask("describe two studies", "describe")
        ask("changes", "describe")
        ask("delete 2", "1 game changed")
        ask("compact", "compact")
        assert len(tabiya("ls", str(folder / "marks.si5"), "--json").splitlines()) == 1
        ask("copy 1", "1 copied")
        ask("home", "Clipboard: 1 game")
        ask("drafts", "none")


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
