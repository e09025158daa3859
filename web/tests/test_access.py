"""The app for those who need it larger, calmer, or in stronger colours."""

import shutil

from app import ROOT, axe, expect, many_games, picture, served, themes, until
from test_repertoire import LINES

NO_SCROLL = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def pages(page, url, folder):
    """Goes through the pages of the app; yields the name of each."""
    page.goto(url)
    expect(page.get_by_role("heading", name="many.pgn")).to_be_visible()
    yield "library"
    page.get_by_role("link", name="opera.pgn").click()
    expect(page.locator(".list .window .row").first).to_contain_text("Morphy")
    yield "games"
    page.locator(".list .window .row").first.click()
    expect(page.get_by_role("treeitem").first).to_be_visible()
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    yield "game"
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#settings")).to_be_visible()
    yield "settings"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Help").click()
    expect(page.locator("#help")).to_be_visible()
    yield "help"
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Tabiya", exact=True).click()
    page.get_by_role("button", name="Browse folders").click()
    page.get_by_role("treeitem").first.click()
    expect(page.get_by_role("treeitem").filter(has_text="opera.pgn")).to_be_visible()
    yield "folders"
    page.get_by_role("link", name="lines.pgn").click()
    page.get_by_role("link", name="Repertoire", exact=True).click()
    page.get_by_label("Compare with").select_option(label="many.pgn")
    expect(page.get_by_role("button", name="Train only e4 here")).to_be_visible()
    yield "repertoire"
    page.get_by_role("tab", name="Coverage").click()
    expect(page.locator(".covered").first).to_be_visible()
    yield "coverage"


def bases(folder):
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", folder / "opera.pgn")
    many_games(folder / "many.pgn", 300)
    (folder / "lines.pgn").write_text(LINES, encoding="utf-8")


def test_settings_follow_the_rules_and_stay(page, folder):
    bases(folder)
    with served(folder) as url:
        page.goto(url)
        page.get_by_role("button", name="Settings").click()
        themes(page, "settings")
        settings = page.locator("#settings")
        settings.get_by_label("Theme").select_option("dark")
        settings.get_by_label("Board").select_option("blue")
        settings.get_by_label("Pieces").select_option("letters")
        settings.get_by_label("Figurines").check()
        # No sound is made, and nothing for it is fetched, before it is wanted.
        fetched = []
        page.on("request", lambda request: fetched.append(request.url))
        expect(settings.get_by_label("A sound for each move")).not_to_be_checked()
        settings.get_by_label("A sound for each move").check()
        until(page, lambda: any("sound" in url for url in fetched), "what makes sounds is fetched")
        # What is set in files is shown.
        expect(settings.locator(".places")).to_contain_text(str(folder))
        expect(settings.locator(".places")).to_contain_text("engines.conf")
        page.keyboard.press("Escape")
        page.reload()
        root = "document.documentElement.dataset"
        kept = f"[{root}.theme, {root}.squares, {root}.pieces]"
        until(page, lambda: page.evaluate(kept) == ["dark", "blue", "letters"], "what was set is kept")
        page.get_by_role("link", name="opera.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem", name="♘f3", exact=True)).to_be_visible()
        assert "circle" in page.locator("cg-board piece").first.evaluate("one => getComputedStyle(one).backgroundImage")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator(".moves [aria-current]")).to_have_text("e4")


def test_high_contrast_follows_the_rules(page, folder):
    bases(folder)
    with served(folder) as url:
        page.goto(url)
        page.evaluate("localStorage.setItem('theme', 'contrast')")
        for name in pages(page, url.split("?")[0], folder):
            axe(page, f"{name}, high contrast")
            picture(page, f"{name}-contrast")


def test_colours_of_the_system_leave_the_board(page, folder):
    bases(folder)
    page.emulate_media(forced_colors="active")
    with served(folder) as url:
        # What colours alone show keeps them: squares, the last move, bars, and the reader's place.
        kept = lambda place: page.locator(place).first.evaluate("one => getComputedStyle(one).forcedColorAdjust")
        for name in pages(page, url, folder):
            axe(page, f"{name}, forced colours")
            picture(page, f"{name}-forced")
            if name == "game":
                for place in ["cg-board", "cg-board square.last-move", ".explorer .bar .white", ".moves [aria-current]"]:
                    assert kept(place) == "none", place
        page.goto("about:blank")
    page.emulate_media(forced_colors="none", contrast="more")
    with served(folder) as url:
        for name in pages(page, url, folder):
            axe(page, f"{name}, more contrast")
            picture(page, f"{name}-more")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


def test_twice_as_large_nothing_is_lost(page, folder):
    bases(folder)
    # A window of 1280 pixels at 200 % is one of 640.
    page.set_viewport_size({"width": 640, "height": 400})
    with served(folder) as url:
        for name in pages(page, url, folder):
            assert page.evaluate(NO_SCROLL), f"{name} scrolls sideways"
            axe(page, f"{name}, twice as large")
            picture(page, f"{name}-large")


def test_reduced_motion_moves_nothing(page, folder):
    bases(folder)
    page.emulate_media(reduced_motion="reduce")
    with served(folder) as url:
        for name in pages(page, url, folder):
            moving = page.evaluate(
                "document.getAnimations().length + [...document.querySelectorAll('*')].filter(one => {"
                " const style = getComputedStyle(one);"
                " return style.transitionDuration !== '0s' && style.transitionProperty !== 'all' || style.animationName !== 'none'"
                "}).length"
            )
            assert moving == 0, f"{name}: {moving}"
        # The pieces are at their squares at once.
        page.keyboard.press("ArrowRight")
        assert page.locator("cg-board piece.anim").count() == 0
