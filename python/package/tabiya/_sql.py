"""SQL, answered by the program ``tabiya-sql``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from ._errors import MissingFileError, UsageError
from ._tabiya import SqlAnswer, __version__, begin_sql

_PROGRAM = "tabiya-sql"


def _program() -> str:
    """The path of the program: beside this Python first, then on the path, and of our version."""
    places = [os.path.dirname(sys.executable), *os.get_exec_path()]
    found = shutil.which(_PROGRAM, path=os.pathsep.join(places))
    if found is None:
        raise MissingFileError(
            f"SQL needs the program {_PROGRAM}, which is not installed: `cargo install --locked --path sql` in the project's folder builds it",
            file=_PROGRAM,
        )
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    words = said.stdout.split()
    version = words[1] if len(words) > 1 else "none"
    if version != __version__:
        raise UsageError(f"{found} is of version {version}, but this module is of {__version__}: install the same version of both", file=found)
    return found


def sql(
    query: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    allow: Sequence[str | os.PathLike[str]] = (),
    memory: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
) -> SqlAnswer:
    """Queries databases with SQL, such as ``SELECT white, count(*) FROM 'games.si5' GROUP BY white``; ``docs/sql.md`` has the columns.

    The answer is an Arrow stream, which pyarrow, Polars, pandas and DuckDB take. A query reads files in the working folder, or in
    ``folder``, and in the folders that ``allow`` names. ``memory`` limits the memory of data that grows with the query, such as
    ``"512M"``; ``timeout`` cancels it after that number of seconds. The program ``tabiya-sql`` must be beside this Python or on
    the path; if it is not installed, :class:`MissingFileError` is raised.
    """
    arguments = ["sql", "--arrow"]
    for place in allow:
        arguments += ["--allow", os.path.abspath(place)]
    for name, value in (("--memory", memory), ("--timeout", timeout), ("--threads", threads)):
        if value is not None:
            arguments += [name, str(value)]
    return begin_sql(_program(), [*arguments, "--", query], os.path.abspath(folder or os.curdir))
