"""What headers say of a game, and what its whole line has, as docs/query.md tells it."""

import math
import re
import unicodedata
from functools import cache
from pathlib import Path

import chess

from remarks import COMMAND, ceiled, of_match, score, seconds, worth


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def operator(chance, low, high, write=str):
    """A comparison: its text behind a name, and its meaning; the values compare as they are."""
    low, high = sorted((low, high))
    return chance.choice(
        [
            (f":{write(low)}", lambda n: n == low),
            (f"={write(low)}", lambda n: n == low),
            (f":{write(low)}..{write(high)}", lambda n: low <= n <= high),
            (f":..{write(high)}", lambda n: n <= high),
            (f":{write(low)}..", lambda n: n >= low),
            (f">={write(low)}", lambda n: n >= low),
            (f"<={write(high)}", lambda n: n <= high),
            (f"<{write(high)}", lambda n: n < high),
            (f">{write(low)}", lambda n: n > low),
        ]
    )


def rating(game, side):
    value = game.headers.get(side + "Elo", "")
    return int(value) if re.fullmatch(r"[1-9]\d{2,3}", value) else None


def ratings(chance, games):
    known = [n for g in games for n in (rating(g, "White"), rating(g, "Black")) if n] or [2000, 2400]
    text, fits = operator(chance, chance.choice(known), chance.choice(known))
    name = chance.choice(["elo", "white-elo", "black-elo", "any-elo", "average-elo", "elo-diff"])
    if name == "elo-diff":
        most = chance.choice([0, 30, 100, 300])
        text, fits = chance.choice([(f">{most}", lambda n: n > most), (f"<{most}", lambda n: n < most)])

    def answer(g):
        white, black = rating(g, "White"), rating(g, "Black")
        both = white is not None and black is not None
        one = lambda n: n is not None and fits(n)
        return {
            "elo": both and fits(white) and fits(black),
            "white-elo": one(white),
            "black-elo": one(black),
            "any-elo": one(white) or one(black),
            "average-elo": both and fits((white + black) / 2),
            "elo-diff": both and fits(white - black),
        }[name]

    return name + text, answer


def date(game, tag="Date"):
    """Year, month and day; what is not known is 0, and a date without a year is none."""
    match = re.fullmatch(r"(\d{4}|\?{4})\.(\d\d|\?\?)\.(\d\d|\?\?)", game.headers.get(tag, ""))
    parts = [0 if "?" in part else int(part) for part in match.groups()] if match else [0]
    return parts if parts[0] else None


def dates(chance, games):
    tag, name = chance.choice([("Date", "date"), ("Date", "date"), ("EventDate", "event-date")])
    known = [d for d in (date(g, tag) for g in games) if d] or [[1990, 1, 1], [2000, 5, 0]]
    if chance.random() < 0.2:
        month = chance.randint(1, 12)
        return f"month:{month}", lambda g: (date(g) or [0, 0, 0])[1] == month

    def value():
        parts = list(chance.choice(known))
        parts = parts[: chance.randint(1, 3)]
        return parts[: parts.index(0)] if 0 in parts else parts

    low, high = sorted((value(), value()))
    write = lambda parts: ".".join(f"{part:04}" if not at else f"{part:02}" for at, part in enumerate(parts))
    text, at_least, at_most, strict = chance.choice(
        [
            (f":{write(low)}", low, low, False),
            (f">={write(low)}", low, None, False),
            (f"<={write(high)}", None, high, False),
            (f">{write(low)}", low, None, True),
            (f"<{write(high)}", None, high, True),
            (f":{write(low)}..", low, None, False),
        ]
    )

    def answer(g):
        have = date(g, tag)
        if have is None:
            return False
        above = at_least is None or (have[: len(at_least)] > at_least if strict else have[: len(at_least)] >= at_least)
        below = at_most is None or (have[: len(at_most)] < at_most if strict else have[: len(at_most)] <= at_most)
        return above and below

    is_year = tag == "Date" and len(low) == len(high) == 1 and chance.random() < 0.5
    return ("year" if is_year else name) + text, answer


