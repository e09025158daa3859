"""What `tabiya repertoire` says, computed in the plainest way with python-chess from docs/repertoire.md.

usage: repertoire.py REPERTOIRE.pgn GAMES.pgn [white|black]

Prints one JSON object: the side, where each game leaves, the gaps, the conflicts and the coverage, with the default options and all
moves that were played in at least 5 % and 5 games.
"""

import collections
import json
import re
import sys

import chess
import chess.pgn

BAD, GOOD = {2, 4, 6}, {1, 3}


def key_of(board):
    return board.board_fen(), board.turn


def games_of(path):
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        while game := chess.pgn.read_game(file):
            yield game


class Marks:
    def __init__(self):
        self.bad = self.good = self.only = self.skip = False
        self.share = self.evaluation = None

    def read(self, node, comments):
        self.bad |= bool(BAD & node.nags)
        self.good |= bool(GOOD & node.nags)
        for comment in comments:
            if self.share is None:
                shares = (int(found) for found in re.findall(r"(?<![^\W_])prc:(\d+)", comment))
                self.share = next((share for share in shares if share <= 100), None)
            if self.evaluation is None:
                for value in re.findall(r"\[%eval\s+([^\],]+)", comment):
                    value = value.strip()
                    if value.startswith("#"):
                        moves = int(value[1:])
                        if moves:
                            self.evaluation = (100000 - abs(moves)) * (1 if moves > 0 else -1)
                    else:
                        self.evaluation = round(float(value) * 100)
            for words in re.findall(r"\[%rep\s+([^\]]*)\]", comment):
                words = re.split("[ ,]", words)
                self.only |= "only" in words
                self.skip |= "skip" in words


def moves_of(files_games):
    """For each position a board, and its moves: each with the position after it, and its marks for White and for Black."""
    boards, moves, starts, sides = {}, collections.defaultdict(dict), [], set()
    for game in files_games:
        tag = game.headers.get("Repertoire", "").strip().lower()
        if tag in ("", "?"):
            mine = ["white", "black"]
        elif tag in ("white", "black"):
            mine = [tag]
            sides.add(tag)
        else:
            raise ValueError(tag)
        board = game.board()
        boards.setdefault(key_of(board), board.copy(stack=False))
        starts.append((key_of(board), mine))
        waiting = [(game, board)]
        while waiting:
            node, board = waiting.pop()
            before = key_of(board)
            following = []
            for child in node.variations:
                if not child.move:
                    continue
                after = board.copy(stack=False)
                after.push(child.move)
                boards.setdefault(key_of(after), after)
                step = moves[before].setdefault(key_of(after), (child.move, {}))
                for side in mine:
                    comments = comments_of(child)
                    step[1].setdefault(side, Marks()).read(child, comments)
                following.append((child, after))
            waiting.extend(reversed(following))
    return boards, moves, starts, sides


def comments_of(node):
    """The comments behind a move, each alone in the releases that keep them so."""
    comments = getattr(node, "comments", None)
    return list(comments) if comments is not None else [node.comment]


class Repertoire:
    def __init__(self, path, side):
        boards, moves, starts, sides = moves_of(games_of(path))
        if side is None and len(sides) == 1:
            side = sides.pop()
        if side is None:
            several = collections.Counter()
            for key, steps in moves.items():
                good = [marks for _, marks in steps.values() if not any(one.bad for one in marks.values())]
                several["white" if key[1] else "black"] += len(good) > 1
            assert several["white"] != several["black"]
            side = "white" if several["white"] < several["black"] else "black"
        self.side, self.mine = side, side == "white"
        self.moves, self.bad = {}, {}
        self.boards = boards
        self.starts = list(dict.fromkeys(key for key, mine in starts if side in mine))
        waiting = list(self.starts)
        while waiting:
            key = waiting.pop()
            if key in self.moves:
                continue
            self.moves[key], self.bad[key] = {}, {}
            for after, (move, marks) in moves[key].items():
                if side not in marks:
                    continue
                if key[1] == self.mine and marks[side].bad:
                    self.bad[key][after] = (move, marks[side])
                else:
                    self.moves[key][after] = (move, marks[side])
                    waiting.append(after)
        self.active = set()
        waiting = list(self.starts)
        while waiting:
            key = waiting.pop()
            if key not in self.active:
                self.active.add(key)
                waiting += [after for after, (_, marks) in self.moves[key].items() if not marks.skip]

    def san(self, key, move):
        return self.boards[key].san(move)

    def departure(self, keys):
        """How a game parts, and after how many plies."""
        known = [at for at, key in enumerate(keys) if key in self.moves]
        if not known:
            return "elsewhere", None
        last = known[-1]
        if last == len(keys) - 1:
            return "inside", last
        if not self.moves[keys[last]]:
            return "line-end", last
        return ("me" if keys[last][1] == self.mine else "opponent"), last


