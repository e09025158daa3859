//! Questions about one position, answered with sets of squares and without the rules of chess if possible.

use shakmaty::{CastlingSide, Color, Role, Square};
use tabiya_model::Board;

use crate::terms::annotations::AnnotationTest;
use crate::terms::board_pattern::BoardPattern;
use crate::terms::board_transform::BoardTransform;
use crate::terms::material::MaterialTest;
use crate::terms::move_pattern::MovePattern;
use crate::terms::piece_squares::squares;
pub use crate::terms::piece_squares::{PieceSquares, kind, piece_squares};
pub use crate::terms::position_view::{MoveEffect, PieceArrangement, PositionView};
use crate::terms::similarity::SimilarityTest;
use crate::terms::squares::{RelationBoard, SquareRelation, SquareSet};

/// A question about one position.
#[derive(Clone, Debug)]
pub enum PositionAtom {
    /// Every piece is on the given square.
    Placement(Box<PlacementTest>),
    /// The pawns are on the given squares.
    Structure {
        /// White's pawns.
        white: u64,
        /// Black's pawns.
        black: u64,
    },
    /// The pawns are on these files: their numbers from a to h, White's first.
    Files([[u8; 8]; 2]),
    /// The material matches.
    Material(Box<MaterialTest>),
    /// The pieces match a pattern.
    Pattern(Box<BoardPattern>),
    /// The side to move.
    Turn(Color),
    /// The last move promoted a pawn; `under` requires another piece than a queen.
    Promotion {
        /// Whether a queen does not count.
        under: bool,
    },
    /// The last move captured en passant.
    EnPassant,
    /// The last move castled, to a certain side if given.
    Castling(Option<CastlingSide>),
    /// The side to move is in check.
    Check,
    /// The side to move is mated.
    Mate,
    /// The side to move is stalemated.
    Stalemate,
    /// The side to move is in check by two pieces.
    DoubleCheck,
    /// Discovered check: a piece that did not make the last move gives check.
    DiscoveredCheck,
    /// The last move was one of these.
    Moved(Vec<MovePattern>),
    /// Pieces are related as required.
    Relation(Box<SquareRelation>),
    /// One of these sides, White's and Black's, has castled on the line so far, to a certain side if given.
    Castled {
        /// Which sides are meant.
        colors: [bool; 2],
        /// Where to.
        side: Option<CastlingSide>,
    },
    /// Both sides have castled, to different sides.
    OppositeCastling,
    /// The annotations there match.
    Annotation(AnnotationTest),
    /// The pieces are similar to those of another position.
    Similar(Box<SimilarityTest>),
    /// A number of the position is in one of these ranges, both ends included.
    Number(PositionNumber, Vec<(i64, i64)>),
}

/// A number of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionNumber {
    /// Legal moves.
    LegalMoves,
    /// Plies since the last capture or move of a pawn.
    QuietPlies,
    /// How often it has occurred on the line so far.
    Repetition,
    /// Plies since the start.
    Ply,
    /// The number of the next move.
    Move,
}

impl PositionNumber {
    /// The number, or one that lies in the same of these ranges.
    fn of(self, scene: &PositionView<'_>, ranges: &[(i64, i64)]) -> Option<i64> {
        let number = match self {
            PositionNumber::Ply => scene.ply,
            PositionNumber::Move => scene.number,
            PositionNumber::Repetition => scene.repeats,
            PositionNumber::QuietPlies => scene.board?.halfmoves(),
            PositionNumber::LegalMoves => {
                scene.spend(ALL_MOVES);
                // More than this make no difference.
                let ends = ranges.iter().map(|(low, high)| match *high {
                    i64::MAX => *low,
                    high => high.saturating_add(1),
                });
                let enough = ends.max().unwrap_or(0).clamp(0, i64::from(u32::MAX));
                scene
                    .board?
                    .count_legal_moves(u32::try_from(enough).unwrap_or(u32::MAX))
            }
        };
        Some(i64::from(number))
    }
}

/// A placement of all pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacementTest {
    /// The pieces.
    pub pieces: PieceSquares,
    /// The side to move, if it matters.
    pub turn: Option<Color>,
    /// The rooks that may still castle, if they matter.
    pub castling: Option<u64>,
    /// The en passant square (none for nowhere), if it matters.
    pub en_passant: Option<Option<Square>>,
}

