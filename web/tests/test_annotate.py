"""Annotating and saving: by mouse, by keyboard alone, through the command field, and what a crash leaves."""

import random
import re
import shutil
import signal
import subprocess
import time

from app import FULL, PATIENCE, ROOT, Run, asks, axe, expect, picture, served, tabiya, themes, until
from test_crashes import own_browser


def opened(page, url, name):
    page.goto(url)
    page.get_by_role("link", name=name).click()
    page.locator(".list .window .row").first.click()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def command(page, text):
    page.fill("#typed", text)
    page.keyboard.press("Enter")
    expect(page.locator("#typed")).to_have_value("")


def begin(page):
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator(".annotate .state")).to_be_visible()


def arrived(page):
    """The server has answered all wishes: what is shown is in the draft."""
    expect(page.locator(".annotate .state:not([data-waits])")).to_contain_text("draft")


def differences(before, after):
    return tabiya("diff", str(before), str(after))


def test_a_game_is_annotated_by_hand(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    before = folder / "before.pgn"
    shutil.copy(base, before)
    asks(page)
    with served(base) as url:
        opened(page, url, "opera.pgn")
        begin(page)
        page.locator("body").click(position={"x": 2, "y": 2})
        page.keyboard.press("ArrowRight")
        # Another move than the game's: it is asked what becomes of it.
        page.fill("#typed", "c5")
        page.keyboard.press("Enter")
        expect(page.locator(".choice")).to_contain_text("c5")
        picture(page, "annotate-choice")
        axe(page, "annotate, choice")
        page.keyboard.press("1")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("c5"))
        page.fill("#comment-after", "Sicilian")
        page.locator("body").click(position={"x": 2, "y": 2})
        expect(page.locator(".moves .comment")).to_contain_text(["Sicilian"])
        page.keyboard.press("5")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile(r"c5!\?"))
        # An arrow with the right button.
        board = page.locator(".ground cg-board").bounding_box()
        at = lambda file, rank: (board["x"] + (file + 0.5) * board["width"] / 8, board["y"] + (7.5 - rank) * board["height"] / 8)
        page.mouse.move(*at(2, 4))
        page.mouse.down(button="right")
        page.mouse.move(*at(3, 3))
        page.mouse.up(button="right")
        expect(page.locator(".ground svg.cg-shapes line")).to_have_count(1)
        page.get_by_text("Players, event, result, start").click()
        page.locator("[name=tag-Site]").fill("Opéra")
        page.keyboard.press("Enter")
        expect(page.locator(".annotate .state")).to_contain_text("draft")
        themes(page, "annotate")
        page.get_by_role("button", name="Save into the database").click()
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        told = differences(before, base)
        for word in ["c5", "Sicilian", "Site"]:
            assert word in told, told
        text = base.read_text(encoding="utf-8")
        assert "[%cal Gc5d4]" in text, text
        # It is still there when it is read anew, and the version before comes back.
        page.reload()
        expect(page.locator(".moves .comment")).to_contain_text(["Sicilian"])
        page.get_by_role("button", name="History").click()
        expect(page.locator(".history li").first).to_be_visible()
        axe(page, "annotate, history")
        picture(page, "annotate-history")
        page.get_by_role("button", name="Restore this version").first.click()
        expect(page.locator(".annotate")).to_have_count(0)
        expect(page.locator(".moves .comment", has_text="Sicilian")).to_have_count(0)
        assert base.read_bytes() == before.read_bytes()


FORMATS = {"pgn": "opera.pgn", "ndjson": "opera.ndjson", "si5": "opera.si5", "si4": "opera.si4", "cbf": "opera.cbf"}


def test_every_writable_format_through_commands(page, folder):
    """Every kind of change by the command field alone; `tabiya diff` tells the change and nothing else."""
    for ending, name in FORMATS.items():
        place = folder / ending
        place.mkdir()
        base, before = place / name, folder / f"{ending}-before.pgn"
        subprocess.run([Run.program, "convert", ROOT / "corpus/pgn/ok/opera.pgn", base], capture_output=True, check=False)
        if not base.exists():
            raise AssertionError(f"{name} was not made")
        subprocess.run([Run.program, "convert", base, before], capture_output=True, check=False)
        with served(base) as url:
            opened(page, url, name)
            for text in ["edit", "n", "c5", "say Sicilian", "!?", "draw c5d4", "up", "say the open game", "tag White Paul", "tag Weather rain", "result 1-0"]:
                command(page, text)
            expect(page.locator(".annotate .state")).to_contain_text("draft")
            page.fill("#typed", "save")
            page.keyboard.press("Enter")
            # What the format cannot hold is said, and then chosen.
            expect(page.locator(".annotate .state", has_text="Saved").or_(page.locator(".refusal"))).to_be_visible()
            if page.locator(".refusal").is_visible():
                said = page.locator(".refusal p").inner_text()
                assert "nothing was changed" in said and "leaves it out" in said, said
                axe(page, "annotate, losses")
                picture(page, "annotate-losses")
                command(page, "save drop")
            expect(page.locator(".annotate .state")).to_contain_text("Saved")
            page.reload()
            expect(page.locator(".annotate .state")).to_be_visible()
            after = folder / f"{ending}-after.pgn"
            subprocess.run([Run.program, "convert", base, after], capture_output=True, check=False)
            told = differences(before, after)
            assert "Paul" in told, (ending, told)
            checked = subprocess.run([Run.program, "check", base], capture_output=True, text=True, check=False)
            assert checked.returncode == 0, (ending, checked.stdout, checked.stderr)


