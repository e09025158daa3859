//! Metadata of a database, apart from its games, and its fate in a copy.

use std::ops::Range;

use crate::loss::Losses;

/// The facts of a database that belong to no single game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DatabaseMetadata {
    /// Its description or comment.
    pub description: String,
    /// Its collections in the order of their games, if the format has collections.
    pub collections: Vec<GameCollection>,
    /// The number of its type (Scid).
    pub kind: Option<u32>,
    /// The game to show first on opening (Scid).
    pub autoload: Option<u64>,
    /// Labels of custom flags, empty ones included (Scid).
    pub labels: Vec<String>,
    /// Whether other databases go into the same copy: the metadata of one does not apply to all.
    pub is_part: bool,
}

/// A named part of a database.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameCollection {
    /// Its name.
    pub name: String,
    /// The collection that contains it, as an index into [`DatabaseMetadata::collections`].
    pub parent: Option<usize>,
    /// The origin of its games.
    pub source: String,
    /// The numbers of its games.
    pub games: Range<u64>,
}

crate::losses! {
    DESCRIPTION = "database-description", Database,
        "The target cannot hold the description of the database, or not all of it.";
    COLLECTION = "database-collection", Database,
        "The target has no collections: all games are in one list, and the names of the collections are lost.";
    SETTING = "database-setting", Database,
        "The target cannot hold a setting of the database (type, first game, labels of flags).";
}

impl DatabaseMetadata {
    /// The description, or the name of the only collection.
    pub fn title(&self) -> &str {
        match &self.collections[..] {
            [only] if self.description.is_empty() => &only.name,
            _ => &self.description,
        }
    }

    /// Reports all metadata as lost.
    pub fn lose(&self, losses: &mut Losses) {
        self.lose_description(losses);
        self.lose_collections(losses);
        self.lose_settings(losses);
    }

    /// Reports the description as lost, if there is one.
    pub fn lose_description(&self, losses: &mut Losses) {
        if !self.description.is_empty() {
            losses.report(&DESCRIPTION, 0, format!("{:?}", self.description));
        }
    }

    /// Reports each collection as lost.
    pub fn lose_collections(&self, losses: &mut Losses) {
        for collection in &self.collections {
            let Range { start, end } = collection.games;
            let games = match end.saturating_sub(start) {
                0 => "no games".to_owned(),
                1 => format!("game {start}"),
                _ => format!("games {start} to {}", end - 1),
            };
            losses.report(&COLLECTION, 0, format!("{:?}, {games}", collection.name));
        }
    }

    /// Reports type, first game and labels as lost, if there are any.
    pub fn lose_settings(&self, losses: &mut Losses) {
        let mut lose = |what: String| losses.report(&SETTING, 0, what);
        // Type 0 means nothing, and the first game is opened by default anyway.
        if let Some(kind) = self.kind.filter(|kind| *kind != 0) {
            lose(format!("type {kind}"));
        }
        if let Some(game) = self.autoload.filter(|game| *game > 1) {
            lose(format!("game {game} is shown first"));
        }
        for (label, number) in self.labels.iter().zip(1..) {
            if !label.is_empty() {
                lose(format!("flag {number} means {label:?}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_lost_one_by_one() {
        let lost = |about: &DatabaseMetadata| {
            let mut losses = Losses::default();
            about.lose(&mut losses);
            losses
                .iter()
                .map(|loss| format!("{}: {}", loss.kind.name, loss.detail))
                .collect::<Vec<_>>()
        };
        let mut about = DatabaseMetadata::default();
        assert!(lost(&about).is_empty());
        about.kind = Some(0);
        about.autoload = Some(1);
        about.labels = vec![String::new(), "endings".to_owned()];
        about.collections = vec![GameCollection {
            name: "my games".to_owned(),
            games: 1..4,
            ..GameCollection::default()
        }];
        assert_eq!(about.title(), "my games");
        about.description = "all".to_owned();
        assert_eq!(about.title(), "all");
        let expected = [
            "database-description: \"all\"",
            "database-collection: \"my games\", games 1 to 3",
            "database-setting: flag 2 means \"endings\"",
        ];
        assert_eq!(lost(&about), expected);
    }
}
