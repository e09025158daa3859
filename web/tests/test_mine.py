"""One's own games: fetched anew, at once and by a schedule, the record, the last games with the repertoire, and the mistakes."""

import json
import re
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app import Run, Skipped, axe, expect, picture, served, themes

LINES = """[Event "Mine"]
[Repertoire "white"]
[Result "*"]

1. e4 e5 (1... c5 2. c3 d5 3. exd5) 2. Nf3 Nc6 3. Bb5 *
"""


def game(number, moves, winner, evaluations=(), own="white", speed=180):
    """A game as Lichess tells it, in a month of its own."""
    began = 1_700_000_000_000 + number * 31 * 86_400_000
    me = {"user": {"name": "SampleRook", "id": "samplerook"}, "rating": 1500}
    other = {"user": {"name": f"Knight{number}", "id": f"knight{number}"}, "rating": 1520}
    white, black = (me, other) if own == "white" else (other, me)
    told = {
        "id": f"game{number:04}",
        "rated": True,
        "variant": "standard",
        "createdAt": began,
        "lastMoveAt": began + 200_000,
        "status": "resign",
        "players": {"white": white, "black": black},
        "winner": winner,
        "moves": moves,
        "opening": {"eco": "C60", "name": "Ruy Lopez", "ply": 5},
        "clock": {"initial": speed, "increment": 0, "totalTime": speed},
    }
    if evaluations:
        told["analysis"] = [{"eval": value} for value in evaluations]
    return told


GAMES = [
    game(1, "e4 e5 Nf3 Nc6 Bb5 a6", "white", (20, 20, 20, 20, 20, 20)),
    # A blunder with the third move, and an inaccuracy with the fourth.
    game(2, "e4 e5 Nf3 Nc6 Qe2 a6 Qa6 Nf6", "black", (20, 20, 20, 20, -600, -600, -900, -900)),
    game(3, "d4 e5 d5 Nc6", "white", own="black", speed=1_800),
]


