"""Sessions of somebody who annotates at any speed, over a line that is late and is lost now and then: what is saved is what was meant, to the letter."""

import copy
import io
import random
import re

from app import FULL, expect, served, tabiya, until

# Answers and requests come late, each as late as it likes; while the line is gone, nothing arrives, or arrives and is not answered.
LINE = """(() => {
    window.late = 0; window.gone = false;
    const ask = fetch;
    const wait = () => new Promise(go => setTimeout(go, Math.random() * window.late / 2));
    fetch = async (...what) => {
        await wait();
        if (window.gone && Math.random() < 0.5) throw new TypeError('gone');
        const came = await ask(...what);
        await wait();
        if (window.gone) throw new TypeError('gone');
        return came;
    };
})()"""

SIGNS = [1, 2, 3, 4, 5, 6]
LINES = {
    "": ["e4", "d4", "c4", "Nf3"],
    "e4": ["e5", "c5", "e6"],
    "d4": ["d5", "Nf6"],
    "c4": ["e5", "c5"],
    "Nf3": ["d5", "Nf6"],
}
GENERAL = ["Nf3", "Nc3", "Nf6", "Nc6", "a3", "a6", "h3", "h6", "g3", "g6", "d3", "d6"]
LETTERS = "abcdefg 12345678 pduU;!?\\äЖ"


class Move:
    def __init__(self, san, parent):
        self.san, self.parent = san, parent
        self.signs, self.marks, self.words, self.next = [], [], "", []


class Meant:
    """The test's own idea of the game: a tree, and copies of it for the steps."""

    def __init__(self):
        self.root = self.here = Move("", None)
        self.steps = []

    def kept(self, name):
        self.steps.append((name, copy.deepcopy((self.root, self.here))))

    def branch(self):
        at = self.here
        while at.parent:
            if at.parent.next[0] is not at:
                return at
            at = at.parent
        return None

    def play(self, san):
        known = next((one for one in self.here.next if one.san == san), None)
        if known is None:
            self.kept("play")
            known = Move(san, self.here)
            self.here.next.append(known)
        self.here = known

    def sign(self, nag):
        self.kept("sign")
        signs = self.here.signs
        if nag in signs:
            signs.remove(nag)
        else:
            self.here.signs = [nag]

    def promote(self):
        branch = self.branch()
        if branch is None:
            return
        self.kept("promote")
        branch = self.branch()
        row = branch.parent.next
        at = row.index(branch)
        row[at - 1], row[at] = row[at], row[at - 1]

    def remove(self):
        if self.here.parent is None:
            return
        self.kept("remove")
        self.here.parent.next.remove(self.here)
        self.here = self.here.parent

    def mark(self, mark):
        self.kept("mark")
        marks = self.here.marks
        if mark in marks:
            marks.remove(mark)
        else:
            marks.append(mark)

    def undo(self):
        self.root, self.here = self.steps.pop()[1]

    def words_of(self, at):
        squares = [mark for mark in at.marks if len(mark) == 3]
        arrows = [mark for mark in at.marks if len(mark) == 5]
        said = [f"[%csl {','.join(squares)}]" if squares else "", f"[%cal {','.join(arrows)}]" if arrows else "", at.words]
        return " ".join(one for one in said if one)

    def tokens(self):
        out = []

        def said(at):
            out.append(at.san)
            out.extend(f"${sign}" for sign in at.signs)
            if self.words_of(at):
                out.append("{" + self.words_of(at) + "}")

        def line(at):
            if not at.next:
                return
            said(at.next[0])
            for other in at.next[1:]:
                out.append("(")
                said(other)
                line(other)
                out.append(")")
            line(at.next[0])

        if self.words_of(self.root):
            out.append("{" + self.words_of(self.root) + "}")
        line(self.root)
        return out


