"""Measures the app in a browser over a large database, as PGN with its index and as Scid 5.

    python3 bench/app.py PROGRAM BASES...

PROGRAM is a release build of `tabiya`. A base that is not there is made of the PGN of the same name; the index beside each
is made where there is none. Prints rows for RESULTS.md;
each figure is the middle of several. Chromium and the package playwright are wanted, as for the browser tests.
"""

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "web/tests"))

from app import CHROMIUM, FLAGS, Run, own_pages, served, sync_playwright  # noqa: E402
from test_annotate import large  # noqa: E402

TIMES = 7

# Counts frames until a test holds, and the time.
UNTIL = """async ([act, test]) => {
    const before = performance.now();
    window.act[act]();
    for (let frames = 1; ; frames++) {
        await new Promise(requestAnimationFrame);
        if (window.test[test]()) return [frames, performance.now() - before];
        if (frames > 6000) throw new Error(test);
    }
}"""

# What is done to the page, and what is to be seen of it.
PAGE = """() => {
    const all = selector => [...document.querySelectorAll(selector)];
    const one = selector => document.querySelector(selector);
    const press = (key, target = document.body) =>
        target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    const inSight = () => {
        const box = one('.list .scroll').getBoundingClientRect();
        return all('.list .window .row').filter(row => {
            const at = row.getBoundingClientRect();
            return at.bottom > box.top + 30 && at.top < box.bottom;
        });
    };
    const filled = () => {
        const rows = inSight();
        return rows.length > 5 && rows.every(row => row.children[1].textContent !== '');
    };
    window.moves = 0;
    window.signs = 0;
    window.act = {
        step: () => { window.moves++; press('ArrowRight'); },
        end: () => press('End', one('.list .scroll')),
        sort: () => all('.list .heading button').find(one => one.textContent === window.column).click(),
        sign: () => press(window.signs++ % 2 ? '2' : '1'),
        search: () => {
            window.begun = performance.now();
            window.arrived = null;
            one('.query button[type=submit]').click();
        },
    };
    window.test = {
        step: () => one('.moves [aria-current]')?.dataset.order === String(window.moves)
            && all('cg-board square.last-move').length === 2,
        end: () => filled() && Number(inSight().at(-1).children[1].textContent.replace(/\\D/g, '')) === window.total,
        sort: () => filled() && one('.list .heading [aria-sort=ascending]') !== null,
        sign: () => window.before !== one('.moves [aria-current]')?.textContent,
        search: () => filled() || inSight().some(row => row.children[1].textContent !== ''),
    };
    window.filled = filled;
    // When the first rows of a search come to the page.
    const read = ReadableStreamDefaultReader.prototype.read;
    ReadableStreamDefaultReader.prototype.read = async function () {
        const part = await read.call(this);
        if (typeof part.value === 'string' && part.value.includes('"kind":"rows"')) window.arrived ??= performance.now();
        return part;
    };
}"""

# Scrolls row by row, faster than anybody reads, and counts frames in which a row in sight is empty.
SCROLL = """async by => {
    const box = document.querySelector('.list .scroll');
    let empty = 0;
    for (let frame = 0; frame < 300; frame++) {
        box.scrollTop += by;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        if (!window.filled()) empty++;
    }
    return empty;
}"""


