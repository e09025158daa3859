"""How soon, and how long, the tools for language models answer.

usage: mcp_times.py PROGRAM FOLDER [ROUNDS]

The folder holds the database to ask about, with its index; games are compared with docs/samples/white.pgn as a repertoire. Each call is made so many times (default: 5); printed are the worst time and
size of each, as a table. The time of what is answered with a job is that until the job has its answer; only what is long by its nature is
measured to the id of its job. A call that takes longer than a second (an id: 0.2 s), or an answer of 50,000 bytes or more, ends the
program with 1.
"""

import json
import pathlib
import subprocess
import sys
import time

WHITE = pathlib.Path(__file__).resolve().parent.parent / "docs/samples/white.pgn"
LINES = ["", "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6", "1.d4 Nf6 2.c4 e6 3.Nc3 Bb4", "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6"]
CALLS = [
    ("bases", {}),
    ("search", {}),
    ("search", {"query": "player:Kasparov"}),
    ("search", {"query": "eco:B90 elo:2600..", "sort": "-elo", "limit": 200}),
    ("search", {"query": "material:KRPvKR"}),
    ("search", {"query": "ends:mate date:1990.."}),
    ("search", {"query": "player:Nobodyatall"}),
    ("game", {"game": 1000}),
    ("position", {"game": 1000}),
    *(("position", {"line": line}) for line in LINES[1:]),
    *(("explore", {"line": line}) for line in LINES),
    ("explore", {"line": LINES[1], "player": "Kasparov"}),
    ("stats", {}),
    ("stats", {"limit": 500}),
    ("stats", {"query": "player:Kasparov", "only": ["openings", "results"]}),
    ("player", {"name": "Kasparov", "limit": 50}),
    ("crosstable", {"of_game": 1000}),
    ("history", {}),
    ("job", {}),
    ("search", {"query": "leaves[by me]:white.pgn player:Kasparov"}),
    ("search", {"query": "leaves[by me]:white.pgn eco:C60..C99"}),
    ("repertoire_check", {"repertoire": "white.pgn", "player": "Kasparov", "gaps": True}),
    ("repertoire_check", {"repertoire": "white.pgn", "games": "1-1000", "limit": 500}),
    ("repertoire_check", {"repertoire": "white.pgn"}),
    # Jobs by their nature: their id comes at once.
    ("novelty", {"games": "1000"}),
    ("novelty", {"games": "1000-1100", "order": "deepest"}),
    ("duplicates", {}),
    ("convert", {"format": "si5"}),
    ("analyse", {"line": LINES[1], "nodes": 1_000_000_000}),
    ("analyse", {"game": 1000, "whole_game": True, "nodes": 10_000_000}),
]
LONG = {"novelty", "duplicates", "convert", "analyse"}


def is_long(name, arguments):
    """Whether a call is a job by its nature: so is one that looks at every game from its first move on."""
    return name in LONG or (name == "repertoire_check" and not {"games", "query", "player"} & arguments.keys())


class Tools:
    def __init__(self, program, *paths):
        self.process = subprocess.Popen([program, "mcp", *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0

    def call(self, name, arguments):
        """The answer, its seconds and its bytes."""
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        begun = time.perf_counter()
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        seconds = time.perf_counter() - begun
        return json.loads(line)["result"], seconds, len(line)


def main():
    program, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    tools = Tools(program, folder, str(WHITE))
    told, _, _ = tools.call("bases", {})
    names = [one["base"] for one in told["structuredContent"]["bases"] if one["base"] != WHITE.name]
    assert names, "no database is in this folder"
    # What a call is about where nothing is said: the databases of the folder, or the first of them.
    single = {"game", "position", "history"}
    worst = {}
    for _ in range(rounds):
        for name, arguments in CALLS:
            begun = time.perf_counter()
            about = {"base": names[0]} if name in single or "game" in arguments else {"bases": names}
            if name in {"bases", "job"} or (name in {"position", "analyse"} and "game" not in arguments):
                about = {}
            result, seconds, size = tools.call(name, {**arguments, **about})
            told = result.get("structuredContent") or {}
            job = told.get("job", {}) if name != "job" else {}
            while job.get("state") == "running":
                time.sleep(0.01)
                asked, _, length = tools.call("job", {"job": job["id"], "stop": is_long(name, arguments)})
                job = asked["structuredContent"]["job"]
                size = max(size, length)
                if not is_long(name, arguments):
                    seconds = time.perf_counter() - begun
            kind = "job" if told.get("job") and name != "job" else "refused" if result["isError"] else "answer"
            key = (name, json.dumps(arguments))
            old = worst.get(key, (0, 0, kind))
            worst[key] = (max(old[0], seconds), max(old[1], size), kind if old[2] == kind else "answer or job")
    print("| call | answered with | worst time | bytes at most |\n|---|---|--:|--:|")
    is_bad = False
    for (name, arguments), (seconds, size, kind) in worst.items():
        print(f"| `{name}` `{arguments}` | {kind} | {seconds * 1000:.0f} ms | {size:,} |")
        is_bad |= seconds >= (0.2 if name in LONG else 1) or size >= 50_000
    tools.process.stdin.close()
    tools.process.wait()
    sys.exit(is_bad)


main()
