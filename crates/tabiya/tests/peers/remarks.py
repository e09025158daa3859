"""What stands at a position of a game, as docs/query.md tells it."""

import re

COMMAND = re.compile(r"\[%(\w+)\s+([^\]]*)\]")
COLORS = {"G": "green", "R": "red", "Y": "yellow", "B": "blue"}


def seconds(text):
    parts = text.strip().split(":")
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"\d+(\.\d+)?", part) for part in parts):
        return None
    total = 0.0
    for part in parts:
        total = total * 60 + float(part)
    return total


def score(text):
    """Hundredths of a pawn; mate in n is far above all of them."""
    text = text.split(",")[0].strip()
    if match := re.fullmatch(r"#([+-]?\d+)", text):
        moves = int(match[1])
        return None if moves == 0 else ("mate", moves)
    if re.fullmatch(r"[+-]?\d*\.?\d*", text) and re.search(r"\d", text):
        return ("cp", round(float(text) * 100))
    return None


def worth(found):
    kind, value = found
    if kind == "cp":
        return value
    return 100_000 - value if value > 0 else -100_000 - value


def ceiled(found):
    kind, value = found
    if kind == "mate":
        return 1000 if value > 0 else -1000
    return max(-1000, min(1000, value))


def of_match(comment, mover):
    """What an engine match writes: `+0.35/20` by the player who moved, `wv=0.35` by White."""
    number = r"([+-]?)(?:M(\d+)|(\d{0,6}(?:\.\d{0,2})?))"
    sign = 1
    if "wv=" in comment:
        match = re.match(number + r"(?:[, ;}]|$)", comment.split("wv=", 1)[1])
    else:
        match = re.match(r"\s*" + number + r"/\d", comment)
        if match and match[2] is None and "." not in match[3]:
            match = None
        sign = 1 if mover else -1
    if not match or (match[2] is None and not re.search(r"\d", match[3])):
        return None
    if match[1] == "-":
        sign = -sign
    if match[2] is not None:
        return ("mate", sign * int(match[2])) if int(match[2]) > 0 else None
    return ("cp", sign * round(float(match[3]) * 100))


class Remarks:
    """The comments and NAGs of one position, and the clocks of its line."""

    def __init__(self, comments, nags, parent, mover):
        self.comments = [comment for comment in comments if comment]
        self.nags = nags
        self.eval, self.marks, self.own_clocks = None, [], []
        self.clocks = dict(parent.clocks) if parent else {True: None, False: None}
        self.before = parent.eval if parent else None
        for comment in self.comments:
            found = None
            for name, value in COMMAND.findall(comment):
                if name == "eval":
                    found = score(value) or found
                if name == "clk" and (time := seconds(value)) is not None:
                    self.own_clocks.append(time)
                    if mover is not None:
                        self.clocks[mover] = time
                if name in ("csl", "cal"):
                    length = 5 if name == "cal" else 3
                    for mark in value.replace(" ", "").split(","):
                        if len(mark) == length and mark[0] in COLORS:
                            self.marks.append((mark[0], mark[1:]))
            if found is None and mover is not None:
                found = of_match(comment, mover)
            self.eval = found or self.eval


def places(node):
    """The comments and NAGs that belong to a node of python-chess."""
    texts = [getattr(node, "starting_comment", ""), node.comment]
    return texts, set(node.nags)


def word(chance, games):
    """A question about what is written: its text, and its meaning for a place."""
    kind = chance.randrange(8)
    if kind == 0:
        all_comments = [c for g in games for p in g.main for c in p.remarks.comments]
        words = [w for c in all_comments for w in re.findall(r"[a-z]{3,8}", COMMAND.sub("", c))] or ["the"]
        text = chance.choice(words)
        return f"comment~{text}", lambda p: any(text in comment.lower() for comment in p.remarks.comments)
    if kind == 1:
        nag = chance.choice([1, 2, 3, 4, 5, 6, 10, 14, 16])
        return f"nag:${nag}", lambda p: nag in p.remarks.nags
    if kind == 2:
        low = chance.randint(-3, 4)
        return f"eval>={low}", lambda p: p.remarks.eval is not None and worth(p.remarks.eval) >= low * 100
    if kind == 3:
        most = chance.choice([5, 30, 100, 1000])
        return f"clock<{most}", lambda p: any(clock < most for clock in p.remarks.own_clocks)
    if kind == 4:
        color = chance.random() < 0.5
        most = chance.choice([5, 30, 100, 1000])
        clock = lambda p: p.remarks.clocks[color]
        return (
            f"{'white' if color else 'black'}-clock<{most}",
            lambda p: clock(p) is not None and clock(p) < most,
        )
    if kind == 5:
        least = chance.choice([1, 2, 3, 5])

        def swings(p):
            a, b = p.remarks.before, p.remarks.eval
            return a is not None and b is not None and abs(ceiled(a) - ceiled(b)) >= least * 100

        return f"eval-swing>={least}", swings
    name, length, term = chance.choice([("cal", 4, "arrow"), ("csl", 2, "highlight")])
    color = chance.choice([None, "green", "red", "yellow"])
    option = f"[{color}]" if color else ""
    squares = [mark for g in games for p in g.main for _, mark in p.remarks.marks if len(mark) == length]
    wanted = "any"
    if squares and chance.random() < 0.6:
        wanted = "".join(c if chance.random() < 0.7 else "?" for c in chance.choice(squares))

    def marked(p):
        return any(
            len(mark) == length
            and (color is None or COLORS[letter] == color)
            and (wanted == "any" or all(w in ("?", m) for w, m in zip(wanted, mark)))
            for letter, mark in p.remarks.marks
        )

    return f"{term}{option}:{wanted}", marked
