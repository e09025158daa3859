//! Kinds of moves: who moved, from where to where, what was captured, and whether it gave check.

use shakmaty::{CastlingSide, Color, Role};
use tabiya_model::Board;

use crate::terms::move_trigger::MoveTrigger;
use crate::terms::position_view::MoveEffect;

/// The letters of pieces, by their bits in a set of roles.
const LETTERS: &str = "PNBRQK";
/// All pieces.
const ANY: u8 = 0x3f;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

/// What is asked about castling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CastlingCondition {
    /// Nothing.
    Free,
    /// The move must not castle.
    No,
    /// The move must castle to this side.
    To(CastlingSide),
}

/// What a move has to do to the other king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CheckCondition {
    None,
    Check,
    Mate,
}

/// A kind of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MovePattern {
    color: Option<Color>,
    /// The pieces that may move, one bit each.
    pieces: u8,
    from: u64,
    to: u64,
    /// The pieces of which one must be captured; none for any move.
    captured: u8,
    /// The pieces of which a pawn must become one; none for any move.
    promotion: u8,
    castling: CastlingCondition,
    mark: CheckCondition,
}

impl MovePattern {
    /// Any move, or any of one side.
    pub fn any(color: Option<Color>) -> MovePattern {
        MovePattern {
            color,
            pieces: ANY,
            from: u64::MAX,
            to: u64::MAX,
            captured: 0,
            promotion: 0,
            castling: CastlingCondition::Free,
            mark: CheckCondition::None,
        }
    }

    /// Moves of these pieces that capture one of others, as letters; either may be left open.
    pub fn of_pieces(
        color: Option<Color>,
        pieces: Option<&str>,
        captured: Option<&str>,
    ) -> Option<MovePattern> {
        let set = |letters: Option<&str>, open: u8| letters.map_or(Some(open), roles);
        Some(MovePattern {
            pieces: set(pieces, ANY)?,
            captured: set(captured, 0)?,
            ..MovePattern::any(color)
        })
    }

    /// Parses a move such as `Bxh7+`, `?xf7` or `O-O-O#`.
    pub fn parse(text: &str, color: Option<Color>) -> Option<MovePattern> {
        let mut pattern = MovePattern {
            castling: CastlingCondition::No,
            ..MovePattern::any(color)
        };
        let (mut rest, mark) = match (text.strip_suffix('#'), text.strip_suffix('+')) {
            (Some(rest), _) => (rest, CheckCondition::Mate),
            (_, Some(rest)) => (rest, CheckCondition::Check),
            _ => (text, CheckCondition::None),
        };
        pattern.mark = mark;
        let side = match rest {
            "O-O" | "0-0" => Some(CastlingSide::KingSide),
            "O-O-O" | "0-0-0" => Some(CastlingSide::QueenSide),
            _ => None,
        };
        if let Some(side) = side {
            pattern.castling = CastlingCondition::To(side);
            return Some(pattern);
        }
        if let Some((moved, becomes)) = rest.split_once('=') {
            pattern.promotion = role(becomes)?;
            rest = moved;
        }
        if !rest.is_ascii() || rest.len() > 6 {
            return None;
        }
        let (lead, target) = match rest.split_once('x') {
            Some((lead, target)) => {
                pattern.captured = ANY;
                (lead, target)
            }
            None => rest.split_at_checked(rest.len().checked_sub(2)?)?,
        };
        let [file, rank] = *target.as_bytes() else {
            return None;
        };
        pattern.to = file_of(file)? & rank_of(rank)?;
        // A piece is a letter in capitals or `?`; what follows narrows the square that it leaves.
        let (piece, origin) = match lead.as_bytes() {
            [] => ("P", ""),
            [b'a'..=b'h', ..] => ("P", lead),
            _ => lead.split_at_checked(1)?,
        };
        pattern.pieces = role(piece)?;
        pattern.from = match *origin.as_bytes() {
            [] | [b'?'] => u64::MAX,
            [one] => file_of(one).or_else(|| rank_of(one))?,
            [file, rank] => file_of(file)? & rank_of(rank)?,
            _ => return None,
        };
        Some(pattern)
    }

    /// Whether the board behind the move matters.
    pub(crate) fn needs_board(&self) -> bool {
        self.mark != CheckCondition::None
    }

