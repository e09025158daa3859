//! The start of a game as its record has it.

use std::sync::LazyLock;

use shakmaty::{CastlingSide, Color, File, Rank, Square};
use tabiya_model::Game;
use tabiya_model::board::Board;
use tabiya_model::game::{StartingPosition, Variant};

use crate::cbh::layout::chess960_number;
use crate::cbh2::layout::tag;
use crate::cbh2::losses::LOST_START;
use crate::cbh2::move_words::{MOVES, START, number_of_piece};
use crate::cbh2::moves::{CASTLES, Cbh2StartPieces};
use crate::cbh2::start::{
    CHESS960_SETUP, Cbh2StartPosition, chess960_board, read_start, right_bit,
};
use crate::encode::CbhLossReport;

/// The number of the usual start among those of Chess960.
const USUAL: u16 = 518;

/// The start of a game as the record has it.
pub(super) struct Cbh2EncodedStart {
    /// The kind of the record.
    pub(super) tag: u16,
    /// The words before the moves.
    pub(super) words: Vec<u16>,
    /// Whether it is set up, and not one of the starts that have a number.
    pub(super) is_setup: bool,
    /// The number of a start of Chess960, by which castling is written.
    pub(super) number: Option<u16>,
    /// The board that a reader has.
    pub(super) board: Board,
    pub(super) pieces: Cbh2StartPieces,
    /// Whether there is room for the position, without which no move can be stored.
    pub(super) is_whole: bool,
}

impl Cbh2EncodedStart {
    pub(super) fn of(game: &Game, report: &mut CbhLossReport<'_>) -> Cbh2EncodedStart {
        let is_chess960 = game.variant == Variant::Chess960;
        if game.variant != Variant::Standard && !is_chess960 {
            report.loss(&LOST_START, "the rules of another variant");
        }
        let StartingPosition::Setup(board, _) = &game.start else {
            return Cbh2EncodedStart::usual(is_chess960, true);
        };
        // Rooks that castle from other files need the rules of Chess960.
        let is_chess960 = is_chess960 || board.is_chess960();
        let before = board.to_fen();
        let numbered = chess960_number(board).filter(|number| {
            let (same, _) = chess960_board(*number);
            is_chess960 && same.to_fen() == before
        });
        if let Some(number) = numbered {
            let mut start = Cbh2EncodedStart::usual(true, true);
            start.words = vec![START, number, MOVES];
            start.number = Some(number);
            start.board = (**board).clone();
            start.pieces = Cbh2StartPieces::of(board, true);
            return start;
        }
        let Some(words) = setup_words(board, is_chess960) else {
            let why = format!("pawns on the first or last rank: {before}");
            report.loss(&LOST_START, why);
            return Cbh2EncodedStart::usual(is_chess960, false);
        };
        let tag = if is_chess960 {
            tag::CHESS960
        } else {
            tag::GAME
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let stored = match read_start(&bytes, tag).map(|start| start.position) {
            Ok(Cbh2StartPosition::Setup(setup)) => setup.board(is_chess960, 0).board,
            _ => (**board).clone(),
        };
        let after = stored.to_fen();
        if before != after {
            report.loss(&LOST_START, format!("{before} as {after}"));
        }
        Cbh2EncodedStart {
            tag,
            words,
            is_setup: true,
            number: is_chess960.then(|| likely_number(board)),
            pieces: Cbh2StartPieces::of(&stored, is_chess960),
            board: stored,
            is_whole: true,
        }
    }

    fn usual(is_chess960: bool, is_whole: bool) -> Cbh2EncodedStart {
        let board = Board::standard();
        Cbh2EncodedStart {
            tag: if is_chess960 {
                tag::CHESS960
            } else {
                tag::GAME
            },
            words: vec![MOVES],
            is_setup: false,
            number: is_chess960.then_some(USUAL),
            pieces: Cbh2StartPieces::of(&board, is_chess960),
            board,
            is_whole,
        }
    }
}

/// The words of a position that is set up; nothing where a pawn stands on a rank on which none has a number.
fn setup_words(board: &Board, is_chess960: bool) -> Option<Vec<u16>> {
    let mut words = vec![START];
    if is_chess960 {
        words.push(CHESS960_SETUP);
    }
    let rights = CASTLES
        .into_iter()
        .filter(|(color, side)| board.castling_rook(*color, *side).is_some())
        .fold(0, |bits, (color, side)| bits | right_bit(color, side));
    words.push(u16::try_from(board.fullmoves()).unwrap_or(u16::MAX));
    words.push(u16::from(rights) << 8 | u16::from(board.turn().is_black()));
    let passing = board.pseudo_legal_ep_square();
    let file = passing.and_then(|square| u16::try_from(u32::from(square.file()) + 1).ok());
    words.push(file.unwrap_or(0));
    for square in File::ALL
        .into_iter()
        .flat_map(|file| Rank::ALL.map(|rank| Square::from_coords(file, rank)))
    {
        if let Some(piece) = board.piece_at(square) {
            let on = u32::from(square).to_le_bytes()[0];
            words.push(number_of_piece(piece.color, piece.role, on)?);
        }
    }
    words.push(MOVES);
    Some(words)
}

/// The files of king and rooks, the rook of the queen's side first, of every start of Chess960.
static CASTLING_FILES: LazyLock<Vec<[Option<File>; 3]>> = LazyLock::new(|| {
    let files = |number| {
        let (board, _) = chess960_board(number);
        let king = board.king_of(Color::White).map(Square::file);
        let rook = |side| board.castling_rook(Color::White, side).map(Square::file);
        [
            king,
            rook(CastlingSide::QueenSide),
            rook(CastlingSide::KingSide),
        ]
    };
    (0..960).map(files).collect()
});

/// The lowest number of a start of Chess960 whose king and rooks stand on the files of those that can castle in a position.
fn likely_number(board: &Board) -> u16 {
    let mut wanted = [None; 3];
    for (color, side) in CASTLES {
        let Some(rook) = board.castling_rook(color, side) else {
            continue;
        };
        let place = 1 + usize::from(side == CastlingSide::KingSide);
        if let Some(slot) = wanted.get_mut(place) {
            *slot = slot.or(Some(rook.file()));
        }
        let king = board.king_of(color).map(Square::file);
        wanted[0] = wanted[0].or(king);
    }
    let fits = |files: &[Option<File>; 3]| {
        let mut pairs = files.iter().zip(&wanted);
        pairs.all(|(own, wanted)| wanted.is_none() || own == wanted)
    };
    let found = CASTLING_FILES.iter().position(fits);
    found.and_then(|at| u16::try_from(at).ok()).unwrap_or(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setups_have_the_number_of_a_start_with_their_castling_files() {
        let number = |fen: &str| likely_number(&Board::from_fen(fen).expect("a position").0);
        let usual = number("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 9");
        let files = CASTLING_FILES[usize::from(usual)];
        assert_eq!(files, [Some(File::E), Some(File::A), Some(File::H)]);
        let other = number("1rk5/8/8/8/8/8/8/1RK3R1 w GBb - 0 9");
        let files = CASTLING_FILES[usize::from(other)];
        assert_eq!(files, [Some(File::C), Some(File::B), Some(File::G)]);
        assert!(other < 960 && usual < 960);
    }
}
