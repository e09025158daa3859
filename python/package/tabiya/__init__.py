"""Every chess database as Python objects and Arrow tables.

>>> import tabiya
>>> db = tabiya.open("games.pgn")
>>> for game in db.search("player:tal result:1-0"):
...     print(game.white, game.black, game.san[:4])

All classes are safe to use from several threads.
"""

from ._database import Database, Games, convert, open, open_all, write
from ._edit import Edit
from ._errors import (
    BusyError,
    ChangedError,
    ClosedError,
    ConflictError,
    DamageError,
    FileError,
    ForbiddenError,
    FormatError,
    InternalError,
    LimitError,
    MissingFileError,
    NotFoundError,
    StoppedError,
    TabiyaError,
    UsageError,
)
from ._reports import (
    Answer,
    Change,
    CheckReport,
    Conversion,
    DedupeReport,
    Diagnostic,
    DiagnosticKind,
    Loss,
    LossKind,
    NamesReport,
    SourceReport,
)
from ._repertoire import Repertoire, RepertoireCheck, repertoire
from ._sql import sql
from ._tabiya import Game, SqlAnswer, Table, __version__, formats
from ._tags import Tags
from ._tensors import FlatGames, TensorBatch, flat
from ._tree import Arrow, Evaluation, Node, Square
from ._text import read_pgn

__all__ = [
    "Answer",
    "Arrow",
    "BusyError",
    "Change",
    "ChangedError",
    "CheckReport",
    "ClosedError",
    "ConflictError",
    "Conversion",
    "DamageError",
    "Database",
    "DedupeReport",
    "Diagnostic",
    "DiagnosticKind",
    "Edit",
    "Evaluation",
    "FileError",
    "FlatGames",
    "ForbiddenError",
    "FormatError",
    "Game",
    "Games",
    "InternalError",
    "LimitError",
    "Loss",
    "LossKind",
    "MissingFileError",
    "NamesReport",
    "Node",
    "NotFoundError",
    "Repertoire",
    "RepertoireCheck",
    "SourceReport",
    "SqlAnswer",
    "Square",
    "StoppedError",
    "Table",
    "TabiyaError",
    "Tags",
    "TensorBatch",
    "UsageError",
    "__version__",
    "convert",
    "flat",
    "formats",
    "open",
    "open_all",
    "read_pgn",
    "repertoire",
    "sql",
    "write",
]
