//! Starting positions: the normal one, one of Chess960 by its number, or a custom one.

use shakmaty::{Bitboard, CastlingSide, Color, Piece, Rank, Role, Setup, Square};
use tabiya_model::board::{Board, PositionProblems};

use super::layout::tag;
use super::move_words::{self, piece_on};
use super::moves::{CASTLES, castle_squares};

/// The start that is a set-up position, instead of the number of one of Chess960.
pub(super) const CHESS960_SETUP: u16 = 1_000;
/// The start positions of Chess960.
const STARTS: u16 = 960;

/// The start of a game, and the offset of its moves.
#[derive(Clone, Debug)]
pub struct Cbh2Start {
    /// The byte where the moves begin.
    pub at: usize,
    /// Whether it is a game of Chess960.
    pub is_chess960: bool,
    /// The position, if it is not the normal one.
    pub position: Cbh2StartPosition,
}

/// A start position.
#[derive(Clone, Debug)]
pub enum Cbh2StartPosition {
    /// The normal one.
    Standard,
    /// One of Chess960, by its number.
    Number(u16),
    /// One that is set up.
    Setup(Cbh2Setup),
}

/// A position that is set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Setup {
    /// The number of the first move; 0 means 1.
    pub move_number: u16,
    /// The word with the side to move in its low byte.
    pub turn: u16,
    /// The word of the en passant square.
    pub passing: u16,
    /// The pieces with their squares, a1 = 0, b1 = 1.
    pub pieces: Vec<(Color, Role, u8)>,
}

/// Reads the part before the moves. `Err` has the error and its offset.
pub fn read_start(content: &[u8], frame_tag: u16) -> Result<Cbh2Start, (usize, String)> {
    let is_chess960 = frame_tag == tag::CHESS960;
    let mut at = 0_usize;
    let mut next = || -> Result<u16, (usize, String)> {
        let bytes = content.get(at..).and_then(|rest| rest.first_chunk());
        let word = bytes.copied().map(u16::from_le_bytes);
        let word = word.ok_or_else(|| {
            (
                at,
                "the record ends within its starting position".to_owned(),
            )
        })?;
        at += 2;
        Ok(word)
    };
    let position = match next()? {
        move_words::MOVES => Cbh2StartPosition::Standard,
        move_words::START => {
            let first = next()?;
            if is_chess960 && first < STARTS {
                let mark = next()?;
                if mark != move_words::MOVES {
                    return Err((
                        4,
                        format!("the word {mark:04x} follows the starting position"),
                    ));
                }
                Cbh2StartPosition::Number(first)
            } else {
                let move_number = match (is_chess960, first) {
                    (true, CHESS960_SETUP) => next()?,
                    (true, _) => {
                        return Err((2, format!("there is no starting position number {first}")));
                    }
                    (false, number) => number,
                };
                let (turn, passing) = (next()?, next()?);
                let mut pieces = Vec::new();
                loop {
                    let word = next()?;
                    if word == move_words::MOVES {
                        break;
                    }
                    // There are 64 squares, and a word more than that is as good as no end.
                    match piece_on(word).filter(|_| pieces.len() < 64) {
                        Some(piece) => pieces.push(piece),
                        None => {
                            let place = 2 * (pieces.len() + 4 + usize::from(is_chess960));
                            return Err((place, format!("the word {word:04x} is not a piece")));
                        }
                    }
                }
                Cbh2StartPosition::Setup(Cbh2Setup {
                    move_number,
                    turn,
                    passing,
                    pieces,
                })
            }
        }
        word => return Err((0, format!("the record begins with the word {word:04x}"))),
    };
    Ok(Cbh2Start {
        at,
        is_chess960,
        position,
    })
}

