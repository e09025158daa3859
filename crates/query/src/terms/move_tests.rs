//! Questions about moves: a line from the start, and moves in an order with anything between them.

use std::ops::Range;

use shakmaty::{CastlingSide, Color, Role};
use tabiya_model::Board;
use tabiya_model::board::{SanError, parse_san};

use crate::language::error::QueryError;
use crate::terms::move_trigger::MoveTrigger;
use crate::terms::piece_squares::{PieceSquares, kind, piece_squares};
use crate::terms::position_view::MoveEffect;

/// The most moves in one question.
const MAX_MOVES: usize = 1_000;

/// One move of a sequence, as far as it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveTest {
    color: Option<Color>,
    role: Role,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to: u8,
    capture: bool,
    promotion: Option<Role>,
    castle: Option<CastlingSide>,
}

impl MoveTest {
    /// What is known of such a move without a look at the position.
    pub(crate) fn trigger(&self) -> MoveTrigger {
        let is = |color| self.color.is_none_or(|wanted| wanted == color);
        let pieces = |roles| MoveTrigger::pieces_of(roles, is(Color::White), is(Color::Black));
        if self.castle.is_some() {
            return MoveTrigger {
                pieces: pieces(1 << 5),
                castles: true,
                ..MoveTrigger::ANY
            };
        }
        let file = |file: u8| 0x0101_0101_0101_0101 << (file & 7);
        let rank = |rank: u8| 0xff << (8 * u32::from(rank & 7));
        MoveTrigger {
            pieces: pieces(1 << (self.role as u8 - 1)),
            captured: match self.capture {
                true => MoveTrigger::pieces_of(u8::MAX, true, true),
                false => MoveTrigger::ANY.captured,
            },
            from: self.from_file.map_or(u64::MAX, file) & self.from_rank.map_or(u64::MAX, rank),
            to: 1 << (self.to & 63),
            ..MoveTrigger::ANY
        }
    }

    /// Whether a move is of that kind.
    #[inline]
    pub fn matches(&self, moved: &MoveEffect) -> bool {
        let color = if moved.piece < 6 {
            Color::White
        } else {
            Color::Black
        };
        if moved.null || self.color.is_some_and(|wanted| wanted != color) {
            return false;
        }
        if self.castle.is_some() || moved.castle.is_some() {
            return self.castle == moved.castle;
        }
        usize::from(moved.piece) == kind(color, self.role)
            && moved.to == self.to
            && self.from_file.is_none_or(|file| moved.from & 7 == file)
            && self.from_rank.is_none_or(|rank| moved.from >> 3 == rank)
            && (!self.capture || moved.captured.is_some())
            && (self.promotion.is_none() || self.promotion == moved.promotion)
    }
}

/// The words of movetext with their places: move numbers, dots and results are left out.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split([' ', '\t', '\n', '\r']).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let stripped = if rest.len() < word.len() {
            // `1.e4` and `1...c5`, but not `0-0`.
            match rest.strip_prefix('.') {
                Some(_) => rest.trim_start_matches('.'),
                None if rest.is_empty() => "",
                None => word,
            }
        } else {
            word.trim_start_matches('.')
        };
        (!stripped.is_empty()).then(|| (start + word.len() - stripped.len(), stripped))
    })
}

fn with_letters(word: &str) -> String {
    // Castling with zeros is common.
    word.replace("0-0", "O-O").replace("-0", "-O")
}

/// The first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineTest {
    /// The pieces at the start, and the side to move.
    pub(crate) pieces: PieceSquares,
    pub(crate) turn: Color,
    /// The moves.
    pub(crate) moves: Vec<LineMove>,
}

/// One move of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LineMove {
    /// This one.
    Exact(MoveEffect),
    /// Any move.
    Any,
    /// A move that is written like this, from an unknown position.
    Written(MoveTest),
}

impl LineMove {
    /// Whether a move is meant.
    pub(crate) fn matches(&self, moved: &MoveEffect) -> bool {
        match self {
            LineMove::Exact(wanted) => {
                wanted.castle == moved.castle
                    && wanted.null == moved.null
                    && (wanted.castle.is_some()
                        || (wanted.from == moved.from && wanted.to == moved.to))
                    && wanted.promotion == moved.promotion
                    && wanted.piece == moved.piece
            }
            LineMove::Any => true,
            LineMove::Written(test) => test.matches(moved),
        }
    }
}

