//! Names with their games.
//!
//! If facts have numbers for names, a run of games gives a list of numbers, and they are counted in a table of that length;
//! a text is looked up once per name and not once per game.

use tabiya_model::Result;
use tabiya_model::collect::{GameView, NameField, NameRef};
use tabiya_model::facts::{FactSource, NameTable};
use tabiya_model::outcome::Outcome;

use crate::numbered_texts::NumberedTexts;
use crate::score::ResultCounts;
use crate::table::{StatsRow, StatsRows, by_games};

/// As many games as a run has for the most part: what is seen of them is not moved while it grows.
const RUN: usize = 1 << 13;

/// Names with their games.
#[derive(Default)]
pub struct NameScores {
    /// What a run has seen of names that have a number.
    seen: Vec<(u32, Outcome)>,
    /// The names of one database by their numbers.
    numbered: Vec<ResultCounts>,
    texts: NumberedTexts,
    /// The scores of the texts.
    scores: Vec<ResultCounts>,
    /// The games without a name.
    blank: ResultCounts,
}

impl NameScores {
    /// Counts a game under one of its names.
    pub fn see(&mut self, game: &mut GameView<'_>, of: NameField, outcome: Outcome) -> Result<()> {
        match game.name(of)? {
            NameRef::Number(number) => {
                if self.seen.is_empty() {
                    self.seen.reserve(RUN);
                }
                self.seen.push((number, outcome));
            }
            NameRef::Text(text) => self.count(&text, outcome),
        }
        Ok(())
    }

    /// Counts a game under a text.
    pub fn count(&mut self, text: &str, outcome: Outcome) {
        if let Some(score) = self.score(text) {
            score.count(outcome);
        }
    }

    /// Adds the names of a run of games of the same database.
    pub fn add(&mut self, run: NameScores) {
        for (number, outcome) in run.seen {
            let Ok(place) = usize::try_from(number) else {
                continue;
            };
            if place >= self.numbered.len() {
                // Numbers are below the length of the table of names.
                self.numbered.resize(place + 1, ResultCounts::default());
            }
            if let Some(score) = self.numbered.get_mut(place) {
                score.count(outcome);
            }
        }
        self.blank.add(run.blank);
        if self.texts.is_empty() {
            (self.texts, self.scores) = (run.texts, run.scores);
        } else {
            for (text, score) in run.texts.iter().zip(run.scores) {
                self.put(text, score);
            }
        }
    }

    /// Replaces the numbers of a database's names by their texts.
    pub fn settle(&mut self, table: NameTable, facts: Option<&dyn FactSource>) {
        let numbered = std::mem::take(&mut self.numbered);
        let Some(facts) = facts else { return };
        self.texts.reserve(numbered.len());
        for (number, score) in (0..).zip(numbered) {
            if score.games() > 0 {
                self.put(&facts.name(table, number), score);
            }
        }
    }

    fn put(&mut self, text: &str, more: ResultCounts) {
        if let Some(score) = self.score(text) {
            score.add(more);
        }
    }

    /// The score of a text.
    fn score(&mut self, text: &str) -> Option<&mut ResultCounts> {
        if text.is_empty() {
            return Some(&mut self.blank);
        }
        let place = usize::try_from(self.texts.number(text)).ok()?;
        if place >= self.scores.len() {
            self.scores.resize(place + 1, ResultCounts::default());
        }
        self.scores.get_mut(place)
    }

    /// All names with games, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ResultCounts)> {
        let named = self.texts.iter().zip(self.scores.iter().copied());
        named
            .chain(std::iter::once(("", self.blank)))
            .filter(|(_, score)| score.games() > 0)
    }

    /// A row for each name, or for those with the most games only.
    pub fn rows(&self, most: Option<usize>) -> StatsRows {
        let mut names: Vec<(&str, ResultCounts)> = self.iter().collect();
        let distinct = names.len();
        if let Some(most) = most.filter(|most| *most < names.len()) {
            // Of many thousand names a few are shown.
            names.select_nth_unstable_by(most, |one, two| {
                by_games((one.0, &one.1), (two.0, &two.1))
            });
            names.truncate(most);
        }
        StatsRows {
            rows: names
                .iter()
                .map(|(text, score)| StatsRow::new(*text, *score))
                .collect(),
            distinct,
        }
    }
}
