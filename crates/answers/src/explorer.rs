//! The explorer: `explore --json`, `explore --tree json`, and the server's routes in the shape of the Lichess explorer.

use crate::macros::answers;

answers! {
    /// What is played in a position: `explore --json`.
    pub struct ExplorerAnswer {
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The moves, the most frequent first.
        pub moves: Vec<ExplorerMoveAnswer>,
        /// Games of strong players; not in the answer about a player.
        #[serde(rename = "topGames", skip_serializing_if = "Option::is_none")]
        pub top_games: Option<Vec<ExplorerGameAnswer>>,
        /// The latest games; not in the answer of the masters.
        #[serde(rename = "recentGames", skip_serializing_if = "Option::is_none")]
        pub recent_games: Option<Vec<ExplorerGameAnswer>>,
        /// The opening of the position.
        pub opening: Option<OpeningAnswer>,
        /// In the answer about a player, which clients of Lichess wait for: always 0.
        #[serde(rename = "queuePosition", skip_serializing_if = "Option::is_none")]
        pub queue_position: Option<u32>,
        /// Whose turn it is: `white` or `black`.
        pub turn: &'static str,
        /// Whether everything was looked at.
        pub whole: bool,
        /// What there is to know beside; told by the server.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub notes: Option<Vec<String>>,
    }

    /// How games ended.
    pub struct ExplorerScoreAnswer {
        /// Won by White.
        pub white: u64,
        /// Drawn.
        pub draws: u64,
        /// Won by Black.
        pub black: u64,
        /// All games, those without a result among them.
        pub games: u64,
    }

    /// A move and its games.
    pub struct ExplorerMoveAnswer {
        /// The move by its squares.
        pub uci: String,
        /// The move in letters.
        pub san: String,
        /// The mean Elo of who made it, where games say it.
        #[serde(rename = "averageRating", skip_serializing_if = "Option::is_none")]
        pub average_rating: Option<i64>,
        /// The mean Elo of the opponents, where games say it.
        #[serde(rename = "averageOpponentRating", skip_serializing_if = "Option::is_none")]
        pub average_opponent_rating: Option<i64>,
        /// The performance rating of who made it, where games say ratings.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub performance: Option<i64>,
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The date of the last game; null where none says it.
        #[serde(rename = "lastPlayed")]
        pub last_played: Option<String>,
        /// The game, where there is but one.
        pub game: Option<ExplorerGameAnswer>,
        /// The opening after the move.
        pub opening: Option<OpeningAnswer>,
    }

    /// A game of an explorer's answer.
    pub struct ExplorerGameAnswer {
        /// The move that was made in the position.
        pub uci: String,
        /// The id of the game.
        pub id: String,
        /// `white`, `black`, or null for a draw and for no result.
        pub winner: Option<&'static str>,
        /// White.
        pub white: ExplorerPlayerAnswer,
        /// Black.
        pub black: ExplorerPlayerAnswer,
        /// The year; 0 where it is not known.
        pub year: u16,
        /// Year and month, where both are known.
        pub month: Option<String>,
        /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
        pub result: &'static str,
        /// A word that clients of Lichess want; databases do not say it. Not in the answer of the masters.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub speed: Option<&'static str>,
        /// A word that clients of Lichess want; databases do not say it. Not in the answer of the masters.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mode: Option<&'static str>,
    }

    /// A player of a game of an explorer's answer.
    pub struct ExplorerPlayerAnswer {
        /// The name.
        pub name: String,
        /// The Elo; 0 for none.
        pub rating: u16,
    }

    /// An opening.
    pub struct OpeningAnswer {
        /// Its ECO code.
        pub eco: &'static str,
        /// Its name.
        pub name: &'static str,
    }

    /// A tree of moves: `explore --tree json`.
    pub struct ExplorerTreeAnswer {
        /// The position from which it grows.
        pub fen: Option<String>,
        /// The moves in it.
        pub moves: Vec<ExplorerBranchAnswer>,
    }

    /// A move of a tree.
    pub struct ExplorerBranchAnswer {
        /// The move by its squares.
        pub uci: String,
        /// The move in letters.
        pub san: String,
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The mean Elo of who made it, where games say it.
        #[serde(rename = "averageRating", skip_serializing_if = "Option::is_none")]
        pub average_rating: Option<i64>,
        /// The performance rating of who made it, where games say ratings.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub performance: Option<i64>,
        /// The date of the last game; null where none says it.
        #[serde(rename = "lastPlayed")]
        pub last_played: Option<String>,
        /// The opening after the move.
        pub opening: Option<OpeningAnswer>,
        /// The moves after it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub moves: Option<Vec<ExplorerBranchAnswer>>,
        /// True where the position stands elsewhere in the tree with the moves after it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub transposes: Option<bool>,
    }
}
