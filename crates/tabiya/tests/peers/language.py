"""Makes random queries of the language of docs/query.md and says which games of a PGN file they find, computed plainly
with python-chess. Arguments: file, seed, number of queries, games at most. Answers one line of JSON a query:
its text, whether variations count, and the games with the half-moves before the position that is found, or null."""

import json
import random
import sys

import chess
import chess.pgn

import relations

ROLES = "PNBRQK"


class Place:
    """A position of a game, and the move that led to it."""

    def __init__(self, board, ply, before, move, parent):
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
        self.discovered = bool(
            move and not self.castle and self.checkers & ~chess.SquareSet.from_square(move.to_square)
        )


class Game:
    """What is asked of a game: its headers, and its lines as paths of positions."""

    def __init__(self, number, game):
        self.number = number
        # python-chess leaves the backslashes of PGN in the values.
        unescape = lambda value: value.replace('\\"', '"').replace("\\\\", "\\")
        self.headers = {name: unescape(value) for name, value in game.headers.items()}
        board = game.board()
        start = Place(board, 0, None, None, None)
        # Every position once, each with the way to it.
        self.paths = [[start]]
        stack = [(game, [start], board)]
        while stack:
            node, path, board = stack.pop()
            for child in node.variations:
                after = board.copy(stack=False)
                after.push(child.move)
                place = Place(after, path[-1].ply + 1, board, child.move, path[-1])
                self.paths.append(path + [place])
                stack.append((child, path + [place], after))
        node, board, path = game, game.board(), [start]
        while node.variations:
            child = node.variations[0]
            after = board.copy(stack=False)
            after.push(child.move)
            path = path + [Place(after, path[-1].ply + 1, board, child.move, path[-1])]
            node, board = child, after
        self.main = path

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
    kind = chance.randrange(24)
    if kind > 16:
        text, fits = relations.term(chance, numbers)
        return text, lambda p: fits(p, {})
    if kind == 0:
        return "check", lambda p: p.check
    if kind == 1:
        return "mate", lambda p: p.mate
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


def question(chance, games, depth=0):
    """A question about a position that can stand where one term can."""
    pick = chance.random()
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


def chain_holds(steps, path):
    """Whether the last step holds at the end of a path, after the others in their order."""

    def reach(step, at):
        within, unless, fits = steps[step]
        if not fits(path[at]):
            return False
        if step == 0:
            return unless is None or not any(unless(p) for p in path[:at])
        for before in range(at - 1, -1, -1):
            if at - before > within:
                return False
            if memo(step - 1, before):
                return True
            if unless is not None and unless(path[before]):
                return False
        return False

    known = {}

    def memo(step, at):
        if (step, at) not in known:
            known[step, at] = reach(step, at)
        return known[step, at]

    return memo(len(steps) - 1, len(path) - 1)


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
        word, fits = question(chance, games, 1)
        steps.append((within, unless, fits))
        words.append(text + word)
    if len(steps) == 1 and steps[0][1] is None:
        return chain(chance, games)
    return " then ".join(words), steps


def names(chance, games):
    name = chance.choice(games).headers.get(chance.choice(["White", "Black"]), "?")
    return name


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def same(wanted, name):
    return wanted.strip().lower() == name.strip().lower()


def term(chance, games):
    """A term about a game: its text, and what answers it with a verdict and a ply."""
    kind = chance.randrange(12)
    variations = chance.random() < 0.25
    option = "[variations]" if variations else ""
    if kind in (0, 1, 2, 3):
        text, steps = chain(chance, games)
        if variations or chance.random() < 0.5:
            text = f"order{option}:({text})"
        return text, lambda g: anywhere(g, variations, lambda path: chain_holds(steps, path)), variations
    if kind in (4, 5):
        word, fits = question(chance, games)
        text, good = numbers(chance, 0, 12)
        if "," in text:
            text, good = ">=2", lambda n: n >= 2
        places = (lambda g: [p[-1] for p in g.paths]) if variations else (lambda g: g.main)
        return f"count{option}:({word}){text}", lambda g: (good(sum(fits(p) for p in places(g))), "any"), variations
    if kind in (6, 7, 8):
        word, fits = question(chance, games)
        return f"same{option}:({word})", lambda g: anywhere(g, variations, lambda path: fits(path[-1])), variations
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
        text, answer, variations = term(chance, games)
        negated = chance.random() < 0.1 and not text.startswith(("player", "with", "not")) and " then " not in text
        found = []
        for game in games:
            verdict, ply = answer(game)
            if verdict != negated:
                found.append([game.number, "any" if negated or variations else ply])
        print(json.dumps({"query": ("not " if negated else "") + text, "games": found}))


if __name__ == "__main__":
    main()
