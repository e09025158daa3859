"""The tags of a game, registered as a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ._tabiya import Tags

cast(Any, Mapping).register(Tags)

__all__ = ["Tags"]
