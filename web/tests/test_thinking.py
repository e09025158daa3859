"""Engines side by side, puzzles solved on the board, statistics as pictures; names offered; what was typed while nobody listened."""

import json
import re
import shutil
import stat

from app import PATIENCE, ROOT, Skipped, axe, expect, many_games, picture, served, settled, tabiya, themes, until
from test_crashes import own_browser

OPERA = ROOT / "corpus/pgn/ok/opera.pgn"


def needs_engine():
    if shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        raise Skipped("no engine is installed")


def first_game(page, url, name):
    page.goto(url)
    page.get_by_role("link", name=name).first.click()
    page.locator(".list .window .row").first.click()
    expect(page.get_by_role("treeitem").first).to_be_visible()


# An engine that knows one move, tells what it was set to, and thinks until it is told to stop.
FAKE = """#!/usr/bin/env python3
import sys
told = []
for line in sys.stdin:
    line = line.strip()
    if line == 'uci':
        print('id name NAME')
        for name, top in (('MultiPV', 9), ('Threads', 512), ('Hash', 4096)):
            print(f'option name {name} type spin default 1 min 1 max {top}')
        print('uciok', flush=True)
    elif line == 'isready': print('readyok', flush=True)
    elif line.startswith('setoption'): told.append(line)
    elif line.startswith('go'):
        open(__file__ + '.told', 'w').write('\\n'.join(told))
        print('info depth 9 nodes 1000 nps 1000 score cp 31 pv MOVE', flush=True)
    elif line == 'stop': print('bestmove MOVE', flush=True)
    elif line == 'quit': break
"""


