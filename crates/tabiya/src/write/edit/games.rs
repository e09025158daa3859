//! What each kind of change does to the games of a base.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use tabiya_model::editor::{EditError, GameEditor, strip};
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::{Control, DatabaseMetadata, Error, Game, GameNeeds, Losses, Result, UserHint};

use super::{
    EditAction, EditOperation, EditPreparation, EditStep, GameReplacement, WHOLE, is_same, title,
};
use crate::error_codes;
use crate::open::base::Base;
use crate::open::opener::Opener;
use crate::select::numbers::GameNumbers;
use crate::select::selection::Selection;
use crate::write::history::{EditEffect, HistoryNotes};

/// The first game of some bases.
pub fn first_game(bases: &[Base], control: &Control) -> Result<Option<Box<Game>>> {
    let mut first = None;
    for base in bases {
        base.for_each(GameNeeds::ALL, control, |game| {
            first = Some(Box::new(std::mem::take(game)));
            Ok(ControlFlow::Break(()))
        })?;
        if first.is_some() {
            break;
        }
    }
    Ok(first)
}

/// The games that a change is about, where they have to be looked for.
#[derive(Default)]
pub(super) struct LocatedGames {
    base: Option<Base>,
    numbers: GameNumbers,
}

impl LocatedGames {
    /// Whether the base is still what it was when they were found.
    pub(super) fn is_current(&self) -> bool {
        self.base.as_ref().is_none_or(Base::is_current)
    }
}

/// Looks for the games that a change is about.
pub(super) fn find(
    opener: &Opener,
    path: &Path,
    change: &EditOperation,
    control: &Control,
) -> Result<LocatedGames> {
    let Some(games) = games_of(change).filter(|games| !games.is_by_number()) else {
        return Ok(LocatedGames::default());
    };
    let Some(base) = opener.open(path)?.into_iter().next() else {
        return Ok(LocatedGames::default());
    };
    let numbers = games.numbers_in(&base, control)?;
    Ok(LocatedGames {
        base: Some(base),
        numbers: numbers.into_iter().flatten().collect(),
    })
}

/// The games that a change is about.
fn games_of(change: &EditOperation) -> Option<&Selection> {
    match change {
        EditOperation::Set { games, .. }
        | EditOperation::Strip { games, .. }
        | EditOperation::Flags { games, .. }
        | EditOperation::Delete(games) => Some(games),
        _ => None,
    }
}