def main(path, games_path, side=None):
    repertoire = Repertoire(path, side)
    answer = {"side": repertoire.side, "games": [], "gaps": [], "conflicts": [], "coverage": []}
    played = collections.defaultdict(collections.Counter)
    points = collections.defaultdict(list)
    lengths, ends = [], []
    for number, game in enumerate(games_of(games_path), 1):
        board = game.board()
        keys, moves = [key_of(board)], []
        for move in game.mainline_moves():
            moves.append(move)
            board.push(move)
            keys.append(key_of(board))
        end, ply = repertoire.departure(keys)
        row = {"number": number, "end": end, "ply": ply, "expected": [], "played": None}
        if ply is not None:
            here = keys[ply]
            row["expected"] = sorted(repertoire.san(here, move) for move, _ in repertoire.moves[here].values())
            if ply < len(moves):
                at = game.board()
                for move in moves[:ply]:
                    at.push(move)
                row["played"] = at.san(moves[ply]) if moves[ply] else "--"
            ends.append((ply, end))
        answer["games"].append(row)
        lengths.append(len(moves))
        result = {"1-0": 1, "0-1": 0, "1/2-1/2": 0.5}.get(game.headers.get("Result"))
        seen = set()
        for at, key in enumerate(keys[:-1]):
            if key in repertoire.moves and key not in seen:
                seen.add(key)
                # Castling is one move, however it is written.
                after = keys[at + 1]
                played[key][after] += 1
                if result is not None:
                    points[key, after].append(result if repertoire.mine else 1 - result)
    score = lambda key, after: 100 * sum(points[key, after]) / len(points[key, after]) if points[key, after] else None

    def shares(key):
        """The moves of a position that are followed, with how often."""
        steps = {after: step for after, step in repertoire.moves[key].items() if not step[1].skip}
        if key[1] != repertoire.mine:
            total = sum(played[key].values())
            return {
                after: marks.share / 100 if marks.share is not None else played[key][after] / total if total else 0
                for after, (_, marks) in steps.items()
            }
        if any(marks.only for _, marks in steps.values()):
            steps = {after: step for after, step in steps.items() if step[1].only}
        given = {after: marks.share for after, (_, marks) in steps.items() if marks.share is not None}
        if given:
            total = sum(given.values())
            return {after: given.get(after, 0) / total if total else 0 for after in steps}
        return {after: 1 / len(steps) for after in steps}

    arises = collections.Counter()
    now = {key: 1 for key in repertoire.starts}
    for _ in range(201):
        following = collections.Counter()
        for key, frequency in now.items():
            arises[key] += frequency
            for after, share in shares(key).items():
                if frequency * share > 0:
                    following[after] += frequency * share
        now = following
    for key in repertoire.active:
        board, steps = repertoire.boards[key], repertoire.moves[key]
        total = sum(played[key].values())
        if key[1] != repertoire.mine:
            for after, games in played[key].items():
                if games < 5 or games * 100 / total < 5 or repertoire.moves.get(after):
                    continue
                # The move itself is found by what it leads to.
                moves = [move for move in board.legal_moves if leads_to(board, move) == after]
                if not moves or (after in steps and steps[after][1].skip):
                    continue
                next_board = board.copy(stack=False)
                next_board.push(moves[0])
                if not any(next_board.legal_moves):
                    continue
                share = games / total
                if after in steps and steps[after][1].share is not None:
                    share = steps[after][1].share / 100
                answer["gaps"].append([*key, board.san(moves[0]), games, total, arises[key] * share, not steps, score(key, after)])
            if not steps and total >= 5:
                most = max(played[key].values())
                if most * 100 / total >= 30:
                    answer["conflicts"].append(["stops", *key, [], most])
            continue
        mine = {after: step for after, step in steps.items() if not step[1].skip}
        if len(mine) > 1 and not any(marks.good or marks.only for _, marks in mine.values()):
            answer["conflicts"].append(["several", *key, sorted(board.san(move) for move, _ in mine.values()), None])
        for move, _ in repertoire.bad[key].values():
            answer["conflicts"].append(["bad", *key, [board.san(move)], None])
        scored = {after: score(key, after) for after in mine if played[key][after] >= 5 and points[key, after]}
        for after, value in scored.items():
            if max(scored.values()) - value >= 10:
                answer["conflicts"].append(["score", *key, [board.san(mine[after][0])], None])
        sign = 1 if repertoire.mine else -1
        valued = {after: sign * marks.evaluation for after, (_, marks) in mine.items() if marks.evaluation is not None}
        for after, value in valued.items():
            if max(valued.values()) - value >= 50:
                answer["conflicts"].append(["evaluation", *key, [board.san(mine[after][0])], None])
    for ply in range(max((ply for ply, _ in ends), default=-1) + 1):
        here = collections.Counter(end for at, end in ends if at == ply)
        answer["coverage"].append([
            ply,
            sum(length >= ply for length in lengths),
            sum(at >= ply for at, _ in ends),
            here["me"],
            here["opponent"],
            here["line-end"],
        ])
    print(json.dumps(answer))


def leads_to(board, move):
    after = board.copy(stack=False)
    after.push(move)
    return key_of(after)


main(*sys.argv[1:])