SAVE = """async ([edit, body]) => {
    const answer = await fetch(`/api/v1/edits/${edit}/save`, {
        method: 'POST', headers: {'X-Tabiya': '1', 'Content-Type': 'application/json'}, body: JSON.stringify(body)});
    return [answer.status, await answer.json()];
}"""


def test_losses_are_told_in_the_words_of_the_command(page, folder):
    """The same game into each format: what the app says of it is what `tabiya edit` says, word by word, and then the bases are the same."""
    source = folder / "source.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", source)
    work = folder / "work.pgn"
    shutil.copy(source, work)
    refusals = 0
    bases = []
    for ending, name in FORMATS.items():
        for place in ("app", "command"):
            (folder / place).mkdir(exist_ok=True)
            base = folder / place / f"target-{name}"
            subprocess.run([Run.program, "convert", source, base], capture_output=True, check=False)
        bases.append((folder / "app" / f"target-{name}", folder / "command" / f"target-{name}"))
    with served(source, work, folder / "app") as url:
        opened(page, url, "source.pgn")
        site = "long " * 80
        for text in ["edit", "n", "c5", "--", "say Sicilian", "!?", "nag 140", "draw c5d4", "draw red e4", "up", "up", "say the open game", "tag White Paul", "tag Weather rain", f"tag Site {site}"]:
            command(page, text)
        arrived(page)
        ids = page.evaluate("async () => (await (await fetch('/api/v1/bases')).json()).bases.map(one => [one.name, one.id])")
        ids = dict(ids)
        edit = page.evaluate("async () => (await (await fetch('/api/v1/edits')).json()).drafts[0].id")
        # PGN holds all of it: from there the command takes the very game.
        status, told = page.evaluate(SAVE, [edit, {"base": ids["work.pgn"], "new": True}])
        assert status == 200, told
        one = folder / "one.pgn"
        tabiya("convert", str(work), str(one), "--only", "2", "--keep-tag-order")
        for mine, theirs in bases:
            status, told = page.evaluate(SAVE, [edit, {"base": ids[mine.name], "new": True}])
            done = subprocess.run([Run.program, "edit", theirs, "append", one], capture_output=True, text=True, check=False)
            assert (status == 200) == (done.returncode == 0), (mine.name, told, done.stderr)
            if status != 200:
                refusals += 1
                assert status == 422, told
                # The command has the game from a file, whose lines are broken where the game has blanks.
                # It names the choices as its options.
                same = told["error"].replace("the choice `comment`", "--lossy=comment").replace("the choice `drop`", "--lossy=drop")
                assert done.stderr.split() == f"error: {same}".split(), (done.stderr, told)
                status, told = page.evaluate(SAVE, [edit, {"base": ids[mine.name], "new": True, "lossy": "drop"}])
                assert status == 200, told
                done = subprocess.run([Run.program, "edit", theirs, "append", one, "--lossy", "drop"], capture_output=True, text=True, check=False)
                # That something is lost is told once more.
                assert "1 game added" in done.stderr, done.stderr
            assert "2 and 2 games compared, no difference" in differences(mine, theirs), differences(mine, theirs)
    assert refusals >= 2, refusals


# The moves as they stand in the page, with their places and addresses.
SHOWN = """() => {
    const text = document.querySelector('.moves .text').cloneNode(true);
    const moves = [...text.querySelectorAll('.move')].map(one => [one.textContent, one.dataset.order, one.getAttribute('href'), one.className, one.ariaLevel]);
    return JSON.stringify([text.textContent, moves, document.querySelector('.moves h2').textContent]);
}"""


