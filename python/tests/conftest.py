"""What the tests share: sample databases, and the games of others where they lie beside the project."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
SAMPLES = ROOT / "docs" / "samples"
IS_FULL = os.environ.get("TABIYA_FULL") == "1"


def shared(name: str) -> Path:
    """A file of games of others; the test is skipped where it is not there."""
    folder = Path(os.environ.get("TABIYA_SHARED", ROOT.parent / "shared"))
    path = folder / "corpora" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def unpacked(name: str, folder: Path, size: int | None) -> Path:
    """The first so many bytes of a packed file of games, up to the end of a game; all of it where that is asked for."""
    source = shared(name)
    target = folder / name.removesuffix(".zst")
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    with subprocess.Popen(["zstd", "-dc", str(source)], stdout=subprocess.PIPE) as unpack:
        assert unpack.stdout is not None
        data = unpack.stdout.read() if size is None else unpack.stdout.read(size)
        unpack.kill()
    if size is not None:
        data = data[: data.rfind(b"\n[Event ") + 1]
    target.write_bytes(data)
    return target


def day(date: str) -> str:
    """A date as it is sorted: what is unknown comes before everything that is known."""
    return date.replace("?", "0")


@pytest.fixture
def classics(tmp_path: Path) -> Path:
    """A copy of the games of the first steps, which a test may change."""
    return Path(shutil.copy(SAMPLES / "classics.pgn", tmp_path))