def tokens(text):
    """A small reader of movetext; comments are whole, whether in braces or to the end of the line, and a line break in them is the
    space where a long line was broken."""
    body = text.split("\n\n", 1)[1]
    out = []
    for found in re.finditer(r"\{([^}]*)\}|;([^\n]*)\n?|(\$\d+)|([()])|\d+\.+|(1-0|0-1|1/2-1/2|\*)|([^\s(){};$]+)", body):
        braces, rest, sign, bracket, _, word = found.groups()
        if braces is not None or rest is not None:
            out.append("{" + (braces.replace("\n", " ") if braces is not None else rest) + "}")
        elif sign or bracket:
            out.append(sign or bracket)
        elif word:
            move, suffix = re.match(r"(.*?)([!?]*)$", word).groups()
            out.append(move)
            if suffix:
                out.append("$" + str({"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}[suffix]))
    return out


def by_python_chess(text):
    """The same as another program reads it."""
    import chess.pgn

    game = chess.pgn.read_game(io.StringIO(text))
    out = []

    def said(node):
        out.append(node.parent.board().san(node.move))
        out.extend(f"${nag}" for nag in sorted(node.nags))
        if node.comment:
            out.append("{" + node.comment.replace("\n", " ") + "}")

    def line(node):
        if not node.variations:
            return
        said(node.variations[0])
        for other in node.variations[1:]:
            out.append("(")
            said(other)
            line(other)
            out.append(")")
        line(node.variations[0])

    if game.comment:
        out.append("{" + game.comment.replace("\n", " ") + "}")
    line(game)
    return out


def legal(meant):
    """Moves that are legal where the reader stands, of a few."""
    import chess

    board = chess.Board()
    way, at = [], meant.here
    while at.parent:
        way.insert(0, at.san)
        at = at.parent
    for san in way:
        board.push_san(san)
    found = []
    for san in LINES.get(" ".join(way), []) + GENERAL:
        try:
            move = board.parse_san(san)
        except ValueError:
            continue
        if board.san(move) == san and san not in found:
            found.append(san)
    return found


class Annotator:
    def __init__(self, page, chance):
        self.page, self.chance, self.meant, self.said = page, chance, Meant(), []

    def pause(self):
        wait = self.chance.choice([0, 0, 0, 20, 60, 150, 300])
        if wait:
            self.page.wait_for_timeout(wait)

    def press(self, key):
        self.said.append(key)
        self.page.keyboard.press(key)
        self.pause()

    def typed(self, text):
        for letter in text:
            self.page.keyboard.type(letter)
            self.pause()
        self.said.append(text)

    def comment(self):
        meant, chance = self.meant, self.chance
        self.press("c")
        self.press("End")
        text = "".join(chance.choice(LETTERS) for _ in range(chance.randrange(1, 12))).strip()
        # Runs of spaces are layout (docs/lossless.md): PGN is written with one.
        text = re.sub(" +", " ", text)
        if not text:
            return self.press("Escape")
        if chance.random() < 0.1:
            text += "}"
        # A space would be between two comments and within one.
        words = f"{meant.here.words}{text}"
        meant.kept("comment")
        meant.here.words = words
        self.typed(text)
        return self.press("Escape")

    def move(self):
        moves = legal(self.meant)
        if not moves:
            return
        san = self.chance.choice(moves)
        self.press("m")
        self.typed(san)
        self.press("Enter")
        # What replaces nothing is a variation without a question.
        expect(self.page.locator(".choice")).to_have_count(0)
        until(self.page, lambda: self.page.locator("#typed").input_value() == "", f"{san} is not taken")
        self.press("Escape")
        self.meant.play(san)

    def jump(self):
        meant = self.meant
        way = self.chance.choice(["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"])
        for _ in range(self.chance.randrange(1, 4)):
            self.press(way)
            if way == "ArrowRight" and meant.here.next:
                meant.here = meant.here.next[0]
            elif way == "ArrowLeft" and meant.here.parent:
                meant.here = meant.here.parent
            elif way == "ArrowUp":
                meant.here = meant.root
            elif way == "ArrowDown":
                while meant.here.next:
                    meant.here = meant.here.next[0]

    def act(self):
        meant, chance, page = self.meant, self.chance, self.page
        what = chance.choice(["comment"] * 4 + ["move"] * 5 + ["sign"] * 2 + ["jump"] * 4 + ["promote", "remove", "undo", "mark"])
        if what == "comment":
            self.comment()
        elif what == "move":
            self.move()
        elif what == "jump":
            self.jump()
        elif what == "sign" and meant.here.parent:
            nag = chance.choice(SIGNS)
            self.press(str(nag))
            meant.sign(nag)
        elif what == "promote" and meant.branch():
            self.press("p")
            meant.promote()
        elif what == "remove" and meant.here.parent and not meant.here.next:
            self.press("Delete")
            meant.remove()
        elif what == "undo" and meant.steps and meant.steps[-1][0] != "comment" and self.fresh:
            self.press("u")
            meant.undo()
            # The steps before are comments, or were made before the page was loaded.
            self.fresh = False
        elif what == "mark":
            mark = chance.choice(["e4", "d5", "e2e4"])
            self.press("m")
            self.typed(f"draw {mark}")
            self.press("Enter")
            until(page, lambda: page.locator("#typed").input_value() == "", "the mark is not taken")
            self.press("Escape")
            meant.mark(f"G{mark}")
        if what in ("comment", "sign", "promote", "remove", "move"):
            self.fresh = True


def session(page, folder, seed):
    chance = random.Random(seed)
    base = folder / f"session-{seed}.pgn"
    base.write_text('[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n*\n', encoding="utf-8")
    annotator = Annotator(page, chance)
    annotator.fresh = False
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name=base.name).click()
        page.locator(".list .window .row").first.click()
        page.get_by_role("button", name="Annotate").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        # The commands are there.
        page.locator("#typed").fill("t")
        page.keyboard.press("Enter")
        expect(page.locator("#typed")).to_have_value("")
        page.keyboard.press("Escape")
        late = chance.choice([0, 200, 800, 2_000])
        page.evaluate("late => {window.late = late}", late)
        try:
            for _ in range(30 if FULL else 20):
                if chance.random() < 0.06:
                    gone = page.evaluate("() => (window.gone = !window.gone)")
                    annotator.said.append(f"gone: {gone}")
                annotator.act()
                if chance.random() < 0.03:
                    annotator.said.append("reload")
                    page.reload()
                    expect(page.locator(".annotate .state")).to_be_visible()
                    page.evaluate("late => {window.late = late}", late)
                    annotator.fresh = False
                    page.locator("#typed").fill("t")
                    page.keyboard.press("Enter")
                    expect(page.locator("#typed")).to_have_value("")
                    page.keyboard.press("Escape")
            page.evaluate("() => {window.gone = false}")
            page.keyboard.press("Control+s")
            expect(page.locator(".annotate .state")).to_contain_text("Saved")
            meant = annotator.meant.tokens()
            told = tabiya("cat", str(base), "1")
            assert tokens(told) == meant, f"{tokens(told)}\n{meant}"
            text = base.read_text(encoding="utf-8")
            assert tokens(text) == meant, f"{tokens(text)}\n{meant}"
            if not any("}" in one[1:-1] for one in meant):
                assert by_python_chess(text) == meant, f"{by_python_chess(text)}\n{meant}"
        except Exception as error:
            raise AssertionError(f"session {seed}, answers within {late} ms: {error}\n{annotator.said}") from error


def sessions(page, folder, part):
    page.add_init_script(LINE)
    for seed in range(part, 100 if FULL else 20, 2):
        session(page, folder, seed)


def test_even_sessions_are_saved_as_they_were_meant(page, folder):
    sessions(page, folder, 0)


def test_odd_sessions_are_saved_as_they_were_meant(page, folder):
    sessions(page, folder, 1)


# How often each key is pressed.
ROUNDS = 200 if FULL else 20


def test_what_is_typed_is_painted_at_once(page, folder):
    """Keys and moves are in the page within two frames, while each answer takes two seconds."""
    base = folder / "late.pgn"
    base.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n', encoding="utf-8")
    page.add_init_script(LINE)
    page.add_init_script(
        """window.frames = (what, done) => new Promise(go => {
            let count = 0;
            const look = () => done() ? go(count) : count++ < 2 ? requestAnimationFrame(look) : go(null);
            what(); look();
        })"""
    )
    with served(base) as url:
        page.goto(url)
        page.get_by_role("link", name="late.pgn").click()
        page.locator(".list .window .row").first.click()
        page.get_by_role("button", name="Annotate").click()
        expect(page.locator(".annotate .state")).to_be_visible()
        shows = "text => document.querySelector('.moves .text').textContent.includes(text)"
        # The commands are there.
        page.locator("#typed").fill("t")
        page.keyboard.press("Enter")
        expect(page.locator("#typed")).to_have_value("")
        page.keyboard.press("Escape")
        page.evaluate("() => {window.late = 4000}")
        painted = page.evaluate(
            f"""async () => {{
                const shows = {shows}, most = {{}}, now = () => document.querySelector('.moves [aria-current]')?.textContent ?? '';
                const key = one => document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: one, bubbles: true}}));
                const counted = async (name, what, done) => {{
                    const count = await frames(what, done);
                    most[name] = count === null || most[name] === null ? null : Math.max(most[name] ?? 0, count);
                }};
                const typed = document.querySelector('#typed');
                for (let round = 0; round < {ROUNDS}; round++) {{
                    await counted('step', () => key('ArrowRight'), () => now().startsWith('e4'));
                    await counted('sign', () => key('1'), () => shows('e4!'));
                    key('c');
                    const field = document.querySelector('#comment-after');
                    const word = `at once ${{round}}`;
                    await counted('letters', () => {{field.value = word; field.dispatchEvent(new Event('input', {{bubbles: true}}))}}, () => shows(word));
                    field.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Escape', bubbles: true}}));
                    await counted('undo', () => key('u'), () => !shows(word));
                    await counted('sign', () => key('1'), () => !shows('e4!'));
                    await counted('step back', () => key('ArrowLeft'), () => now() === '');
                }}
                return most;
            }}"""
        )
        # A move that is new is played on the last one, with the command field.
        moves = ["Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6", "c3", "O-O", "h3"]
        page.keyboard.press("ArrowDown")
        painted["move"] = page.evaluate(
            """async moves => {
                let most = 0;
                const typed = document.querySelector('#typed');
                for (const move of moves) {
                    typed.value = move;
                    const now = () => document.querySelector('.moves [aria-current]')?.textContent ?? '';
                    const count = await frames(() => typed.form.requestSubmit(), () => now().startsWith(move));
                    most = count === null || most === null ? null : Math.max(most, count);
                }
                return most;
            }""",
            moves,
        )
        print(f"frames until it is painted, at most, of {ROUNDS} rounds: {painted}", flush=True)
        assert set(painted) == {"step", "sign", "letters", "undo", "step back", "move"}
        assert all(frames is not None and frames <= 2 for frames in painted.values()), painted
