"""Bases that want to harm."""

import re

from app import FULL, expect, picture, served, tabiya, themes

HOSTILE = """[Event "<script>window.hit=1</script>"]
[Site "<img src=x onerror=window.hit=2>"]
[Date "2020.??.??"]
[Round "javascript:window.hit=3"]
[White "\u202eevil <b>bold</b> {control}"]
[Black "{long}"]
[Result "1-0"]

1. e4 {{<svg onload=window.hit=4></svg> [%cal Ge2e4,Rd1h5] "quoted' text}} e5 ({deep} 1... c5) 2. Nf3 e9 {{text that cannot be read <script>window.hit=5</script>}} 1-0
"""


def hostile(path):
    deep = ""
    for _ in range(300):
        deep = f"1... a6 ({deep} 1... b6)" if deep else "1... h6"
    text = HOSTILE.format(control="\x01\x1b[31m", long="long " * 50_000, deep=deep)
    path.write_text(text, encoding="utf-8")


def test_a_hostile_base_shows_text(page, folder):
    base = folder / "hostile.pgn"
    hostile(base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="hostile.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.locator(".moves")).to_contain_text("<svg onload")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4"))
        assert page.evaluate("window.hit") is None
        themes(page, "hostile")


# How many variations stand in each other, or beside each other.
DEEP = 100_000 if FULL else 20_000


def monsters(path):
    """Games that are far larger than any: as names and comments, as variations in each other, as variations side by side."""
    with path.open("w", encoding="utf-8") as out:
        name = "\u202e\u0000<script>window.hit=6</script>" + "x" * 3_000_000
        comment = "</style><script>window.hit=7</script> " * 100_000
        out.write(f'[White "{name}"]\n[Black "B"]\n[Event "{name}"]\n\n1. e4 {{{comment}}} e5 *\n\n')
        # Each variation goes back to where it began, and branches once more.
        deep = "Nf3 (Nc3 Nc6 Nb1 Nb8 " * DEEP + "Nf3" + ")" * DEEP
        out.write(f'[White "Deep"]\n[Black "B"]\n\n1. {deep} Nf6 *\n\n')
        out.write(f'[White "Nested"]\n[Black "B"]\n\n1. e4 e5 {"(c5 " * DEEP}{")" * DEEP} 2. Nf3 *\n\n')
        out.write(f'[White "Wide"]\n[Black "B"]\n\n1. e4 e5 {"(c5 2. c3) " * DEEP} 2. Nf3 *\n\n')
        out.write(f'[White "Long"]\n[Black "B"]\n\n1. {"Nf3 Nf6 Ng1 Ng8 " * (DEEP // 4)} *\n')


def test_monstrous_games_leave_the_page_usable(page, folder):
    base = folder / "monsters.pgn"
    monsters(base)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="monsters.pgn").click()
        rows = page.locator(".list .window .row")
        expect(rows).to_have_count(5)
        current = page.locator(".moves [aria-current]")
        for at, (name, moves) in enumerate(
            [("window.hit=6", ["e4", "e5"]), ("Deep", ["Nf3", "Nf6"]), ("Nested", ["e4", "e5"]), ("Wide", ["e4", "e5"]), ("Long", ["Nf3", "Nf6"])]
        ):
            rows.nth(at).click()
            expect(page.locator(".moves h2")).to_contain_text(name)
            page.locator(".board").focus()
            page.keyboard.press("Home")
            for move in moves:
                page.keyboard.press("ArrowRight")
                expect(current).to_have_text(move)
            # What is drawn of it is bounded.
            assert page.locator("*").count() < 40_000, page.locator("*").count()
            # Variations, their ends, and the way back.
            page.keyboard.press("ArrowLeft")
            if name == "Deep":
                for _ in range(3):
                    page.keyboard.press("Shift+ArrowDown")
                    expect(current).to_have_text("Nc3")
                    for move in ["Nc6", "Nb1", "Nb8", "Nf3"]:
                        page.keyboard.press("ArrowRight")
                        expect(current).to_have_text(move)
            page.keyboard.press("End")
            expect(page.locator("[data-square=e4]")).to_be_attached()
            page.keyboard.press("Home")
            expect(current).to_have_count(0)
        assert page.evaluate("window.hit") is None
        # Its innermost move has an address, and is found by it.
        page.goto(page.url.split("/game/")[0] + f"/game/2?at=~{5 * DEEP + 1}")
        expect(current).to_have_text("Nf3")
        # However many brackets stand between, the reader's move is drawn.
        for order in (599, 799):
            page.goto(page.url.split("/game/")[0] + f"/game/4?at=~{order}")
            expect(current).to_have_attribute("data-order", str(order))
        assert tabiya("search", "--count", str(base), "white:Deep").strip() == "1"