def shown_as_read_anew(page, said):
    """What was put into the page change by change is what the page shows when it reads the game anew."""
    before = page.evaluate(SHOWN)
    page.reload()
    expect(page.locator(".annotate .state")).to_be_visible()
    until(page, lambda: page.evaluate(SHOWN) == before, f"after {said}: {before} is {page.evaluate(SHOWN)} when it is read anew")


def test_changes_are_shown_as_the_game_read_anew(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    chance = random.Random(9)
    wishes = ["e4", "d5", "Nf3", "a6", "--", "h3", "say {w}", "before {w}", "say", "!?", "nag 14", "draw e2e4", "tag White {w}", "result 0-1", "promote"]
    wishes += ["demote", "mainline", "remove", "cut", "undo", "undo", "redo"]
    steps = ["n", "n", "b", "v", "up", "start", "end", "n"]
    asks(page)
    with served(base) as url:
        opened(page, url, "opera.pgn")
        begin(page)
        said, wrong = [], 0
        for at in range(600 if FULL else 120):
            text = chance.choice(wishes if at % 2 else steps).format(w=f"w{at}")
            page.fill("#typed", text)
            page.keyboard.press("Enter")
            # A move that is none here stays in the field.
            until(page, lambda: page.evaluate("[document.querySelector('#typed').value, document.querySelector('#typed').ariaInvalid]") in (["", "false"], [text, "true"]), text)
            if page.locator("#typed").input_value():
                wrong += 1
                page.fill("#typed", "")
                continue
            if page.locator(".choice").count():
                way = chance.choice("123")
                command(page, way)
                text = f"{text} {way}"
            said.append(text)
            if at % 20 == 19:
                shown_as_read_anew(page, said)
        assert len(said) > 60, (said, wrong)


def large(path, count):
    """A game of so many half-moves, most of them in variations."""
    lines = [
        ("Nf3", "e4 e5 d4 d5 Nf3 Nf6 Ng1 Ng8 a4 a5"),
        ("Nf6", "e5 d4 d5 e4 Nf6 Ng1 Ng8 Nf3 a5 a4"),
        ("Ng1", "Nh4 Rg8 Nf3 Rh8 c4 c5 d3 d6 b3 b6"),
        ("Ng8", "Rg8 d3 Rh8 d4 c5 c4 b6 b3 a5 a4"),
    ]
    parts = [f"{move} ({other})" for move, other in (lines[at % 4] for at in range(count // 11))]
    path.write_text(f'[White "Large"]\n[Black "Game"]\n\n{" ".join(parts)} *\n', encoding="utf-8")


def test_a_large_game_is_changed_by_little(page, folder):
    """A change of a game of very many moves is a few bytes, and a few elements of the page."""
    base = folder / "large.pgn"
    large(base, 100_000 if FULL else 22_000)
    answers = []
    page.on("response", lambda answer: answers.append(answer) if answer.url.endswith("/wishes") else None)
    with served(base) as url:
        opened(page, url, "large.pgn")
        begin(page)
        page.goto(page.url.replace("panel=", "at=1008&panel="))
        current = page.locator(".moves [aria-current]")
        expect(current).to_have_text("Ng8")
        expect(page.locator(".annotate .state")).to_be_visible()
        page.evaluate(
            """() => {
                window.made = 0;
                new MutationObserver(all => all.forEach(one => (window.made += one.addedNodes.length)))
                    .observe(document.querySelector('.moves .text'), {subtree: true, childList: true});
            }"""
        )
        for text, seen, most in [("!", "Ng8!", 20), ("say here", "Ng8!", 20), ("draw e2e4", "Ng8!", 20), ("a3", "a3", 40), ("undo", "Ng8!", 40), ("redo", "a3", 40)]:
            answers.clear()
            page.evaluate("window.made = 0")
            page.fill("#typed", text)
            page.keyboard.press("Enter")
            expect(page.locator("#typed")).to_have_value("")
            expect(current).to_have_text(seen)
            until(page, lambda: len(answers) == 1, text)
            size, made = len(answers[0].body()), page.evaluate("window.made")
            assert size < 1_500, (text, size, answers[0].text()[:2_000])
            assert made <= most, (text, made)
        shown_as_read_anew(page, "changes of a large game")


def test_a_conflict_shows_both(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        opened(page, url, "opera.pgn")
        begin(page)
        command(page, "say mine")
        theirs = base.read_text(encoding="utf-8").replace("Morphy", "Somebody", 1)
        base.write_text(theirs, encoding="utf-8")
        page.get_by_role("button", name="Save into the database").click()
        expect(page.locator(".refusal")).to_contain_text("Somebody")
        expect(page.locator(".refusal")).to_contain_text("mine")
        themes(page, "annotate-conflict")
        assert base.read_text(encoding="utf-8") == theirs
        page.locator(".refusal").get_by_role("button", name="Save as a new game").click()
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        text = base.read_text(encoding="utf-8")
        assert text.startswith(theirs.rstrip()[:60]) and text.count("[Event ") == 2 and "mine" in text


def test_by_keyboard_alone(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base) as url:
        opened(page, url, "opera.pgn")
        page.evaluate("document.activeElement.blur()")
        press = page.keyboard.press
        press("e")
        expect(page.locator(".annotate .state")).to_be_visible()
        press("ArrowRight")
        press("c")
        page.keyboard.type("best by test")
        press("Escape")
        expect(page.locator(".moves .comment")).to_contain_text(["best by test"])
        press("1")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4!"))
        press("u")
        expect(page.locator(".moves [aria-current]")).not_to_have_text(re.compile("e4!"))
        press("U")
        expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("e4!"))
        press("Control+s")
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        text = base.read_text(encoding="utf-8")
        assert "best by test" in text and ("e4!" in text or "$1" in text), text


def test_drafts_outlive_a_killed_server(page, folder):
    base, home = folder / "opera.pgn", folder / "home"
    home.mkdir()
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    original = base.read_bytes()
    chance = random.Random(5)
    # A browser of its own: that its connections are refused is what is tried here.
    with own_browser(page) as (browser, _):
        tab = browser.new_page()
        tab.set_default_timeout(PATIENCE)
        for attempt in range(5):
            with served(base, home=home) as url:
                tab.goto(url)
                if attempt > 0:
                    expect(tab.locator(".drafts")).to_contain_text("Morphy")
                    if attempt == 1:
                        themes(tab, "drafts")
                    tab.get_by_role("button", name="Continue").click()
                else:
                    opened(tab, url, "opera.pgn")
                    begin(tab)
                expect(tab.locator(".annotate .state")).to_be_visible()
                if attempt > 0:
                    expect(tab.locator(".moves .comment")).to_contain_text([f"word{attempt - 1}"])
                tab.fill("#comment-after", f"word{attempt}")
                # What has been answered is on the disk.
                expect(tab.locator(".moves .comment")).to_contain_text([f"word{attempt}"])
                arrived(tab)
                tab.locator("#comment-after").press_sequentially(" more", delay=chance.randrange(1, 60))
                time.sleep(chance.random() / 4)
                served.process.send_signal(signal.SIGKILL)
                served.process.wait(60)
                tab.goto("about:blank")
            assert base.read_bytes() == original
    with served(base, home=home) as url:
        page.goto(url)
        page.get_by_role("button", name="Discard").click()
        expect(page.locator(".drafts")).to_have_count(0)


def test_a_new_game_and_changes_of_the_base(page, folder):
    base = folder / "opera.si5"
    subprocess.run([Run.program, "convert", ROOT / "corpus/pgn/ok/opera.pgn", base], capture_output=True, check=True)
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="opera.si5").click()
        page.get_by_role("button", name="New game").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        # Who types on before the answer is understood all the same, and before the commands have been fetched.
        held = []
        page.route("**/commands-*.js", lambda route: held.append(route))
        page.locator("#typed").focus()
        for text in ["d4", "d5", "c4", "e6"]:
            page.keyboard.type(text)
            page.keyboard.press("Enter")
        until(page, lambda: held, "the commands are never fetched")
        held[0].fallback()
        expect(page.locator(".moves [aria-current]")).to_have_text("e6")
        expect(page.locator(".moves .move")).to_have_count(4)
        for text in ["tag White Anna", "tag Black Ben", "save"]:
            command(page, text)
        expect(page.locator(".annotate .state")).to_contain_text("Saved")
        expect(page).to_have_url(re.compile("/game/2"))
        page.get_by_role("button", name="Stop annotating").click()
        expect(page.locator(".list .window .row")).to_have_count(2)
        page.locator(".list .window .row").nth(1).locator(".tick").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(".tools")).to_contain_text("1 game changed")
        page.get_by_role("button", name="Database", exact=True).click()
        axe(page, "changes of a base")
        picture(page, "changes")
        page.get_by_role("button", name="Undo the last change").click()
        expect(page.locator(".tools")).to_contain_text("undo")


def test_nothing_is_offered_where_nothing_may_be_changed(page, folder):
    base = folder / "opera.pgn"
    shutil.copy(ROOT / "corpus/pgn/ok/opera.pgn", base)
    with served(base, options=["--read-only"]) as url:
        opened(page, url, "opera.pgn")
        expect(page.get_by_role("button", name="Annotate")).to_have_count(0)
        expect(page.get_by_role("button", name="New game")).to_have_count(0)
        page.keyboard.press("e")
        expect(page.locator(".annotate")).to_have_count(0)