impl PositionAtom {
    /// Whether more than the pieces, the side to move and the last move is needed.
    pub fn needs_board(&self) -> bool {
        match self {
            PositionAtom::Placement(placement) => {
                placement.castling.is_some() || placement.en_passant.is_some()
            }
            PositionAtom::Check
            | PositionAtom::Mate
            | PositionAtom::Stalemate
            | PositionAtom::DoubleCheck
            | PositionAtom::DiscoveredCheck => true,
            PositionAtom::Moved(patterns) => patterns.iter().any(MovePattern::needs_board),
            PositionAtom::Annotation(_) => true,
            PositionAtom::Number(number, _) => {
                !matches!(number, PositionNumber::Ply | PositionNumber::Move)
            }
            _ => false,
        }
    }

    /// Whether more is asked than who moves, the last move, and how many there have been.
    fn looks_at_pieces(&self) -> bool {
        !matches!(
            self,
            PositionAtom::Turn(_)
                | PositionAtom::Promotion { .. }
                | PositionAtom::EnPassant
                | PositionAtom::Castling(_)
                | PositionAtom::Number(PositionNumber::Ply | PositionNumber::Move, _)
        ) && (self.needs_board() || !matches!(self, PositionAtom::Moved(_)))
    }

    /// Whether what stands beside the moves has to be read.
    pub(crate) fn is_annotation(&self) -> bool {
        matches!(self, PositionAtom::Annotation(_))
    }

    /// Whether a position matches. Without a board, questions that need one do not hold.
    #[inline]
    pub fn matches(&self, scene: &PositionView<'_>) -> bool {
        match self {
            PositionAtom::Placement(placement) => {
                placement.turn.is_none_or(|turn| turn == scene.turn)
                    && placement.pieces == *scene.pieces
                    && placement.castling.is_none_or(|rooks| {
                        scene.board.is_some_and(|board| {
                            scene.turned.set(u64::from(board.castling_rooks())) == rooks
                        })
                    })
                    && placement.en_passant.is_none_or(|square| {
                        scene.board.is_some_and(|board| {
                            let here = board
                                .legal_ep_square()
                                .map(|square| scene.turned.of(square));
                            here == square
                        })
                    })
            }
            PositionAtom::Structure { white, black } => {
                scene.pieces[0] == *white && scene.pieces[6] == *black
            }
            PositionAtom::Files(files) => {
                file_counts(scene.pieces[0]) == files[0] && file_counts(scene.pieces[6]) == files[1]
            }
            PositionAtom::Material(material) => material.matches(*scene.counts, scene.pieces),
            PositionAtom::Pattern(pattern) => {
                pattern.matches(scene.pieces, *scene.sides, scene.turn)
            }
            PositionAtom::Turn(turn) => scene.turn == *turn,
            PositionAtom::Promotion { under } => scene
                .moved
                .and_then(|moved| moved.promotion)
                .is_some_and(|role| !under || role != Role::Queen),
            PositionAtom::EnPassant => scene.moved.is_some_and(|moved| moved.en_passant),
            PositionAtom::Castling(side) => scene
                .moved
                .and_then(|moved| moved.castle)
                .is_some_and(|castle| side.is_none_or(|side| side == castle)),
            PositionAtom::Check => scene.board.is_some_and(Board::is_check),
            PositionAtom::Mate => scene
                .board
                .is_some_and(|board| board.is_check() && board.is_checkmate()),
            PositionAtom::Stalemate => {
                scene.spend(ONE_WAY);
                let is_stalemate = |board: &Board| !board.is_check() && board.is_stalemate();
                scene.board.is_some_and(is_stalemate)
            }
            PositionAtom::DoubleCheck => scene
                .board
                .is_some_and(|board| u64::from(board.checkers()).count_ones() > 1),
            PositionAtom::DiscoveredCheck => match (scene.board, scene.moved) {
                (Some(board), Some(moved)) if moved.castle.is_none() && !moved.null => {
                    let to = scene.turned.square(moved.to & 63);
                    u64::from(board.checkers()) & !(1 << to) != 0
                }
                _ => false,
            },
            PositionAtom::Moved(patterns) => scene.moved.is_some_and(|moved| {
                patterns
                    .iter()
                    .any(|pattern| pattern.matches(&moved, scene.board))
            }),
            PositionAtom::Relation(relation) => relation.matches(scene),
            PositionAtom::Castled { colors, side } => scene.trail.has_castled(*colors, *side),
            PositionAtom::OppositeCastling => scene.trail.castled_oppositely(),
            PositionAtom::Annotation(test) => test.matches(scene),
            PositionAtom::Similar(similar) => similar.nearness(scene.pieces, scene.turn).is_some(),
            PositionAtom::Number(number, ranges) => {
                number.of(scene, ranges).is_some_and(|number| {
                    ranges
                        .iter()
                        .any(|(low, high)| (*low..=*high).contains(&number))
                })
            }
        }
    }
}

