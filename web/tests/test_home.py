"""Home: databases are told apart by where they are, their state is true, and those of earlier runs tell what is in them."""

import re
import shutil

from app import ROOT, Held, axe, expect, picture, served, themes

GAME = '[White "A"]\n[Black "B"]\n\n1. e4 {} *\n'


def folders(folder):
    for name in ["old/league", "new/league", "new/cup"]:
        (folder / name).mkdir(parents=True)
    for name in ["old/league/games.pgn", "new/league/games.pgn", "new/cup/games.pgn", "alone.pgn"]:
        shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", folder / name)
    (folder / "broken.pgn").write_text('[White "A"]\n\n1. e4 e5 2. Ke3 Nc6 *\n', encoding="utf-8")
    (folder / "notes.txt").write_text("words", encoding="utf-8")


def test_databases_of_one_name_are_told_apart(page, folder):
    folders(folder)
    with served(folder) as url:
        page.goto(url)
        cards = page.locator(".card:not(.closed)")
        expect(cards).to_have_count(5)
        headings = sorted(cards.locator("h2").all_inner_texts())
        assert headings == ["alone.pgn", "broken.pgn", "games.pgn cup", "games.pgn new/league", "games.pgn old/league"], headings
        themes(page, "home")
        cards.filter(has_text="alone.pgn").get_by_role("link").first.click()
        page.get_by_role("link", name="Convert").click()
        expect(page.get_by_text("games.pgn (new/league)")).to_be_visible()
        page.get_by_role("link", name="Novelties").click()
        expect(page.locator("select[name=reference] option")).to_contain_text(["games.pgn (old/league)"])


def test_the_state_of_a_database_is_true(page, folder):
    folders(folder)
    with served(folder) as url:
        page.goto(url)
        sound = page.locator(".card", has=page.get_by_role("heading", name="alone.pgn"))
        broken = page.locator(".card", has=page.get_by_role("heading", name="broken.pgn"))
        # Nobody has looked into the games yet.
        expect(sound).to_contain_text("not checked yet")
        expect(broken).to_contain_text("not checked yet")
        for card, state in [(sound, "checked, no damage"), (broken, "damaged: ")]:
            card.get_by_role("button", name="Check").click()
            expect(card).to_contain_text(state)
        # What has changed since was not looked at.
        (folder / "alone.pgn").write_text(GAME, encoding="utf-8")
        expect(sound).to_contain_text("not checked yet")


