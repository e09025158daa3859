"""Types: mypy and pyright have nothing to say in their strict modes, and what is written without types has its types inferred."""

from __future__ import annotations

import importlib.util
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tabiya

PACKAGE = Path(tabiya.__file__).parent

USE = """
import tabiya
from typing import assert_type

db = tabiya.open("games.pgn")
assert_type(db[0], tabiya.Game)
assert_type(db[1:2], tabiya.Games)
for game in db.search("white:Tal"):
    assert_type(game.san, list[str])
    assert_type(game.tree.next, tabiya.Node | None)
    assert_type(game.tags["White"], str)
assert_type(tabiya.convert(db, "x.si5").losses, list[tabiya.LossKind])
for batch in db.tensors(10, seed=1):
    assert_type(batch, tabiya.TensorBatch)
with db.edit() as edit:
    edit.add(db[0])
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_checked(checker: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    use = tmp_path / "use.py"
    use.write_text(USE)
    if checker == "mypy":
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
        command += ["-p", "tabiya"]
        checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        checked = subprocess.run([*command[:-2], str(use)], capture_output=True, text=True, cwd=tmp_path)
    else:
        # Files of the project are checked and not only used: they are put where the configuration is.
        shutil.copytree(PACKAGE, tmp_path / "tabiya", ignore=shutil.ignore_patterns("__pycache__"))
        config = tmp_path / "pyrightconfig.json"
        config.write_text('{"typeCheckingMode": "strict", "include": ["."]}')
        command = [sys.executable, "-m", "pyright", "-p", str(config), "--pythonpath", sys.executable]
        checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        if "npm" in checked.stderr or "node" in checked.stderr and checked.returncode not in (0, 1):
            pytest.skip("pyright has no node to run with")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_everything_public_is_documented() -> None:
    missing: list[str] = []
    for name in tabiya.__all__:
        thing = getattr(tabiya, name)
        if not callable(thing):
            continue
        if not inspect.getdoc(thing):
            missing.append(name)
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                is_described = callable(value) or isinstance(value, property) or inspect.isgetsetdescriptor(value)
                if is_described and not member.startswith("_") and not inspect.getdoc(value):
                    missing.append(f"{name}.{member}")
    assert not missing


def test_the_stub_tells_what_there_is() -> None:
    import ast

    from tabiya import _tabiya

    stub = ast.parse((PACKAGE / "_tabiya.pyi").read_text())
    told = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(_tabiya) if not name.startswith("__")}
    assert there - told == {"GameStream", "HeaderStream", "TensorStream", "FlatTags"}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            cls = getattr(_tabiya, node.name)
            told = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            there = {name for name, value in vars(cls).items() if not name.startswith("__")}
            assert there == {name for name in told if not name.startswith("__")}, node.name