def test_several_engines_think_at_once(page, folder):
    home = folder / "home"
    settings = home / ".config" / "tabiya"
    settings.mkdir(parents=True)
    text = ""
    for name, move in [("first", "e2e4"), ("second", "d2d4")]:
        program = folder / f"engine-{name}"
        program.write_text(FAKE.replace("NAME", name).replace("MOVE", move), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        text += f"[{name}]\nprogram = {program}\n"
    (settings / "engines.conf").write_text(text, encoding="utf-8")
    shutil.copy(OPERA, folder / "opera.pgn")
    with served(folder / "opera.pgn", home=home) as url:
        first_game(page, url, "opera.pgn")
        page.locator(".board").focus()
        page.keyboard.press("Home")
        page.get_by_role("button", name="Engine", exact=True).click()
        expect(page.locator(".engine ol")).to_have_count(1)
        expect(page.locator(".engine li")).to_contain_text(["e4"])
        # Its move is drawn on the board, and no longer when that is not wanted.
        arrows = page.locator(".ground svg.cg-shapes line")
        expect(arrows).to_have_count(1)
        page.get_by_role("button", name="Engines and their settings").click()
        page.get_by_label("second").check()
        expect(page.locator(".engine ol")).to_have_count(2)
        expect(page.locator(".engine ol").nth(1)).to_contain_text("d4")
        expect(arrows).to_have_count(2)
        page.locator("[name=threads]").select_option("2")
        page.locator("[name=hash]").select_option("64")
        expect(page.locator(".engine ol").nth(1)).to_contain_text("d4")
        themes(page, "engines")
        told = lambda: (folder / "engine-second.told").read_text(encoding="utf-8")
        until(page, lambda: "name Threads value 2" in told() and "name Hash value 64" in told(), "the engine hears of its settings")
        page.get_by_role("button", name="Arrows").click()
        expect(arrows).to_have_count(0)
        page.get_by_role("button", name="Play the best move").click()
        expect(page.locator(".moves [aria-current]")).to_have_text("e4")


# Mate in two that only one move begins, missed in the game.
MISSED = """[Event "Missed"]
[White "A"]
[Black "B"]
[Result "*"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1"]

1. h3 h6 2. Kh2 *

"""


def test_puzzles_are_found_and_solved(page, folder):
    needs_engine()
    base = folder / "missed.pgn"
    base.write_text(MISSED + OPERA.read_text(encoding="utf-8"), encoding="utf-8")
    with served(base, options=["--read-only"]) as url:
        page.goto(url)
        page.get_by_role("link", name="missed.pgn").click()
        page.get_by_role("link", name="Puzzles", exact=True).click()
        page.locator("[name=nodes]").select_option("10000")
        page.get_by_role("button", name="Find puzzles").click()
        puzzle = page.locator(".puzzle")
        expect(puzzle).to_be_visible(timeout=120_000)
        told = json.loads(page.evaluate("async () => JSON.stringify((await (await fetch('/api/v1/jobs/j1/report')).json()).report.puzzles[0])"))
        wrong = "a3" if told["san"][0] != "a3" else "h3"
        page.get_by_label("Move", exact=True).fill(wrong)
        page.keyboard.press("Enter")
        expect(puzzle.get_by_role("status")).to_contain_text("Try again")
        themes(page, "puzzles")
        for move in told["san"][::2]:
            page.get_by_label("Move", exact=True).fill(move)
            page.keyboard.press("Enter")
        expect(puzzle.get_by_role("status")).to_have_text("Solved.")
        picture(page, "puzzle-solved")
        page.get_by_role("button", name="Try again").click()
        # By pointer too.
        board = page.locator(".puzzles cg-board").bounding_box()
        size = board["width"] / 8
        black = " b " in told["fen"]
        for at, move in enumerate(told["moves"]):
            if at % 2:
                continue
            for square in (move[:2], move[2:4]):
                file, rank = "abcdefgh".index(square[0]), int(square[1]) - 1
                file, rank = (7 - file, 7 - rank) if black else (file, rank)
                page.mouse.click(board["x"] + (file + 0.5) * size, board["y"] + (7.5 - rank) * size)
            # The other side answers.
            expect(puzzle.locator("p", has_text=told["san"][at])).to_be_visible()
            settled(page)
        expect(puzzle.get_by_role("status")).to_have_text("Solved.")
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("button", name="Show the solution").click()
        for move in told["san"]:
            expect(puzzle).to_contain_text(move)
        # It leads to its game, at its move.
        puzzle.get_by_role("link").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()


def test_statistics_are_pictures_whose_marks_lead_to_games(page, folder):
    base = folder / "many.pgn"
    many_games(base, 600)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="many.pgn").click()
        page.get_by_role("link", name="Statistics").click()
        counted = json.loads(tabiya("stats", str(base), "--json"))
        years = page.locator("figure[data-name=years]")
        rows = next(table["rows"] for table in counted["statistics"] if table["name"] == "years")
        expect(years.locator("svg > g")).to_have_count(len(rows))
        for at in (0, len(rows) - 1):
            row = rows[at]
            expect(years.locator("svg > g > title").nth(at)).to_have_text(
                f"{row['label']}: {row['games']} games, +{row['wins']} ={row['draws']} −{row['losses']}"
            )
        for form in ["SVG", "PNG", "CSV"]:
            with page.expect_download() as downloading:
                years.get_by_role("button", name="Save").click()
                years.get_by_role("menuitem", name=form).click()
            found = downloading.value.path().read_bytes()
            assert len(found) > 200, form
            if form == "CSV":
                assert len(found.splitlines()) == len(rows) + 1
            if form == "SVG":
                assert b"<a" not in found and found.startswith(b"<svg")
        # By keyboard too: a bar is one stop.
        row = rows[3]
        years.locator("svg > g").nth(3).locator("a[tabindex='0']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#query-state")).to_have_text(f"{row['games']} of 600 games")
        page.go_back()
        # And every table: each row finds as many games as it tells.
        page.get_by_role("button", name="Tables").click()
        for table in ["ratings", "players", "events", "lengths", "sites"]:
            cells = page.locator(f"table[data-name={table}] tbody tr").nth(0).locator("td")
            for part in (0, 2):
                number = cells.nth(part).inner_text()
                if number == "0":
                    continue
                cells.nth(part).get_by_role("link").click()
                expect(page.locator("#query-state")).to_contain_text(re.compile(rf"^{number} (of 600 )?games?$"))
                page.go_back()
                expect(cells.nth(part)).to_have_text(number)


def of_a_player(path):
    """Games of one player under two names, with White and with Black, won, drawn and lost."""
    games = [("Tal, Mikhail", "Keres, P", "1-0", 2600, 2550), ("Keres, P", "Tal, M", "1-0", 2555, 2610), ("Tal, M", "Spassky, B", "1/2-1/2", 2600, 2640)]
    games += [("Spassky, B", "Tal, Mikhail", "0-1", 2650, 2590), ("Keres, P", "Spassky, B", "1-0", 2540, 2650), ("Tal, Mikhail", "Keres, P", "0-1", 2600, 2450)]
    path.write_text(
        "".join(
            f'[Event "Open {at % 2}"]\n[Date "19{60 + at % 3}.??.??"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n'
            f'[WhiteElo "{one}"]\n[BlackElo "{two}"]\n[ECO "B{10 + at % 2}"]\n\n1. e4 c6 {result}\n\n'
            for at, (white, black, result, one, two) in enumerate(games)
        ),
        encoding="utf-8",
    )


