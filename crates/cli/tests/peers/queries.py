"""Says which games of a PGN file fit terms about the evaluations that stand in them, by Lichess's published formulas.
Arguments: file, terms. Answers a list of numbers in JSON for each term, a line each."""

import json
import re
import sys

import chess.pgn

import annotate as lichess


def score(node):
    """The evaluation behind a move, seen from White; mate in nothing is none."""
    found = re.findall(r"\[%eval\s+([^\]]*)\]", node.comment)
    for text in reversed(found):
        match = re.fullmatch(r"(?:#([+-]?\d+)|([+-]?(?:\d+\.?\d*|\.\d+)))(?:,\d+)?", text.strip())
        if match is None:
            continue
        if match[1] is not None:
            if int(match[1]) == 0:
                continue
            return ("mate", int(match[1]))
        return ("cp", round(float(match[2]) * 100))
    return None


def game_figures(game):
    """Steps between two evaluations, and the run of all of them where it has no gap."""
    white_first = game.turn()
    standard = game.board() == chess.Board() and "FEN" not in game.headers
    start = ("cp", 15) if standard else score(game)
    after = [score(node) for node in game.mainline()]
    if all(found is None for found in after):
        return None
    steps = []
    for ply, (before, behind) in enumerate(zip([start] + after, after)):
        if before is not None and behind is not None:
            steps.append(((ply % 2 == 0) == white_first, before, behind))
    known = next(i for i, found in enumerate(after) if found is not None)
    if known == 0 and start is not None:
        first, run = 0, [start] + after
    else:
        first, run = known + 1, after[known:]
    length = next((i for i, found in enumerate(run) if found is None), len(run))
    whole = None
    if length > 1 and len(run) <= length + 1:
        whole = lichess.game_accuracy(run[:length], (first % 2 == 0) == white_first)
    return steps, whole


def count(word, steps):
    total = 0
    for white, before, after in steps:
        sign = 1 if white else -1
        mates = [kind == "mate" and sign * value > 0 for kind, value in (before, after)]
        if word == "missed-mate":
            total += mates[0] and not mates[1]
        elif word == "best-move":
            rank = [
                (0, sign * value) if kind == "cp" else ((1 if sign * value > 0 else -1), 0)
                for kind, value in (before, after)
            ]
            total += rank[1] >= rank[0]
        else:
            total += lichess.judge(before, after, white) == word
    return total


def compare(value, operator, bound):
    return {":": value == bound, ">": value > bound, "<": value < bound, ">=": value >= bound, "<=": value <= bound}[operator]


def fits(term, figures, result):
    match = re.fullmatch(r"([a-z-]+?)(?:(>=|<=|>|<|:)([\d.]+)(%?))?(?: by:(\w+))?", term)
    word, operator, bound, share, by = match.groups()
    operator, bound, by = operator or ">=", float(bound or 1), by or "both"
    steps, whole = figures
    if by in ("winner", "loser"):
        if result not in ("1-0", "0-1"):
            return False
        by = "white" if (result == "1-0") == (by == "winner") else "black"
    if word in ("accuracy", "acpl"):
        if whole is None:
            return False
        field = "accuracy" if word == "accuracy" else "average_loss"
        values = {side: None if whole[side] is None else round(whole[side][field], 2) for side in ("white", "black")}
        good = {side: value is not None and compare(value, operator, bound) for side, value in values.items()}
        return {"both": all(good.values()), "any": any(good.values())}.get(by, good.get(by))
    sides = {"white": [s for s in steps if s[0]], "black": [s for s in steps if not s[0]]}
    if word == "eval-swing":
        own = sides.get(by, steps)
        largest = max((abs(lichess.cut(a) - lichess.cut(b)) for _, a, b in own), default=None)
        return largest is not None and compare(largest, operator, round(bound * 100))

    def good(own):
        if not own:
            return False
        total = count(word, own)
        return compare(100 * total / len(own) if share else total, operator, bound)

    if by == "any":
        return good(sides["white"]) or good(sides["black"])
    return good(sides.get(by, steps))


def main():
    path, terms = sys.argv[1], sys.argv[2:]
    found = {term: [] for term in terms}
    number = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            number += 1
            figures = game_figures(game)
            if figures is None:
                continue
            for term in terms:
                if fits(term, figures, game.headers.get("Result", "*")):
                    found[term].append(number)
    for term in terms:
        print(json.dumps(found[term]))


if __name__ == "__main__":
    main()
