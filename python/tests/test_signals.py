"""Ctrl-C ends every long call, soon and whatever it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import signal, sys, threading, os
import tabiya
signal.signal(signal.SIGINT, signal.default_int_handler)
db = tabiya.open(sys.argv[1])
calls = {{
    "loop": lambda: sum(1 for _ in db for _ in range(3)),
    "headers": lambda: sum(1 for _ in db.headers() for _ in range(3)),
    "search": lambda: db.search("comment:nothing or position:8/8/8/8/8/8/8/K1k5").count(),
    "check": lambda: db.check(),
    "stats": lambda: db.stats(full=True),
    "explore": lambda: db.explore(variations=True),
    "convert": lambda: db.convert(sys.argv[2]),
    "repertoire": lambda: tabiya.repertoire(db, color="white").coverage(db),
    "flat": lambda: sum(len(block) for block in db.flat()),
    "table": lambda: __import__("polars").DataFrame(db.moves()),
}}
call = calls[sys.argv[3]]
try:
    print("begin", flush=True)
    while True:
        call()
        if os.path.exists(sys.argv[2]):
            os.remove(sys.argv[2])
except KeyboardInterrupt:
    print("stopped", flush=True)
    # It works on.
    assert db.game(1).white
    assert not os.path.exists(sys.argv[2])
    sys.exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("call", ["loop", "headers", "search", "check", "stats", "explore", "convert", "repertoire", "flat", "table"])
def test_ctrl_c_ends_a_call(call: str, classics: Path, tmp_path: Path) -> None:
    if call == "flat":
        pytest.importorskip("numpy")
    if call == "table":
        pytest.importorskip("polars")
    path = classics.with_name("many.pgn")
    path.write_bytes(classics.read_bytes() * 300)
    command = [sys.executable, "-c", PROGRAM.format(), str(path), str(tmp_path / "copy.si5"), call]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        assert program.stdout.readline() == "begin\n"
        program.send_signal(signal.SIGINT)
        assert program.stdout.readline() == "stopped\n", program.stderr.read()
        assert program.wait() == 7, program.stderr.read()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["classics.pgn", "many.pgn"]