def memory(process):
    """Megabytes that a process holds."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def work(process):
    """Ticks of the processor that each thread of a process has used."""
    used = {}
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        try:
            fields = (thread / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended meanwhile
            continue
        used[thread.name] = int(fields[11]) + int(fields[12])
    return used


def row(what, figure, bar):
    print(f"| {what} | {figure} | {bar} |", flush=True)


def middle(values):
    return f"{statistics.median(values):.0f} ms (worst {max(values):.0f})"


def idle(browser, folder):
    """What the page weighs, and the server with no base open."""
    with served(folder) as url:
        page = browser.new_page()
        answers = []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(url)
        page.get_by_role("heading", name="No database").wait_for()

        def weight(kind):
            fetched = [answer.body() for answer in answers if answer.request.resource_type == kind]
            return sum(len(gzip.compress(body, 9)) for body in fetched) / 1000

        script, style = weight("script"), weight("stylesheet")
        row("compressed script at the first page", f"{script:.1f} kB (and {style:.1f} kB of style)", "80 kB")
        row("server without a base, a page open", f"{memory(served.process):.1f} MB", "30 MB")
        page.close()


def fresh(browser, url):
    """The list of the base in a new page."""
    context = browser.new_context(viewport={"width": 1400, "height": 860}, locale="en-GB")
    own_pages(context)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(url)
    page.locator(".cards a").first.click()
    page.locator(".list .window .row").first.wait_for()
    page.wait_for_function("document.querySelector('#query-state').textContent.includes('games')")
    page.evaluate(PAGE)
    page.evaluate("window.total = Number(document.querySelector('#query-state').textContent.replace(/\\D/g, ''))")
    page.wait_for_function("window.filled()")
    return page


def times(page, act, again):
    found = []
    for _ in range(TIMES):
        again()
        page.wait_for_timeout(300)
        found.append(page.evaluate(UNTIL, [act, act]))
    return found


def explored(page, base):
    """Warm answers of the explorer, at the start and some moves on."""
    found = []
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    ]:
        ask = """async ([base, fen]) => {
            const before = performance.now();
            const answer = await (await fetch(`/api/v1/explore?base=${base}&fen=${encodeURIComponent(fen)}`)).json();
            if (!answer.whole) throw new Error('not whole');
            return performance.now() - before;
        }"""
        page.evaluate(ask, [base, fen])
        found += [page.evaluate(ask, [base, fen]) for _ in range(TIMES)]
    return found


def cancelled(page, process):
    """Milliseconds from the click on Stop until the thread that searches works no more: others show what was found."""
    found = []
    for at in range(TIMES):
        idle = work(process)
        # Nobody has asked this before, and every game has to be looked at to its end.
        page.fill("#query", f'men:"K [a1]" not plies:{at}')
        page.keyboard.press("Enter")
        stop = page.get_by_role("button", name="Stop")
        try:
            stop.wait_for(timeout=3_000)
        except Exception:  # noqa: BLE001: it was over before it could be stopped
            return None
        time.sleep(0.3)
        # A driver that clicks looks at the page for a while before it does.
        before = time.monotonic()
        stop.evaluate("button => button.click()")
        all_used = work(process)
        searcher = max(all_used, key=lambda thread: all_used[thread] - idle.get(thread, 0))
        last, used = before, all_used[searcher]
        while time.monotonic() - last < 0.3:
            time.sleep(0.01)
            now = work(process).get(searcher, used)
            if now != used:
                last, used = time.monotonic(), now
        found.append(1000 * (last - before))
    return found


def measured(browser, base):
    print(f"\n{base.name}\n\n| what | figure | bar |\n|---|---|---|", flush=True)
    with served(base) as url:
        page = fresh(browser, url)
        home = page.url
        ends = times(page, "end", lambda: page.keyboard.press("Home") if page.locator(".list .scroll").focus() is None else None)
        row("jump to the end", middle([one[1] for one in ends]), "100 ms")
        for by, speed in [(60, "3,600"), (400, "24,000")]:
            page.keyboard.press("Home")
            page.wait_for_timeout(300)
            row(f"empty frames while scrolling {speed} pixels a second", f"{page.evaluate(SCROLL, by)} of 300", "0")

        def unsorted():
            page.goto(home)
            page.locator(".list .window .row").first.wait_for()
            page.evaluate(PAGE)
            page.wait_for_function("window.filled()")

        # Each column is sorted once: what was sorted before is known.
        for column in ["Date", "White", "Black", "Elo", "ECO", "Event"]:
            unsorted()
            page.evaluate("column => { window.column = column; }", column)
            page.wait_for_timeout(300)
            row(f"sorted by {column}, for the first time", f"{page.evaluate(UNTIL, ['sort', 'sort'])[1]:.0f} ms", "300 ms")

        shown, waited = [], []
        for at in range(TIMES):
            unsorted()
            page.fill("#query", f"result:1-0 elo>=2600 number>={at + 1}")
            page.wait_for_timeout(300)
            whole = page.evaluate(UNTIL, ["search", "search"])[1]
            came = page.evaluate("window.arrived - window.begun")
            shown.append(whole - came)
            waited.append(whole)
        row("first hit in the page, after it has come to the browser", middle(shown), "50 ms")
        row("the same from the click on Search on, with the search until there", middle(waited), "")
        stopped = cancelled(page, served.process)
        row("work after a search was stopped", middle(stopped) if stopped else "over at once", "200 ms")
        base_id = home.split("/base/")[1].split("/")[0].split("?")[0]
        row("explorer, warm, three positions", middle(explored(page, base_id)), "100 ms")
        page.goto(f"{home}/game/1000")
        page.locator(".moves .move").first.wait_for()
        page.evaluate(PAGE)
        steps = [page.evaluate(UNTIL, ["step", "step"]) for _ in range(30)]
        row("frames until a step is in the page", f"{max(one[0] for one in steps)} at most", "1")
        row("server after all this", f"{memory(served.process):.0f} MB", "")
        page.close()


def annotated(browser, folder):
    """A game of a hundred thousand half-moves in variations: a change until it is on the page, and the game saved."""
    base = folder / "large.pgn"
    large(base, 100_000)
    with served(base) as url:
        page = browser.new_context(viewport={"width": 1400, "height": 860}, locale="en-GB").new_page()
        page.set_default_timeout(60_000)
        page.goto(url)
        page.locator(".cards a").first.click()
        page.locator(".list .window .row").first.click()
        page.get_by_role("treeitem").first.wait_for()
        page.goto(f"{page.url.split('?')[0]}?at=5000&panel=edit")
        page.locator(".annotate .state").wait_for()
        page.locator(".moves [aria-current]").wait_for()
        page.evaluate(PAGE)
        found = []
        for _ in range(30):
            page.evaluate("window.before = document.querySelector('.moves [aria-current]').textContent")
            page.wait_for_timeout(100)
            found.append(page.evaluate(UNTIL, ["sign", "sign"]))
        frames = sorted(one[0] for one in found)
        row("frames from the key to the sign, 100,000 half-moves", f"{frames[len(frames) // 2]} (worst {frames[-1]})", "2")
        row("the same in time", middle([one[1] for one in found]), "")
        saved = []
        for _ in range(TIMES):
            page.evaluate("window.before = document.querySelector('.moves [aria-current]').textContent")
            page.evaluate(UNTIL, ["sign", "sign"])
            page.wait_for_timeout(300)
            saved.append(page.evaluate(
                """async () => {
                    const before = performance.now();
                    document.querySelector('.annotate .main').click();
                    while (document.querySelector('.annotate .main').disabled === false) await new Promise(requestAnimationFrame);
                    return performance.now() - before;
                }"""
            ))
        row("the same game saved, until the page says so", middle(saved), "")
        row("the disk alone: the same bytes written and synced four times", middle([synced(base) for _ in range(TIMES)]), "")
        page.close()


def synced(base):
    """Milliseconds in which the disk takes what a save writes: the new file, the history, the journal and their folder."""
    content = base.read_bytes()
    path = base.with_name("synced")
    began = time.monotonic()
    for part in [content, content, b"journal", b""]:
        with path.open("wb") as file:
            file.write(part)
            file.flush()
            os.fsync(file.fileno())
    path.unlink()
    return 1000 * (time.monotonic() - began)


def main():
    Run.program = Path(sys.argv[1]).resolve()
    bases = [Path(name).resolve() for name in sys.argv[2:]]
    for base in bases:
        if not base.exists():
            subprocess.run([Run.program, "convert", base.with_suffix(".pgn"), base], check=False)
        if not base.with_name(base.name + ".tabiya-index").exists():
            subprocess.run([Run.program, "index", base], check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        empty = Path("/tmp") / "tabiya-bench-empty"
        empty.mkdir(exist_ok=True)
        idle(browser, empty)
        with tempfile.TemporaryDirectory() as folder:
            annotated(browser, Path(folder))
        for base in bases:
            measured(browser, base)
        browser.close()


if __name__ == "__main__":
    main()
