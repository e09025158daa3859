"""Compares the ECO codes that Tabiya gives to games with their tags, pgn-extract and the table of Scid.

    python3 bench/eco_codes.py GAMES.pgn tabiya /usr/share/scid/data/scid.eco /usr/share/pgn-extract/eco.pgn

Counts the games for which tag, pgn-extract and Scid agree, and of those the ones to which Tabiya gives another code, by what its table has in the place
of Scid's. Scid's code is that of the last position of a game that is in its table, as Scid finds it. Needs python-chess and pgn-extract.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

import chess

OURS = pathlib.Path(__file__).parents[1] / "crates" / "openings" / "data" / "openings.tsv"


def key(board):
    return board.board_fen(), board.turn


def scid_table(path):
    rows = []
    for line in open(path, encoding="utf-8", errors="replace"):
        if found := re.match(r'([A-E]\d\d)\w*\s+"[^"]*"\s*(.*)', line):
            rows.append([found[1], found[2]])
        elif rows and line.strip() and not line.startswith("#"):
            rows[-1][1] += " " + line.strip()
    table = {}
    for code, line in rows:
        board = chess.Board()
        for word in re.sub(r"\d+\.+|\*", " ", line).split():
            board.push_san(word)
        table[key(board)] = code
    return table


def our_table():
    table = {}
    for line in OURS.read_text(encoding="utf-8").splitlines()[1:]:
        code, _, _, epd = line.split("\t")
        table.setdefault(key(chess.Board(epd + " 0 1")), code)
    return table


def by_pgn_extract(games, book):
    """The code and the moves of each game."""
    command = ["pgn-extract", "-s", f"-e{book}", "-Wlalg", games]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("latin1")
    for game in re.split(r"\n\n(?=\[)", text):
        code = re.search(r'^\[ECO "([A-E]\d\d)', game, re.M)
        moves = game.rsplit("]", 1)[-1]
        yield code and code[1], re.findall(r"\b[a-h][1-8][a-h][1-8][QRBN]?\b", moves)


def last_in(tables, moves):
    """The last code of each table on the way through a game, and after how many half-moves."""
    board, last = chess.Board(), [(None, 0)] * len(tables)
    for ply, move in enumerate(moves[:60], 1):
        try:
            board.push_uci(move.lower())
        except ValueError:
            break
        for at, table in enumerate(tables):
            if key(board) in table:
                last[at] = table[key(board)], ply
    return last


def main(games, program, scid, book):
    tables = scid_table(scid), our_table()
    told = subprocess.run([program, "eco", "--json", games], stdout=subprocess.PIPE, check=False).stdout
    told = [json.loads(line) for line in told.splitlines()]
    counts = collections.Counter()
    for ours, (theirs, moves) in zip(told, by_pgn_extract(games, book), strict=False):
        tag = (ours["tag"] or "")[:3]
        if not tag or tag != theirs:
            continue
        (code, ply), (_, own_ply) = last_in(tables, moves)
        if code != tag:
            continue
        counts["agree"] += 1
        if ours["eco"] == tag:
            counts["the same"] += 1
        elif own_ply > ply:
            counts["ours has a later position"] += 1
        elif own_ply == ply:
            counts["ours has another code for the same position"] += 1
        else:
            counts["Scid's has a later position"] += 1
    for name, count in counts.most_common():
        print(f"| {name} | {count:,} |")


main(*sys.argv[1:])
