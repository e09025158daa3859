"""Pages that look through a base: doubles, names, novelties, dossiers, and games annotated as a job."""

import json
import os
import shutil
import stat

from app import FULL, Skipped, axe, expect, picture, served, tabiya, themes, until

NAJDORF = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3"
LONG = f"{NAJDORF} a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 10. f5 Nc6 11. fxe6 fxe6"


def game(white, black, event, date, moves, result="1-0"):
    tags = {"Event": event, "Site": "Riga", "Date": date, "Round": "1", "White": white, "Black": black, "Result": result}
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{moves} {result}\n\n"


def base_of(folder):
    """A base with a double, a name in two spellings and a novelty."""
    path = folder / "some.pgn"
    path.write_text(
        game("Tal, Mikhail", "Ivanov, Ivan", "Open", "1960.01.02", f"{LONG} 12. Nxc6 bxc6")
        + game("Tal, Mikhail", "Ivanov, Ivan", "Open", "1960.01.02", LONG)
        + game("Tal, Mikhail", "Petrov, Petr", "Open", "1961.01.02", f"{NAJDORF} g6", "0-1")
        + game("Tal, M", "Popov, P", "Match", "1961.01.03", "1. d4 d5 2. c4 e6 3. Nc3"),
        encoding="utf-8",
    )
    return path


def opened(page, url, link):
    page.goto(url)
    page.get_by_role("link", name="some.pgn").click()
    page.get_by_role("link", name=link, exact=True).click()


def test_doubles_are_chosen_and_marked(page, folder):
    base = base_of(folder)
    with served(base) as url:
        opened(page, url, "Duplicates")
        pairs = page.locator(".pairs > li")
        expect(pairs).to_have_count(1)
        told = json.loads(tabiya("dedupe", str(base), "--json").splitlines()[0])
        for reason in [*told["reasons"], told["stays"]]:
            expect(pairs).to_contain_text(reason)
        themes(page, "doubles")
        # Both stay: nothing is to be marked.
        page.get_by_label("keep both").check()
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        # The longer one goes, since it was chosen so.
        pairs.locator(".two input").nth(1).check()
        page.get_by_role("button", name="Delete 1 game").click()
        expect(page.locator(".research")).to_contain_text("No duplicates")
        listed = [json.loads(line) for line in tabiya("ls", str(base), "--json").splitlines()]
        assert [one["plies"] for one in listed] == [22, 10, 5], listed


def test_names_are_put_right(page, folder):
    base = base_of(folder)
    before = base.read_text(encoding="utf-8")
    with served(base) as url:
        opened(page, url, "Names")
        group = page.locator(".groups > li", has_text="Tal")
        expect(group).to_have_count(1)
        expect(group).to_contain_text("never in one event")
        themes(page, "names")
        group.get_by_label("becomes Tal, Mikhail").check()
        page.get_by_role("button", name="Fix 1 name").click()
        expect(page.locator(".research")).to_contain_text("1 game changed")
        assert base.read_text(encoding="utf-8") == before.replace('"Tal, M"', '"Tal, Mikhail"')


def test_the_other_name_may_be_the_right_one(page, folder):
    base = base_of(folder)
    before = base.read_text(encoding="utf-8")
    with served(base) as url:
        opened(page, url, "Names")
        page.locator(".groups > li", has_text="Tal").get_by_role("radio").nth(1).check()
        page.get_by_role("button", name="Fix 1 name").click()
        expect(page.locator(".research")).to_contain_text("3 games changed")
        # Long lines of moves are broken anew.
        assert base.read_text(encoding="utf-8").split() == before.replace('"Tal, Mikhail"', '"Tal, M"').split()


def test_novelties_lead_to_their_moves(page, folder):
    base = base_of(folder)
    with served(base) as url:
        opened(page, url, "Novelties")
        rows = page.locator(".research tbody tr")
        told = [json.loads(line) for line in tabiya("deepest", str(base), "--json").splitlines()]
        expect(rows).to_have_count(len(told))
        for at, one in enumerate(told):
            expect(rows.nth(at)).to_contain_text(one["san"])
            expect(rows.nth(at)).to_contain_text(one["game"]["white"])
        themes(page, "novelties")
        rows.filter(has_text="g6").get_by_role("link").first.click()
        expect(page.locator(".moves [aria-current]")).to_have_text("g6")


