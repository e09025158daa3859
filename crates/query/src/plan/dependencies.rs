//! The pieces and squares that the answer about a position depends on: while they are unchanged, so is the answer.

use crate::terms::board_transform::BoardTransform;
use crate::terms::move_trigger::{MoveTrigger, MoveTriggers};
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::squares::{SquareRelation, SquareSet};

const PAWNS: u16 = 1 | 1 << 6;
const MINORS: u16 = 0b110 | 0b110 << 6;
const BISHOPS: u16 = 1 << 2 | 1 << 8;
const KINGS_AND_ROOKS: u16 = 0b10_1000 | 0b10_1000 << 6;
const ALL_PIECES: u16 = (1 << 12) - 1;
/// The most squares of a pattern of which each move is asked.
const FEW_SQUARES: u32 = 6;
const LAST_RANKS: u64 = 0xff | 0xff << 56;

/// What an answer depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct AnswerDependencies {
    /// The squares of these kinds of pieces, one bit each as in [`crate::terms::piece_squares::PieceSquares`].
    pieces: u16,
    /// As far as it is on these squares.
    squares: u64,
    /// How many pieces there are of each kind.
    counts: bool,
    /// The side to move.
    turn: bool,
}

impl AnswerDependencies {
    fn on_pieces(pieces: u16) -> AnswerDependencies {
        AnswerDependencies {
            pieces,
            squares: u64::MAX,
            ..AnswerDependencies::default()
        }
    }

    fn and(self, other: AnswerDependencies) -> AnswerDependencies {
        AnswerDependencies {
            pieces: self.pieces | other.pieces,
            squares: self.squares | other.squares,
            counts: self.counts || other.counts,
            turn: self.turn || other.turn,
        }
    }

    fn turned(self, way: BoardTransform) -> AnswerDependencies {
        let pieces = (0..12).filter(|kind| self.pieces >> kind & 1 != 0);
        AnswerDependencies {
            pieces: pieces.fold(0, |all, kind| all | 1 << way.kind(kind)),
            squares: way.set(self.squares),
            ..self
        }
    }
}

/// The moves that can change the answer; none where all can, or what is no matter of pieces.
pub(crate) fn changes(expr: &PositionExpr) -> MoveTriggers {
    let depends = of_expr(expr)?;
    if depends.pieces == ALL_PIECES && depends.squares == u64::MAX {
        return None;
    }
    let mut all = Vec::new();
    if depends.counts {
        all.extend(MoveTrigger::changes_of_material());
    }
    if depends.pieces != 0 {
        // The numbers of pieces in deltas: White's from 1, Black's from 9.
        let pieces = (depends.pieces & 0x3f) << 1 | (depends.pieces >> 6) << 9;
        let promoted = MoveTrigger {
            to: depends.squares & LAST_RANKS,
            ..MoveTrigger::promotion()
        };
        // What is taken in passing stands one rank beside.
        let near = depends.squares | depends.squares << 8 | depends.squares >> 8;
        let moves = MoveTrigger {
            pieces,
            ..MoveTrigger::ANY
        };
        let taken = MoveTrigger {
            captured: pieces,
            to: near,
            ..MoveTrigger::ANY
        };
        all.push(taken);
        if depends.squares == u64::MAX {
            all.push(moves);
        } else {
            all.extend([
                MoveTrigger {
                    from: depends.squares,
                    ..moves
                },
                MoveTrigger {
                    to: depends.squares,
                    ..moves
                },
            ]);
        }
        all.push(promoted);
        if depends.pieces & KINGS_AND_ROOKS != 0 {
            all.push(MoveTrigger::castling());
        }
    }
    if depends.turn {
        // While nothing else changes, what does not hold for either side goes on not to hold.
        all.push(MoveTrigger::NONE);
        all.iter_mut().for_each(|wake| wake.includes_reply = true);
    }
    Some(all)
}

fn of_all<'e>(parts: impl Iterator<Item = &'e PositionExpr>) -> Option<AnswerDependencies> {
    let mut all = AnswerDependencies::default();
    for part in parts {
        all = all.and(of_expr(part)?);
    }
    Some(all)
}

fn of_expr(expr: &PositionExpr) -> Option<AnswerDependencies> {
    match expr {
        PositionExpr::Atom(atom) => of_atom(atom),
        PositionExpr::And(parts) | PositionExpr::Or(parts) => of_all(parts.iter()),
        PositionExpr::Not(part) => of_expr(part),
        PositionExpr::Turned(ways, part) => {
            let one = of_expr(part)?;
            let turned = ways.iter().map(|way| one.turned(*way));
            Some(turned.fold(AnswerDependencies::default(), AnswerDependencies::and))
        }
        PositionExpr::Each { set, question, .. } => Some(of_set(set).and(of_expr(question)?)),
    }
}