/// Reads the moves of a line from a start; errors count from the start of `text`.
pub(crate) fn parse_line(text: &str, start: &Board) -> Result<LineTest, QueryError> {
    let text = &unfold_dots(text);
    let mut board = start.clone();
    let mut line = Vec::new();
    let mut is_known = true;
    let mut turn = start.turn();
    // `1...e5` leaves White's move open.
    let lead = text.trim_start();
    let digits = lead.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < lead.len() && digits.starts_with("..") && turn == Color::White {
        line.push(LineMove::Any);
        is_known = false;
        turn = !turn;
    }
    for (start, word) in words(text) {
        let span = start..start + word.len();
        let color = turn;
        turn = !turn;
        if word == "?" || !is_known {
            is_known = false;
            line.push(match word {
                "?" => LineMove::Any,
                word => LineMove::Written(written(word, Some(color), span.clone())?),
            });
            if line.len() > MAX_MOVES {
                return Err(QueryError::new(span, "there are too many moves"));
            }
            continue;
        }
        let san = with_letters(word);
        let read = board.read_san(san.as_bytes());
        let m = match read {
            Some((Ok(m) | Err(SanError::Illegal(m)), used)) if only_marks(&san, used) => Ok(m),
            Some((Err(SanError::Ambiguous(_)), _)) => Err("several moves match"),
            Some((Err(_), _)) => Err("there is no such move in this position"),
            _ => board.parse_uci(word.as_bytes()).ok_or("this is not a move"),
        };
        let m = m.map_err(|what| QueryError::new(span.clone(), what))?;
        line.push(LineMove::Exact(MoveEffect::new(&board, m)));
        if line.len() > MAX_MOVES {
            return Err(QueryError::new(span, "there are too many moves"));
        }
        board.play(m);
    }
    if words(text).next().is_none() {
        return Err(QueryError::new(0..text.len().max(1), "there is no move"));
    }
    Ok(LineTest {
        pieces: piece_squares(start),
        turn: start.turn(),
        moves: line,
    })
}

/// The dots of `1…e5` as three of them, without a change of places.
fn unfold_dots(text: &str) -> String {
    // Both have three bytes.
    text.replace('…', "...")
}

/// Reads one move that is known by its letters.
fn written(word: &str, color: Option<Color>, span: Range<usize>) -> Result<MoveTest, QueryError> {
    let san_text = with_letters(word);
    let san = match parse_san(san_text.as_bytes()) {
        Some((san, used)) if only_marks(&san_text, used) => san,
        _ => {
            return Err(QueryError::new(span, "this is not a move").help(
                "write moves as `Nf3`, `exd5`, `b.Nf6` for one of Black's, with spaces between them",
            ));
        }
    };
    let small = |number: u32| number.to_le_bytes()[0];
    Ok(MoveTest {
        color,
        role: san.role,
        from_file: san.from_file.map(|file| small(u32::from(file))),
        from_rank: san.from_rank.map(|rank| small(u32::from(rank))),
        to: small(u32::from(san.to)),
        capture: san.capture,
        promotion: san.promotion,
        castle: san.castle,
    })
}

fn only_marks(san: &str, used: usize) -> bool {
    san.get(used..)
        .is_some_and(|rest| rest.bytes().all(|b| matches!(b, b'!' | b'?' | b'+' | b'#')))
}

/// Reads moves with anything between them; `w.` or `b.` before a move says whose it is.
pub(crate) fn parse_sequence(text: &str) -> Result<Vec<MoveTest>, QueryError> {
    let mut tests = Vec::new();
    for (start, word) in words(text) {
        let span = start..start + word.len();
        let (color, name) = match (word.strip_prefix("w."), word.strip_prefix("b.")) {
            (Some(rest), _) => (Some(Color::White), rest),
            (_, Some(rest)) => (Some(Color::Black), rest),
            _ => (None, word),
        };
        tests.push(written(name, color, span.clone())?);
        if tests.len() > MAX_MOVES {
            return Err(QueryError::new(span, "there are too many moves"));
        }
    }
    if tests.is_empty() {
        return Err(QueryError::new(0..text.len().max(1), "there is no move"));
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<LineTest, QueryError> {
        parse_line(text, &Board::standard())
    }

    #[test]
    fn lines_are_read() {
        assert_eq!(line("1…e5 2.Nf3").map(|l| l.moves.len()), Ok(3));
        assert_eq!(line("1.e4 ? 2.Nf3").map(|l| l.moves.len()), Ok(3));
        assert_eq!(line("1.e4 ? 2.Ne9").map_err(|e| e.span), Err(9..12));
        assert!(matches!(
            line("1... e5").expect("a line").moves.as_slice(),
            [LineMove::Any, LineMove::Written(_)]
        ));
        assert_eq!(
            line("1.e4 c5 2. Nf3 d6 3.d4 cxd4 4 Nxd4").map(|l| l.moves.len()),
            Ok(7)
        );
        assert_eq!(
            line("e4 e5 Nf3 Nc6 Bc4 Bc5 0-0").map(|l| l.moves.len()),
            Ok(7)
        );
        assert_eq!(line("1. e2e4 e7e5").map(|l| l.moves.len()), Ok(2));
        assert_eq!(line("1...").map_err(|e| e.span), Err(0..4));
        assert_eq!(line("1.e4 Ke4").map_err(|e| e.span), Err(5..8));
        assert_eq!(line("1.e4 foo").map_err(|e| e.span), Err(5..8));
        assert!(line("").is_err());
    }

    #[test]
    fn sequences_are_read() {
        assert_eq!(
            parse_sequence("Nf6 b.O-O w.exd5 e8=Q").map(|s| s.len()),
            Ok(4)
        );
        assert_eq!(parse_sequence("Nf6 x").map_err(|e| e.span), Err(4..5));
    }
}