def test_marks_of_a_player_lead_to_the_games_of_the_player(page, folder):
    base = folder / "tal.pgn"
    of_a_player(base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="tal.pgn").click()
        page.get_by_role("link", name="Statistics").click()
        ids = page.url.split("/base/")[1].split("?")[0]
        for against in ["", "Keres"]:
            page.fill("[name=name]", "Tal")
            page.fill("[name=against]", against)
            page.locator("form", has=page.locator("[name=name]")).get_by_role("button").click()
            expect(page.locator("table, figure.plot").first).to_be_visible()
            page.get_by_role("button", name="Tables").click()
            expect(page.locator("table[data-name=colors] tbody tr").first).to_be_visible()
            asked = 0
            for at, table in enumerate(page.locator(".tables table").all()):
                for link in table.locator("td a").all():
                    number, query = int(link.inner_text()), link.get_attribute("href").split("?q=")[1]
                    found = page.evaluate("async ([id, q]) => await (await fetch(`/api/v1/bases/${id}/search?query=${q}`)).text()", [ids, query])
                    done = json.loads(found.strip().splitlines()[-1])
                    assert done.get("found") == number, (table.get_attribute("data-name"), query, number, found)
                    asked += 1
            assert asked > 20, asked


def test_names_of_the_whole_database_are_offered(page, folder):
    base = folder / "many.pgn"
    many_games(base, 2_000)
    with served(base) as url:
        first_game(page, url, "many.pgn")
        page.get_by_role("button", name="Annotate").click()
        page.get_by_text("Players, event, result, start").click()
        page.locator("[name=tag-White]").fill("Player, B49")
        offered = page.locator("#names-White option")
        expect(offered).to_have_count(10)
        assert offered.first.get_attribute("value") == "Player, B49"
        page.locator("[name=tag-Event]").fill("open 9")
        expect(page.locator("#names-Event option")).to_have_count(8)
        axe(page, "tags, names offered")


def test_what_is_typed_while_the_server_is_away_is_kept(page, folder):
    base, home = folder / "opera.pgn", folder / "home"
    home.mkdir()
    shutil.copy(OPERA, base)
    # A browser of its own: that its connections are refused is what is tried here.
    with own_browser(page) as (browser, _):
        tab = browser.new_page()
        tab.set_default_timeout(PATIENCE)
        with served(base, home=home) as url:
            first_game(tab, url, "opera.pgn")
            tab.get_by_role("button", name="Annotate").click()
            expect(tab.locator(".annotate .state")).to_be_visible()
            tab.fill("#comment-after", "before the fall")
            expect(tab.locator(".moves .comment")).to_contain_text(["before the fall"])
            # Who annotates has the list beside when that is wanted.
            tab.get_by_role("button", name="Layout").click()
            tab.get_by_role("menuitemcheckbox", name="Games").click()
            tab.keyboard.press("Escape")
            expect(tab.locator("#query")).to_be_visible()
        # The server is gone; somebody types on.
        tab.fill("#comment-after", "after the fall")
        tab.locator("#comment-after").blur()
        kept = tab.locator(".kept")
        expect(kept).to_contain_text("after the fall")
        picture(tab, "kept")
        # That it is gone is told above the game and where something is asked, with what to do.
        expect(tab.locator(".changed")).to_contain_text("Tabiya does not answer")
        tab.fill("#query", "elo>2500")
        tab.locator("#query").press("Enter")
        expect(tab.locator("#query-state")).to_contain_text("start it again")
        # It has another port and another token now; what was typed goes along.
        with served(base, home=home) as url:
            kept.locator("[name=address]").fill(url)
            kept.get_by_role("button", name="Open there").click()
            expect(tab.get_by_role("heading", name="opera.pgn")).to_be_visible()
            assert "unsent" not in tab.url and "token" not in tab.url
            expect(kept).to_contain_text("after the fall")
            themes(tab, "kept-offered")
            kept.get_by_role("button", name="Put into the draft").click()
            expect(tab.locator("#comment-after")).to_have_value("after the fall")
            expect(kept).to_have_count(0)
            tab.get_by_role("button", name="Save into the database").click()
            expect(tab.locator(".annotate .state")).to_contain_text("Saved")
    assert "after the fall" in base.read_text(encoding="utf-8")


def test_a_dossier_of_nobody_is_told_and_not_saved(page, folder):
    shutil.copy(OPERA, folder / "opera.pgn")
    saved = []
    page.on("download", lambda one: saved.append(one.suggested_filename))
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        page.get_by_role("link", name="Statistics").click()
        page.fill("[name=name]", "Nobody At All")
        page.locator("form", has=page.locator("[name=name]")).get_by_role("button").click()
        page.get_by_role("button", name="HTML").click()
        expect(page.get_by_role("alert")).to_contain_text("no games found")
        assert saved == []


def test_help_runs_its_examples(page, folder):
    shutil.copy(OPERA, folder / "opera.pgn")
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.pgn").click()
        expect(page.locator("#query-state")).to_have_text("1 game")
        page.keyboard.press("?")
        themes(page, "help")
        page.get_by_role("button", name="moves<=20 result:decisive").click()
        expect(page.locator("#help[open]")).to_have_count(0)
        expect(page.locator("#query-state")).to_have_text("1 of 1 games")