/// The position of a number of Chess960.
pub fn chess960_board(number: u16) -> (Board, PositionProblems) {
    let mut back = [None; 8];
    let mut rest = usize::from(number);
    let mut digit = |base: usize| {
        let digit = rest % base;
        rest /= base;
        digit
    };
    // The files that are free, by their order.
    fn put(back: &mut [Option<Role>; 8], place: usize, role: Role) {
        if let Some(slot) = back.iter_mut().filter(|slot| slot.is_none()).nth(place) {
            *slot = Some(role);
        }
    }
    let (light, dark, queen, knights) = (digit(4), digit(4), digit(6), digit(10));
    for file in [2 * light + 1, 2 * dark] {
        if let Some(slot) = back.get_mut(file) {
            *slot = Some(Role::Bishop);
        }
    }
    put(&mut back, queen, Role::Queen);
    // Two of five files, in order.
    let pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    let (first, second) = pairs.into_iter().nth(knights).unwrap_or((0, 1));
    put(&mut back, second, Role::Knight);
    put(&mut back, first, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        put(&mut back, 0, role);
    }
    let mut setup = Setup::initial();
    let mut rooks = Bitboard::EMPTY;
    for (file, role) in shakmaty::File::ALL.into_iter().zip(back) {
        let Some(role) = role else { continue };
        for color in Color::ALL {
            let rank = color.fold_wb(Rank::First, Rank::Eighth);
            let square = Square::from_coords(file, rank);
            setup.board.set_piece_at(square, Piece { color, role });
            if role == Role::Rook {
                rooks.add(square);
            }
        }
    }
    setup.castling_rights = rooks;
    Board::from_setup(&setup)
}

/// The bit of a castling right.
pub(super) fn right_bit(color: Color, side: CastlingSide) -> u8 {
    match (color, side) {
        (Color::White, CastlingSide::QueenSide) => 1,
        (Color::White, CastlingSide::KingSide) => 2,
        (Color::Black, CastlingSide::QueenSide) => 4,
        (Color::Black, CastlingSide::KingSide) => 8,
    }
}

/// A position, with what had to be guessed of it.
pub(super) struct Cbh2StartBoard {
    pub(super) board: Board,
    pub(super) problems: PositionProblems,
    pub(super) guess: Option<&'static str>,
}

impl Cbh2Setup {
    /// The position without castling and captures in passing.
    fn plain(&self) -> Setup {
        let mut setup = Setup::empty();
        for (color, role, square) in &self.pieces {
            let square = Square::new(u32::from(square & 63));
            let (color, role) = (*color, *role);
            setup.board.set_piece_at(square, Piece { color, role });
        }
        setup.turn = Color::from_white(self.turn & 0xff == 0);
        setup.castling_rights = Bitboard::EMPTY;
        setup.fullmoves = std::num::NonZeroU32::new(u32::from(self.move_number))
            .unwrap_or(std::num::NonZeroU32::MIN);
        setup
    }

