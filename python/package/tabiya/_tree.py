"""A game as a tree of moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._tabiya import Game, commands_of, plain_comment


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation, seen from White: hundredths of a pawn, or the moves to mate (negative if White is mated)."""

    centipawns: int | None
    mate: int | None
    depth: int | None

    @property
    def pawns(self) -> float | None:
        """The same in pawns, unless it is a mate."""
        return None if self.centipawns is None else self.centipawns / 100


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow on the board."""

    tail: str
    head: str
    colour: str


@dataclass(frozen=True, slots=True)
class Square:
    """A coloured square."""

    square: str
    shape: str
    colour: str


class Node:
    """A place in a game: the start, or a move.

    ``children`` are the moves that follow; the first of them continues the line, the others are variations. ``comments`` and
    ``nags`` are those after the move, ``comments_before`` those before the first move of a variation. ``extras`` is everything
    that is neither a move nor an annotation: unreadable text, results within the moves, and extensions of a single format.
    """

    __slots__ = (
        "_at",
        "_game",
        "children",
        "comments",
        "comments_before",
        "extras",
        "is_legal",
        "nags",
        "parent",
        "ply",
        "san",
        "uci",
    )

    def __init__(self, game: Game, parent: Node | None, at: int) -> None:
        self._game = game
        self._at = at
        self.parent = parent
        self.children: list[Node] = []
        self.san = ""
        self.uci = ""
        self.is_legal = True
        self.ply: int = 0 if parent is None else parent.ply + 1
        self.nags: list[int] = []
        self.comments: list[str] = []
        self.comments_before: list[str] = []
        self.extras: list[tuple[Any, ...]] = []

    @property
    def next(self) -> Node | None:
        """The move that continues the line."""
        return self.children[0] if self.children else None

    @property
    def variations(self) -> list[Node]:
        """The other moves that follow."""
        return self.children[1:]

    @property
    def comment(self) -> str:
        """The comments after the move as one text."""
        return " ".join(self.comments)

    @property
    def text(self) -> str:
        """The same without commands such as ``[%clk …]``."""
        return plain_comment(self.comment)

    def _commands(self) -> Iterator[tuple[Any, ...]]:
        for comment in self.comments:
            yield from commands_of(comment)

    def _first(self, kind: str) -> tuple[Any, ...] | None:
        return next((told for told in self._commands() if told[0] == kind), None)

    @property
    def clock(self) -> float | None:
        """The seconds that were left on the clock of the player who moved."""
        told = self._first("clk")
        return None if told is None else float(told[1])

    @property
    def move_time(self) -> float | None:
        """The seconds that the move took."""
        told = self._first("emt")
        return None if told is None else float(told[1])

    @property
    def eval(self) -> Evaluation | None:
        """The evaluation after the move."""
        told = self._first("eval")
        return None if told is None else Evaluation(told[1], told[2], told[3])

    @property
    def arrows(self) -> list[Arrow]:
        """The arrows in the comments."""
        return [Arrow(told[1], told[2], told[3]) for told in self._commands() if told[0] == "arrow"]

    @property
    def squares(self) -> list[Square]:
        """The coloured squares in the comments."""
        return [Square(told[1], told[2], told[3]) for told in self._commands() if told[0] == "square"]

    @property
    def fen(self) -> str:
        """The position after the move."""
        return self._game._fen_after(self._at)  # pyright: ignore[reportPrivateUsage]

    def main_line(self) -> Iterator[Node]:
        """The moves from here to the end of the line."""
        node = self.next
        while node is not None:
            yield node
            node = node.next

    def walk(self) -> Iterator[Node]:
        """This node and all that follow, each before its children."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def __repr__(self) -> str:
        if self.parent is None:
            return "<tabiya.Node at the start>"
        number = f"{(self.ply + 1) // 2}{'.' if self.ply % 2 else '...'}"
        return f"<tabiya.Node {number} {self.san}>"

    def _repr_svg_(self) -> str:
        from ._display import board_svg

        return board_svg(self.fen, self.uci, self.arrows, self.squares)


def tree_of(game: Game) -> Node:
    """The start of a game, from which its moves follow."""
    root = Node(game, None, 0)
    here = root
    outer: list[Node] = []
    # What stands in a variation before its first move.
    before: list[tuple[Any, ...]] | None = None
    ops = game._ops()  # pyright: ignore[reportPrivateUsage]
    for at, op in enumerate(ops):
        kind = op[0]
        if kind == "move":
            node = Node(game, here, at + 1)
            node.san, node.uci, node.is_legal = op[1], op[2], op[3]
            here.children.append(node)
            here = node
            for told in before or ():
                if told[0] == "comment":
                    node.comments_before.append(told[1])
                else:
                    node.extras.append(("before", *told))
            before = None
        elif kind == "begin":
            outer.append(here)
            assert here.parent is not None
            here = here.parent
            before = []
        elif kind == "end":
            here = outer.pop()
            if before is not None:
                # A variation without a move.
                here.extras.append(("variation", *before))
            before = None
        elif before is not None:
            before.append(op)
        elif kind == "comment":
            here.comments.append(op[1])
        elif kind == "nag":
            here.nags.append(op[1])
        else:
            here.extras.append(op)
    return root


def main_line_of(game: Game) -> list[Node]:
    """The moves of the main line."""
    return list(tree_of(game).main_line())
