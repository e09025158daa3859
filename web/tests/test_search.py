"""The field for queries understands what people type, and offers what there is."""

import re

from app import Held, axe, expect, picture, served, tabiya, until

GAME = """[Event "{event}"]
[Site "Riga"]
[Date "{year}.01.01"]
[White "{white}"]
[Black "{black}"]
[Result "1-0"]

{moves} 1-0

"""

NAJDORF = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"
GAMES = [
    ("Talks", 1960, "Tal, Mihail", "Botvinnik, Mikhail", NAJDORF),
    ("Match", 1961, "Botvinnik, Mikhail", "Tal, Mihail", "1. d4 Nf6 2. c4 g6"),
    ("Match", 1962, "Navrotescu, Catalin", "Adams, Michael", "1. e4 c5 2. Nc3"),
    ("Italy Open", 1963, "Talalaev, Dmitri", "Nobody, A", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5"),
]


def base_of(folder):
    base = folder / "names.pgn"
    text = "".join(GAME.format(event=event, year=year, white=white, black=black, moves=moves) for event, year, white, black, moves in GAMES)
    base.write_text(text, encoding="utf-8")
    return base


def opened(page, url):
    page.goto(url)
    page.get_by_role("link", name="names.pgn").click()
    expect(page.locator("#query-state")).to_have_text("4 games")


def test_words_are_understood_as_what_they_mean(page, folder):
    base = base_of(folder)
    field, state = page.locator("#query"), page.locator("#query-state")
    with served(base) as url:
        opened(page, url)
        for typed, query, count in [
            # Tal, and neither Catalin nor Talks nor Italy.
            ("Tal", "player:Tal", 2),
            ("tal 1960", "player:tal year:1960", 1),
            ("botvinnik tal", "player:botvinnik player:tal", 2),
            ("1.e4 c5", 'line:"1. e4 c5"', 2),
            ("rnbqkb1r/pp1ppppp/5n2/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", None, 0),
            ("player:Tal result:1-0", "player:Tal result:1-0", 2),
            ("tal sicilian", "player:tal opening:sicilian", 1),
            ("tal sicilian najdorf", "player:tal opening:sicilian opening:najdorf", 1),
        ]:
            field.fill(typed)
            field.press("Enter")
            query = query or f'position:"{typed.rsplit(" ", 2)[0]}"'
            expect(field).to_have_value(query)
            expect(state).to_contain_text(f"{count} of 4 games")
            told = tabiya("search", "--count", str(base), query).split()
            assert told[0] == str(count), (query, told)
        # What was understood is told, and can be taken as text.
        field.fill("Tal")
        field.press("Enter")
        expect(field).to_have_value("player:Tal")
        expect(state).to_contain_text("Understood from")
        page.get_by_role("button", name="Search for the text instead").click()
        expect(field).to_have_value('"Tal"')
        expect(state).to_contain_text("4 of 4 games")


def test_openings_are_known_by_name_and_by_code(page, folder):
    """No game of the base names an opening or has its code: both are known by their positions."""
    base = base_of(folder)
    field, options = page.locator("#query"), page.locator("#query-list [role=option]")
    group = lambda name: page.locator("#query-list [role=group]").filter(has_text=name)
    with served(base) as url:
        opened(page, url)
        for typed, query, count in [("Sicilian Najdorf", "opening:Sicilian opening:Najdorf", 1), ("sicilian", "opening:sicilian", 2), ("B90", "eco:B90", 1), ("B90-B99", "eco:B90..B99", 1)]:
            field.fill(typed)
            field.press("Enter")
            expect(field).to_have_value(query)
            expect(page.locator("#query-state")).to_contain_text(f"{count} of 4 games")
            assert tabiya("search", "--count", str(base), query).split()[0] == str(count), query
        field.fill("sicil najd")
        expect(group("Openings").get_by_role("option").first).to_contain_text("Sicilian Defense: Najdorf Variation")
        picture(page, "suggested-openings")
        axe(page, "suggested openings")
        group("Openings").get_by_role("option").first.click()
        expect(page.locator("#query-state")).to_contain_text("1 of 4 games")
        field.fill("B90")
        expect(group("This is").get_by_role("option")).to_contain_text("eco:B90")
        expect(group("Openings").get_by_role("option").first).to_contain_text("B90 Sicilian Defense: Najdorf Variation")
        expect(options.first).to_contain_text("eco:B90")


def test_suggestions_are_chosen_with_the_keyboard(page, folder):
    field, options = page.locator("#query"), page.locator("#query-list [role=option]")
    with served(base_of(folder)) as url:
        opened(page, url)
        field.focus()
        page.keyboard.type("tal")
        expect(options.first).to_contain_text("Tal, Mihail")
        expect(field).to_have_attribute("aria-expanded", "true")
        picture(page, "suggestions")
        axe(page, "suggestions")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        expect(field).to_have_attribute("aria-activedescendant", "query-option-1")
        page.keyboard.press("Enter")
        expect(field).to_have_value('player:"Talalaev, Dmitri"')
        expect(page.locator("#query-state")).to_contain_text("1 of 4 games")
        expect(options).to_have_count(0)
        # Escape closes the list first, and what was typed stays.
        field.fill("botv")
        expect(options.first).to_contain_text("Botvinnik")
        page.keyboard.press("Escape")
        expect(options).to_have_count(0)
        expect(field).to_have_value("botv")
        # The mouse chooses too.
        field.fill("event:Ital")
        options.filter(has_text="Italy Open").click()
        expect(field).to_have_value('event:"Italy Open"')
        expect(page.locator("#query-state")).to_contain_text("1 of 4 games")


def test_words_are_understood_by_a_server_that_has_no_time(page, folder):
    """Names that are refused, or come late, are asked for again: what words mean does not depend on how busy a machine is."""
    field, state = page.locator("#query"), page.locator("#query-state")
    asked = {}

    def refuse(route):
        times = asked[route.request.url] = asked.get(route.request.url, 0) + 1
        if times <= 2:
            route.fulfill(status=429, content_type="application/json", body='{"error": "busy", "code": "busy"}')
        else:
            route.fallback()

    with served(base_of(folder)) as url:
        opened(page, url)
        page.route(re.compile("/complete[?]"), refuse)
        page.keyboard.press("/")
        page.keyboard.type("tal sicilian najdorf")
        page.keyboard.press("Enter")
        expect(field).to_have_value("player:tal opening:sicilian opening:najdorf")
        expect(state).to_contain_text("1 of 4 games")
        assert max(asked.values()) >= 3, asked


def test_what_is_typed_after_enter_stays(page, folder):
    """An answer that comes late shows its games, and neither replaces what stands in the field by then nor opens the list again."""
    field, state, options = page.locator("#query"), page.locator("#query-state"), page.locator("#query-list [role=option]")
    with served(base_of(folder)) as url:
        opened(page, url)
        held = Held(page, "/complete[?]")
        field.focus()
        page.keyboard.type("tal")
        page.keyboard.press("Enter")
        held.arrived()
        page.keyboard.type(" 1960")
        held.release()
        expect(state).to_contain_text("2 of 4 games")
        expect(field).to_have_value("tal 1960")
        page.keyboard.press("Enter")
        expect(field).to_have_value("player:tal year:1960")
        expect(state).to_contain_text("1 of 4 games")
        # Enter while what is offered has not come: what is typed is searched, and the list stays closed.
        field.fill("")
        held = Held(page, "/complete[?]")
        page.keyboard.type("botvinnik")
        held.arrived()
        page.keyboard.press("Enter")
        held.release()
        expect(field).to_have_value("player:botvinnik")
        expect(state).to_contain_text("2 of 4 games")
        page.wait_for_timeout(400)
        expect(options).to_have_count(0)


def test_enter_in_a_tag_takes_what_is_typed(page, folder):
    """The names of the base are offered there too: they may come before Enter, after it, or not at all."""
    base = base_of(folder)
    with served(base) as url:
        opened(page, url)
        page.locator(".list .window .row").first.click()
        page.keyboard.press("e")
        expect(page.locator(".annotate .state")).to_be_visible()
        page.locator(".annotate details.tags summary").click()
        held = Held(page, "/complete[?]")
        for name, value in [("White", "Talalaev, D"), ("Black", "botvinnik"), ("Event", "Match")]:
            tag = page.locator(f"input[name=tag-{name}]")
            tag.fill("")
            tag.press_sequentially(value)
            if name == "White":
                held.arrived()
            tag.press("Enter")
            if name == "White":
                held.release()
            expect(tag).to_have_value(value)
        expect(page.locator(".moves h2")).to_contain_text("botvinnik")
        # It is saved from within a field too, and the field stays.
        tag.press_sequentially(" 2")
        page.keyboard.press("Control+s")
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        expect(tag).to_be_focused()
        page.locator("#comment-after").press_sequentially("typed")
        page.keyboard.press("Control+s")
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        until(page, lambda: "{typed}" in base.read_text(encoding="utf-8"), "the comment is not saved")
        text = base.read_text(encoding="utf-8")
        for line in ['[White "Talalaev, D"]', '[Black "botvinnik"]', '[Event "Match 2"]']:
            assert line in text.split("\n\n")[0], text[:400]