    /// The position, with further castling rights than it names.
    ///
    /// Rights are in the high byte of the word of the side to move. That captures in passing are in the word behind it is a
    /// guess, because no example is known; one of the two descriptions has it the other way round, which is believed only
    /// where this reading makes no sense.
    pub(super) fn board(&self, is_chess960: bool, granted: u8) -> Cbh2StartBoard {
        let mut setup = self.plain();
        let (plain, _) = Board::from_setup(&setup);
        let squares = |color, side| castle_squares(&plain, color, side, is_chess960);
        let possible = CASTLES
            .into_iter()
            .filter(|(color, side)| squares(*color, *side).is_some())
            .fold(0, |bits, (color, side)| bits | right_bit(color, side));
        let passing_on = |file: u16| {
            let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
            let file = u32::from(file).checked_sub(1).filter(|file| *file < 8)?;
            let square = Square::from_coords(shakmaty::File::new(file), rank);
            let mut with = setup.clone();
            with.ep_square = Some(square);
            let (board, _) = Board::from_setup(&with);
            board.pseudo_legal_ep_square()
        };
        let [_, high] = self.turn.to_le_bytes();
        let as_rights = |value: u16| {
            let bits = u8::try_from(value).ok().filter(|bits| *bits < 16)?;
            (bits & !possible == 0).then_some(bits)
        };
        let (mut rights, mut passing, mut guess) = (high, None, None);
        let word = self.passing;
        if let Some(square) = passing_on(word) {
            passing = Some(square);
            guess = Some("the en passant square");
        } else if word != 0
            && let Some(bits) = as_rights(word)
            && (high == 0
                || as_rights(u16::from(high)).is_none()
                || passing_on(high.into()).is_some())
        {
            rights = bits;
            passing = passing_on(high.into());
            guess = Some("the castling rights, in the field of the en passant square");
        } else if word == 0
            && as_rights(u16::from(high)).is_none()
            && let Some(square) = passing_on(high.into())
        {
            rights = 0;
            passing = Some(square);
            guess = Some("the en passant square, in the field of the castling rights");
        }
        let mut rooks = Bitboard::EMPTY;
        for (color, side) in CASTLES {
            if (rights | granted) & right_bit(color, side) != 0
                && let Some([_, rook]) = squares(color, side)
            {
                rooks.add(rook);
            }
        }
        setup.castling_rights = rooks;
        setup.ep_square = passing;
        let (board, problems) = Board::from_setup(&setup);
        Cbh2StartBoard {
            board,
            problems,
            guess,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back_rank(number: u16) -> String {
        let fen = chess960_board(number).0.to_fen();
        fen.split('/').next().unwrap_or("").to_owned()
    }

    #[test]
    fn starts_of_chess960_by_number() {
        assert_eq!(back_rank(0), "bbqnnrkr");
        assert_eq!(back_rank(518), "rnbqkbnr");
        assert_eq!(back_rank(818), "brknqbrn");
        assert_eq!(back_rank(959), "rkrnnqbb");
        let all: std::collections::BTreeSet<String> = (0..STARTS).map(back_rank).collect();
        assert_eq!(all.len(), usize::from(STARTS));
    }

    fn words(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn what_stands_before_the_moves() {
        let start = |list: &[u16], frame_tag| read_start(&words(list), frame_tag);
        let standard = start(&[0xfffc, 0xffff], tag::GAME).expect("a start");
        assert!(matches!(standard.position, Cbh2StartPosition::Standard));
        assert_eq!(standard.at, 2);
        let number = start(&[0xfffb, 700, 0xfffc], tag::CHESS960).expect("a start");
        assert!(matches!(number.position, Cbh2StartPosition::Number(700)));
        assert_eq!(number.at, 6);
        for damaged in [
            &[][..],
            &[0xfffb],
            &[1],
            &[0xfffb, 960, 0xfffc],
            &[0xfffb, 1000, 1, 0, 0],
        ] {
            assert!(start(damaged, tag::CHESS960).is_err(), "{damaged:?}");
        }
    }

    #[test]
    fn rights_and_captures_in_passing() {
        // Kings on e1 and e8, White's rook on h1, a white pawn on e5, a black one on d5.
        let position = |turn, passing| Cbh2Setup {
            move_number: 9,
            turn,
            passing,
            pieces: vec![
                (Color::White, Role::King, 4),
                (Color::White, Role::Rook, 7),
                (Color::Black, Role::King, 60),
                (Color::White, Role::Pawn, 36),
                (Color::Black, Role::Pawn, 35),
            ],
        };
        let fen = |turn, passing, granted| {
            let start = position(turn, passing).board(false, granted);
            let fen = start.board.to_fen();
            let end = fen.split_once(' ').map_or("", |(_, end)| end).to_owned();
            (end, start.guess.is_some())
        };
        let say = |turn, passing| fen(turn, passing, 0);
        assert_eq!(say(0x0200, 0), ("w K - 0 9".to_owned(), false));
        assert_eq!(say(0x0001, 0), ("b - - 0 9".to_owned(), false));
        // A right without its rook is none.
        assert_eq!(say(0x0f00, 0), ("w K - 0 9".to_owned(), false));
        assert_eq!(say(0x0200, 4), ("w K d6 0 9".to_owned(), true));
        // The other reading, where this one makes no sense.
        assert_eq!(say(0x0000, 2), ("w K - 0 9".to_owned(), true));
        assert_eq!(say(0x0400, 2), ("w K d6 0 9".to_owned(), true));
        assert_eq!(say(0x0400, 0), ("w - d6 0 9".to_owned(), true));
        assert_eq!(fen(0, 0, 2), ("w K - 0 9".to_owned(), false));
    }
}
