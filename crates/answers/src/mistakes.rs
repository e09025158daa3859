//! Where a player makes mistakes: `mistakes --json`.

use crate::macros::answers;

answers! {
    /// Where a player makes mistakes: `mistakes --json`. Losses are in hundredths of a pawn.
    pub struct MistakesAnswer {
        /// The name that was asked for.
        pub player: String,
        /// The names of the databases.
        pub bases: Vec<String>,
        /// Games of the player with evaluations.
        pub games: u64,
        /// Games of the player without evaluations, which are not counted.
        pub without_evaluations: u64,
        /// Which games have evaluations, and which have none.
        pub games_by_evaluations: EvaluatedGamesAnswer,
        /// The mean of the player's ratings in these games.
        pub rating: Option<u64>,
        /// All moves of the player between two evaluations.
        pub all: MistakeCountAnswer,
        /// The same for other players with a similar rating, against any opponent.
        pub others: MistakeCountAnswer,
        /// The games of the numbers in `all` and `others`.
        pub in_games: MistakeGamesAnswer,
        /// The moves by opening, phase, clock, piece, kind of loss and motif.
        pub groups: Vec<MistakeGroupAnswer>,
        /// Games that are damaged.
        pub damaged: u64,
        /// Whether everything was processed.
        pub whole: bool,
    }

    /// The number of moves by judgement.
    pub struct MistakeCountAnswer {
        /// Moves.
        pub moves: u64,
        /// Inaccuracies.
        pub inaccuracies: u64,
        /// Mistakes.
        pub mistakes: u64,
        /// Blunders.
        pub blunders: u64,
        /// Their total loss.
        pub loss: u64,
    }

    /// Moves grouped by one criterion.
    pub struct MistakeGroupAnswer {
        /// The criterion: `opening`, `phase`, `clock`, `piece`, `kind` or `motif`.
        pub by: String,
        /// The rows, those with the largest loss first.
        pub rows: Vec<MistakeRowAnswer>,
    }

    /// The moves of one group.
    pub struct MistakeRowAnswer {
        /// The value of the criterion.
        pub value: String,
        /// The player's moves.
        pub own: MistakeCountAnswer,
        /// The moves of other players with a similar rating.
        pub others: MistakeCountAnswer,
        /// The games of these numbers.
        pub in_games: MistakeGamesAnswer,
        /// The player's inaccuracies, mistakes and blunders.
        pub places: Vec<MistakePlaceAnswer>,
    }

    /// The games of a player with evaluations, and those without, by database.
    pub struct EvaluatedGamesAnswer {
        /// Games with evaluations.
        pub with: Vec<GameNumbersAnswer>,
        /// Games without evaluations.
        pub without: Vec<GameNumbersAnswer>,
    }

    /// The games in which moves were counted, by database.
    pub struct MistakeGamesAnswer {
        /// Games with moves of the player.
        pub moves: Vec<GameNumbersAnswer>,
        /// Games with inaccuracies of the player.
        pub inaccuracies: Vec<GameNumbersAnswer>,
        /// Games with mistakes of the player.
        pub mistakes: Vec<GameNumbersAnswer>,
        /// Games with blunders of the player.
        pub blunders: Vec<GameNumbersAnswer>,
        /// Games with moves of other players with a similar rating.
        pub others: Vec<GameNumbersAnswer>,
    }

    /// Games of one database.
    pub struct GameNumbersAnswer {
        /// The database.
        pub base: String,
        /// Their numbers, as the query term `number:` takes them: `1..4,7`.
        pub numbers: String,
        /// Whether these are all of them.
        pub whole: bool,
    }

    /// The place of an inaccuracy, mistake or blunder.
    pub struct MistakePlaceAnswer {
        /// The database.
        pub base: String,
        /// The number of the game.
        pub number: u64,
        /// The ply, from 1.
        pub ply: u64,
        /// `inaccuracy`, `mistake` or `blunder`.
        pub judgement: String,
    }
}
