"""The wheel: its tag, and that it brings no library of others."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tabiya


def test_the_wheel_is_for_every_later_python() -> None:
    told = importlib.metadata.distribution("tabiya").read_text("WHEEL") or ""
    assert re.search(r"^Tag: cp311-abi3-", told, re.MULTILINE)
    assert importlib.metadata.version("tabiya") == tabiya.__version__


@pytest.mark.skipif(sys.platform != "linux", reason="the tag is one of Linux")
def test_the_tag_is_what_the_module_needs() -> None:
    told = importlib.metadata.distribution("tabiya").read_text("WHEEL") or ""
    found = re.search(r"manylinux_2_(\d+)_", told)
    assert found, told
    module = next(Path(tabiya.__file__).parent.glob("_tabiya*.so"))
    needed = subprocess.run(["objdump", "-T", "-p", str(module)], capture_output=True, text=True, check=False)
    if needed.returncode != 0:
        pytest.skip("objdump is not installed")
    versions = [int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", needed.stdout)]
    assert versions and max(versions) <= int(found[1])
    libraries = set(re.findall(r"NEEDED\s+(\S+)", needed.stdout))
    assert libraries <= {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
