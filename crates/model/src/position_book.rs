//! What an opening book says about the moves of a position.

use crate::board::{Board, Move};

/// The data of a book about a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct BookMoveWeight {
    /// Not to be played by a program.
    pub is_weak: bool,
    /// How often it is played, or how strongly it is preferred, if the book has it.
    pub weight: Option<u32>,
    /// The NAG of an annotation symbol, 0 for none.
    pub sign: u8,
    /// Its other data.
    pub notes: BookMoveNotes,
}

/// Other data of some books about a move, besides its weight.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct BookMoveNotes {
    /// How strongly it is preferred, from 0 to 9.
    pub priority: Option<u8>,
    /// Whether it is marked as deleted.
    pub is_deleted: bool,
    /// The recommendation.
    pub advice: Option<BookAdvice>,
    /// The number of games with it, and how many of them White won, were drawn, and Black won.
    pub games: Option<[u32; 4]>,
    /// The average rating.
    pub rating: Option<u32>,
}

/// The recommendation of a book for a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BookAdvice {
    /// To play it always.
    Play,
    /// Never to play it.
    Avoid,
}

/// An opening book that can be asked about a position.
pub trait PositionBook {
    /// The legal moves that the book has in a position, each once, in the order of the book.
    fn moves(&self, board: &Board) -> Vec<(Move, BookMoveWeight)>;
}
