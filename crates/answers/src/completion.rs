//! Answers of jobs that can be stopped.

use crate::server::{
    ChangeAnswer, DuplicatesAnswer, FindingsAnswer, FolderAnswer, FolderWindowAnswer,
    GameRowsAnswer, NameCorrectionsAnswer, NoveltiesAnswer, PuzzlesAnswer,
    RepertoireConflictsAnswer, RepertoireGamesAnswer, RepertoireGapsAnswer, RepertoirePliesAnswer,
    RepertoireTreeAnswer, SearchEndAnswer, SpellingsAnswer,
};
use crate::{
    AnalysisAnswer, BookAnswer, ConversionAnswer, DiffAnswer, EventsAnswer, ExplorerAnswer,
    GameNumbersAnswer, McpAnalysisAnswer, McpRowsAnswer, McpSearchAnswer, MistakesAnswer,
    NamesAnswer, PlayerAnswer, StatisticsAnswer,
};

/// The answer of a job that can be stopped or run out of time: it says whether everything was processed.
pub trait PartialAnswer {
    /// Whether everything was processed.
    fn is_whole(&self) -> bool;
}

/// Each has a field of that name.
macro_rules! partial {
    ($($name:ty),* $(,)?) => {$(
        impl PartialAnswer for $name {
            fn is_whole(&self) -> bool {
                self.whole
            }
        }
    )*};
}

partial!(
    AnalysisAnswer,
    BookAnswer,
    ChangeAnswer,
    ConversionAnswer,
    DiffAnswer,
    DuplicatesAnswer,
    EventsAnswer,
    ExplorerAnswer,
    FindingsAnswer,
    FolderAnswer,
    FolderWindowAnswer,
    GameNumbersAnswer,
    GameRowsAnswer,
    McpAnalysisAnswer,
    McpRowsAnswer,
    McpSearchAnswer,
    MistakesAnswer,
    NameCorrectionsAnswer,
    NamesAnswer,
    NoveltiesAnswer,
    PlayerAnswer,
    PuzzlesAnswer,
    RepertoireConflictsAnswer,
    RepertoireGamesAnswer,
    RepertoireGapsAnswer,
    RepertoirePliesAnswer,
    RepertoireTreeAnswer,
    SearchEndAnswer,
    SpellingsAnswer,
    StatisticsAnswer,
);