@cache
def named_positions():
    """The codes of the positions that have a name."""
    table = Path(__file__).parents[3] / "openings/data/openings.tsv"
    named = {}
    for line in table.read_text(encoding="utf-8").splitlines()[1:]:
        code, _, moves, _ = line.split("\t")
        board = chess.Board()
        for word in moves.split():
            if not word.endswith("."):
                board.push_san(word)
        named[board.epd(en_passant="legal")] = code
    return named


@cache
def code_by_position(game):
    """The code of the last position of the main line that has a name."""
    board = game.node.board()
    code = named_positions().get(board.epd(en_passant="legal"), "")
    for move in game.node.mainline_moves():
        board.push(move)
        code = named_positions().get(board.epd(en_passant="legal"), code)
    return code


def code_of(game):
    tag = game.headers.get("ECO", "")
    return code_by_position(game) if tag.strip() in ("", "?") else tag[:3]


def codes(chance, games):
    code = code_of
    known = [code(g) for g in games if re.fullmatch(r"[A-E]\d\d", code(g))] or ["B90", "C42"]
    low, high = sorted((chance.choice(known), chance.choice(known)))
    short = low[: chance.randint(1, 3)]
    text, fits = chance.choice(
        [
            (f":{short}", lambda c: c.startswith(short)),
            (f":{low},{high}", lambda c: c in (low, high)),
            (f":{low}..{high}", lambda c: low <= c <= high),
            (f":{low}..", lambda c: c >= low),
            (f":..{high}", lambda c: c <= high),
        ]
    )
    return "eco" + text, lambda g: bool(re.fullmatch(r"[A-E]\d\d", code(g))) and fits(code(g))


def folded(text):
    """Without case and accents."""
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return text.casefold()


def like(pattern):
    """What fits a pattern with `*` for anything and `?` for any letter."""
    parts = {"*": ".*", "?": "."}
    return re.compile("".join(parts.get(c) or re.escape(c) for c in pattern), re.DOTALL)


def test_of(chance, name, values):
    """An operator with a value, and its meaning for a text."""
    values = [v for v in values if re.fullmatch(r"[A-Za-z0-9 .,-]{2,40}", v) and v.strip() == v] or ["Open", "1"]
    value = chance.choice(values)
    words = re.findall(r"[A-Za-z]{3,}", value)
    kind = chance.randrange(8)
    if kind == 0:
        other = chance.choice(values)
        return f"=({quoted(value)} or {quoted(other)})", lambda t: folded(t).strip() in (folded(value), folded(other))
    if kind == 1:
        return f"!={quoted(value)}", lambda t: folded(t).strip() != folded(value)
    if kind == 2:
        return f"={quoted(value.upper())}", lambda t: folded(t).strip() == folded(value)
    if kind == 3:
        at = chance.randrange(len(value))
        pattern = chance.choice([value[:at] + "*", value[:at] + "?" + value[at + 1 :], "*" + value[at:]])
        fits = like(folded(pattern))
        return f":{quoted(pattern)}", lambda t: bool(fits.fullmatch(folded(t).strip()))
    if kind == 4 and words:
        word = chance.choice(words)
        pattern = chance.choice([f"^{word}", rf"\b{word}\b", f"{word}$", f"({word}|xyz)", word[0] + "." + word[2:]])
        fits = re.compile(folded(pattern).replace(r"\b", r"\b"))
        return f":/{pattern}/", lambda t: bool(fits.search(folded(t)))
    part = value[: chance.randint(1, len(value))].strip()
    if name in ("event", "site", "annotator", "opening", "time-control") or kind == 5:
        return f"{':' if kind > 5 and not name.startswith('round') else '~'}{quoted(part)}", lambda t: folded(part) in folded(t)
    if name == "round":
        board = re.compile(re.escape(folded(value)) + r"(?![^\W_])")
        return f":{quoted(value)}", lambda t: bool(board.match(folded(t).strip()))
    return f"={quoted(value)}", lambda t: folded(t).strip() == folded(value)


def texts(chance, games):
    """What one tag says; who lacks it says nothing."""
    name, tags = chance.choice(
        [
            ("event", ["Event"]),
            ("site", ["Site"]),
            ("round", ["Round"]),
            ("annotator", ["Annotator"]),
            ("time-control", ["TimeControl"]),
            ("opening", ["Opening"]),
            ("opening", ["Opening", "Variation", "SubVariation"]),
        ]
    )
    text, fits = test_of(chance, name, [v for g in games for t in tags if (v := g.headers.get(t, ""))])
    if name == "opening":
        # Any of three texts counts, so that none of them is told apart from the others.
        tags = ["Opening", "Variation", "SubVariation"]
        if text.startswith("!="):
            return texts(chance, games)
    return name + text, lambda g: any(fits(g.headers.get(tag, "")) for tag in tags)


