//! The claimed content of a database, compared with the content found.
//!
//! A damaged game reports itself. Lost parts belong to no game: the games after the end of a truncated index, the names
//! in a lost file. Every reader compares the content found with the counts of the database, and the difference is a
//! loss of every copy ([`tabiya_model::Source::missing`]).

use tabiya_model::{LossKind, Losses};

tabiya_model::losses! {
    GAMES_GONE = "games-gone", Game, "The database counts games that are missing.";
    HEADERS_GONE = "headers-gone", Tags, "The headers of games are lost: players, event, date, result.";
    NAMES_GONE = "names-gone", Tags, "Names of players, events and sites are lost.";
    MOVES_GONE = "moves-gone", Moves, "The moves of games are lost.";
    ANNOTATIONS_GONE = "annotations-gone", Comments, "The annotations of games are lost: comments, annotation symbols, \
                                                      arrows and coloured squares.";
    INDEX_GONE = "index-gone", Database, "The number of games and their order are lost.";
    ABOUT_GONE = "about-gone", Database, "The description, collections or settings of the database are lost.";
}

/// Compares claims with the content found.
#[derive(Clone, Debug, Default)]
pub struct MissingParts(Losses);

impl MissingParts {
    /// The number of games claimed by something (`"the index"`), and of games found, which may be higher.
    pub fn games(&mut self, by: &str, claimed: u64, found: u64) {
        let gone = claimed.saturating_sub(found);
        if gone > 0 {
            self.lose(&GAMES_GONE, format!("{gone} of {claimed}, counted by {by}"));
        }
    }

    /// Reports a lost part.
    pub fn lose(&mut self, kind: &'static LossKind, what: impl Into<String>) {
        self.0.report(kind, 0, what);
    }

    /// The lost parts, as losses that belong to no game.
    pub fn losses(&self) -> Losses {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_a_loss() {
        let mut claims = MissingParts::default();
        claims.games("the index", 120, 120);
        claims.games("the index", 120, 125);
        assert!(claims.losses().is_empty());
        claims.games("the index", 120, 74);
        claims.lose(&NAMES_GONE, "the file base.sn4 is not there");
        let losses = claims.losses();
        let told: Vec<_> = losses
            .iter()
            .map(|loss| (loss.kind.name, loss.game, loss.detail.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("games-gone", 0, "46 of 120, counted by the index"),
                ("names-gone", 0, "the file base.sn4 is not there"),
            ]
        );
    }
}