def test_databases_are_found_in_folders_with_the_keyboard(page, folder):
    folders(folder)
    (folder / "new/empty").mkdir()
    with served(folder / "alone.pgn", folder / "old", folder / "new") as url:
        page.goto(url)
        button = page.get_by_role("button", name="Browse folders")
        button.focus()
        page.keyboard.press("Enter")
        tree = page.get_by_role("tree", name="Browse folders")
        item = lambda name: tree.get_by_role("treeitem").filter(has_text=name).first
        expect(item("alone.pgn")).to_contain_text("open")
        axe(page, "folders")
        # Into a folder whose answer is late: the wish is kept.
        held = Held(page, r"/folders\?path=.*new")
        new = tree.get_by_role("treeitem").filter(has_text=re.compile("/new$"))
        new.focus()
        page.keyboard.press("ArrowRight")
        held.arrived()
        expect(new).to_have_attribute("aria-busy", "true")
        page.keyboard.press("ArrowRight")
        held.release()
        expect(item("cup")).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(item("empty")).to_be_focused()
        page.keyboard.press("Enter")
        expect(tree).to_contain_text("no database here")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
        expect(item("games.pgn")).to_be_visible()
        expect(item("games.pgn")).to_contain_text("PGN")
        themes(page, "folders")
        page.keyboard.press("ArrowRight")
        expect(item("games.pgn")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("1 game")
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("games.pgn")


def window_list(databases):
    """The list of the window of ChessBase."""
    text = lambda words: len(words.encode()).to_bytes(4, "little") + words.encode()
    items = b"\xff" + text("Databases") + b"".join(b"\x19" + text(value) + text(path) for path, value in databases)
    return b"\x0c\x0b\x0a\x0e" + len(items).to_bytes(4, "big") + items


def test_the_databases_of_the_window_of_chessbase_are_shown(page, folder):
    folders(folder)
    inner = folder / "new/ChessBase"
    (inner / "Bases").mkdir(parents=True)
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", inner / "Bases/opera.pgn")
    listed = [
        ("Bases\\opera.pgn", "Morphy's opera,0,3,1234,1,0,0"),
        (str(folder / "alone.pgn"), "Not served,0,3,9,1,0,0"),
        ("\\\\other\\share\\x.cbh", "Club,0,1,8,1,0,0"),
    ]
    (inner / "DBItems.cbini").write_bytes(window_list(listed))
    with served(folder / "new/ChessBase", folder / "old") as url:
        page.goto(url)
        page.get_by_role("button", name="Browse folders").click()
        tree = page.get_by_role("tree", name="Browse folders")
        item = lambda name: tree.get_by_role("treeitem").filter(has_text=name)
        item(re.compile("/ChessBase$")).click()
        group = item(re.compile("^ChessBase$"))
        expect(group).to_have_attribute("aria-expanded", "false")
        group.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        opera = item("Morphy's opera")
        expect(opera).to_be_focused()
        expect(opera).to_contain_text("PGN · 1,234 games")
        expect(item("Not served")).to_contain_text("PGN · 9 games · not in the folders opened here")
        expect(item("Club")).to_contain_text("8 games · on another computer")
        axe(page, "window")
        themes(page, "window")
        # What is told of one that is elsewhere does not open it.
        page.keyboard.press("ArrowDown")
        expect(item("Not served")).to_be_focused()
        page.keyboard.press("Enter")
        expect(tree).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text("1 game")
        expect(page.get_by_role("navigation", name="Databases")).to_contain_text("opera.pgn")


def test_what_somebody_else_does_after_going_in_counts(page, folder):
    folders(folder)
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("button", name="Browse folders").click()
        items = page.get_by_role("tree").get_by_role("treeitem")
        expect(items).to_have_count(1)
        page.get_by_role("tree").get_by_role("treeitem").first.locator(".twist").click()
        expect(items.filter(has_text="new")).to_be_visible()
        held = Held(page, r"/folders\?path=.*new")
        items.filter(has_text="new").focus()
        page.keyboard.press("ArrowRight")
        held.arrived()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        held.release()
        expect(items.filter(has_text="cup")).to_be_visible()
        expect(items.filter(has_text="old")).to_be_focused()


def test_what_was_opened_before_tells_what_is_in_it(page, folder):
    folders(folder)
    home = folder / "home"
    home.mkdir()
    with served(folder / "alone.pgn", home=home) as url:
        page.goto(url)
        expect(page.locator(".card")).to_contain_text("1 game")
        page.get_by_role("link", name="alone.pgn").click()
        expect(page.locator("#query-state")).to_have_text("1 game")
        page.keyboard.press("h")
        page.get_by_role("button", name="Close").click()
        closed = page.locator(".card.closed")
        expect(closed).to_contain_text("alone.pgn")
        expect(closed).to_contain_text("PGN · 1 game")
        # Nobody has looked whether it is damaged; and what a check has found is told with its day.
        expect(closed).to_contain_text("not checked yet")
        closed.get_by_role("button").click()
        expect(page.locator("#query-state")).to_have_text("1 game")
        page.keyboard.press("h")
        page.get_by_role("button", name="Check").click()
        expect(page.locator(".card")).to_contain_text("checked, no damage")
        page.reload()
        expect(page.locator(".card")).to_contain_text(re.compile(r"last checked \w+ \d+, \d{4}: no damage then"))
        page.get_by_role("button", name="Close").click()
        expect(closed).to_contain_text("no damage then")
        axe(page, "recent")
        picture(page, "recent")
        closed.get_by_role("button").click()
        expect(page.locator("#query-state")).to_have_text("1 game")
