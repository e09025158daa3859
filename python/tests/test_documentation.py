"""What the README shows is what happens, and the notebook runs."""

from __future__ import annotations

import doctest
import importlib.util
import json
from pathlib import Path

import pytest
from conftest import ROOT

HOME = ROOT / "python"


def test_the_tour_of_the_readme(classics: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("chess", "polars", "pyarrow", "numpy"):
        pytest.importorskip(name)
    monkeypatch.chdir(classics.parent)
    failed, tried = doctest.testfile(str(HOME / "README.md"), module_relative=False, optionflags=doctest.REPORT_NDIFF)
    assert failed == 0 and tried > 30


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nbclient", "nbformat", "ipykernel", "matplotlib", "polars"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    import subprocess
    import sys

    # A program of its own: kernels leave warnings behind that are not ours.
    run = (
        "import sys, nbformat; from nbclient import NotebookClient; "
        "book = nbformat.read(sys.argv[1], as_version=4); "
        "NotebookClient(book, timeout=300, kernel_name='python3', resources={'metadata': {'path': sys.argv[2]}}).execute(); "
        "nbformat.write(book, sys.argv[3])"
    )
    book, out = HOME / "examples" / "openings.ipynb", tmp_path / "out.ipynb"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore", "-c", run, str(book), str(book.parent), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(out.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "image/png" in kinds and "text/html" in kinds
    # What is kept in the project is without outputs: they differ from machine to machine.
    kept = json.loads(book.read_text())["cells"]
    assert all(not cell.get("outputs") for cell in kept)
