"""Makes random queries of the language of docs/query.md and says which games of a PGN file they find, computed plainly
with python-chess. Arguments: file, seed, number of queries, games at most. Answers one line of JSON a query:
its text, whether variations count, and the games with the half-moves before the position that is found, or null."""

import copy
import itertools
import json
import random
import re
import sys

import chess
import chess.pgn

import headers
import relations
import remarks

ROLES = "PNBRQK"


class Place:
    """A position of a game, and the move that led to it."""

    def __init__(self, board, ply, before, move, parent, node):
        self.parent = parent
        self.turns = {}
        history = parent.history if parent else []
        self.board = relations.View(board)
        self.castled = dict(parent.castled) if parent else {True: None, False: None}
        self.fen = board.board_fen()
        self.turn = board.turn
        self.ply = ply
        self.number = board.fullmove_number
        self.checkers = board.checkers()
        self.check = bool(self.checkers)
        self.legal = board.legal_moves.count()
        self.mate = self.check and self.legal == 0
        self.stalemate = not self.check and self.legal == 0
        self.quiet = board.halfmove_clock
        self.counts = [len(board.pieces(kind, color)) for color in (True, False) for kind in range(1, 7)]
        key = (self.fen, self.turn, board.clean_castling_rights(), board.ep_square if board.has_legal_en_passant() else None)
        self.repeats = 1 + history.count(key)
        self.history = history + [key]
        self.moved = self.captured = self.promotion = self.castle = self.color = None
        self.en_passant = False
        self.null = move is not None and not move
        self.san = before.san(move) if move else None
        if move:
            self.color = before.turn
            self.moved = ROLES[before.piece_type_at(move.from_square) - 1]
            self.origin, self.to = move.from_square, move.to_square
            self.promotion = ROLES[move.promotion - 1] if move.promotion else None
            self.en_passant = before.is_en_passant(move)
            if before.is_castling(move):
                self.castle = "O-O" if before.is_kingside_castling(move) else "O-O-O"
                self.castled[self.color] = self.castle
            elif self.en_passant:
                self.captured = "P"
            elif before.piece_at(move.to_square):
                self.captured = ROLES[before.piece_type_at(move.to_square) - 1]
        self.double = len(self.checkers) >= 2
        self.whole = board
        self.remarks = remarks.Remarks(*remarks.places(node), parent and parent.remarks, self.color)
        self.discovered = bool(
            move and not self.castle and self.checkers & ~chess.SquareSet.from_square(move.to_square)
        )


    def turned(self, flip, mirror):
        """The same place on a board that is turned; what is written and the rules stay as they are."""
        if (flip, mirror) in self.turns:
            return self.turns[flip, mirror]
        other = copy.copy(self)
        board = self.whole.copy(stack=False)
        square = lambda s: s
        if flip:
            board = board.mirror()
            square = lambda s: s ^ 56
            other.castled = {True: self.castled[False], False: self.castled[True]}
            other.counts = self.counts[6:] + self.counts[:6]
            other.color = None if self.color is None else not self.color
        if mirror:
            board = board.transform(chess.flip_horizontal)
            square = lambda s, turn=square: turn(s) ^ 7
            exchange = {"O-O": "O-O-O", "O-O-O": "O-O", None: None}
            other.castled = {color: exchange[side] for color, side in other.castled.items()}
            other.castle = exchange[self.castle]
        other.fen, other.turn = board.board_fen(), board.turn
        other.whole = board
        other.board = relations.View(board)
        if self.moved:
            other.origin, other.to = square(self.origin), square(self.to)
        self.turns[flip, mirror] = other
        return other


class Game:
    """What is asked of a game: its headers, and its lines as paths of positions."""

    def __init__(self, number, game):
        self.number = number
        self.node = game
        # python-chess leaves the backslashes of PGN in the values.
        unescape = lambda value: value.replace('\\"', '"').replace("\\\\", "\\")
        self.headers = {name: unescape(value) for name, value in game.headers.items()}
        board = game.board()
        start = Place(board, 0, None, None, None, game)
        # Every position once, each with the way to it.
        self.paths = [[start]]
        ends = [([start], game)]
        stack = [(game, [start], board)]
        while stack:
            node, path, board = stack.pop()
            for child in node.variations:
                after = board.copy(stack=False)
                after.push(child.move)
                place = Place(after, path[-1].ply + 1, board, child.move, path[-1], child)
                self.paths.append(path + [place])
                ends.append((path + [place], child))
                stack.append((child, path + [place], after))
        node, board, path = game, game.board(), [start]
        while node.variations:
            child = node.variations[0]
            after = board.copy(stack=False)
            after.push(child.move)
            path = path + [Place(after, path[-1].ply + 1, board, child.move, path[-1], child)]
            node, board = child, after
        self.main = path
        self.normal = game.board().fen() == chess.STARTING_FEN
        self.lines = [path for path, node in ends if not node.variations]

    def result(self):
        return self.headers.get("Result", "*")


