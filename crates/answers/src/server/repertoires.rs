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
        /// Whether the side was recognised: no tag names it.
        pub recognised: bool,
        /// The sides for which the database has games.
        pub colors: Vec<SideAnswer>,
        /// How many positions the repertoire has.
        pub count: u64,
        /// The positions from one on, the nearest first.
        pub nodes: Vec<RepertoireNodeAnswer>,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
    }

    /// A position of a repertoire with what a reference has of it.
    pub struct RepertoireNodeAnswer {
        /// The position with its moves.
        pub position: RepertoirePositionAnswer,
        /// Reference games that went on there; null without a reference.
        pub games: Option<u64>,
        /// In how many per cent of these games the repertoire has the move that was played; null without games.
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
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
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
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
    }

    /// Where games leave a repertoire.
    pub struct RepertoireGamesAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The games, the last one first.
        pub games: Vec<RepertoireGameAnswer>,
        /// The positions in which they leave, those of the most games first.
        pub lines: Vec<RepertoireLineAnswer>,
        /// How many games were compared.
        pub count: u64,
        /// Games with damage.
        pub damaged: u64,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
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
        /// How many of its moves are new; 0 where the repertoire had all of them.
        pub added: u64,
        /// The number of the game that has them.
        pub game: Option<u64>,
        /// The version of the base that the change has made; null where nothing was changed.
        #[serde(rename = "baseVersion")]
        pub base_version: Option<u64>,
        /// What there is to know beside.
        pub notes: Vec<String>,
    }

    /// How much of a repertoire is to be trained.
    pub struct TrainingCountsAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// Positions that are due.
        pub due: u64,
        /// Positions that were never asked.
        pub new: u64,
        /// Positions that can be trained.
        pub all: u64,
        /// When the next position is due, in UTC; null where none was asked yet, or some are due now.
        pub next: Option<String>,
        /// Lines of the log that are no reviews.
        pub unreadable: u64,
    }

    /// A training, with the question that is open.
    pub struct TrainingAnswer {
        /// The id of the training.
        pub id: String,
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The question; null at the end.
        pub question: Option<TrainingQuestionAnswer>,
        /// Positions that are still to be asked.
        pub left: u64,
        /// Positions that were to be asked in all.
        pub all: u64,
        /// Right answers that went into the log.
        pub right: u64,
        /// Wrong answers.
        pub wrong: u64,
    }

    /// A question: the move of the repertoire's side in a position.
    pub struct TrainingQuestionAnswer {
        /// It rises with each question of a training; an answer names it.
        pub number: u64,
        /// The position in which the line starts.
        pub start: String,
        /// The moves of the line by their squares.
        pub moves: Vec<String>,
        /// The same in words.
        pub line: String,
        /// The position.
        pub fen: String,
        /// Whether it is the first question of a line.
        pub begins: bool,
    }

    /// A move.
    pub struct TrainingMoveAnswer {
        /// In words.
        pub san: String,
        /// By its squares.
        pub uci: String,
    }

    /// What an answer was worth.
    pub struct TrainingVerdictAnswer {
        /// Whether it was right.
        pub right: bool,
        /// What went into the log: `again`, `hard`, `good`, `easy`; null if a position that was not due was known.
        pub rating: Option<&'static str>,
        /// The moves that are right.
        pub moves: Vec<TrainingMoveAnswer>,
        /// The move with which the line goes on.
        pub played: Option<TrainingMoveAnswer>,
        /// The opponent's reply.
        pub reply: Option<TrainingMoveAnswer>,
        /// Whether the line ends here.
        pub line_ends: bool,
        /// How the training goes on.
        pub next: TrainingAnswer,
    }
}
