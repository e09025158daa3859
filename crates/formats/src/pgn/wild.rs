//! Moves and signs that are not written as the standard says.

use shakmaty::{File, Rank, Role, Square};
use tabiya_model::board::{Move, San, SanError};
use tabiya_model::outcome::Outcome;

use super::codes;
use super::reader::{Next, Reader, quote};

/// Whether a word has the form of a move, readable or not.
pub(super) fn is_move_like(word: &[u8]) -> bool {
    let word = strip_suffixes(word);
    parse(word, &[]).is_some()
}

/// The result at the end of a word that is otherwise a move or a sign: where it begins.
pub(super) fn glued_result(word: &[u8]) -> Option<(usize, Outcome)> {
    let (length, outcome) = match word {
        [.., b'1', b'/', b'2', b'-', b'1', b'/', b'2'] => (7, Outcome::Draw),
        [.., b'1', b'/', b'2'] => (3, Outcome::Draw),
        [.., b'1', b'-', b'0'] => (3, Outcome::WhiteWins),
        [.., b'0', b'-', b'1'] => (3, Outcome::BlackWins),
        [.., b'*'] => (1, Outcome::Unknown),
        _ => return None,
    };
    let at = word.len() - length;
    let before = word.get(..at)?;
    (at > 0 && is_move_like(before)).then_some((at, outcome))
}

fn strip_suffixes(word: &[u8]) -> &[u8] {
    let mut word = word;
    while let [rest @ .., b'!' | b'?' | b'+' | b'#'] = word {
        word = rest;
    }
    word
}

/// Whether a word begins like a move and has a digit, such as a square that does not exist.
fn is_damaged_move(word: &[u8]) -> bool {
    let begins = matches!(
        word,
        [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'h' | b'x' | b'1'..=b'8', ..]
            | [b'a'..=b'h', b'x' | b'1'..=b'9', ..]
    );
    begins && word.iter().any(u8::is_ascii_digit)
}

/// What a word says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Told {
    San(San),
    Null,
}

fn role_of(byte: u8) -> Option<Role> {
    match byte {
        b'P' => Some(Role::Pawn),
        b'N' => Some(Role::Knight),
        b'B' => Some(Role::Bishop),
        b'R' => Some(Role::Rook),
        b'Q' => Some(Role::Queen),
        b'K' => Some(Role::King),
        _ => None,
    }
}

/// Reads a word without check marks and suffixes.
fn parse(word: &[u8], _letters: &[char]) -> Option<Told> {
    match word {
        b"--" | b"Z0" | b"<>" | b"null" | b"@@@@" | b"0000" => return Some(Told::Null),
        b"O-O" | b"0-0" | b"o-o" => {
            return Some(Told::San(San::castle(shakmaty::CastlingSide::KingSide)));
        }
        b"O-O-O" | b"0-0-0" | b"o-o-o" => {
            return Some(Told::San(San::castle(shakmaty::CastlingSide::QueenSide)));
        }
        _ => {}
    }
    let mut rest = word;
    let mut role = Role::Pawn;
    if let [first, tail @ ..] = rest
        && let Some(piece) = role_of(*first)
    {
        role = piece;
        rest = tail;
    }
    let mut promotion = None;
    if let [head @ .., last] = rest
        && let Some(piece) = role_of(last.to_ascii_uppercase())
    {
        promotion = Some(piece);
        rest = head.strip_suffix(b"=").unwrap_or(head);
    }
    let (head, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = Square::from_ascii(to).ok()?;
    let (head, capture) = match head {
        [head @ .., b'x' | b':'] => (head, true),
        [head @ .., b'-'] => (head, false),
        _ => (head, false),
    };
    let mut san = San::new(role, to);
    san.capture = capture;
    san.promotion = promotion;
    match head {
        [] => {}
        [file @ b'a'..=b'h'] => san.from_file = Some(File::new(u32::from(file - b'a'))),
        [rank @ b'1'..=b'8'] => san.from_rank = Some(Rank::new(u32::from(rank - b'1'))),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            san.from_file = Some(File::new(u32::from(file - b'a')));
            san.from_rank = Some(Rank::new(u32::from(rank - b'1')));
        }
        _ => return None,
    }
    Some(Told::San(san))
}

impl Reader<'_> {
    /// Reads a word that is no plain move of this position.
    #[cold]
    pub(super) fn wild(&mut self, start: usize, end: usize) -> Option<Next> {
        let word = self.slice(start, end);
        let Some(told) = parse(strip_suffixes(word), &[]) else {
            if is_damaged_move(word) {
                return Some(self.unreadable(start, end, "no such square or man"));
            }
            self.stray(start, end);
            return None;
        };
        let m = match told {
            Told::Null => Ok(Move::NULL),
            Told::San(san) => self.state.now.resolve_san(&san),
        };
        match m {
            Ok(m) => self.play(m),
            Err(SanError::Illegal(m)) => {
                let text = quote(word);
                let fen = self.state.now.to_fen();
                self.report(&codes::ILLEGAL_MOVE, start, || {
                    format!("the move {text} leaves the king in check in {fen}; it is kept")
                });
                self.play(m);
            }
            Err(error) => return Some(self.unreadable(start, end, &error.to_string())),
        }
        None
    }

    /// A move that cannot be played: the rest of its line becomes text.
    #[cold]
    fn unreadable(&mut self, start: usize, end: usize, why: &str) -> Next {
        let text = quote(self.slice(start, end));
        let fen = self.state.now.to_fen();
        self.report(&codes::UNREADABLE_MOVE, start, || {
            format!(
                "the move {text} cannot be played in {fen} ({why}); the rest of the line is kept as text"
            )
        });
        self.raw_rest(start)
    }
}