def letters(chance, most=2):
    return "".join(chance.sample(ROLES, chance.randint(1, most)))


def numbers(chance, low, high):
    """A range: its text behind a name, and its meaning."""
    a, b = sorted((chance.randint(low, high), chance.randint(low, high)))
    return chance.choice(
        [
            (f":{a}", lambda n: n == a),
            (f":{a}..{b}", lambda n: a <= n <= b),
            (f">={a}", lambda n: n >= a),
            (f"<{b}", lambda n: n < b),
            (f">{b}", lambda n: n > b),
            (f":{a},{b}", lambda n: n in (a, b)),
        ]
    )


def whose(chance):
    text, color = chance.choice([("", None), ("", None), ("[white]", True), ("[black]", False)])
    return text, (lambda p: color is None or p.color == color)


def move_word(chance, game):
    """A move of `move:`: its text, and its meaning."""
    places = [p for p in game.main if p.moved]
    if not places:
        return "O-O", lambda p: p.castle == "O-O"
    p = chance.choice(places)
    if p.castle:
        return p.castle, lambda q, castle=p.castle: q.castle == castle
    free = lambda text: "?" if chance.random() < 0.35 else text
    name = chess.square_name
    man = free(p.moved)
    origin = ["", ""]
    if chance.random() < 0.3:
        origin[0] = free(name(p.origin)[0])
        if chance.random() < 0.5:
            origin[1] = free(name(p.origin)[1])
    target = free(name(p.to)[0]) + free(name(p.to)[1])
    takes = chance.random() < 0.4
    promotion = free(p.promotion) if p.promotion and chance.random() < 0.8 else ""
    mark = chance.choice(["", "", "", "+", "#"])
    written = "" if man == "P" and chance.random() < 0.5 and not origin[0] == "?" else man
    text = written + origin[0] + origin[1] + ("x" if takes else "") + target
    text += (("=" + promotion) if promotion else "") + mark

    def fits(q):
        if not q.moved or q.castle:
            return False
        squares = ((origin[0] + (origin[1] or "?")) if origin[0] else "??") + target
        have = name(q.origin) + name(q.to)
        return (
            man in ("?", q.moved)
            and all(want in ("?", got) for want, got in zip(squares, have))
            and (not takes or q.captured is not None)
            and (not promotion or (q.promotion is not None and promotion in ("?", q.promotion)))
            and (mark != "+" or q.check)
            and (mark != "#" or q.mate)
        )

    return text, fits


