//! What a player loses where: `mistakes --json`.

use crate::macros::answers;

answers! {
    /// What a player loses where: `mistakes --json`. Losses are hundredths of a pawn.
    pub struct MistakesAnswer {
        /// The name that was asked for.
        pub player: String,
        /// The names of the bases.
        pub bases: Vec<String>,
        /// Games of the player with evaluations.
        pub games: u64,
        /// Games of the player without evaluations, of which nothing can be said.
        pub without_evaluations: u64,
        /// The mean of the player's ratings in these games.
        pub rating: Option<u64>,
        /// All moves of the player that stand between two evaluations.
        pub all: MistakeCountAnswer,
        /// The same of others with such a rating, whoever they played.
        pub others: MistakeCountAnswer,
        /// The moves by opening, phase, clock, piece and kind of loss.
        pub groups: Vec<MistakeGroupAnswer>,
        /// Games that are damaged.
        pub damaged: u64,
        /// Whether everything was looked at.
        pub whole: bool,
    }

    /// How many moves were judged how.
    pub struct MistakeCountAnswer {
        /// Moves.
        pub moves: u64,
        /// Inaccuracies.
        pub inaccuracies: u64,
        /// Mistakes.
        pub mistakes: u64,
        /// Blunders.
        pub blunders: u64,
        /// What they lost together.
        pub loss: u64,
    }

    /// Moves that are told apart by one thing.
    pub struct MistakeGroupAnswer {
        /// By what: `opening`, `phase`, `clock`, `piece` or `kind`.
        pub by: String,
        /// The rows, those that lost most first.
        pub rows: Vec<MistakeRowAnswer>,
    }

    /// Moves that have one thing in common.
    pub struct MistakeRowAnswer {
        /// What they have in common.
        pub value: String,
        /// The player's moves.
        pub own: MistakeCountAnswer,
        /// Those of others with such a rating.
        pub others: MistakeCountAnswer,
        /// Where the player's mistakes and blunders are.
        pub places: Vec<MistakePlaceAnswer>,
    }

    /// Where a mistake is.
    pub struct MistakePlaceAnswer {
        /// The base.
        pub base: String,
        /// The number of the game.
        pub number: u64,
        /// The ply, from 1.
        pub ply: u64,
        /// `mistake` or `blunder`.
        pub judgement: String,
    }
}
