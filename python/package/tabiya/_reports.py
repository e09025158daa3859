"""The results of jobs, as objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast


class Answer(Mapping[str, Any]):
    """An answer with the fields of ``--json`` of the same command (``docs/json.md``), as keys and as attributes."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries and lists."""

        def plain(value: Any) -> Any:
            if isinstance(value, Answer):
                return value.to_dict()
            if isinstance(value, list):
                several = cast(list[object], value)
                return [plain(held) for held in several]
            return value

        return {name: plain(value) for name, value in self._fields.items()}

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"the answer has no field {name}; it has {', '.join(self._fields)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Answer, (self._fields,))

    def __repr__(self) -> str:
        return f"Answer({self._fields!r})"


def _value(value: Any) -> Any:
    """A value of JSON, with answers for objects."""
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value)
        return Answer({name: _value(held) for name, held in fields.items()})
    if isinstance(value, list):
        several = cast(list[object], value)
        return [_value(held) for held in several]
    return value


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding of a reader."""

    code: str
    severity: str
    message: str
    help: str
    file: str | None
    game: int | None
    line: int | None
    column: int | None
    byte: int | None
    ply: int | None

    @property
    def is_damage(self) -> bool:
        """Whether something could not be read."""
        return self.severity == "damage"


@dataclass(frozen=True, slots=True)
class DiagnosticKind:
    """A kind of finding: how often it was found, with the first examples."""

    code: str
    severity: str
    summary: str
    count: int
    examples: list[Diagnostic]


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss in the copy of one game; ``game`` is its number in the source."""

    game: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class LossKind:
    """A kind of loss: how often it occurred, with the first examples. ``aspect`` is the part of a game that it is about."""

    kind: str
    aspect: str
    summary: str
    count: int
    examples: list[Loss]


@dataclass(frozen=True, slots=True)
class SourceReport:
    """The findings in a source of a copy, and the losses of the copy."""

    source: str
    format: str
    games: int
    left_out: int
    damaged_games: int
    diagnostics: list[DiagnosticKind]
    losses: list[LossKind]
    unreported_differences: list[str] | None


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a copy.

    ``is_complete`` is true if everything was read and is in the target; ``fault`` is why nothing was written with ``strict=True``.
    """

    target: str
    format: str
    games: int
    bytes: int
    files: list[str]
    notes: list[str]
    sources: list[SourceReport]
    failed: list[tuple[str, str]]
    is_complete: bool
    fault: str | None = None

    @property
    def losses(self) -> list[LossKind]:
        """The losses of all sources."""
        return [loss for source in self.sources for loss in source.losses]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check."""

    games: int
    damaged: int
    diagnostics: list[Diagnostic]


@dataclass(frozen=True, slots=True)
class DedupeReport:
    """Duplicate games: pairs as in ``dedupe --json``, and the numbers of the games to drop."""

    games: int
    pairs: list[Answer]
    drops: list[int]


@dataclass(frozen=True, slots=True)
class NamesReport:
    """Names that are spelt in several ways, and the text of a spelling file that corrects them."""

    groups: list[Answer]
    spelling_file: str


@dataclass(frozen=True, slots=True)
class Change:
    """The result of one change of a database."""

    wish: str
    games: int
    removed: int
    refused: int
    added: list[int]
    losses: list[LossKind] = field(default_factory=list[LossKind])
    notes: list[str] = field(default_factory=list[str])


def diagnostics_of(text: str) -> list[Diagnostic]:
    """Findings from their JSON."""
    return [Diagnostic(**told) for told in json.loads(text)]


def answer_of(text: str) -> Answer:
    """An answer from its JSON."""
    answer = _value(json.loads(text))
    assert isinstance(answer, Answer)
    return answer


def answers_of(text: str) -> list[Answer]:
    """A list of answers from its JSON."""
    return cast(list[Answer], _value(json.loads(text)))


def losses_of(told: list[dict[str, Any]]) -> list[LossKind]:
    """Losses from their JSON."""
    return [
        LossKind(
            kind=kind["kind"],
            aspect=kind["aspect"],
            summary=kind["summary"],
            count=kind["count"],
            examples=[Loss(**loss) for loss in kind["examples"]],
        )
        for kind in told
    ]


def _source_of(told: dict[str, Any]) -> SourceReport:
    return SourceReport(
        source=told["source"],
        format=told["format"],
        games=told["games"],
        left_out=told["left_out"],
        damaged_games=told["damaged_games"],
        diagnostics=[
            DiagnosticKind(
                code=kind["code"],
                severity=kind["severity"],
                summary=kind["summary"],
                count=kind["count"],
                examples=[Diagnostic(**found) for found in kind["examples"]],
            )
            for kind in told["diagnostics"]
        ],
        losses=losses_of(told["losses"]),
        unreported_differences=told["unreported_differences"],
    )


def conversion_of(text: str, is_complete: bool, fault: str | None) -> Conversion:
    """The report of a copy from its JSON."""
    told = json.loads(text)
    return Conversion(
        target=told["target"],
        format=told["format"],
        games=told["games"],
        bytes=told["bytes"],
        files=told.get("files") or [],
        notes=told["notes"],
        sources=[_source_of(source) for source in told["sources"]],
        failed=[(failed["source"], failed["error"]) for failed in told["failed"]],
        is_complete=is_complete and told["whole"],
        fault=fault,
    )


def changes_of(text: str) -> list[Change]:
    """Changes from their JSON."""
    return [
        Change(
            wish=told["wish"],
            games=told["games"],
            removed=told["removed"],
            refused=told["refused"],
            added=told["added"],
            losses=losses_of(told["losses"]),
            notes=told["notes"],
        )
        for told in json.loads(text)
    ]