def atom(chance, games):
    """A question about a position: its text, and its meaning."""
    game = chance.choice(games)
    kind = chance.randrange(34)
    if kind > 27:
        return standing(chance, game)
    if kind == 27:
        return similar(chance, game)
    if kind > 23:
        return remarks.word(chance, games)
    if kind > 16:
        text, fits = relations.term(chance, numbers)
        return text, lambda p: fits(p, {})
    if kind == 0:
        return "check", lambda p: p.check
    if kind == 1:
        return chance.choice([("mate", lambda p: p.mate), ("stalemate", lambda p: p.stalemate)])
    if kind == 2:
        white = chance.random() < 0.5
        return f"turn:{'white' if white else 'black'}", lambda p: p.turn == white
    if kind in (3, 4, 5):
        options, own = whose(chance)
        words = [move_word(chance, game) for _ in range(chance.choice([1, 1, 2]))]
        text = ",".join(word for word, _ in words)
        return f'move{options}:"{text}"', lambda p: own(p) and any(fits(p) for _, fits in words)
    if kind in (6, 7):
        options, own = whose(chance)
        taken, by = letters(chance), None
        text = f"captured{options}:{taken}"
        if chance.random() < 0.3:
            taken, text = ROLES, f"captured{options}:any"
        if chance.random() < 0.5:
            by = letters(chance, 3)
            text += f" by:{by}"
        return text, lambda p: own(p) and p.captured is not None and p.captured in taken and (by is None or p.moved in by)
    if kind == 8:
        options, own = whose(chance)
        men = letters(chance)
        return f"moved{options}:{men}", lambda p: own(p) and p.moved is not None and p.moved in men
    if kind == 9:
        options, own = whose(chance)
        word = chance.choice(["promotion", "under-promotion", "en-passant", "castling", "castling", "castling:queen-side"])
        word, _, side = word.partition(":")
        meaning = {
            "promotion": lambda p: p.promotion is not None,
            "under-promotion": lambda p: p.promotion is not None and p.promotion != "Q",
            "en-passant": lambda p: p.en_passant,
            "castling": lambda p: p.castle == "O-O-O" if side else p.castle is not None,
        }[word]
        return word + options + (":" + side if side else ""), lambda p: own(p) and meaning(p)
    if kind == 10:
        return chance.choice([("double-check", lambda p: p.double), ("discovered-check", lambda p: p.discovered)])
    if kind == 11:
        text, fits = numbers(chance, 0, 45)
        return "legal-moves" + text, lambda p: fits(p.legal)
    if kind == 12:
        text, fits = numbers(chance, 0, 30)
        return "quiet-plies" + text, lambda p: fits(p.quiet)
    if kind == 13:
        text, fits = numbers(chance, 1, 4)
        return "repetition" + text, lambda p: fits(p.repeats)
    if kind == 14:
        text, fits = numbers(chance, 0, 90)
        return "at-ply" + text, lambda p: fits(p.ply)
    if kind == 15:
        text, fits = numbers(chance, 1, 50)
        return "at-move" + text, lambda p: fits(p.number)
    p = chance.choice(game.main)
    fen, turn = p.fen, p.turn
    return f'position:"{fen} {"w" if turn else "b"}"', lambda q: q.fen == fen and q.turn == turn


def pawns(board):
    return [set(board.pieces(chess.PAWN, color)) for color in (True, False)]


def on_files(board):
    return [sorted(s % 8 for s in side) for side in pawns(board)]


def standing(chance, game):
    """A question about the men of a position: pawns, material, a pattern."""
    p = chance.choice(game.main)
    kind = chance.randrange(5)
    if kind == 0:
        return f'structure:"{p.fen}"', lambda q: pawns(q.whole) == pawns(p.whole)
    if kind == 1:
        return f'files:"{p.fen}"', lambda q: on_files(q.whole) == on_files(p.whole)
    if kind == 2:
        return pattern(chance, p)
    return material(chance, p)


def pattern(chance, p):
    """Some squares of a position, as a board with wildcards."""
    wanted = {}
    for s in chance.sample(range(64), 64):
        piece = p.whole.piece_at(s)
        if len(wanted) < chance.choice([1, 2, 3, 5]) and (piece or chance.random() < 0.2):
            symbol = piece.symbol() if piece else "-"
            if piece and chance.random() < 0.3:
                symbol = chance.choice(["*", "A" if piece.color else "a", f"[{symbol}-]", "!-"])
            wanted[s] = symbol
    turn = chance.random() < 0.2
    rows = ["".join(wanted.get(8 * rank + file, ".") for file in range(8)) for rank in range(7, -1, -1)]
    text = "/".join(rows) + (" w" if p.turn else " b") * turn

    def fits_one(symbol, piece):
        if symbol.startswith("!"):
            return not fits_one(symbol[1:], piece)
        if symbol.startswith("["):
            return any(fits_one(each, piece) for each in symbol[1:-1])
        if symbol == "-" or piece is None:
            return symbol == "-" and piece is None
        return symbol == "*" or {"A": piece.color, "a": not piece.color}.get(symbol, symbol == piece.symbol())

    def fits(q):
        return (not turn or q.turn == p.turn) and all(
            fits_one(symbol, q.whole.piece_at(s)) for s, symbol in wanted.items()
        )

    return f'pattern:"{text}"', fits