def tags(chance, games):
    known = sorted({tag for g in games for tag in g.headers if tag not in ("FEN", "SetUp", "Result")})
    tag = chance.choice(known)
    if chance.random() < 0.3:
        return f"has:tag[{tag}]", lambda g: tag in g.headers
    text, fits = test_of(chance, "tag", [g.headers.get(tag, "") for g in games])
    if text.startswith("!="):
        return tags(chance, games)
    return f"tag[{tag}]{text}", lambda g: tag in g.headers and fits(g.headers[tag])


def people(chance, games):
    """Titles and countries, of which the whole has to be said."""
    name, endings = chance.choice([("title", ["Title"]), ("country", ["Country", "Federation", "FED"])])
    side = chance.choice([None, "White", "Black"])
    of = lambda g: [
        value
        for color in ("White", "Black")
        if side in (None, color)
        for tag, value in g.headers.items()
        if tag.lower() in [(color + ending).lower() for ending in endings + (["Fed"] if name == "country" else [])]
    ]
    known = [v for g in games for v in of(g) if re.fullmatch(r"[A-Za-z]+", v)] or ["GM", "GER"]
    value = chance.choice(known)
    prefix = f"{side.lower()}-" if side else ""
    return f"{prefix}{name}:{value.lower()}", lambda g: any(folded(v).strip() == folded(value) for v in of(g))


def pace(game):
    """The speed of a game by docs/query.md."""
    day = 86_400
    first = game.headers.get("TimeControl", "").split(":")[0].strip()
    sign = first.startswith("*")
    match = re.fullmatch(r"\*?(?:(\d+)/)?(\d+)(?:\+(\d+))?", first)
    moves, base, more = (int(n) if n else None for n in match.groups()) if match else (None, None, None)
    if game.headers.get("Mode", "").strip().upper() in ("PM", "EM") or "correspondence" in folded(game.headers.get("Event", "")):
        return "correspondence"
    if match is None or (sign and (moves or more)):
        return None
    if (moves and base >= day * moves) or (more and more >= day):
        return "correspondence"
    total = base * 40 // moves if moves else base // 2 if sign else base
    total += (more or 0) * 40
    return next((n for n, end in (("bullet", 180), ("blitz", 480), ("rapid", 1500)) if total < end), "classical")


def speeds(chance, games):
    speed = chance.choice(["bullet", "blitz", "rapid", "classical", "correspondence"])
    return f"speed:{speed}", lambda g: pace(g) == speed


def results(chance, games):
    word, fits = chance.choice(
        [
            ("white", ["1-0"]),
            ("black", ["0-1"]),
            ("draw", ["1/2-1/2"]),
            ("decisive", ["1-0", "0-1"]),
            ("finished", ["1-0", "0-1", "1/2-1/2"]),
        ]
    )
    return f"result:{word}", lambda g: g.result() in fits


def comments(game):
    """All comments with those who moved before them."""
    places = (path[-1] for path in game.paths)
    return [(place.color, comment) for place in places for comment in place.remarks.comments]


def evaluations(game):
    found = []
    for mover, comment in comments(game):
        found += [score(value) for name, value in COMMAND.findall(comment) if name == "eval"]
        if mover is not None:
            found.append(of_match(comment, mover))
    return [worth(value) for value in found if value]


def anywhere(chance, games):
    """What stands somewhere in a game, in its variations too."""
    kind = chance.randrange(4)
    if kind == 0:
        words = [w for g in games for _, c in comments(g) for w in re.findall(r"[a-z]{3,8}", COMMAND.sub("", c))]
        word = chance.choice(words or ["the"])
        return f"comment~{word}", lambda g: any(word in folded(comment) for _, comment in comments(g))
    if kind == 1:
        nag = chance.choice([1, 2, 3, 4, 5, 6, 10, 14, 16])
        return f"nag:${nag}", lambda g: any(nag in path[-1].remarks.nags for path in g.paths)
    if kind == 2:
        low = chance.randint(-3, 4)
        return f"eval>={low}", lambda g: any(value >= low * 100 for value in evaluations(g))
    most = chance.choice([5, 30, 100, 1000])
    clocks = lambda g: [c for path in g.paths for c in path[-1].remarks.own_clocks]
    return f"clock<{most}", lambda g: any(clock < most for clock in clocks(g))


