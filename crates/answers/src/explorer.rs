//! The explorer: `explore --json`, `explore --tree json`, and the server's routes in the shape of the Lichess explorer.

use crate::book::PositionBookAnswer;
use crate::macros::answers;

answers! {
    /// The moves played in a position: `explore --json`.
    pub struct ExplorerAnswer {
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The moves, the most frequent first.
        pub moves: Vec<ExplorerMoveAnswer>,
        /// The games with the highest ratings; not in the answer about a player.
        #[serde(rename = "topGames", skip_serializing_if = "Option::is_none")]
        pub top_games: Option<Vec<ExplorerGameAnswer>>,
        /// The latest games; not in the answer of the shape `masters`.
        #[serde(rename = "recentGames", skip_serializing_if = "Option::is_none")]
        pub recent_games: Option<Vec<ExplorerGameAnswer>>,
        /// The opening of the position.
        pub opening: Option<OpeningAnswer>,
        /// Only in the answer about a player, because clients of Lichess expect it: always 0.
        #[serde(rename = "queuePosition", skip_serializing_if = "Option::is_none")]
        pub queue_position: Option<u32>,
        /// What opening books say about the position, if some were asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub books: Option<Vec<PositionBookAnswer>>,
        /// The side to move: `white` or `black`.
        pub turn: &'static str,
        /// Whether everything was processed.
        pub whole: bool,
        /// Other notes; only from the server.
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
        /// All games, including those without a result.
        pub games: u64,
    }

    /// A move and its games.
    pub struct ExplorerMoveAnswer {
        /// The move in UCI notation.
        pub uci: String,
        /// The move in SAN.
        pub san: String,
        /// The mean Elo of the players who made it, if games have it.
        #[serde(rename = "averageRating", skip_serializing_if = "Option::is_none")]
        pub average_rating: Option<i64>,
        /// The mean Elo of their opponents, if games have it.
        #[serde(rename = "averageOpponentRating", skip_serializing_if = "Option::is_none")]
        pub average_opponent_rating: Option<i64>,
        /// The performance rating of the players who made it, if games have ratings.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub performance: Option<i64>,
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The date of the last game; null if no game has a date.
        #[serde(rename = "lastPlayed")]
        pub last_played: Option<String>,
        /// The game, if there is only one.
        pub game: Option<ExplorerGameAnswer>,
        /// The opening after the move.
        pub opening: Option<OpeningAnswer>,
    }

    /// A game of an explorer's answer.
    pub struct ExplorerGameAnswer {
        /// The move that was played in the position.
        pub uci: String,
        /// The id of the game.
        pub id: String,
        /// `white`, `black`, or null for a draw or no result.
        pub winner: Option<&'static str>,
        /// White.
        pub white: ExplorerPlayerAnswer,
        /// Black.
        pub black: ExplorerPlayerAnswer,
        /// The year; 0 if unknown.
        pub year: u16,
        /// Year and month, if both are known.
        pub month: Option<String>,
        /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
        pub result: &'static str,
        /// A word that clients of Lichess expect; databases do not have it. Not in the answer of the shape `masters`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub speed: Option<&'static str>,
        /// A word that clients of Lichess expect; databases do not have it. Not in the answer of the shape `masters`.
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
        /// The position at its root.
        pub fen: Option<String>,
        /// The moves in this position.
        pub moves: Vec<ExplorerBranchAnswer>,
    }

    /// A move of a tree.
    pub struct ExplorerBranchAnswer {
        /// The move in UCI notation.
        pub uci: String,
        /// The move in SAN.
        pub san: String,
        /// How the games ended.
        #[serde(flatten)]
        pub score: ExplorerScoreAnswer,
        /// The mean Elo of the players who made it, if games have it.
        #[serde(rename = "averageRating", skip_serializing_if = "Option::is_none")]
        pub average_rating: Option<i64>,
        /// The performance rating of the players who made it, if games have ratings.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub performance: Option<i64>,
        /// The date of the last game; null if no game has a date.
        #[serde(rename = "lastPlayed")]
        pub last_played: Option<String>,
        /// The opening after the move.
        pub opening: Option<OpeningAnswer>,
        /// The moves after it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub moves: Option<Vec<ExplorerBranchAnswer>>,
        /// True if the position is elsewhere in the tree, with the moves after it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub transposes: Option<bool>,
    }
}