def material(chance, p):
    """The material of a position, or something like it."""
    letters_of = "PNBRQ"
    sides, tests = [], []
    for first in (0, 6):
        counts = p.counts[first : first + 5]
        if chance.random() < 0.4:
            # These at least.
            few = [min(n, chance.randint(0, 2)) for n in counts]
            sides.append("K" + "".join(a * n for a, n in zip(letters_of, few)) + "...")
            tests.append(lambda c, first=first, few=few: all(n >= m for n, m in zip(c[first:], few)))
        else:
            sides.append("K" + "".join(a * n for a, n in zip(letters_of, counts)))
            tests.append(lambda c, first=first, counts=counts: c[first : first + 5] == counts)
    text = " v ".join(sides)
    if chance.random() < 0.3:
        text, tests = "any", []
    if chance.random() < 0.5:
        low = chance.randint(-2, 3)
        name, place = chance.choice([("pawns", 0), ("knights", 1), ("rooks", 3)])
        text += f", w{name}-b{name}>={low}"
        tests.append(lambda c: c[place] - c[place + 6] >= low)
    either = chance.random() < 0.3

    def fits(q):
        turned = q.counts[6:] + q.counts[:6]
        return any(all(test(c) for test in tests) for c in ([q.counts, turned] if either else [q.counts]))

    return f"material{'[either]' * either}:\"{text}\"", fits


