//! What opening books say about a position, beside the games of bases.

use std::cmp::Reverse;

use tabiya_answers::{BookMoveAnswer, PositionBookAnswer};
use tabiya_explore::move_code::MoveCode;
use tabiya_model::Move;
use tabiya_model::board::Board;
use tabiya_model::position_book::{BookAdvice, BookMoveWeight};
use tabiya_model::positions::MoveDelta;

use super::{answers, opening_after, san_of, uci_of};
use crate::open::base::Base;

/// Separates opening books from bases with games: a book is asked for its moves, and its lines do not count as games.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
/// use tabiya::explorer::{ExploreLine, ask_books, split_books};
///
/// let mut bases = tabiya::open(format!("{corpus}/pgn/ok/opera.pgn"))?;
/// bases.extend(tabiya::open(format!("{corpus}/ctg/ok/small.ctg"))?);
/// let (bases, books) = split_books(bases);
/// assert_eq!((bases.len(), books.len()), (1, 1));
/// let line = ExploreLine::read(None, "1.e4")?;
/// let told = ask_books(&books, line.board());
/// assert_eq!(told[0].moves[0].san, "e5");
/// # Ok(())
/// # }
/// ```
pub fn split_books(bases: Vec<Base>) -> (Vec<Base>, Vec<Base>) {
    let (books, bases) = bases.into_iter().partition(crate::write::book::is_book);
    (bases, books)
}

/// What each book says about a position: its moves, those with the highest weight first.
pub fn ask_books(books: &[Base], board: &Board) -> Vec<PositionBookAnswer> {
    let asked = books.iter().filter_map(|base| {
        let book = base.database()?.book()?;
        let mut moves = book.moves(board);
        moves.sort_by_key(|(_, mark)| Reverse(mark.weight));
        let moves = moves.into_iter();
        Some(PositionBookAnswer {
            name: base.name().to_owned(),
            format: base.format().name,
            moves: moves.map(|(m, mark)| answer(board, m, mark)).collect(),
        })
    });
    asked.collect()
}

fn answer(board: &Board, m: Move, mark: BookMoveWeight) -> BookMoveAnswer {
    let step = MoveCode::of(MoveDelta::of_move(board, m));
    let notes = mark.notes;
    let count = |at: usize| notes.games.and_then(|games| games.get(at).copied());
    // A book for DOS says only that a move is bad.
    let nag = match (mark.sign, mark.is_weak) {
        (0, true) => 2,
        (sign, _) => sign,
    };
    BookMoveAnswer {
        uci: uci_of(board, step),
        san: san_of(board, step),
        weight: mark.weight,
        priority: notes.priority,
        games: count(0),
        white: count(1),
        draws: count(2),
        black: count(3),
        average_rating: notes.rating,
        advice: notes.advice.map(|advice| match advice {
            BookAdvice::Play => "play",
            BookAdvice::Avoid => "avoid",
        }),
        nag: (nag != 0).then_some(nag),
        deleted: notes.is_deleted.then_some(true),
        opening: answers::opening(opening_after(board, step)),
    }
}