def lengths(chance, games):
    plies = lambda g: len(g.main) - 1
    name = chance.choice(["plies", "moves"])
    count = plies if name == "plies" else lambda g: (plies(g) + 1) // 2
    text, fits = operator(chance, count(chance.choice(games)), count(chance.choice(games)))
    return name + text, lambda g: fits(count(g))


def written(place):
    """The last evaluation of the first kind, `[%eval …]`, that stands at a place."""
    found = [score(value) for c in place.remarks.comments for name, value in COMMAND.findall(c) if name == "eval"]
    return next((value for value in reversed(found) if value), None)


def evaluated(game):
    """What stands in the main line: who moved, and the evaluations before and after; none where nothing does."""
    values = [written(p) if p.legal or not p.check else None for p in game.main]
    if values[0] is None and game.normal:
        values[0] = ("cp", 15)
    return [(p.color, a, b) for p, a, b in zip(game.main[1:], values, values[1:]) if a and b and any(values[1:])]


def judgement(step):
    """How bad a move is: 0 for fine, 1 to 3 for inaccuracies, mistakes and blunders."""
    color, *values = step
    sign = 1 if color else -1
    (was, a), (became, b) = [(kind, sign * value) for kind, value in values]
    bad = lambda c: 1 if c > 999 else 2 if c > 700 else 3
    if was == became == "mate":
        return 3 if a > 0 > b else 0
    if became == "mate":
        return bad(-a) if b < 0 else 0
    if was == "mate":
        return bad(b) if a > 0 else 0
    chances = lambda c: 2 / (1 + math.exp(-0.00368208 * c)) - 1
    lost = chances(a) - chances(b)
    return sum(lost >= least for least in (0.1, 0.2, 0.3))


def judged(chance, games):
    level, name = chance.choice([(1, "inaccuracy"), (2, "mistake"), (3, "blunder")])
    text, fits = chance.choice([("", lambda n: n > 0), (":0", lambda n: n == 0), (">=3", lambda n: n >= 3)])
    by, side = chance.choice([("", None), (" by:white", True), (" by:black", False)])

    def answer(g):
        steps = [step for step in evaluated(g) if side in (None, step[0])]
        return bool(steps) and fits(sum(judgement(step) == level for step in steps))

    return name + text + by, answer


def swings(chance, games):
    """The largest step between two evaluations that stand behind moves next to each other."""
    least = chance.choice([1, 2, 4, 6])
    side = chance.choice([None, None, True, False])
    by = "" if side is None else f" by:{'white' if side else 'black'}"

    def answer(g):
        steps = [abs(ceiled(a) - ceiled(b)) for color, a, b in evaluated(g) if side in (None, color)]
        return bool(steps) and max(steps) >= least * 100

    return f"eval-swing>={least}{by}", answer


def has(chance, games):
    commands = lambda g: [found for _, comment in comments(g) for found in COMMAND.findall(comment)]
    times = lambda g: [value for name, value in commands(g) if name in ("clk", "emt", "egt", "mct")]
    return chance.choice(
        [
            ("has:moves", lambda g: len(g.main) > 1),
            ("has:variations", lambda g: len(g.lines) > 1),
            ("has:comments", lambda g: any(comment for _, comment in comments(g))),
            ("has:nags", lambda g: any(path[-1].remarks.nags for path in g.paths)),
            ("has:clock", lambda g: any(seconds(value) is not None for value in times(g))),
            ("has:eval", lambda g: any(name == "eval" and score(value) for name, value in commands(g))),
            ("has:setup", lambda g: "FEN" in g.headers),
        ]
    )


KINDS = [ratings, ratings, dates, dates, codes, texts, texts, texts, tags, people, speeds, results, lengths, has]
KINDS += [anywhere, anywhere, swings, judged]


def word(chance, games):
    """A question about a whole game: its text, and its meaning."""
    return chance.choice(KINDS)(chance, games)