@contextmanager
def lichess(games):
    """A stand-in that sends some games of one account."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            is_games = self.path.startswith("/api/games/user/samplerook")
            self.answer("".join(json.dumps(one) + "\n" for one in games) if is_games else "")

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.answer("")

        def answer(self, text):
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_address[1]}"
    finally:
        site.shutdown()


def fed(folder, address):
    """A base that was fed from the stand-in, and a home whose settings name it."""
    program = Path(Run.program).with_name("tabiya-fetch")
    if not program.exists():
        raise Skipped(f"{program} is not built")
    home = folder / "home"
    settings = home / ".config/tabiya/tabiya.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[fetch]\n--host lichess={address}\n", encoding="utf-8")
    base = folder / "mine.pgn"
    subprocess.run(
        [program, "--host", f"lichess={address}", "lichess", "SampleRook", "-o", base],
        check=True,
        capture_output=True,
        env={"HOME": str(home)},
    )
    return base, home


def opened(page, url, base="mine.pgn"):
    page.goto(url)
    page.get_by_role("link", name=base).first.click()
    page.get_by_role("link", name="My games", exact=True).click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()


def row(page, table, name):
    return page.locator(f'table[data-name="{table}"] tr', has=page.get_by_role("rowheader", name=name, exact=False)).first


def test_the_record_and_the_mistakes_lead_to_games(page, folder):
    with lichess(list(GAMES)) as address:
        base, home = fed(folder, address)
        with served(base, home=home) as url:
            opened(page, url)
            # The account is known by what the base was fed from.
            expect(page.get_by_label("Player")).to_have_value("samplerook")
            record = page.locator(".record")
            expect(record).to_contain_text("3 games · +1 =0 −2")
            expect(row(page, "speeds", "blitz").locator("td").first).to_have_text("2")
            expect(row(page, "speeds", "classical").locator("td").nth(3)).to_have_text("1")
            expect(page.locator('table[data-name="months"] tbody tr')).to_have_count(3)
            expect(row(page, "colors", "White").locator("td").first).to_have_text("2")
            expect(page.locator('table[data-name="openings-white"]')).to_contain_text("C")
            expect(page.locator(".games-left li")).to_have_count(3)
            # The newest stands first.
            expect(page.locator(".games-left li").first).to_contain_text("Knight3")
            mistakes = page.locator(".mistakes")
            expect(mistakes).to_contain_text("2 games with evaluations · 1 without")
            phase = row(page, "mistakes-phase", "opening")
            expect(phase.locator("td").nth(3)).not_to_have_text("0")
            themes(page, "mine")
            phase.get_by_role("button").click()
            place = page.locator(".places a").first
            expect(place).to_contain_text("3.??")
            axe(page, "the places of mistakes")
            picture(page, "mine-places")
            place.click()
            expect(page).to_have_url(re.compile(r"/game/2\?at=5$"))
            page.go_back()
            # The number of blunders leads to the games that have them.
            row(page, "mistakes-phase", "opening").locator("td").nth(3).get_by_role("link").click()
            expect(page.locator("#query-state")).to_have_text("1 of 3 games")
            page.go_back()
            # So do the other numbers: moves, inaccuracies, mistakes (there are none), losses, and those of others.
            numbers = row(page, "mistakes-phase", "opening").locator("td")
            for place, games in ((0, 2), (1, 1), (4, 2), (5, 2)):
                numbers.nth(place).get_by_role("link").click()
                expect(page.locator("#query-state")).to_have_text(f"{games} of 3 games")
                page.go_back()
            expect(numbers.nth(2)).to_have_text("0")
            expect(numbers.nth(2).get_by_role("link")).to_have_count(0)
            for link, games in (("2 games with evaluations", 2), ("1 without", 1)):
                mistakes.get_by_role("link", name=link).click()
                expect(page.locator("#query-state")).to_have_text(f"{games} of 3 games")
                page.go_back()
            row(page, "speeds", "blitz").locator("td").first.get_by_role("link").click()
            expect(page.locator("#query-state")).to_have_text("2 of 3 games")
            page.go_back()
            row(page, "months", "2023.12").locator("td").first.get_by_role("link").click()
            expect(page.locator("#query-state")).to_have_text("1 of 3 games")


def test_new_games_are_fetched_at_once_and_by_a_schedule(page, folder):
    games = list(GAMES)
    with lichess(games) as address:
        base, home = fed(folder, address)
        with served(base, home=home) as url:
            opened(page, url)
            expect(page.locator(".record")).to_contain_text("3 games")
            expect(page.get_by_text("last fetched")).to_have_count(0)
            games.append(game(4, "e4 e5 Nf3 Nc6 Bb5 a6", "white"))
            page.get_by_role("button", name="Fetch new games").click()
            expect(page.get_by_text("lichess samplerook: 1 new game")).to_be_visible()
            expect(page.locator(".record")).to_contain_text("4 games")
            expect(page.get_by_text("last fetched")).to_be_visible()
            page.get_by_label("Fetch while Tabiya runs").select_option("every day")
            expect(page.get_by_label("Fetch while Tabiya runs")).to_have_value("24")
            page.reload()
            expect(page.get_by_label("Fetch while Tabiya runs")).to_have_value("24")
            # A site that says nothing of use is told, and nothing is lost.
            games[:] = [{"error": "down"}]
            page.get_by_role("button", name="Fetch new games").click()
            expect(page.locator(".mine .trouble")).to_be_visible()
            picture(page, "mine-trouble")
            expect(page.locator(".record")).to_contain_text("4 games")


def test_the_last_games_are_compared_with_the_repertoire(page, folder):
    lines = folder / "white.pgn"
    lines.write_text(LINES, encoding="utf-8")
    with lichess(list(GAMES)) as address:
        base, home = fed(folder, address)
        with served(base, lines, home=home) as url:
            page.goto(url)
            page.get_by_role("link", name="white.pgn").first.click()
            page.get_by_role("link", name="Repertoire", exact=True).click()
            expect(page.get_by_text("Repertoire for White")).to_be_visible()
            opened(page, url)
            expect(page.get_by_label("Where they left the repertoire")).to_be_visible()
            left = page.locator(".games-left li")
            # With White only.
            expect(left).to_have_count(2)
            expect(left.nth(0)).to_contain_text("You leave it here.")
            expect(left.nth(0)).to_contain_text("Bb5")
            expect(left.nth(1)).to_contain_text("The line ends here.")
            themes(page, "mine-repertoire")
            page.get_by_label("Where they left the repertoire").select_option("do not compare")
            expect(left).to_have_count(3)


def test_a_base_that_nothing_was_fetched_into_has_a_record_too(page, folder):
    base = folder / "club.pgn"
    base.write_text('[White "Me"]\n[Black "A"]\n[Date "2026.01.02"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n', encoding="utf-8")
    with served(base) as url:
        opened(page, url, "club.pgn")
        expect(page.get_by_role("button", name="Fetch new games")).to_have_count(0)
        page.get_by_label("Player").fill("Me")
        page.locator(".mine > form").get_by_role("button").click()
        expect(page.locator(".record")).to_contain_text("1 game · +1 =0 −0 · 100 %")
        expect(page.locator(".mistakes")).to_contain_text("No game of this player has evaluations.")
        themes(page, "mine-club")
        # The name is remembered.
        page.reload()
        expect(page.locator(".record")).to_contain_text("1 game")
        page.get_by_label("Player").fill("Nobody")
        page.locator(".mine > form").get_by_role("button").click()
        expect(page.get_by_text("0 games")).to_be_visible()


def test_the_games_of_an_account_are_fetched_into_a_base_that_has_none(page, folder):
    with lichess(list(GAMES)) as address:
        _, home = fed(folder, address)
        base = folder / "club.pgn"
        base.write_text('[White "Me"]\n[Black "A"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n', encoding="utf-8")
        with served(base, home=home) as url:
            opened(page, url, "club.pgn")
            expect(page.get_by_label("Site")).to_have_value("lichess")
            axe(page, "the account to fetch from")
            themes(page, "mine-account")
            # Sites have no such name.
            page.get_by_label("Account").fill("Sample Rook")
            page.get_by_role("button", name="Fetch", exact=True).click()
            expect(page.locator(".mine .trouble")).to_contain_text("the name of an account has letters")
            page.get_by_label("Account").fill(" SampleRook ")
            page.get_by_role("button", name="Fetch", exact=True).click()
            expect(page.get_by_text("lichess samplerook: 3 new games")).to_be_visible()
            # Its record is there without another click, and from now on the account is one of the sources.
            expect(page.locator(".record")).to_contain_text("3 games · +1 =0 −2")
            expect(page.get_by_role("button", name="Fetch new games")).to_be_visible()
            expect(page.get_by_label("Account")).to_be_hidden()
            page.get_by_text("Fetch the games of an account").click()
            expect(page.get_by_label("Account")).to_be_visible()


def test_where_nothing_can_be_fetched_the_command_is_named(page, folder):
    base = folder / "club.pgn"
    base.write_text("1. e4 e5 *\n", encoding="utf-8")
    with served(base, options=("--read-only",)) as url:
        opened(page, url, "club.pgn")
        expect(page.get_by_text("Nothing has been fetched into this database.")).to_be_visible()
        expect(page.get_by_label("Account")).to_have_count(0)
