//! Results of the moves of a main line, in columns that a search reads instead of the moves: the pawns that have moved,
//! promotions, and the pieces at the end.

use shakmaty::{Color, Role, Square};
use tabiya_model::facts::{MoveFacts, PROMOTION, UNDER_PROMOTION};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{Game, Move};

/// The starting squares of pawns.
const HOME: u64 = 0x00ff_0000_0000_ff00;

/// Follows a main line.
#[derive(Debug, Default)]
pub(super) struct MainLineSummary {
    home: u64,
    pawns: String,
    promotions: String,
    /// Whether the game starts from the normal position, and no piece has made a move that is only possible by breaking the
    /// rules.
    is_known: bool,
}

fn bit(square: Square) -> u64 {
    1 << u32::from(square)
}

/// The starting rank of a side's pawns.
fn home_of(color: Color) -> u64 {
    color.fold_wb(HOME & 0xffff, HOME & !0xffff)
}

impl MainLineSummary {
    /// Resets it for a new game.
    pub(super) fn begin(&mut self, game: &Game) {
        self.home = HOME;
        self.pawns.clear();
        self.promotions.clear();
        self.is_known = game.start == StartingPosition::Standard && game.variant != Variant::Other;
    }

    /// Adds the next move, and the side that makes it.
    #[inline]
    pub(super) fn play(&mut self, turn: Color, m: Move) {
        if m.is_null() {
            return;
        }
        // Castling has squares of the first rank. A pawn that is captured en passant has left home before.
        let (from, to) = (bit(m.from()), bit(m.to()));
        let touched = self.home & (from | to);
        if touched != 0 {
            self.leave(touched);
        }
        if let Some(role) = m.promotion() {
            self.promotions
                .push(turn.fold_wb(role.upper_char(), role.char()));
            self.is_known &= m.role() == Role::Pawn;
        }
        // No pawn comes home again.
        self.is_known &= m.role() != Role::Pawn || to & home_of(turn) == 0;
    }

    fn leave(&mut self, touched: u64) {
        self.home &= !touched;
        for square in (0..64).filter(|square| touched >> square & 1 != 0) {
            let first = if square < 32 { b'A' } else { b'a' };
            self.pawns.push(char::from(first + (square & 7)));
        }
    }

    /// A move that the rules do not explain.
    pub(super) fn break_rules(&mut self) {
        self.is_known = false;
    }

    /// The pawns in the order in which they left their home squares: White's by the capital letters of their files.
    pub(super) fn home_pawns(&self) -> Option<&str> {
        self.is_known.then_some(&*self.pawns)
    }

    /// The promotion pieces in order: White's in capital letters.
    pub(super) fn promotions(&self) -> Option<&str> {
        (!self.promotions.is_empty()).then_some(&*self.promotions)
    }
}

/// Puts pawns that left home into facts; false if a letter of the text is not a pawn, or one occurs twice.
pub(super) fn read_home_pawns(text: &[u8], facts: &mut MoveFacts) -> bool {
    let (mut list, mut seen) = (0_u64, 0_u16);
    for letter in text {
        let pawn = match letter {
            b'A'..=b'H' => 15 - (letter - b'A'),
            b'a'..=b'h' => 7 - (letter - b'a'),
            _ => return false,
        };
        if seen >> pawn & 1 != 0 {
            return false;
        }
        seen |= 1 << pawn;
        list = list << 4 | u64::from(pawn);
    }
    // At most sixteen are different.
    let count = seen.count_ones();
    facts.home_pawns = list.checked_shl(64 - 4 * count).unwrap_or(0);
    facts.home_count = count.to_le_bytes()[0];
    true
}

/// The pieces of a text such as `KRPPvKR`, in the form of [`MoveFacts::material`].
pub(super) fn read_material(text: &[u8]) -> Option<u32> {
    let (white, black) = text.split_at_checked(text.iter().position(|it| *it == b'v')?)?;
    Some(read_side(white)? << 12 | read_side(black.get(1..)?)?)
}

fn read_side(pieces: &[u8]) -> Option<u32> {
    let mut counts = [0_u32; 5];
    for piece in pieces {
        let kind = b"PNBRQ".iter().position(|kind| kind == piece);
        match kind.and_then(|kind| counts.get_mut(kind)) {
            Some(count) => *count += 1,
            None if *piece == b'K' => {}
            None => return None,
        }
    }
    let [pawns, pieces @ ..] = counts;
    let places = pieces.iter().zip([4, 6, 8, 10]);
    Some(places.fold(pawns.min(15), |bits, (count, place)| {
        bits | count.min(&3) << place
    }))
}

/// The flags of promotion pieces.
pub(super) fn read_promotions(text: &[u8]) -> u32 {
    let is_queen = |piece: &u8| matches!(piece, b'Q' | b'q');
    match text {
        [] => 0,
        pieces if pieces.iter().all(is_queen) => PROMOTION,
        _ => PROMOTION | UNDER_PROMOTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: MoveFacts = MoveFacts {
        material: 0,
        home_pawns: 0,
        home_count: 0,
        stored_line: 0,
    };

    #[test]
    fn pawns_have_their_numbers() {
        let mut facts = NONE;
        assert!(read_home_pawns(b"EeHh", &mut facts));
        assert_eq!((facts.home_pawns, facts.home_count), (0xb380 << 48, 4));
        assert!(read_home_pawns(b"", &mut facts));
        assert_eq!((facts.home_pawns, facts.home_count), (0, 0));
        assert!(read_home_pawns(b"ABCDEFGHabcdefgh", &mut facts));
        assert_eq!(facts.home_pawns, 0xfedc_ba98_7654_3210);
        for wrong in [&b"EE"[..], b"i", b"E e", b"ABCDEFGHabcdefghA"] {
            assert!(!read_home_pawns(wrong, &mut facts));
        }
    }

    #[test]
    fn pieces_are_read() {
        assert_eq!(read_material(b"KRPPvKR"), Some(0x0010_2100));
        assert_eq!(read_material(b"KQQQQvK"), Some(0xc00 << 12));
        for wrong in [&b"KRPP"[..], b"KvKvK", b"kvk", b"K vK"] {
            assert_eq!(read_material(wrong), None);
        }
    }

    #[test]
    fn promotions_are_told_apart() {
        assert_eq!(read_promotions(b""), 0);
        assert_eq!(read_promotions(b"Qq"), PROMOTION);
        assert_eq!(read_promotions(b"Qn"), PROMOTION | UNDER_PROMOTION);
    }
}
