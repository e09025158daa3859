"""Relations between men, as docs/query.md tells them, computed square by square with python-chess."""

import functools

import chess

LINES = [(1, 0), (0, 1), (1, 1), (1, -1)]


class View:
    """A position as relations see it, with what has been found out about it."""

    def __init__(self, board):
        self.board = board
        self.symbols = ["-"] * 64
        for square, piece in board.piece_map().items():
            self.symbols[square] = piece.symbol()
        self.found = {}

    def attacks(self, square):
        return self.once(square, lambda: set(self.board.attacks(square)))

    def once(self, word, compute):
        if word not in self.found:
            self.found[word] = compute()
        return self.found[word]


def man_at(board, square):
    return board.symbols[square]


@functools.cache
def fits_letters(man, letters):
    return any(
        letter == man
        or (letter == "A" and man.isupper())
        or (letter == "a" and man.islower())
        or (letter == "*" and man != "-")
        for letter in letters
    )


def men(board, letters):
    return board.once(letters, lambda: {s for s, man in enumerate(board.symbols) if fits_letters(man, letters)})


def pawns(board, color):
    return men(board, "P" if color else "p")


def file_of(square):
    return square % 8


def ahead(square, color):
    """The rank as its side counts it, from 0."""
    return square // 8 if color else 7 - square // 8


@functools.cache
def line_between(a, b):
    """The squares between two on a rank, file or diagonal, and the direction; none where they are on no line."""
    across, up = file_of(b) - file_of(a), b // 8 - a // 8
    if a == b or not (across == 0 or up == 0 or abs(across) == abs(up)):
        return None
    step = ((across > 0) - (across < 0), (up > 0) - (up < 0))
    squares, x, y = [], file_of(a) + step[0], a // 8 + step[1]
    while 8 * y + x != b:
        squares.append(8 * y + x)
        x, y = x + step[0], y + step[1]
    return squares, step


def slides(man, step):
    straight = 0 in step
    return man in "QRqr" if straight else man in "QBqb"


def pinned(board):
    found = set()
    for king in (s for s in chess.SQUARES if man_at(board, s) in "Kk"):
        own = man_at(board, king).isupper()
        for slider in chess.SQUARES:
            man = man_at(board, slider)
            if man == "-" or man.isupper() == own:
                continue
            line = line_between(king, slider)
            if line is None or not slides(man, line[1]):
                continue
            between = [s for s in line[0] if man_at(board, s) != "-"]
            if len(between) == 1 and man_at(board, between[0]).isupper() == own:
                found.add(between[0])
    return found


def x_rays(board, targets):
    found = set()
    for slider in chess.SQUARES:
        man = man_at(board, slider)
        if man not in "QRBqrb":
            continue
        for target in targets:
            line = line_between(slider, target)
            if line and slides(man, line[1]) and sum(man_at(board, s) != "-" for s in line[0]) == 1:
                found.add(slider)
    return found


