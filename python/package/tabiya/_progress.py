"""The progress of long calls."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[int, int, int | None], object]


@contextmanager
def shown(progress: Progress | bool | None) -> Generator[Progress | None]:
    """The function that the library calls: the given one, or with ``True`` a progress bar of tqdm, if it is installed."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]  # pyright: ignore
    except ImportError:
        yield None
        return
    bar: Any = tqdm(unit="B", unit_scale=True)

    def tell(games: int, done: int, total: int | None) -> None:
        bar.total = total
        bar.set_postfix(games=games, refresh=False)
        bar.update(done - bar.n)

    try:
        yield tell
    finally:
        bar.close()