fn of_atom(atom: &PositionAtom) -> Option<AnswerDependencies> {
    match atom {
        PositionAtom::Structure { .. } | PositionAtom::Files(_) => {
            Some(AnswerDependencies::on_pieces(PAWNS))
        }
        PositionAtom::Turn(_) => Some(AnswerDependencies {
            turn: true,
            ..AnswerDependencies::default()
        }),
        // Which colour a bishop's squares have never changes.
        PositionAtom::Material(_) => Some(AnswerDependencies {
            counts: true,
            ..AnswerDependencies::default()
        }),
        // To look at a position is cheaper than to ask of each move whether it touches many squares.
        PositionAtom::Pattern(pattern)
            if pattern.squares().count_ones() <= FEW_SQUARES && !pattern.asks_for_turn() =>
        {
            Some(AnswerDependencies {
                pieces: ALL_PIECES,
                squares: pattern.squares(),
                ..AnswerDependencies::default()
            })
        }
        PositionAtom::Relation(relation) => Some(of_relation(relation)),
        _ => None,
    }
}

fn of_relation(relation: &SquareRelation) -> AnswerDependencies {
    match relation {
        SquareRelation::Count(set, _) => of_set(set),
        SquareRelation::Distance(from, to, _) => of_set(from).and(of_set(to)),
        SquareRelation::Ray(..) => AnswerDependencies::on_pieces(ALL_PIECES),
        SquareRelation::BishopPair(_) => AnswerDependencies::on_pieces(BISHOPS),
        SquareRelation::OpenFiles(_) | SquareRelation::HalfOpenFiles(..) => {
            AnswerDependencies::on_pieces(PAWNS)
        }
    }
}

fn of_set(set: &SquareSet) -> AnswerDependencies {
    match set {
        SquareSet::Pieces(kinds) => AnswerDependencies::on_pieces(*kinds),
        SquareSet::Fixed(_) | SquareSet::Named(_) => AnswerDependencies::default(),
        SquareSet::And(parts) | SquareSet::Or(parts) => {
            let each = parts.iter().map(of_set);
            each.fold(AnswerDependencies::default(), AnswerDependencies::and)
        }
        SquareSet::Not(part) | SquareSet::Near(_, part) => of_set(part),
        SquareSet::Between(from, to) => of_set(from).and(of_set(to)),
        SquareSet::Pawns(_) | SquareSet::OpenFiles => AnswerDependencies::on_pieces(PAWNS),
        SquareSet::Outposts => AnswerDependencies::on_pieces(PAWNS | MINORS),
        SquareSet::Fianchettos(_) => AnswerDependencies::on_pieces(PAWNS | BISHOPS),
        SquareSet::Empty
        | SquareSet::Attacks(_)
        | SquareSet::AttackedBy(_)
        | SquareSet::XRays(_)
        | SquareSet::Pinned
        | SquareSet::HalfOpenFiles => AnswerDependencies::on_pieces(ALL_PIECES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query::{Query, QueryContext, QueryTerm, WalkQuestion};
    use tabiya_model::positions::MoveDelta;

    #[test]
    fn answers_change_with_what_they_depend_on() {
        // A white pawn goes from e2 to e4, a black knight from g8 to f6, and White castles; a pawn is taken in passing.
        let pawn = MoveDelta::new(12, 28, 1, 1, 0);
        let knight = MoveDelta::new(62, 45, 10, 10, 0);
        let castling = MoveDelta::castle(4, 6, 6, 7);
        let passing = MoveDelta::en_passant(36, 43, 1);
        for (text, wanted) in [
            ("passed", Some([true, false, false, true])),
            (
                "structure:\"8/8/8/8/8/8/8/8\"",
                Some([true, false, false, true]),
            ),
            ("outpost[white]", Some([true, true, false, true])),
            ("bishop-pair", Some([false, false, false, false])),
            ("material:\"K v K\"", Some([false, false, false, true])),
            (
                "pattern:\"8/8/5n2/8/4P3/8/8/8\"",
                Some([true, true, false, false]),
            ),
            (
                "pattern:\"8/8/8/3p4/8/8/8/8\"",
                Some([false, false, false, true]),
            ),
            (
                "pattern:\"8/8/8/8/8/8/8/5R2\"",
                Some([false, false, true, false]),
            ),
            ("men:\"K near 1 p\"", Some([false, false, true, true])),
            (
                "same:(passed or open-files>=3)",
                Some([true, false, false, true]),
            ),
            ("men:\"A attacks k\"", None),
            ("same:(passed turn:white)", Some([true, false, false, true])),
            ("pattern:\"8/8/8/8/8/8/8/8 w\"", None),
            ("turn:white", Some([false, false, false, false])),
            ("check", None),
        ] {
            let query = Query::parse(text, QueryContext::default()).expect("a query");
            let Some(QueryTerm::Walk(walk)) = query.terms.first() else {
                panic!("{text} walks");
            };
            let WalkQuestion::Somewhere { expr, .. } = &walk.ask else {
                panic!("{text} asks for a position");
            };
            let found = changes(expr).map(|all| {
                [pawn, knight, castling, passing]
                    .map(|delta| all.iter().any(|wake| wake.fits(delta)))
            });
            let Some(found) = found else {
                assert_eq!(wanted, None, "{text}");
                continue;
            };
            for (found, wanted) in found.into_iter().zip(wanted.expect(text)) {
                // More is allowed than is needed.
                assert!(found || !wanted, "{text}");
            }
        }
    }
}
