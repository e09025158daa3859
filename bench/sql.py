"""Measures SQL over databases, beside DuckDB over the same files.

    python3 bench/sql.py PROGRAM FOLDER [RUNS]

PROGRAM is a release build of `tabiya`, with that of `tabiya-sql` beside it. FOLDER has `otb.si5` and `otb5.si5`, which has the games of
the first five times; what else is wanted is made there once: `.parquet` of both, and lakes of the first with its tables.
Prints rows for RESULTS.md: medians of whole processes by turns, with two threads each, or with one where that is said. DuckDB's
command (`pip install duckdb-cli`) is looked for on the path.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

PLAYERS = "SELECT white, count(*) AS games, avg(score) AS score FROM FILE GROUP BY white ORDER BY 2 DESC, 1 LIMIT 20"
OPENINGS = "SELECT eco, year, count(*) AS games, avg(score) AS score FROM FILE GROUP BY eco, year ORDER BY 3 DESC, 1, 2 LIMIT 20"
PLIES = "SELECT sum(plies) FROM FILE"
# A Najdorf, an ending that the count of men decides, and a position that stands in few games.
NAJDORF = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w"
ENDING = "8/8/8/8/4k3/8/4P3/4K3 w"
RARE = "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQK2R w"


def measured(command, folder):
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
    answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, answer


def numbers(answer):
    """The rows of an answer, whatever signs its program likes around texts and behind points."""
    rows = []
    for line in answer.decode().splitlines()[1:]:
        cells = line.rstrip(",").rsplit(",", 2)
        rows.append((cells[0].replace('"', ""), *(round(float(cell), 9) for cell in cells[1:])))
    return rows


class Bench:
    def __init__(self, program, folder, runs):
        self.program, self.folder, self.runs = program, folder, runs

    def ours(self, query, file, *options):
        return [self.program, "sql", "--csv", *options, query.replace("FILE", f"'{file}'")]

    def duckdb(self, query, file, threads=2):
        return ["duckdb", "-csv", "-c", f"SET threads={threads}; {query.replace('FILE', chr(39) + file + chr(39))}"]

    def turns(self, commands):
        """The medians of each command: time, processor time, memory; and the answer of the last run."""
        found = {name: [] for name in commands}
        for _ in range(self.runs):
            for name, command in commands.items():
                found[name].append(measured(command, self.folder))
        return {
            name: (*(statistics.median(run[at] for run in runs) for at in range(3)), runs[-1][3])
            for name, runs in found.items()
        }

    def make(self):
        for base in ("otb", "otb5"):
            if not (self.folder / f"{base}.parquet").exists():
                subprocess.run([self.program, "convert", f"{base}.si5", f"{base}.parquet"], cwd=self.folder, check=True)
        if not (self.folder / "lake").exists():
            command = [self.program, "lake", "build", "--positions", "--partition", "none", "otb.si5", "lake"]
            subprocess.run(command, cwd=self.folder, check=True)

    def aggregates(self):
        for name, query in (("by player", PLAYERS), ("by ECO and year", OPENINGS)):
            found = self.turns({
                "duckdb": self.duckdb(query, "otb5.parquet"),
                "parquet": self.ours(query, "otb5.parquet"),
                "si5": self.ours(query, "otb5.si5"),
            })
            answers = [numbers(found[who][3]) for who in ("duckdb", "parquet", "si5")]
            assert answers[0] == answers[1] == answers[2], answers
            duckdb, parquet, si5 = (found[who] for who in ("duckdb", "parquet", "si5"))
            print(f"| {name}: DuckDB | {duckdb[0] * 1000:.0f} | {duckdb[1] * 1000:.0f} | {duckdb[2]:.0f} | |")
            print(f"| {name}: Parquet | {parquet[0] * 1000:.0f} | {parquet[1] * 1000:.0f} | {parquet[2]:.0f} | {parquet[0] / duckdb[0]:.2f} × DuckDB |")
            print(f"| {name}: si5, by facts | {si5[0] * 1000:.0f} | {si5[1] * 1000:.0f} | {si5[2]:.0f} | {si5[0] / parquet[0]:.2f} × Parquet |")

    def positions(self):
        plies = float(measured(self.ours(PLIES, "otb.parquet"), self.folder)[3].split()[1])
        for name, fen in (("a Najdorf", NAJDORF), ("a pawn ending", ENDING), ("a rare position", RARE)):
            query = f"SELECT count(*) FROM FILE WHERE has_position(moves, '{fen}', fen)"
            found = self.turns({
                "moves": self.ours(query, "otb.parquet", "--threads", "1"),
                "lake": self.ours(query, "lake"),
            })
            moves, lake = found["moves"], found["lake"]
            assert moves[3] == lake[3], (moves[3], lake[3])
            games = moves[3].split()[1].decode()
            print(f"| `has_position`, {name} ({games} games), moves, one thread | {moves[0] * 1000:.0f} | {moves[1] * 1000:.0f} | {moves[2]:.0f} | {plies / moves[1] / 1e6:.1f} M plies/s of CPU time |")
            print(f"| the same by the table of positions | {lake[0] * 1000:.1f} | {lake[1] * 1000:.0f} | {lake[2]:.0f} | |")


def main():
    if len(sys.argv) < 3 or not shutil.which("duckdb"):
        sys.exit(__doc__)
    bench = Bench(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 9)
    bench.make()
    print("| what | time (ms) | CPU (ms) | peak (MiB) | |")
    print("|---|--:|--:|--:|--:|")
    bench.aggregates()
    bench.positions()


main()