    /// What is known of such a move without a look at the position.
    pub(crate) fn trigger(&self) -> MoveTrigger {
        let is = |color| self.color.is_none_or(|wanted| wanted == color);
        MoveTrigger {
            pieces: MoveTrigger::pieces_of(self.pieces, is(Color::White), is(Color::Black)),
            captured: match self.captured {
                0 => MoveTrigger::ANY.captured,
                roles => MoveTrigger::pieces_of(roles, true, true),
            },
            from: self.from,
            to: self.to,
            castles: matches!(self.castling, CastlingCondition::To(_)),
            includes_reply: false,
        }
    }

    /// Whether a move is of this kind. Without a board, no move gives check.
    #[inline]
    pub(crate) fn matches(&self, moved: &MoveEffect, board: Option<&Board>) -> bool {
        if moved.null {
            return false;
        }
        let color = Color::from_white(moved.piece < 6);
        let castling = match self.castling {
            CastlingCondition::Free => true,
            CastlingCondition::No => moved.castle.is_none(),
            CastlingCondition::To(side) => moved.castle == Some(side),
        };
        castling
            && self.color.is_none_or(|wanted| wanted == color)
            && self.pieces >> (moved.piece % 6) & 1 != 0
            && self.from >> (moved.from & 63) & 1 != 0
            && self.to >> (moved.to & 63) & 1 != 0
            && (self.captured == 0
                || moved
                    .captured
                    .is_some_and(|role| self.captured & bit(role) != 0))
            && (self.promotion == 0
                || moved
                    .promotion
                    .is_some_and(|role| self.promotion & bit(role) != 0))
            && match self.mark {
                CheckCondition::None => true,
                CheckCondition::Check => board.is_some_and(Board::is_check),
                CheckCondition::Mate => {
                    board.is_some_and(|board| board.is_check() && board.is_checkmate())
                }
            }
    }
}

fn bit(role: Role) -> u8 {
    1 << (role as u8 - 1)
}

/// The bit of one letter; all for `?`.
fn role(letter: &str) -> Option<u8> {
    match letter {
        "?" => Some(ANY),
        letter if letter.len() == 1 => roles(letter),
        _ => None,
    }
}

/// The bits of letters such as `KP`, or of `any`.
fn roles(letters: &str) -> Option<u8> {
    if letters.eq_ignore_ascii_case("any") {
        return Some(ANY);
    }
    let mut set = 0;
    for letter in letters.chars() {
        set |= 1 << LETTERS.find(letter)?;
    }
    (set != 0).then_some(set)
}

/// The squares of `e4`, where `?` stands for any file or rank.
pub(crate) fn square_pattern(text: &str) -> Option<u64> {
    let [file, rank] = *text.as_bytes() else {
        return None;
    };
    Some(file_of(file)? & rank_of(rank)?)
}

fn file_of(byte: u8) -> Option<u64> {
    match byte {
        b'?' => Some(u64::MAX),
        b'a'..=b'h' => Some(FILE_A << (byte - b'a')),
        _ => None,
    }
}

fn rank_of(byte: u8) -> Option<u64> {
    match byte {
        b'?' => Some(u64::MAX),
        b'1'..=b'8' => Some(RANK_1 << (8 * (byte - b'1'))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read() {
        for good in [
            "Bxh7+", "?xf7", "Q??#", "?8=?", "O-O-O#", "exd5", "e4d5", "Rac1", "Ng1f3", "e8=Q",
            "??", "???", "R?1xc1",
        ] {
            assert!(MovePattern::parse(good, None).is_some(), "{good}");
        }
        for bad in [
            "", "B", "x", "Bx", "Xe4", "Ne9", "e4=", "e4=X", "O-O-O-O", "Nabcd1", "é4", "xéé", "+",
            "Ni3",
        ] {
            assert!(MovePattern::parse(bad, None).is_none(), "{bad}");
        }
        assert!(MovePattern::of_pieces(None, Some("KP"), Some("any")).is_some());
        assert!(MovePattern::of_pieces(None, Some(""), None).is_none());
        assert!(MovePattern::of_pieces(None, Some("kp"), None).is_none());
    }
}