impl EditPreparation<'_> {
    pub(super) fn make(
        &mut self,
        change: &EditOperation,
        found: &LocatedGames,
        control: &Control,
    ) -> Result<()> {
        self.done.wish = self.options.wish.clone().unwrap_or_else(|| wish(change));
        match change {
            EditOperation::Append(bases) => self.append(bases, control),
            EditOperation::Add(games) => {
                let mut added = 0;
                for (number, game) in (1..).zip(games) {
                    let mut game = game.clone();
                    game.origin.number = number;
                    match self.add(&game)? {
                        true => added += 1,
                        false => self.done.refused += 1,
                    }
                }
                self.has_added(added);
                let end = self.base.len().saturating_add(1);
                self.done.added = end.saturating_sub(added)..end;
                Ok(())
            }
            EditOperation::Replace { number, game, was } => {
                let old = self.read(*number)?;
                if was.as_ref().is_some_and(|was| !is_same(was, &old)) {
                    return Err(Error::new(
                        &error_codes::GAME_CHANGED,
                        format!(
                            "game {number} was changed in the meantime; nothing was changed: try again"
                        ),
                    )
                    .with("number", number));
                }
                self.replace(*number, &old, game)
            }
            EditOperation::Flags { games, set, clear } => {
                // A number beyond the last game is a mistake, which the base tells.
                let wanted = self.ranges(games, found);
                self.flags(&wanted, set, clear)?;
                let is_undelete = set.is_empty() && clear == "D";
                if is_undelete && self.done.games == 0 && !self.base.marks_deleted() {
                    return Err(Error::new(
                        &error_codes::NO_DELETED_GAMES,
                        "none of these games is marked as deleted, since this \
                         format removes deleted games; nothing was changed",
                    )
                    .with_hint(UserHint::Restore));
                }
                Ok(())
            }
            EditOperation::Delete(games) => {
                let wanted = self.ranges(games, found);
                match self.base.marks_deleted() {
                    true => self.flags(&wanted, "D", ""),
                    false => self.delete(&wanted),
                }
            }
            EditOperation::Set { games, tags } => {
                let numbers = self.numbers(games, found)?;
                self.rewrite(numbers, control, |old| {
                    let new = with_tags(old, tags)?;
                    Ok((!is_same(old, &new)).then_some(new))
                })
            }
            EditOperation::Strip { games, what } => {
                let numbers = self.numbers(games, found)?;
                self.rewrite(numbers, control, |old| {
                    let mut new = old.clone();
                    Ok(strip(&mut new, what).is_anything().then_some(new))
                })
            }
            EditOperation::Correct(correcting) => {
                let numbers = 1..=self.base.len();
                self.rewrite(numbers, control, |old| {
                    let mut new = old.clone();
                    Ok(correcting.correct(&mut new).then_some(new))
                })
            }
            EditOperation::Sort(order) => {
                let order = self.base.sort(&[order.to_string()])?;
                self.reorder(order)
            }
            EditOperation::Compact => self.compact(),
            EditOperation::Describe(new) => {
                self.tell(0, String::new(), EditAction::Described);
                self.base.describe(new)
            }
            EditOperation::Undo => self.undo(),
            EditOperation::Restore { number, version } => self.restore(*number, *version),
        }
    }

    /// Replaces those games of which there is something new to write.
    fn rewrite(
        &mut self,
        numbers: impl IntoIterator<Item = u64>,
        control: &Control,
        renew: impl Fn(&Game) -> Result<Option<Game>, EditError>,
    ) -> Result<()> {
        for number in numbers {
            if control.is_stopped() {
                return Ok(());
            }
            let old = self.read(number)?;
            let new = renew(&old)
                .map_err(|error| Error::new(error.code(), format!("game {number}: {error}")))?;
            if let Some(new) = new {
                self.replace(number, &old, &new)?;
            }
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, number: u64, game: String, what: EditAction<'_>) {
        (self.each)(&EditStep { number, game, what });
    }

    /// A game as it stands in the base.
    pub(super) fn read(&self, number: u64) -> Result<Game> {
        self.exists(number)?;
        let mut game = self.base.read(number, WHOLE)?;
        game.origin.number = number;
        Ok(game)
    }

    pub(super) fn exists(&self, number: u64) -> Result<()> {
        let count = self.base.len();
        if number == 0 || number > count {
            return Err(Error::new(
                &error_codes::NO_SUCH_GAME,
                format!(
                    "there is no game {number}: the database has {count} games; nothing was changed"
                ),
            )
            .with("number", number)
            .with("count", count));
        }
        Ok(())
    }

    /// The games as ranges, which may go beyond the last one where they were said.
    fn ranges(&self, games: &Selection, found: &LocatedGames) -> Vec<Range<u64>> {
        let numbers = match games.is_by_number() {
            true => &games.numbers,
            false => &found.numbers,
        };
        numbers.up_to(self.base.len())
    }

    fn numbers(&self, games: &Selection, found: &LocatedGames) -> Result<Vec<u64>> {
        self.numbers_of(&self.ranges(games, found))
    }

    /// The numbers of ranges, rising: these games have to be there.
    fn numbers_of(&self, ranges: &[Range<u64>]) -> Result<Vec<u64>> {
        for range in ranges {
            self.exists(range.start)?;
            self.exists(range.end.saturating_sub(1))?;
        }
        let mut numbers: Vec<u64> = ranges.iter().cloned().flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// Puts a game in the place of another one.
    pub(super) fn replace(&mut self, number: u64, old: &Game, new: &Game) -> Result<()> {
        let mut new = new.clone();
        new.origin.number = number;
        let take = |work: &mut Self, game: &Game, losses: &mut Losses| {
            work.base.replace(number, game, losses)
        };
        if !self.put(&new, take, take)? {
            return Err(Error::new(
                &error_codes::WOULD_LOSE,
                format!("the database cannot hold the new game {number}; nothing was changed"),
            ));
        }
        self.notes.keep(number, old, self.base.text(number)?);
        let replaced = GameReplacement { old, new: &new };
        self.tell(number, title(&new), EditAction::Replaced(replaced));
        self.done.games += 1;
        Ok(())
    }

    fn append(&mut self, sources: &[Base], control: &Control) -> Result<()> {
        let mut added = 0;
        for source in sources {
            // What the source says about itself does not hold for the games that are there already.
            let about = DatabaseMetadata {
                is_part: true,
                ..source.about()?
            };
            let mut losses = Losses::default();
            about.lose(&mut losses);
            self.lose(&losses);
            source.for_each(GameNeeds::ALL, control, |game| {
                match self.add(game)? {
                    true => added += 1,
                    false => self.done.refused += 1,
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if let Some(database) = source.database() {
                self.lose(&database.missing());
            }
        }
        self.has_added(added);
        Ok(())
    }

    /// So many games stand at the end that were not there before.
    fn has_added(&mut self, added: u64) {
        self.done.games = added;
        self.notes = HistoryNotes::new(EditEffect::Added(added));
    }

    fn lose(&mut self, losses: &Losses) {
        for loss in losses.iter() {
            self.done.losses.add(loss);
        }
    }

    /// Adds a game at the end.
    pub(super) fn add(&mut self, game: &Game) -> Result<bool> {
        let append =
            |work: &mut Self, game: &Game, losses: &mut Losses| work.base.append(game, losses);
        let last = |work: &mut Self, game: &Game, losses: &mut Losses| {
            let number = work.base.len();
            work.base.replace(number, game, losses)
        };
        let is_added = self.put(game, append, last)?;
        if is_added {
            self.tell(game.origin.number, title(game), EditAction::Added);
        }
        Ok(is_added)
    }

    pub(super) fn flags(&mut self, games: &[Range<u64>], set: &str, clear: &str) -> Result<()> {
        let mut touched: Vec<char> = (set.chars().chain(clear.chars()))
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let word: String = touched.iter().collect();
        // A text is written anew for a flag: its bytes are kept.
        let is_text = self.base.size().is_some();
        if !is_text && !matches!(self.notes.effect, EditEffect::Flagged(_)) {
            self.notes = HistoryNotes::new(EditEffect::Flagged(Vec::new()));
        }
        let last = self.base.len();
        let there = |number: &u64| (1..=last).contains(number);
        for number in games.iter().cloned().flat_map(|range| {
            // What lies beyond is told below, and not walked over.
            range.start..range.end.min(last.saturating_add(1))
        }) {
            if !there(&number) {
                continue;
            }
            let game = self.base.read(number, GameNeeds::TAGS)?;
            let old = game.tags.value(FLAGS_TAG).to_owned();
            let had: String = touched.iter().filter(|c| old.contains(**c)).collect();
            let is_set = |letter: char| {
                let is_in = |text: &str| text.chars().any(|c| c.to_ascii_uppercase() == letter);
                is_in(set) || (old.contains(letter) && !is_in(clear))
            };
            let now: String = touched.iter().copied().filter(|c| is_set(*c)).collect();
            if now != had {
                if is_text {
                    let game = self.base.read(number, WHOLE)?;
                    self.notes.keep(number, &game, self.base.text(number)?);
                } else {
                    self.notes.keep_flags(number, &word, had.clone());
                }
                self.tell(number, title(&game), EditAction::Flags(had, now));
            }
        }
        self.done.games += self.base.flags(games, set, clear)?;
        Ok(())
    }

    /// The games got another order.
    pub(super) fn reorder(&mut self, order: Vec<u64>) -> Result<()> {
        for (new, old) in (1..).zip(&order) {
            if new != *old {
                self.tell(*old, String::new(), EditAction::Moved(new));
            }
        }
        self.done.games = order.len() as u64;
        self.done.left = self.done.games;
        self.notes = HistoryNotes::new(EditEffect::Ordered(order));
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        let gone = self.base.compact()?;
        self.notes = HistoryNotes::new(EditEffect::Removed(Vec::new()));
        self.keep_removed(&gone)?;
        self.done.left = self.base.len();
        Ok(())
    }

    /// Takes games out, and keeps them.
    fn delete(&mut self, games: &[Range<u64>]) -> Result<()> {
        let gone = self.numbers_of(games)?;
        self.base.remove(&gone)?;
        self.notes = HistoryNotes::new(EditEffect::Deleted(Vec::new()));
        self.keep_removed(&gone)?;
        match (self.options.keep, self.notes.is_cut()) {
            (0, _) => {
                let note = "without a history, the removed games cannot be restored";
                self.done.notes.push(note.to_owned());
            }
            (_, true) => {
                return Err(Error::new(&error_codes::HISTORY_FULL, "the history keeps 64 MiB of games of one change, and these are more; nothing was changed: \
                     delete fewer at a time",
                ).with_hint(UserHint::NoHistory));
            }
            (_, false) => {}
        }
        self.done.removed = self.done.games;
        self.done.left = self.base.len();
        Ok(())
    }

    /// Games of these numbers are taken out, and kept.
    pub(super) fn keep_removed(&mut self, gone: &[u64]) -> Result<()> {
        for number in gone {
            // The base still shows what it held.
            let game = self.base.read(*number, WHOLE)?;
            self.notes.keep(*number, &game, self.base.text(*number)?);
            self.tell(*number, title(&game), EditAction::Removed);
        }
        self.done.games = gone.len() as u64;
        Ok(())
    }
}

/// A game with other values of tags.
fn with_tags(game: &Game, tags: &[(String, String)]) -> Result<Game, EditError> {
    let mut editor = GameEditor::new(game.clone())?;
    for (name, value) in tags {
        match value.is_empty() {
            false => editor.set_tag(name, value)?,
            true if editor.game().tags.get(name).is_some() => editor.remove_tag(name)?,
            true => {}
        }
    }
    Ok(editor.into_game())
}

/// What is wished, in words.
fn wish(change: &EditOperation) -> String {
    let which = |games: &Selection| match games.is_by_number() {
        true => games.numbers.to_string(),
        false => "found games".to_owned(),
    };
    match change {
        EditOperation::Append(_) | EditOperation::Add(_) => "append".to_owned(),
        EditOperation::Replace { number, .. } => format!("replace {number}"),
        EditOperation::Flags { games, set, clear } => match (set.as_str(), clear.as_str()) {
            ("", "D") => format!("undelete {}", which(games)),
            _ => format!("flag {} +{set} -{clear}", which(games)),
        },
        EditOperation::Delete(games) => format!("delete {}", which(games)),
        EditOperation::Set { games, tags } => {
            let tags: Vec<String> = tags
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            format!("set {} {}", which(games), tags.join(" "))
        }
        EditOperation::Strip { games, .. } => format!("strip {}", which(games)),
        EditOperation::Correct(_) => "correct names".to_owned(),
        EditOperation::Sort(order) => format!("sort {order}"),
        EditOperation::Compact => "compact".to_owned(),
        EditOperation::Describe(_) => "describe".to_owned(),
        EditOperation::Undo => "undo".to_owned(),
        EditOperation::Restore { number, version } => match number {
            Some(number) => format!("restore {number} to before {version}"),
            None => format!("restore what {version} took out"),
        },
    }
}
