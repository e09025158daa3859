//! What names are to records: every role has lists of games and an order of its names.

use super::entities::Cbh2EntityTable;

/// What a name is to a record, by the numbers that the lists of games have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Cbh2NameRole {
    Player,
    Tournament,
    Source,
    Annotator,
    Team,
    GameTitle,
    TextTitle,
    AnalysisTitle,
}

impl Cbh2NameRole {
    /// All of them.
    pub(super) const ALL: [Cbh2NameRole; 8] = [
        Cbh2NameRole::Player,
        Cbh2NameRole::Tournament,
        Cbh2NameRole::Source,
        Cbh2NameRole::Annotator,
        Cbh2NameRole::Team,
        Cbh2NameRole::GameTitle,
        Cbh2NameRole::TextTitle,
        Cbh2NameRole::AnalysisTitle,
    ];

    /// The kind of its names.
    pub(super) fn table(self) -> Cbh2EntityTable {
        match self {
            Cbh2NameRole::Player | Cbh2NameRole::Annotator => Cbh2EntityTable::Players,
            Cbh2NameRole::Tournament => Cbh2EntityTable::Tournaments,
            Cbh2NameRole::Source => Cbh2EntityTable::Sources,
            Cbh2NameRole::Team => Cbh2EntityTable::Teams,
            Cbh2NameRole::GameTitle | Cbh2NameRole::TextTitle | Cbh2NameRole::AnalysisTitle => {
                Cbh2EntityTable::Titles
            }
        }
    }

    /// Its name, for messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Cbh2NameRole::Player => "player",
            Cbh2NameRole::Tournament => "tournament",
            Cbh2NameRole::Source => "source",
            Cbh2NameRole::Annotator => "annotator",
            Cbh2NameRole::Team => "team",
            Cbh2NameRole::GameTitle => "title of a game",
            Cbh2NameRole::TextTitle => "title of a text",
            Cbh2NameRole::AnalysisTitle => "title of an analysis",
        }
    }
}