def test_a_dossier_is_what_the_command_writes(page, folder):
    base = base_of(folder)
    with served(base) as url:
        opened(page, url, "Statistics")
        page.fill("[name=name]", "Tal")
        page.locator("form", has=page.locator("[name=name]")).get_by_role("button").click()
        with page.expect_download() as downloading:
            page.get_by_role("button", name="Markdown").click()
        wanted = folder / "wanted.md"
        tabiya("player", "Tal", str(base), "--dossier", str(wanted))
        assert downloading.value.path().read_text(encoding="utf-8") == wanted.read_text(encoding="utf-8")


def test_games_are_annotated_as_a_job(page, folder):
    if shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        raise Skipped("no engine is installed")
    base = base_of(folder)
    with served(base) as url:
        opened(page, url, "Analyse")
        expect(page.locator("[name=engine] option")).not_to_have_count(0)
        themes(page, "analyse")
        page.locator("[name=nodes]").select_option("50000")
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".jobs progress")).to_be_visible()
        # The tab goes, the job stays; who comes back finds it.
        page.goto("about:blank")
        page.goto(url.split("?")[0])
        page.get_by_role("link", name="some.pgn").click()
        page.get_by_role("link", name="Analyse", exact=True).click()
        page.locator(".jobs").get_by_role("button", name="Report").click(timeout=120_000)
        expect(page.locator(".report")).to_contain_text("4 games annotated")
        axe(page, "analyse, report")
        picture(page, "analyse-report")
        assert base.read_text(encoding="utf-8").count("[%eval") > 40


HEAD = """import sys
for line in sys.stdin:
    if line.startswith('uci'): print('id name fake\\noption name MultiPV type spin default 1 min 1 max 9\\nuciok', flush=True)
    elif line.startswith('isready'): print('readyok', flush=True)
"""
# Engines that misbehave, and what is said of them.
ENGINES = {
    "crashing": (f"{HEAD}    elif line.startswith('go'): sys.exit(3)", "ended with code 3"),
    "rubbish": (f"{HEAD}    elif line.startswith('go'): print('info depth 1 score cp 20 pv e9e8\\nbestmove h7h9', flush=True)", ""),
    "silent": ("import time\nwhile True: time.sleep(1)", "did not answer"),
    "endless": ("import sys\nwhile True: sys.stdout.write('info string ' + 'x' * 100_000)", "did not answer"),
}


def test_fakes_of_engines_are_told_and_leave_no_process(page, folder):
    base, home = base_of(folder), folder / "home"
    settings = home / ".config" / "tabiya"
    settings.mkdir(parents=True)
    text = ""
    for name, (code, _) in ENGINES.items():
        program = folder / f"engine-{name}.py"
        program.write_text(f"#!/usr/bin/env python3\n{code}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        text += f"[{name}]\nprogram = {program}\n"
    (settings / "engines.conf").write_text(text, encoding="utf-8")
    with served(base, home=home) as url:
        page.goto(url)
        page.get_by_role("link", name="some.pgn").click()
        page.locator(".list .window .row").first.click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        page.get_by_role("button", name="Engine", exact=True).click()
        # Those that answer nothing are waited for: a quarter of a minute each.
        for name in list(ENGINES) if FULL else ["crashing", "rubbish"]:
            page.get_by_role("button", name="Engines and their settings").click()
            page.get_by_label(name, exact=True).check()
            for other in ENGINES:
                if other != name:
                    page.get_by_label(other, exact=True).uncheck()
            sentence = ENGINES[name][1]
            if sentence:
                expect(page.locator(".engine .trouble")).to_contain_text(sentence)
            else:
                # Moves that are none are left out.
                expect(page.locator(".engine .score")).to_contain_text("0.20")
                expect(page.locator(".engine li .plain")).to_have_count(0)
            axe(page, f"engine, {name}")
            # The page lives, and the box of the settings closes.
            page.locator("body").click(position={"x": 2, "y": 2})
            page.keyboard.press("ArrowRight")
        page.get_by_role("button", name="Engine", exact=True).click()
        left = lambda: [path for path in os.listdir("/proc") if path.isdigit() and str(folder / "engine-") in command_of(path)]
        until(page, lambda: not left(), "a process of an engine is left")


def command_of(process):
    try:
        with open(f"/proc/{process}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