def role_moves(role, a, b):
    """The moves that a man needs on an empty board; none where it never gets there."""
    key = role, a, b
    if key not in ROLE_MOVES:
        if role == chess.KNIGHT:
            reached, count = {a}, 0
            while b not in reached:
                reached |= {t for s in reached for t in chess.SquareSet(chess.BB_KNIGHT_ATTACKS[s])}
                count += 1
        elif role == chess.KING:
            count = chess.square_distance(a, b)
        else:
            straight = a % 8 == b % 8 or a // 8 == b // 8
            diagonal = abs(a % 8 - b % 8) == abs(a // 8 - b // 8)
            color = (a % 8 + a // 8 - b % 8 - b // 8) % 2 == 0
            if a == b:
                count = 0
            elif role == chess.ROOK:
                count = 1 if straight else 2
            elif role == chess.QUEEN:
                count = 1 if straight or diagonal else 2
            else:
                count = None if not color else 1 if diagonal else 2
        ROLE_MOVES[key] = count
    return ROLE_MOVES[key]


ROLE_MOVES = {}


def nearness(board, wanted, most):
    """The fewest moves from the men of one board to those of another, and whether they can get there at all."""
    total = 0
    for color in (True, False):
        if board.pieces(chess.PAWN, color) != wanted.pieces(chess.PAWN, color):
            return None
        for role in range(2, 7):
            here, there = list(board.pieces(role, color)), list(wanted.pieces(role, color))
            if len(here) != len(there) or len(here) > 6:
                return None
            best = None
            for order in itertools.permutations(there):
                moves = [role_moves(role, a, b) for a, b in zip(here, order)]
                if None not in moves and (best is None or sum(moves) < best):
                    best = sum(moves)
            if best is None:
                return None
            total += best
            if total > most:
                return None
    return total


def similar(chance, game):
    p = chance.choice(game.main)
    most = chance.choice([None, 1, 4, 8])
    turn = chance.random() < 0.5
    wanted = p.whole
    fen = p.fen + (" w" if p.turn else " b") * turn

    def fits(q):
        return (not turn or q.turn == p.turn) and nearness(q.whole, wanted, 2 if most is None else most) is not None

    return f"similar{f'[within {most}]' if most is not None else ''}:\"{fen}\"", fits


def turnable(chance, games):
    """A question that may hold for a board that is turned."""
    flip, mirror = chance.choice([(True, False), (False, True), (True, True)])
    options = ", ".join(["flip"] * flip + ["mirror"] * mirror)
    word, fits = question(chance, games, 1)
    ways = [(f, m) for f in {False, flip} for m in {False, mirror}]
    return f"same[{options}]:({word})", lambda p: any(fits(p.turned(f, m) if f or m else p) for f, m in ways)


def question(chance, games, depth=0):
    """A question about a position that can stand where one term can."""
    pick = chance.random()
    if depth == 0 and pick < 0.1:
        return turnable(chance, games)
    if depth > 1 or pick < 0.6:
        return atom(chance, games)
    if pick < 0.7:
        text, fits = question(chance, games, depth + 1)
        return f"(not {text})", lambda p: not fits(p)
    (a, first), (b, second) = question(chance, games, depth + 1), question(chance, games, depth + 1)
    if pick < 0.85:
        return f"({a} {b})", lambda p: first(p) and second(p)
    return f"({a} or {b})", lambda p: first(p) or second(p)


def anywhere(game, variations, holds):
    """The first place on the way through a game where a path holds, in the order in which the game is written."""
    if not variations:
        for end in range(1, len(game.main) + 1):
            if holds(game.main[:end]):
                return True, game.main[end - 1].ply
        return False, None
    return any(holds(path) for path in game.paths), None


def chain_holds(steps, line):
    """The first place of a whole line at which the last step holds, after the others in their order."""
    known, met = {}, {}

    def fits(step, at):
        if (step, at) not in met:
            met[step, at] = steps[step][3](line[at])
        return met[step, at]

    def begin(step, at):
        """Where the step that ends at a place begins; none where it does not end there."""
        which, length = steps[step][2]
        if not fits(step, at):
            return None
        if which == "first" and any(fits(step, p) for p in range(at)):
            return None
        if which == "last" and any(fits(step, p) for p in range(at + 1, len(line))):
            return None
        start = at - length + 1
        if start < 0 or not all(fits(step, p) for p in range(start, at)):
            return None
        return start

    def reach(step, at):
        within, unless = steps[step][:2]
        start = begin(step, at)
        if start is None:
            return False
        if step == 0:
            return unless is None or not any(unless(p) for p in line[:start])
        for before in range(start - 1, -1, -1):
            if start - before > within:
                return False
            if memo(step - 1, before):
                return True
            if unless is not None and unless(line[before]):
                return False
        return False

    def memo(step, at):
        if (step, at) not in known:
            known[step, at] = reach(step, at)
        return known[step, at]

    return next((at for at in range(len(line)) if memo(len(steps) - 1, at)), None)


def in_lines(game, variations, find):
    """Asks for a place in the main line, or in any whole line."""
    if variations:
        return any(find(line) is not None for line in game.lines), None
    at = find(game.main)
    return at is not None, None if at is None else game.main[at].ply


def chain(chance, games):
    steps, words = [], []
    for place in range(chance.choice([1, 2, 2, 2, 3, 4])):
        within, unless, text = 10**9, None, ""
        if place and chance.random() < 0.5:
            amount = chance.randint(1, 12)
            unit = chance.choice(["plies", "moves"])
            within = amount * (2 if unit == "moves" else 1)
            text = f"within {amount} {unit} "
        if chance.random() < 0.3:
            word, unless = question(chance, games, 1)
            text += f"not {word} until "
        which = (None, 1)
        if chance.random() < 0.3:
            length = chance.randint(1, 4)
            which = chance.choice([("first", 1), ("last", 1), ("lasting", length)])
            text += which[0] + (f" {length} " if which[0] == "lasting" else " ")
        word, fits = question(chance, games, 1)
        steps.append((within, unless, which, fits))
        words.append(text + word)
    if len(steps) == 1 and steps[0][1] is None and steps[0][2][0] is None:
        return chain(chance, games)
    return " then ".join(words), steps


def row(fits, low, high, line):
    """The first of so many places in a row that fit."""
    run = 0
    for at, p in enumerate([*line, None]):
        if p is not None and fits(p):
            run += 1
            if high is None and run >= low:
                return at + 1 - run
            continue
        if high is not None and low <= run <= high:
            return at - run
        run = 0
    return None


VALUES = [1, 3, 3, 5, 9, 0]


def balance(p):
    return sum(VALUES[i % 6] * n * (1 if i < 6 else -1) for i, n in enumerate(p.counts))


def sacrifice(chance):
    options, color = chance.choice([("", None), ("white", True), ("black", False)])
    length = chance.choice([None, 2, 5, 12])
    options = ", ".join(filter(None, [options, f"for {length}" if length else None]))
    low, high = chance.choice([(1, None), (2, None), (3, None), (1, 2), (2, 5)])
    text = "" if (low, high) == (1, None) else f":{low}..{high}" if high else f">={low}"

    def find(line):
        for at in range(2, len(line)):
            p = line[at]
            if p.captured is None or (color is not None and p.color == color):
                continue
            side = -1 if p.color else 1
            lost = [side * (balance(line[at - 2]) - balance(q)) for q in line[at : at + (length or 8) + 1]]
            if all(n >= low and (high is None or n <= high) for n in lost):
                return at
        return None

    return f"sacrifice{f'[{options}]' if options else ''}{text}", find


def exchange(chance):
    taken = letters(chance)
    options, own = whose(chance)

    def find(line):
        for at in range(1, len(line)):
            first, second = line[at - 1], line[at]
            if own(first) and first.captured and first.captured == second.captured and first.captured in taken:
                return at
        return None

    return f"exchange{options}:{taken}", find


def same_letters(p, q, whose=True):
    """Whether a move is another one as far as its letters tell; the side that moved counts where it is asked."""
    if p.castle or q.castle:
        return p.castle == q.castle and (p.color == q.color or not whose)
    san = re.fullmatch(r"([KQRBN])?([a-h])?([1-8])?(x)?([a-h][1-8])(?:=([QRBN]))?[+#]?", p.san)
    man, file, rank, takes, target, becomes = san.groups()
    origin = chess.square_name(q.origin)
    return (
        (man or "P") == q.moved
        and (p.color == q.color or not whose)
        and target == chess.square_name(q.to)
        and file in (None, origin[0])
        and rank in (None, origin[1])
        and (not takes or q.captured is not None)
        and becomes in (None, q.promotion)
    )


def sequence(chance, games):
    """Moves of one game in their order, with anything between them."""
    game = chance.choice([g for g in games if len(g.main) > 4] or games)
    moved = [p for p in game.main if p.moved]
    if len(moved) < 2:
        return None
    places = sorted(chance.sample(moved, min(len(moved), chance.randint(1, 4))), key=lambda p: p.ply)
    sides = [chance.random() < 0.5 for _ in places]
    words = [("w." if p.color else "b.") * told + p.san.rstrip("+#") for p, told in zip(places, sides)]

    def find(line):
        rest = list(zip(places, sides))
        for at, q in enumerate(line):
            if q.moved and same_letters(rest[0][0], q, rest[0][1]):
                rest.pop(0)
                if not rest:
                    return at
        return None

    return f'sequence:"{" ".join(words)}"', find


def line_term(chance, games):
    game = chance.choice([g for g in games if len(g.main) > 2] or games)
    length = min(len(game.main) - 1, chance.randint(1, 8))
    places = game.main[1 : length + 1]
    if not places or any(not p.moved for p in places):
        return None
    free = [chance.random() < 0.25 for _ in places]
    words = ["?" if any_move else p.san for p, any_move in zip(places, free)]
    start = game.main[0].fen, game.main[0].turn
    if game.normal:
        option = ""
    else:
        option = f"[from {game.main[0].whole.fen()}]"
    text = " ".join(words)
    if game.normal and chance.random() < 0.3 and length > 1:
        text = "1…" + " ".join(words[1:])
        free[0] = True

    def same_move(p, q):
        return (p.moved, p.to, p.castle, p.promotion) == (q.moved, q.to, q.castle, q.promotion) and (
            p.castle or p.origin == q.origin
        )

    def find(line):
        if (line[0].fen, line[0].turn) != start or len(line) <= length:
            return None
        for at, (p, q) in enumerate(zip(places, line[1:])):
            # Behind a move that may be any, a move is known by its letters alone.
            fits = same_letters if any(free[:at]) else same_move
            if not free[at] and not (q.moved and fits(p, q)):
                return None
        return length

    return f'line{option}:"{text}"', find


def names(chance, games):
    name = chance.choice(games).headers.get(chance.choice(["White", "Black"]), "?")
    return name


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def same(wanted, name):
    return wanted.strip().lower() == name.strip().lower()


def against(chance, games):
    """A player whose opponent is as strong as is said."""
    name = names(chance, games)
    known = [n for g in games for n in (headers.rating(g, "White"), headers.rating(g, "Black")) if n] or [2400]
    text, strong = headers.operator(chance, chance.choice(known), chance.choice(known))

    def fits(g):
        sides = [("White", "Black"), ("Black", "White")]
        ratings = [headers.rating(g, other) for side, other in sides if same(name, g.headers.get(side, "?"))]
        return any(n is not None and strong(n) for n in ratings), None

    return f"player={quoted(name)} opponent-elo{text}", fits, False


def term(chance, games):
    """A term about a game: its text, and what answers it with a verdict and a ply."""
    kind = chance.randrange(20)
    if kind == 19:
        return against(chance, games)
    if kind > 15:
        text, fits = headers.word(chance, games)
        return text, lambda g: (fits(g), None), False
    if kind == 15:
        word, fits = question(chance, games, 1)
        return f"ends:({word})", lambda g: (fits(g.main[-1]), g.main[-1].ply), False
    variations = chance.random() < 0.25
    option = "[variations]" if variations else ""
    if kind in (0, 1, 2, 3):
        text, steps = chain(chance, games)
        if variations or chance.random() < 0.5:
            text = f"order{option}:({text})"
        return text, lambda g: in_lines(g, variations, lambda line: chain_holds(steps, line)), variations
    if kind in (4, 5):
        word, fits = question(chance, games)
        text, good = numbers(chance, 0, 12)
        if "," in text:
            text, good = ">=2", lambda n: n >= 2
        places = (lambda g: [p[-1] for p in g.paths]) if variations else (lambda g: g.main)
        return f"count{option}:({word}){text}", lambda g: (good(sum(fits(p) for p in places(g))), "any"), variations
    if kind in (6, 7, 8):
        word, fits = question(chance, games)
        if chance.random() < 0.3:
            low = chance.randint(1, 5)
            high = chance.choice([None, None, low, low + 2])
            text = f"lasting {low}" + (f"..{high}" if high else "")
            options = text + (", variations" if variations else "")
            return f"same[{options}]:({word})", lambda g: in_lines(g, variations, lambda line: row(fits, low, high, line)), variations
        return f"same{option}:({word})", lambda g: anywhere(g, variations, lambda path: fits(path[-1])), variations
    if kind > 11:
        made = [sacrifice, exchange, lambda chance: chance.choice([line_term, sequence])(chance, games)][kind - 12](chance)
        if made is None:
            return term(chance, games)
        text, find = made
        if variations:
            text = f"variations:({text})"
        return text, lambda g: in_lines(g, variations, find), variations
    if kind == 9:
        role = chance.choice(["winner", "loser"])
        wanted = [names(chance, games) for _ in range(chance.choice([1, 2]))]
        values = " or ".join(quoted(name) for name in wanted)
        wins = {"1-0": "White", "0-1": "Black"} if role == "winner" else {"1-0": "Black", "0-1": "White"}

        def fits(g):
            side = wins.get(g.result())
            return side is not None and any(same(name, g.headers.get(side, "?")) for name in wanted), None

        return f"{role}=({values})", fits, False
    if kind == 10:
        one = chance.choice(games)
        a, b = names(chance, [one]), names(chance, [one, chance.choice(games)])
        words = chance.choice([("player", "opponent"), ("with", "against")])

        def fits(g):
            white, black = g.headers.get("White", "?"), g.headers.get("Black", "?")
            return (same(a, white) and same(b, black)) or (same(a, black) and same(b, white)), None

        return f"{words[0]}={quoted(a)} {words[1]}={quoted(b)}", fits, False
    if chance.random() < 0.5:
        results = chance.sample(["1-0", "0-1", "1/2-1/2", "*"], 2)
        return f"result:{results[0]},{results[1]}", lambda g: (g.result() in results, None), False
    a, b = sorted(chance.randint(1, len(games)) for _ in range(2))
    c = chance.randint(1, len(games))
    return f"number:{c},{a}..{b}", lambda g: (g.number == c or a <= g.number <= b, None), False


def joined(chance, games):
    """A term, or two of them put together."""
    text, answer, variations = term(chance, games)
    if not variations and chance.random() < 0.05:
        text = f"main:({text})"
    if chance.random() < 0.8:
        return text, answer, variations
    other, second, _ = term(chance, games)
    word, test = chance.choice([("and", all), ("or", any)])
    text = f"(({text}) {word} ({other}))"
    return text, lambda g: (test((answer(g)[0], second(g)[0])), "any"), True


def main():
    path, seed, count, most = sys.argv[1], *map(int, sys.argv[2:5])
    games = []
    with open(path, encoding="utf-8", errors="replace") as file:
        number = 0
        while number < most and (game := chess.pgn.read_game(file)) is not None:
            number += 1
            games.append(Game(number, game))
    chance = random.Random(seed)
    for _ in range(count):
        text, answer, variations = joined(chance, games)
        negated = chance.random() < 0.1 and not text.startswith(("player", "with", "not")) and " then " not in text
        found = []
        for game in games:
            verdict, ply = answer(game)
            if verdict != negated:
                found.append([game.number, "any" if negated or variations else ply])
        print(json.dumps({"query": ("not " if negated else "") + text, "games": found}))


if __name__ == "__main__":
    main()
