//! A position on the way through a game, as questions see it.

use std::cell::Cell;

use shakmaty::{CastlingSide, Color, Role, Square};
use tabiya_model::Board;

use crate::terms::board_transform::BoardTransform;
use crate::terms::line_state::LineState;
use crate::terms::piece_counts::{PackedCounts, counts_of, pack};
use crate::terms::piece_squares::{PieceSquares, kind, piece_squares};
use crate::terms::position_annotations::PositionAnnotations;
use crate::terms::step_meter::StepMeter;

/// The most squares that can have names at the same time.
pub(crate) const MAX_NAMES: usize = 2;

/// What a move did, as far as questions need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveEffect {
    /// The piece that moved, before any promotion, as its place in [`PieceSquares`].
    pub piece: u8,
    /// Where it came from.
    pub from: u8,
    /// Where it went; the king's square for castling.
    pub to: u8,
    /// The captured piece.
    pub captured: Option<Role>,
    /// Whether it was an en passant capture.
    pub en_passant: bool,
    /// What a pawn became.
    pub promotion: Option<Role>,
    /// The side of castling.
    pub castle: Option<CastlingSide>,
    /// Whether this only passed the turn.
    pub null: bool,
}

impl MoveEffect {
    /// What a move does on the board before it.
    pub fn new(board: &Board, m: tabiya_model::Move) -> MoveEffect {
        let index = |square: Square| u32::from(square).to_le_bytes()[0];
        MoveEffect {
            piece: kind(board.turn(), m.role()).to_le_bytes()[0],
            from: index(m.from()),
            to: index(if m.is_castle() {
                m.king_target()
            } else {
                m.to()
            }),
            captured: match m.is_capture() {
                true if m.is_en_passant() => Some(Role::Pawn),
                true => board.role_at(m.to()),
                false => None,
            },
            en_passant: m.is_en_passant(),
            promotion: m.promotion(),
            castle: m.castling_side(),
            null: m.is_null(),
        }
    }
}

/// The squares of pieces, combined as questions need them.
#[derive(Clone, Debug)]
pub struct PieceArrangement {
    pieces: PieceSquares,
    sides: [u64; 2],
    counts: PackedCounts,
}

impl PieceArrangement {
    /// The pieces of a board, counted if required.
    #[inline(always)]
    pub fn of(board: &Board, counted: bool) -> PieceArrangement {
        let pieces = piece_squares(board);
        let side = |color| u64::from(board.by_color(color));
        PieceArrangement {
            sides: [side(Color::White), side(Color::Black)],
            counts: if counted {
                pack(&counts_of(&pieces))
            } else {
                [0; 2]
            },
            pieces,
        }
    }

    /// The same for a board that is turned.
    pub(crate) fn turned(scene: &PositionView<'_>, way: BoardTransform) -> PieceArrangement {
        let ([white, black], [whites, blacks]) = (*scene.sides, *scene.counts);
        let (sides, counts) = match way.flip {
            true => ([black, white], [blacks, whites]),
            false => ([white, black], [whites, blacks]),
        };
        PieceArrangement {
            pieces: way.pieces(scene.pieces),
            sides: sides.map(|side| way.set(side)),
            counts,
        }
    }
}

/// A position on the way through a game.
#[derive(Clone, Debug)]
pub struct PositionView<'a> {
    /// The squares of the pieces.
    pub pieces: &'a PieceSquares,
    /// The squares of White's and of Black's pieces.
    pub sides: &'a [u64; 2],
    /// How many there are of each kind, if required: a byte for each of White's kinds, then of Black's.
    pub counts: &'a PackedCounts,
    /// The side to move.
    pub turn: Color,
    /// Plies since the start of the game.
    pub ply: u32,
    /// The number of the next move, as in a score sheet.
    pub number: u32,
    /// How often this position has occurred on the line, including this time, if required.
    pub repeats: u32,
    /// The move that led here; none at the start.
    pub moved: Option<MoveEffect>,
    /// The board, if there is one. It is never transformed.
    pub board: Option<&'a Board>,
    /// How the rest is transformed.
    pub turned: BoardTransform,
    /// The state of the line.
    pub trail: LineState,
    /// The annotations at the position, if they were read.
    pub annotations: Option<PositionAnnotations<'a>>,
    /// Squares that have names.
    pub named: Cell<[u8; MAX_NAMES]>,
    /// Counts what is asked.
    pub(crate) meter: Option<&'a StepMeter>,
}

impl<'a> PositionView<'a> {
    /// The view of a board with its pieces.
    #[inline(always)]
    pub fn new(
        board: &'a Board,
        standing: &'a PieceArrangement,
        ply: u32,
        moved: Option<MoveEffect>,
    ) -> PositionView<'a> {
        PositionView {
            pieces: &standing.pieces,
            sides: &standing.sides,
            counts: &standing.counts,
            turn: board.turn(),
            ply,
            number: board.fullmoves(),
            repeats: 1,
            moved,
            board: Some(board),
            turned: BoardTransform::default(),
            trail: LineState::default(),
            annotations: None,
            named: Cell::new([0; MAX_NAMES]),
            meter: None,
        }
    }
}

impl<'a> PositionView<'a> {
    /// Puts other pieces on the board.
    pub(crate) fn stand(&mut self, standing: &'a PieceArrangement) {
        (self.pieces, self.sides, self.counts) =
            (&standing.pieces, &standing.sides, &standing.counts);
    }

    /// Says that so much was asked.
    #[inline(always)]
    pub(crate) fn spend(&self, steps: u32) {
        if let Some(meter) = self.meter {
            meter.spend(steps);
        }
    }

    /// Whether the answers are not wanted any more.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.meter.is_some_and(StepMeter::is_over)
    }

    /// Who made the move that led here, as the board stands.
    pub(crate) fn mover(&self) -> Option<Color> {
        let white = self.moved?.piece < 6;
        Some(Color::from_white(white != self.turned.flip))
    }
}

impl BoardTransform {
    fn moved(self, moved: &MoveEffect) -> MoveEffect {
        MoveEffect {
            piece: self.kind(usize::from(moved.piece)).to_le_bytes()[0],
            from: self.square(moved.from),
            to: self.square(moved.to),
            castle: moved.castle.map(|side| self.side(side)),
            ..*moved
        }
    }

    /// A position, turned, with its pieces as they stand then.
    pub(crate) fn scene<'a>(
        self,
        scene: &PositionView<'a>,
        standing: &'a PieceArrangement,
    ) -> PositionView<'a> {
        let mut turned = scene.clone();
        turned.stand(standing);
        if self.flip {
            turned.turn = !scene.turn;
        }
        turned.moved = scene.moved.as_ref().map(|moved| self.moved(moved));
        turned.turned = scene.turned.and(self);
        turned.trail = scene.trail.turned(self);
        turned
            .named
            .set(scene.named.get().map(|square| self.square(square)));
        turned
    }
}
