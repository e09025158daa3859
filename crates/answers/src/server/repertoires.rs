//! Repertoires and their training.

use crate::games::SideAnswer;
use crate::macros::answers;
use crate::repertoire::{
    RepertoireConflictAnswer, RepertoireCoverageAnswer, RepertoireGameAnswer, RepertoireGapAnswer,
    RepertoireLineAnswer, RepertoirePositionAnswer,
};

answers! {
    /// The positions of a repertoire that have moves.
    pub struct RepertoireTreeAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// Whether the side was detected because no tag gives it.
        pub recognised: bool,
        /// The sides for which the database has games.
        pub colors: Vec<SideAnswer>,
        /// How many positions the repertoire has.
        pub count: u64,
        /// The positions from a starting point on, the nearest first.
        pub nodes: Vec<RepertoireNodeAnswer>,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether these are all; false if there are more.
        pub whole: bool,
    }

    /// A position of a repertoire with its reference games.
    pub struct RepertoireNodeAnswer {
        /// The position with its moves.
        pub position: RepertoirePositionAnswer,
        /// Reference games that continued there; null without a reference.
        pub games: Option<u64>,
        /// The percentage of these games in which the repertoire has the move that was played; null without games.
        pub answered: Option<f64>,
    }

    /// The opponent's moves that a repertoire does not answer.
    pub struct RepertoireGapsAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves, the most frequent first.
        pub gaps: Vec<RepertoireGapAnswer>,
        /// How many there are.
        pub count: u64,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether these are all; false if there are more.
        pub whole: bool,
    }

    /// Where a repertoire contradicts itself.
    pub struct RepertoireConflictsAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The conflicts, in the order of the positions.
        pub conflicts: Vec<RepertoireConflictAnswer>,
        /// How many there are.
        pub count: u64,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether these are all; false if there are more.
        pub whole: bool,
    }

    /// Where games leave a repertoire.
    pub struct RepertoireGamesAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The games, the last one first.
        pub games: Vec<RepertoireGameAnswer>,
        /// The positions where they leave, those with the most games first.
        pub lines: Vec<RepertoireLineAnswer>,
        /// How many games were compared.
        pub count: u64,
        /// Damaged games.
        pub damaged: u64,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether these are all; false if there are more.
        pub whole: bool,
    }

    /// How many games are still inside a repertoire at each ply.
    pub struct RepertoirePliesAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The plies from the start to the last one at which a game is inside.
        pub plies: Vec<RepertoireCoverageAnswer>,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
    }

    /// A line that was added to a repertoire.
    pub struct RepertoireAdditionAnswer {
        /// How many of its moves are new; 0 if the repertoire already had all of them.
        pub added: u64,
        /// The number of the game that has them.
        pub game: Option<u64>,
        /// The version of the database after the change; null if nothing was changed.
        #[serde(rename = "baseVersion")]
        pub base_version: Option<u64>,
        /// Other notes.
        pub notes: Vec<String>,
    }

    /// How many positions of a repertoire are to be trained.
    pub struct TrainingCountsAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// Positions that are due.
        pub due: u64,
        /// Positions that were never asked.
        pub new: u64,
        /// Positions that can be trained.
        pub all: u64,
        /// When the next position is due, in UTC; null if none was asked yet, or if some are due now.
        pub next: Option<String>,
        /// Lines of the log that are not reviews.
        pub unreadable: u64,
    }

    /// A training, with its current question.
    pub struct TrainingAnswer {
        /// The id of the training.
        pub id: String,
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The question; null at the end.
        pub question: Option<TrainingQuestionAnswer>,
        /// Positions still to be asked.
        pub left: u64,
        /// Positions to be asked in all.
        pub all: u64,
        /// Correct answers that were logged.
        pub right: u64,
        /// Wrong answers.
        pub wrong: u64,
    }

    /// A question: the move of the repertoire's side in a position.
    pub struct TrainingQuestionAnswer {
        /// It increases with each question of a training; an answer gives it back.
        pub number: u64,
        /// The starting position of the line.
        pub start: String,
        /// The moves of the line in UCI notation.
        pub moves: Vec<String>,
        /// The same in SAN, with move numbers.
        pub line: String,
        /// The position.
        pub fen: String,
        /// Whether it is the first question of a line.
        pub begins: bool,
    }

    /// A move.
    pub struct TrainingMoveAnswer {
        /// In SAN.
        pub san: String,
        /// In UCI notation.
        pub uci: String,
    }

    /// The verdict on an answer.
    pub struct TrainingVerdictAnswer {
        /// Whether it was correct.
        pub right: bool,
        /// The rating that was logged: `again`, `hard`, `good` or `easy`; null if the position was not due and the answer was correct.
        pub rating: Option<&'static str>,
        /// The correct moves.
        pub moves: Vec<TrainingMoveAnswer>,
        /// The move with which the line continues.
        pub played: Option<TrainingMoveAnswer>,
        /// The opponent's reply.
        pub reply: Option<TrainingMoveAnswer>,
        /// Whether the line ends here.
        pub line_ends: bool,
        /// The state of the training after the answer.
        pub next: TrainingAnswer,
    }
}
