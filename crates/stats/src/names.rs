//! Names with the games that they stand in.
//!
//! Where facts know a name by its number, a run of games leaves a list of numbers, and they are counted in a table of that
//! length; a text is looked at once for each name and not for each game.

use std::collections::HashMap;

use tabiya_model::Result;
use tabiya_model::collect::{Name, NameOf, Seen};
use tabiya_model::facts::{Facts, NameTable};
use tabiya_model::outcome::Outcome;

use crate::score::Score;
use crate::table::Row;

/// Names with their games.
#[derive(Default)]
pub struct Names {
    /// What a run has seen of names that have a number.
    seen: Vec<(u32, Outcome)>,
    /// The names of one database by their numbers.
    numbered: Vec<Score>,
    texts: HashMap<Box<str>, Score>,
    /// The games without a name.
    blank: Score,
}

impl Names {
    /// Counts a game under one of its names.
    pub fn see(&mut self, game: &mut Seen<'_>, of: NameOf, outcome: Outcome) -> Result<()> {
        match game.name(of)? {
            Name::Number(number) => self.seen.push((number, outcome)),
            Name::Text(text) => self.count(&text, outcome),
        }
        Ok(())
    }

    /// Counts a game under a text.
    pub fn count(&mut self, text: &str, outcome: Outcome) {
        if text.is_empty() {
            self.blank.count(outcome);
        } else if let Some(score) = self.texts.get_mut(text) {
            score.count(outcome);
        } else {
            self.texts.entry(text.into()).or_default().count(outcome);
        }
    }

    /// Adds what a run of games of the same database has seen.
    pub fn add(&mut self, run: Names) {
        for (number, outcome) in run.seen {
            let Ok(place) = usize::try_from(number) else {
                continue;
            };
            if place >= self.numbered.len() {
                // Numbers are below the length of the table of names.
                self.numbered.resize(place + 1, Score::default());
            }
            if let Some(score) = self.numbered.get_mut(place) {
                score.count(outcome);
            }
        }
        self.blank.add(run.blank);
        if self.texts.is_empty() {
            self.texts = run.texts;
        } else {
            self.put(run.texts.into_iter().collect());
        }
    }

    /// Puts the texts of a database's names in place of their numbers.
    pub fn settle(&mut self, table: NameTable, facts: Option<&dyn Facts>) {
        let numbered = std::mem::take(&mut self.numbered);
        let Some(facts) = facts else { return };
        for (number, score) in (0..).zip(numbered) {
            if score.games() > 0 {
                self.put(vec![(facts.name(table, number).into(), score)]);
            }
        }
    }

    fn put(&mut self, texts: Vec<(Box<str>, Score)>) {
        for (text, score) in texts {
            if text.is_empty() {
                self.blank.add(score);
            } else {
                self.texts.entry(text).or_default().add(score);
            }
        }
    }

    /// All names with games, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Score)> {
        let named = self.texts.iter().map(|(text, score)| (&**text, *score));
        named
            .chain(std::iter::once(("", self.blank)))
            .filter(|(_, score)| score.games() > 0)
    }

    /// A row for each name.
    pub fn rows(&self) -> Vec<Row> {
        self.iter()
            .map(|(text, score)| Row::new(text, score))
            .collect()
    }
}
