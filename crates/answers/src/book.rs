//! Opening books: `book --json`, and what books say about a position.

use crate::explorer::OpeningAnswer;
use crate::macros::answers;

answers! {
    /// An opening book that was made from games: `book --json`.
    pub struct BookAnswer {
        /// The file.
        pub target: String,
        /// Its format: `polyglot` or `abk`.
        pub format: &'static str,
        /// Games that were counted.
        pub games: u64,
        /// Games from other starting positions, or without a move: they were not counted.
        pub skipped: u64,
        /// Damaged games: they were counted up to the damage.
        pub damaged: u64,
        /// Positions of the book.
        pub positions: u64,
        /// Moves of the book; a book of Arena has a move once for each way to its position.
        pub moves: u64,
        /// Moves of the games, each with its position, that the book does not have.
        pub left_out: u64,
        /// Its size.
        pub bytes: u64,
        /// Notes on indexes that are not used.
        pub notes: Vec<String>,
        /// Whether everything was processed; if not, no book was written.
        pub whole: bool,
    }

    /// What an opening book says about a position.
    pub struct PositionBookAnswer {
        /// The name of the book.
        pub name: String,
        /// Its format.
        pub format: &'static str,
        /// Its moves in the position, in its order, those with the highest weight first.
        pub moves: Vec<BookMoveAnswer>,
    }

    /// A move of an opening book. What the book does not say is left out.
    pub struct BookMoveAnswer {
        /// The move in UCI notation.
        pub uci: String,
        /// The move in SAN.
        pub san: String,
        /// How strongly the book prefers it, compared with the other moves of the position.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub weight: Option<u32>,
        /// Its priority, from 0 (not to be played) to 9.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub priority: Option<u8>,
        /// The games with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub games: Option<u32>,
        /// Those of them that White won.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub white: Option<u32>,
        /// Those that were drawn.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub draws: Option<u32>,
        /// Those that Black won.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub black: Option<u32>,
        /// The average rating of the players.
        #[serde(rename = "averageRating", skip_serializing_if = "Option::is_none")]
        pub average_rating: Option<u32>,
        /// The recommendation of the book: `play` or `avoid`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub advice: Option<&'static str>,
        /// The number of its annotation symbol (NAG): 1 for !, 2 for ?.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub nag: Option<u8>,
        /// True if it is marked as deleted in the book.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub deleted: Option<bool>,
        /// The opening after the move.
        pub opening: Option<OpeningAnswer>,
    }
}