def pawn_words(board, word):
    found = set()
    for color in (True, False):
        own, other = pawns(board, color), pawns(board, not color)
        beside = lambda s, t: abs(file_of(s) - file_of(t)) == 1
        higher = lambda t, s: ahead(t, color) > ahead(s, color)
        for s in own:
            front = s + (8 if color else -8)
            neighbours = [t for t in own if beside(s, t)]
            fits = {
                "passed": not any(abs(file_of(t) - file_of(s)) <= 1 and higher(t, s) for t in other),
                "isolated": not neighbours,
                "doubled": any(t != s and file_of(t) == file_of(s) for t in own),
                "connected": any(abs(t // 8 - s // 8) <= 1 for t in neighbours),
                "backward": bool(neighbours)
                and all(higher(t, s) for t in neighbours)
                and any(beside(t, front) and ahead(t, color) == ahead(front, color) + 1 for t in other),
            }
            if word == "hanging":
                partners = [t for t in neighbours if abs(t // 8 - s // 8) <= 1]
                for t in partners:
                    low, high = sorted((file_of(s), file_of(t)))
                    alone = [u for u in own if low - 1 <= file_of(u) <= high + 1]
                    if len(alone) == 2 and not any(low <= file_of(u) <= high for u in other):
                        found.add(s)
            elif fits[word]:
                found.add(s)
    return found


def outposts(board):
    found = set()
    for s in chess.SQUARES:
        man = man_at(board, s)
        if man not in "NBnb":
            continue
        color = man.isupper()
        back = -8 if color else 8
        protected = any(abs(file_of(t) - file_of(s)) == 1 and t // 8 == (s + back) // 8 for t in pawns(board, color))
        hunted = any(
            abs(file_of(t) - file_of(s)) == 1 and ahead(t, color) > ahead(s, color) for t in pawns(board, not color)
        )
        if 3 <= ahead(s, color) <= 5 and protected and not hunted:
            found.add(s)
    return found


def fianchettos(board, sides="bg"):
    found = set()
    for color in (True, False):
        for side in sides:
            bishop = chess.parse_square(side + ("2" if color else "7"))
            pawn = chess.parse_square(side + ("3" if color else "6"))
            if man_at(board, bishop) == ("B" if color else "b") and pawn in pawns(board, color):
                found.add(bishop)
    return found


def files_of_pawns(board, color):
    return board.once(("files", color), lambda: {file_of(s) for s in pawns(board, color)})


def open_files(board):
    return set(range(8)) - files_of_pawns(board, True) - files_of_pawns(board, False)


def half_open_files(board, color):
    return files_of_pawns(board, not color) - files_of_pawns(board, color)


DISTANCES = [[chess.square_distance(a, b) for b in chess.SQUARES] for a in chess.SQUARES]


def distance(a, b):
    return DISTANCES[a][b]


def attackers(board, targets):
    return {s for s in men(board, "*") if board.attacks(s) & targets}


def on_open_files(board):
    files = open_files(board)
    return {s for s in chess.SQUARES if file_of(s) in files}


def on_half_open_files(board):
    return {s for s in men(board, "*") if file_of(s) in half_open_files(board, man_at(board, s).isupper())}


@functools.cache
def around(square, far):
    return {s for s in chess.SQUARES if distance(s, square) <= far}


def near(squares, far):
    return {s for t in squares for s in around(t, far)}


def ray(board, kind, sets):
    def goes_on(at, step, rest):
        if not rest:
            return True
        x, y = file_of(at) + step[0], at // 8 + step[1]
        while 0 <= x < 8 and 0 <= y < 8:
            s = 8 * y + x
            if s in rest[0]:
                if goes_on(s, step, rest[1:]):
                    return True
            if man_at(board, s) != "-":
                return False
            x, y = x + step[0], y + step[1]
        return False

    steps = [(a * sign, b * sign) for a, b in LINES for sign in (1, -1)]
    steps = [s for s in steps if kind is None or (0 in s) == (kind == "straight")]
    return any(goes_on(s, step, sets[1:]) for s in sets[0] for step in steps)


ALL = set(chess.SQUARES)
LIGHT = {s for s in chess.SQUARES if (s % 8 + s // 8) % 2 == 1}
SIMPLE = ["passed", "isolated", "doubled", "connected", "backward", "hanging"]


def word_set(word):
    if word in SIMPLE:
        return lambda board, _: board.once(word, lambda: pawn_words(board, word))
    return {
        "outpost": lambda board, _: board.once("outpost", lambda: outposts(board)),
        "pinned": lambda board, _: board.once("pinned", lambda: pinned(board)),
        "fianchetto": lambda board, _: fianchettos(board),
        "white": lambda board, _: men(board, "A"),
        "black": lambda board, _: men(board, "a"),
        "light": lambda *_: LIGHT,
        "dark": lambda *_: ALL - LIGHT,
        "open": lambda board, _: board.once("open", lambda: on_open_files(board)),
        "half-open": lambda board, _: board.once("half-open", lambda: on_half_open_files(board)),
    }[word]


def brackets(chance):
    pieces, fits = [], []
    for _ in range(chance.choice([1, 1, 2])):
        a, b = sorted(chance.sample(range(8), 2))
        c, d = sorted(chance.sample(range(8), 2))
        kind = chance.randrange(4)
        if kind == 0:
            text, files, ranks = f"{'abcdefgh'[a]}{c + 1}", (a, a), (c, c)
        elif kind == 1:
            text, files, ranks = f"{'abcdefgh'[a]}-{'abcdefgh'[b]}", (a, b), (0, 7)
        elif kind == 2:
            text, files, ranks = f"{c + 1}", (0, 7), (c, c)
        else:
            text, files, ranks = f"{'abcdefgh'[a]}-{'abcdefgh'[b]}{c + 1}-{d + 1}", (a, b), (c, d)
        pieces.append(text)
        fits.append((files, ranks))
    squares = {
        s
        for s in chess.SQUARES
        for files, ranks in fits
        if files[0] <= s % 8 <= files[1] and ranks[0] <= s // 8 <= ranks[1]
    }
    return f"[{','.join(pieces)}]", lambda *_: squares


def some_men(chance):
    letters = chance.choice(
        ["A", "a", "*", "-", "k", "K", "Q", "r"] + ["".join(chance.sample("PNBRQKpnbrqkAa", chance.randint(1, 3)))] * 6
    )
    return letters, lambda board, _: men(board, letters)


def factor(chance, names, depth):
    """One word of a set with what belongs to it: its text, and the squares on a board with the named squares."""
    pick = chance.random()
    if names and pick < 0.3:
        name = chance.choice(names)
        return f"${name}", lambda _, known: {known[name]}
    if pick < 0.5:
        return some_men(chance)
    if pick < 0.58:
        return brackets(chance)
    if pick < 0.75 or depth > 2:
        word = chance.choice(
            SIMPLE + ["outpost", "pinned", "fianchetto", "white", "black", "light", "dark", "open", "half-open"]
        )
        return word, word_set(word)
    if pick < 0.8:
        text, inner = factor(chance, names, depth + 1)
        return f"not {text}", lambda board, known: ALL - inner(board, known)
    if pick < 0.85:
        text, inner = union(chance, names, depth + 1)
        return f"({text})", inner
    word = chance.choice(["attacks", "attacks", "attacked-by", "x-rays", "near", "between"])
    text, inner = factor(chance, names, depth + 1)
    if word == "attacks":
        return f"attacks {text}", lambda board, known: attackers(board, inner(board, known))
    if word == "attacked-by":
        return f"attacked-by {text}", lambda board, known: {
            t for s in inner(board, known) & men(board, "*") for t in board.attacks(s)
        }
    if word == "x-rays":
        return f"x-rays {text}", lambda board, known: x_rays(board, inner(board, known))
    if word == "near":
        far = chance.randint(0, 3)
        return f"near {far} {text}", lambda board, known: near(inner(board, known), far)
    other, second = factor(chance, names, depth + 1)
    return f"between {text} {other}", lambda board, known: {
        s
        for a in inner(board, known)
        for b in second(board, known)
        for s in (line_between(a, b) or ([], None))[0]
    }


def product(chance, names, depth):
    parts = [factor(chance, names, depth) for _ in range(chance.choice([1, 2, 2, 3]))]
    text = " ".join(text for text, _ in parts)
    return text, lambda board, known: set.intersection(*(inner(board, known) for _, inner in parts))


def union(chance, names=(), depth=0):
    """A set: its text, and the squares on a board with the named squares."""
    parts = [product(chance, names, depth) for _ in range(chance.choice([1, 1, 1, 2]))]
    text = " or ".join(text for text, _ in parts)
    return text, lambda board, known: set.union(*(inner(board, known) for _, inner in parts))


def side(chance):
    return chance.choice([("", "Aa", (True, False)), ("[white]", "A", (True,)), ("[black]", "a", (False,))])


def castled(p, colors, want):
    return any(p.castled[c] is not None and want in (None, p.castled[c]) for c in colors)


def term(chance, numbers, names=(), depth=0):
    """A question about relations: its text, and its meaning for a place and the named squares."""
    kind = chance.randrange(12)
    count, fits = chance.choice([("", lambda n: n >= 1), numbers(chance, 0, 4)])
    if kind <= 3:
        text, squares = union(chance, names)
        return f'pieces:"{text}"{count}', lambda p, known: fits(len(squares(p.board, known)))
    if kind == 4 and depth < 2:
        word = chance.choice(["some", "all"])
        name = "xyz"[len(names)] if len(names) < 3 else "w"
        text, squares = union(chance, names)
        inner, asks = term(chance, numbers, (*names, name), depth + 1)

        def quantified(p, known):
            answers = [asks(p, {**known, name: s}) for s in squares(p.board, known)]
            return any(answers) if word == "some" else bool(answers) and all(answers)

        return f'{word}[{name}]:"{text}" {inner}', quantified
    if kind == 5:
        (a, first), (b, second) = union(chance, names), union(chance, names)
        text, close = numbers(chance, 0, 6)
        return (
            f'distance:"{a}, {b}"{text}',
            lambda p, known: close(
                min((distance(s, t) for s in first(p.board, known) for t in second(p.board, known)), default=99)
            )
            and bool(first(p.board, known) and second(p.board, known)),
        )
    if kind == 6:
        sets = [union(chance, names, 1) for _ in range(chance.choice([2, 3, 3]))]
        line = chance.choice([None, "straight", "diagonal"])
        words = ", ".join(text for text, _ in sets)
        return (
            f'ray{f"[{line}]" if line else ""}:"{words}"',
            lambda p, known: ray(p.board, line, [squares(p.board, known) for _, squares in sets]),
        )
    options, letters, colors = side(chance)
    if kind == 7:
        word = chance.choice(["bishop-pair", "castled", "castled:king-side", "castled:queen-side", "opposite"])
        if word == "bishop-pair":
            both = lambda p, c: len({(s % 8 + s // 8) % 2 for s in men(p.board, "B" if c else "b")}) == 2
            return word + options, lambda p, _: any(both(p, c) for c in colors)
        if word == "opposite":
            return "opposite-castling", lambda p, _: None not in p.castled.values() and len(set(p.castled.values())) == 2
        name, _, want = word.partition(":")
        want = {"king-side": "O-O", "queen-side": "O-O-O", "": None}[want]
        return name + options + word[len(name) :], lambda p, _: castled(p, colors, want)
    if kind == 8:
        if chance.random() < 0.5:
            return f"open-files{count}", lambda p, _: fits(len(open_files(p.board)))
        return f"half-open-files{options}{count}", lambda p, _: fits(
            sum(len(half_open_files(p.board, c)) for c in colors)
        )
    if kind == 9:
        wing = chance.choice([":king-side", ":queen-side", ""])
        files = {":king-side": "g", ":queen-side": "b", "": "bg"}[wing]
        return f"fianchetto{options}{wing}", lambda p, _: bool(fianchettos(p.board, files) & men(p.board, letters))
    word = chance.choice([*SIMPLE[:-1], "hanging-pawns", "outpost", "pinned"])
    squares = word_set(word.removesuffix("-pawns"))
    return f"{word}{options}{count}", lambda p, _: fits(len(squares(p.board, None) & men(p.board, letters)))