/// Steps for what takes longer than a look at a position: a board turned round, a square that gets a name, all legal moves.
const ONE_WAY: u32 = 8;
const ONE_SQUARE: u32 = 2;
const ALL_MOVES: u32 = 128;

/// How many of a set's squares lie on each file.
pub(crate) fn file_counts(set: u64) -> [u8; 8] {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    std::array::from_fn(|file| (set & FILE_A << file).count_ones().to_le_bytes()[0])
}

/// Combined questions about one position.
#[derive(Clone, Debug)]
pub enum PositionExpr {
    /// One question.
    Atom(PositionAtom),
    /// All of them.
    And(Vec<PositionExpr>),
    /// Any of them.
    Or(Vec<PositionExpr>),
    /// The opposite.
    Not(Box<PositionExpr>),
    /// The question, for the board transformed in any of these ways.
    Turned(Vec<BoardTransform>, Box<PositionExpr>),
    /// The question, for the squares of a set, which have a name in it.
    Each {
        /// Whether it must hold for all of them, and for one at least.
        all: bool,
        /// The number of the name.
        name: usize,
        /// The squares.
        set: Box<SquareSet>,
        /// The question.
        question: Box<PositionExpr>,
    },
}

impl PositionExpr {
    /// Whether a position matches.
    #[inline]
    pub fn matches(&self, scene: &PositionView<'_>) -> bool {
        match self {
            PositionExpr::Atom(atom) => atom.matches(scene),
            PositionExpr::And(parts) => parts.iter().all(|part| part.matches(scene)),
            PositionExpr::Or(parts) => parts.iter().any(|part| part.matches(scene)),
            PositionExpr::Not(part) => !part.matches(scene),
            PositionExpr::Turned(..) | PositionExpr::Each { .. } => self.matches_rarely(scene),
        }
    }

    /// The same for what is asked seldom, apart so that the rest stays short.
    #[inline(never)]
    fn matches_rarely(&self, scene: &PositionView<'_>) -> bool {
        match self {
            PositionExpr::Turned(ways, part) => ways.iter().any(|way| {
                scene.spend(ONE_WAY);
                if scene.is_over() {
                    return false;
                }
                match way {
                    BoardTransform {
                        flip: false,
                        mirror: false,
                    } => part.matches(scene),
                    way => part.matches(&way.scene(scene, &PieceArrangement::turned(scene, *way))),
                }
            }),
            PositionExpr::Each {
                all,
                name,
                set,
                question,
            } => {
                let among = set.of(&RelationBoard::new(scene));
                let mut holds = |square: u32| {
                    scene.spend(ONE_SQUARE);
                    if scene.is_over() {
                        return !all;
                    }
                    let mut named = scene.named.get();
                    if let Some(named) = named.get_mut(*name) {
                        *named = square.to_le_bytes()[0];
                    }
                    scene.named.set(named);
                    question.matches(scene)
                };
                match all {
                    true => among != 0 && squares(among).all(&mut holds),
                    false => squares(among).any(&mut holds),
                }
            }
            other => other.matches(scene),
        }
    }

    /// Whether more than the pieces, the side to move and the last move is needed.
    pub fn needs_board(&self) -> bool {
        self.any(&PositionAtom::needs_board)
    }

    /// Whether more is asked than who moves, the last move, and how many there have been.
    pub(crate) fn looks_at_pieces(&self) -> bool {
        match self {
            PositionExpr::Atom(atom) => atom.looks_at_pieces(),
            PositionExpr::And(parts) | PositionExpr::Or(parts) => {
                parts.iter().any(PositionExpr::looks_at_pieces)
            }
            PositionExpr::Not(part) | PositionExpr::Turned(_, part) => part.looks_at_pieces(),
            PositionExpr::Each { .. } => true,
        }
    }

    /// How many questions there are.
    pub(crate) fn size(&self) -> u32 {
        match self {
            PositionExpr::Atom(_) => 1,
            PositionExpr::And(parts) | PositionExpr::Or(parts) => parts
                .iter()
                .fold(0, |all, part| part.size().saturating_add(all)),
            PositionExpr::Not(part)
            | PositionExpr::Turned(_, part)
            | PositionExpr::Each { question: part, .. } => part.size(),
        }
    }

    /// Whether any of the questions has a property.
    pub(crate) fn any(&self, test: &dyn Fn(&PositionAtom) -> bool) -> bool {
        match self {
            PositionExpr::Atom(atom) => test(atom),
            PositionExpr::And(parts) | PositionExpr::Or(parts) => {
                parts.iter().any(|part| part.any(test))
            }
            PositionExpr::Not(part)
            | PositionExpr::Turned(_, part)
            | PositionExpr::Each { question: part, .. } => part.any(test),
        }
    }
}
