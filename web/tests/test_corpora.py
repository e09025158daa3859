"""Real databases in every format that people bring: what the page shows is what the command line says.

They are made of the games that lie beside the project, or where TABIYA_SHARED says; without them this is skipped, aloud.
With TABIYA_FULL all games are taken, else the first ones.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from app import FULL, ROOT, Skipped, axe, expect, served, tabiya

SHARED = Path(os.environ.get("TABIYA_SHARED", ROOT.parent / "shared"))


def corpus(name, games, folder):
    """The first games of a corpus as PGN, or all of them."""
    packed = SHARED / f"corpora/{name}.pgn.zst"
    if not packed.exists():
        raise Skipped(f"{packed} is not there")
    if shutil.which("zstd") is None:
        raise Skipped("there is no zstd")
    path = folder / f"{name}.pgn"
    unpacking = subprocess.Popen(["zstd", "-dcq", packed], stdout=subprocess.PIPE)
    seen = 0
    with path.open("wb") as out:
        for line in unpacking.stdout:
            if line.startswith(b"[Event "):
                seen += 1
                if seen > games and not FULL:
                    break
            out.write(line)
    unpacking.stdout.close()
    unpacking.wait()
    return path


def converted(path, target):
    tabiya("convert", str(path), str(target))
    assert target.exists(), target
    return target


def looked_through(page, url, base, queries, rules=None):
    """One database: its list from end to end, its searches, its explorer, some games."""
    page.goto(url)
    page.locator(".cards a").first.click()
    state = page.locator("#query-state")
    rows = page.locator(".list .window .row")
    every = int(tabiya("search", "--count", str(base), "number>=1"))
    expect(state).to_have_text(re.compile(rf"^{every:,} games?$"))
    expect(rows.first).to_contain_text("1")
    page.locator(".list .scroll").focus()
    page.keyboard.press("End")
    expect(page.locator(".list .focused")).to_contain_text(str(every))
    for query in queries:
        page.fill("#query", query)
        page.keyboard.press("Enter")
        wanted = int(tabiya("search", "--count", str(base), query))
        expect(state).to_contain_text(f"{wanted:,} of {every:,} game")
        if wanted:
            first = json.loads(tabiya("search", "--json", "--first", "1", str(base), query))
            expect(rows.first).to_contain_text(str(first["number"]))
    page.fill("#query", "")
    page.keyboard.press("Enter")
    expect(state).to_have_text(re.compile(rf"^{every:,} games?$"))
    # The explorer at the start, and some moves on.
    for moves in [[], ["e4"], ["d4", "Nf6"]]:
        line = ["--line", " ".join(moves)] if moves else []
        explored = json.loads(tabiya("explore", str(base), "--json", *line))
        for move in moves:
            page.fill("#typed", move)
            page.keyboard.press("Enter")
            expect(page.locator(".scratch")).to_contain_text(move)
        shown = page.locator(".explorer tbody tr")
        for at, move in enumerate(explored["moves"][:12]):
            expect(shown.nth(at).locator("th")).to_have_text(move["san"])
            expect(shown.nth(at).locator("td").first).to_have_text(f"{move['games']:,}")
        expect(shown).to_have_count(min(40, len(explored["moves"])))
        if moves:
            page.get_by_role("button", name="Back to the game").click()
    # Some games, whole: the tree has as many moves as the command line's.
    for game in sorted({1, every // 2 or 1, every}):
        page.goto(page.url.split("?")[0].split("/game/")[0] + f"/game/{game}")
        told = json.loads(tabiya("cat", str(base), str(game), "--json"))
        moves = json.dumps(told["moves"]).count('"uci"')
        if moves <= 4_000:
            expect(page.get_by_role("treeitem")).to_have_count(moves)
    if rules:
        axe(page, rules)
    # The server ends before the next one begins, and the page asks it no more.
    page.goto("about:blank")


QUERIES = ["result:1-0 eco:B", "position:\"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\"", "white:Carlsen"]


def test_otb_as_pgn_and_si5(page, folder):
    source = corpus("otb", 5_000, folder)
    scid = converted(source, folder / "otb.si5")
    for base in [source, scid]:
        with served(base) as url:
            looked_through(page, url, base, QUERIES)


def test_annotated_games(page, folder):
    base = corpus("annotated-human", 300, folder)
    with served(base) as url:
        looked_through(page, url, base, ["has:variations", "comment:mate", "nag:1"], "an annotated game")


def test_chessbase_for_dos(page, folder):
    base = converted(corpus("annotated-human", 300, folder), folder / "old.cbf")
    with served(base) as url:
        looked_through(page, url, base, ["has:variations", "result:0-1"])


def test_jose_as_an_archive_and_as_a_dump(page, folder):
    archive = folder / "small.jose"
    shutil.copy(ROOT / "corpus/jose/ok/zip.jose", archive)
    dump = converted(corpus("annotated-human", 300, folder), folder / "dump.sql")
    for base in [archive, dump]:
        with served(base) as url:
            looked_through(page, url, base, ["has:variations", "result:0-1"])
