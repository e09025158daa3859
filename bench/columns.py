"""Measures searches, the explorer and statistics over the same games in several formats.

    python3 bench/columns.py RUNS PROGRAMS -- BASES

PROGRAMS are builds of `tabiya`, BASES hold the same games; those that have no index beside them show what the format itself answers. Prints
rows for RESULTS.md: the least CPU time of whole processes, in milliseconds, each program on each base by turns. Answers that differ
end it.
"""

import resource
import subprocess
import sys

NAJDORF = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6"
SEARCHES = {
    "position (Najdorf)": f'position:"{NAJDORF}"',
    "material (rook and pawn against rook)": 'material:"KRP* v KR*"',
    "pattern of a king": 'pattern:"8/8/8/4K3/8/8/8/8"',
    "plies>=200": "plies>=200",
    "white": "white:Anand",
    "player": "player:Short",
    "event": "event:Open",
    "year": "year=2001",
    "elo": "elo>=2600",
    "eco": "eco:B90",
    "result": "result:1-0",
    "has:comments": "has:comments",
    "white and material": 'white:Anand material:"any, queens=0"',
}


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode in (0, 1, 3), command
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1000, process.stdout


def tasks():
    for name, query in SEARCHES.items():
        yield name, lambda base, query=query: ["search", base, query, "--count"]
    yield "explore (Najdorf)", lambda base: ["explore", base, "--fen", NAJDORF]
    yield "stats", lambda base: ["stats", base, "--only", "results,years,players,openings"]
    yield "stats, all", lambda base: ["stats", base]


def main():
    runs, split = int(sys.argv[1]), sys.argv.index("--")
    programs, bases = sys.argv[2:split], sys.argv[split + 1:]
    columns = [(program, base) for base in bases for program in programs]
    print("| task |", " | ".join(f"{base}, {program}" for program, base in columns), "|")
    print("|---|" + "--:|" * len(columns))
    for name, task in tasks():
        best = [float("inf")] * len(columns)
        answers = [b""] * len(columns)
        for _ in range(runs):
            for at, (program, base) in enumerate(columns):
                spent, answers[at] = cpu([program, *task(base)])
                best[at] = min(best[at], spent)
        # The numbers of games and the names of bases differ from format to format, the counts do not.
        if "search" in task(bases[0]):
            assert len(set(answers)) == 1, (name, answers)
        print(f"| {name} |", " | ".join(f"{spent:.0f}" for spent in best), "|", flush=True)


main()
