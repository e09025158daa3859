"""SQL: the program that answers is found, is of our version, and what it says comes as a stream of Arrow or as an exception."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import tabiya
from conftest import ROOT

pa = pytest.importorskip("pyarrow")

STUB = """#!{python}
import sys
if sys.argv[1:] == ["--version"]:
    print("tabiya {version}")
    sys.exit(0)
assert sys.argv[1:3] == ["sql", "--arrow"] and sys.argv[-2] == "--", sys.argv
query = sys.argv[-1]
if query == "bad":
    print("tabiya sql: there is no table bad", file=sys.stderr)
    sys.exit(2)
if query == "silent":
    sys.exit(3)
if query == "slow":
    import time
    time.sleep(600)
sys.path.append({packages!r})
import pyarrow as pa
schema = pa.schema([("name", pa.string()), ("count", pa.int64())])
with pa.ipc.new_stream(sys.stdout.buffer, schema) as out:
    for at in range(3):
        out.write_batch(pa.record_batch([["a", query], [at, None]], schema=schema))
        if query == "half":
            sys.stdout.buffer.flush()
            print("tabiya sql: the disk is full", file=sys.stderr)
            import os
            os._exit(2)
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str = tabiya.__version__) -> None:
    """Puts a program on the path that answers as tabiya-sql does."""
    program = folder / "tabiya-sql"
    packages = str(Path(pa.__file__).parent.parent)
    program.write_text(STUB.format(python=sys.executable, version=version, packages=packages))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_answers_are_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    answer = tabiya.sql("-- a comment", memory="512M", timeout=60, threads=2, allow=[tmp_path])
    assert answer.columns == ["name", "count"] and repr(answer) == "<tabiya.SqlAnswer of name, count>"
    expected = {"name": ["a", "-- a comment"] * 3, "count": [0, None, 1, None, 2, None]}
    # The second time it is asked anew.
    assert pa.table(answer).to_pydict() == pa.table(answer).to_pydict() == expected
    assert pa.schema(answer).names == ["name", "count"]


def test_failures_are_exceptions_in_the_words_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    with pytest.raises(tabiya.UsageError, match="there is no table bad"):
        tabiya.sql("bad")
    with pytest.raises(tabiya.UsageError, match="tabiya-sql has failed"):
        tabiya.sql("silent")
    half = tabiya.sql("half")
    with pytest.raises(Exception, match="the disk is full"):
        pa.table(half)


def test_a_program_that_is_missing_or_old_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tabiya.MissingFileError, match="needs the program tabiya-sql") as failed:
        tabiya.sql("SELECT 1")
    assert isinstance(failed.value, FileNotFoundError)
    install(tmp_path, monkeypatch, "0.0.1")
    with pytest.raises(tabiya.UsageError, match="of version 0.0.1"):
        tabiya.sql("SELECT 1")


def test_ctrl_c_ends_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import _thread
    import signal
    import threading

    install(tmp_path, monkeypatch)
    # Whoever runs the tests in the background may have them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tabiya.sql("slow")
    timer.join()
    signal.signal(signal.SIGINT, before)


def test_the_program_itself_answers(classics: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = [ROOT / "sql" / "target" / profile / "tabiya-sql" for profile in ("debug", "ci", "quick", "release")]
    found = next((program for program in built if program.exists()), None)
    if found is None:
        pytest.skip("tabiya-sql is not built")
    monkeypatch.setenv("PATH", f"{found.parent}{os.pathsep}{os.environ['PATH']}")
    answer = tabiya.sql("SELECT result, count(*) AS games FROM 'classics.pgn' GROUP BY result ORDER BY 2 DESC", folder=classics.parent)
    rows = pa.table(answer).to_pylist()
    with tabiya.open(classics) as db:
        counted = [(row["result"], row["games"]) for row in rows]
        assert sorted(counted) == sorted((result, db.search(f"result:{result}").count()) for result, _ in counted)
        assert sum(games for _, games in counted) == len(db)
    with pytest.raises(tabiya.UsageError, match="nowhere"):
        tabiya.sql("SELECT * FROM 'nowhere.pgn'", folder=classics.parent)
