"""Exceptions: each says what is wrong and where, with a kind and a code that a program can act on."""

from __future__ import annotations

from typing import Any

_PLACE = ("kind", "code", "parameter", "file", "game", "line", "column", "byte", "ply")


class TabiyaError(Exception):
    """The base class of all errors of the library.

    ``code`` is a stable name, ``kind`` its class. ``file``, ``game``, ``line``, ``column``, ``byte`` and ``ply`` are the place of
    the error, or ``None`` if unknown; ``parameter`` is the invalid argument.
    """

    kind: str = "usage"
    code: str = ""
    message: str
    parameter: str | None = None
    file: str | None = None
    game: int | None = None
    line: int | None = None
    column: int | None = None
    byte: int | None = None
    ply: int | None = None

    def __init__(self, message: str, **place: Any) -> None:
        super().__init__(message)
        self.message = message
        for name, value in place.items():
            if name not in _PLACE:
                raise TypeError(f"there is no attribute {name}")
            setattr(self, name, value)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        place = {name: getattr(self, name) for name in _PLACE}
        return (_again, (type(self), self.message, place))


def _again(cls: type[TabiyaError], message: str, place: dict[str, Any]) -> TabiyaError:
    return cls(message, **place)


class FileError(TabiyaError, OSError):
    """The system refuses: no permission, no room left."""

    kind = "io"


class MissingFileError(FileError, FileNotFoundError):
    """No such file or folder."""


class FormatError(TabiyaError, ValueError):
    """The file is not a known chess database, or its format is not supported."""

    kind = "not-this-format"


class DamageError(TabiyaError, ValueError):
    """The database is too damaged to be read. A damaged game does not raise it: it has ``diagnostics``."""

    kind = "corrupt"


class LimitError(TabiyaError):
    """A limit that protects memory or time was reached."""

    kind = "limit"


class UsageError(TabiyaError, ValueError):
    """An argument is invalid: an option, a query, a name."""


class NotFoundError(TabiyaError, LookupError):
    """Something does not exist: a game, a version, a database."""

    kind = "not-found"


class StoppedError(TabiyaError):
    """The job was stopped."""

    kind = "interrupted"


class ConflictError(TabiyaError):
    """Somebody else has changed the same game or database."""

    kind = "conflict"


class ChangedError(ConflictError):
    """The files have changed since the database was opened; ``reload()`` opens them again."""


class BusyError(TabiyaError):
    """Somebody else is changing the database: try again later."""

    kind = "busy"


class ForbiddenError(TabiyaError):
    """The operation is not allowed here."""

    kind = "forbidden"


class InternalError(TabiyaError):
    """An internal error: this is a bug in Tabiya."""

    kind = "internal"


class ClosedError(TabiyaError, ValueError):
    """The database was closed."""


_KINDS: dict[str, type[TabiyaError]] = {
    "io": FileError,
    "not-this-format": FormatError,
    "unsupported": FormatError,
    "corrupt": DamageError,
    "limit": LimitError,
    "usage": UsageError,
    "interrupted": StoppedError,
    "conflict": ConflictError,
    "busy": BusyError,
    "not-found": NotFoundError,
    "forbidden": ForbiddenError,
    "internal": InternalError,
}


def made(*, kind: str, code: str, message: str, **place: Any) -> TabiyaError:
    """The exception for a failure of the library."""
    cls = _KINDS.get(kind, TabiyaError)
    if code == "file-not-found":
        cls = MissingFileError
    return cls(message, kind=kind, code=code, **place)
