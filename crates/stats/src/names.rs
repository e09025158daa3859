//! Names with the games that they stand in.
//!
//! Where facts know a name by its number, a run of games leaves a list of numbers, and they are counted in a table of that
//! length; a text is looked at once for each name and not for each game.

use tabiya_model::Result;
use tabiya_model::collect::{Name, NameOf, Seen};
use tabiya_model::facts::{Facts, NameTable};
use tabiya_model::outcome::Outcome;

use crate::score::Score;
use crate::table::{Row, Rows, by_games};
use crate::texts::Texts;

/// As many games as a run has for the most part: what is seen of them is not moved while it grows.
const RUN: usize = 1 << 13;

/// Names with their games.
#[derive(Default)]
pub struct Names {
    /// What a run has seen of names that have a number.
    seen: Vec<(u32, Outcome)>,
    /// The names of one database by their numbers.
    numbered: Vec<Score>,
    texts: Texts,
    /// The scores of the texts.
    scores: Vec<Score>,
    /// The games without a name.
    blank: Score,
}

impl Names {
    /// Counts a game under one of its names.
    pub fn see(&mut self, game: &mut Seen<'_>, of: NameOf, outcome: Outcome) -> Result<()> {
        match game.name(of)? {
            Name::Number(number) => {
                if self.seen.is_empty() {
                    self.seen.reserve(RUN);
                }
                self.seen.push((number, outcome));
            }
            Name::Text(text) => self.count(&text, outcome),
        }
        Ok(())
    }

    /// Counts a game under a text.
    pub fn count(&mut self, text: &str, outcome: Outcome) {
        if let Some(score) = self.score(text) {
            score.count(outcome);
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
            (self.texts, self.scores) = (run.texts, run.scores);
        } else {
            for (text, score) in run.texts.iter().zip(run.scores) {
                self.put(text, score);
            }
        }
    }

    /// Puts the texts of a database's names in place of their numbers.
    pub fn settle(&mut self, table: NameTable, facts: Option<&dyn Facts>) {
        let numbered = std::mem::take(&mut self.numbered);
        let Some(facts) = facts else { return };
        self.texts.reserve(numbered.len());
        for (number, score) in (0..).zip(numbered) {
            if score.games() > 0 {
                self.put(&facts.name(table, number), score);
            }
        }
    }

    fn put(&mut self, text: &str, more: Score) {
        if let Some(score) = self.score(text) {
            score.add(more);
        }
    }

    /// The score of a text.
    fn score(&mut self, text: &str) -> Option<&mut Score> {
        if text.is_empty() {
            return Some(&mut self.blank);
        }
        let place = usize::try_from(self.texts.number(text)).ok()?;
        if place >= self.scores.len() {
            self.scores.resize(place + 1, Score::default());
        }
        self.scores.get_mut(place)
    }

    /// All names with games, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Score)> {
        let named = self.texts.iter().zip(self.scores.iter().copied());
        named
            .chain(std::iter::once(("", self.blank)))
            .filter(|(_, score)| score.games() > 0)
    }

    /// A row for each name, or for those with the most games only.
    pub fn rows(&self, most: Option<usize>) -> Rows {
        let mut names: Vec<(&str, Score)> = self.iter().collect();
        let distinct = names.len();
        if let Some(most) = most.filter(|most| *most < names.len()) {
            // Of many thousand names a few are shown.
            names.select_nth_unstable_by(most, |one, two| {
                by_games((one.0, &one.1), (two.0, &two.1))
            });
            names.truncate(most);
        }
        Rows {
            rows: names
                .iter()
                .map(|(text, score)| Row::new(*text, *score))
                .collect(),
            distinct,
        }
    }
}
