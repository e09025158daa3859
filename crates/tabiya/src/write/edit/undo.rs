//! Going back: undoing the last change, and restoring a version of a game.

use tabiya_model::game::FLAGS_TAG;
use tabiya_model::{Error, Game, Result, UserHint};

use super::EditPreparation;
use crate::error_codes;
use crate::write::history::{
    EditEffect, GameVersionContent, HistoryEntry, HistoryNotes, OldFlags, OldGame,
};

impl EditPreparation<'_> {
    /// Takes back the newest change that was not taken back yet.
    pub(super) fn undo(&mut self) -> Result<()> {
        let history = self.history.take().ok_or_else(nothing)?;
        let count = self.base.len();
        let (head, effect) = history.to_undo(count)?;
        self.done.wish = HistoryEntry::undo_of(head.id);
        let refuse = |why: &str| {
            Err(Error::new(
                &error_codes::CANNOT_UNDO,
                format!(
                    "change {} ({}) cannot be undone: {why}; nothing was changed",
                    head.id, head.wish
                ),
            ))
        };
        if let Some(size) = head.size {
            self.base.end_at(size);
        }
        match effect {
            EditEffect::Added(added) if added <= count => {
                let left = count - added;
                self.base.cut(left)?;
                self.notes = HistoryNotes::new(EditEffect::Removed(Vec::new()));
                let gone: Vec<u64> = (left + 1..=count).collect();
                self.keep_removed(&gone)
            }
            EditEffect::Added(_) => refuse("the database has fewer games than it added"),
            EditEffect::Replaced(list) => {
                if list.iter().any(|kept| kept.line.is_none()) {
                    return refuse("the history had no room for all of its games");
                }
                list.iter()
                    .try_for_each(|kept| self.bring_back(kept.number, kept))
            }
            EditEffect::Flagged(list) => list.iter().try_for_each(|old| self.bring_flags(old)),
            EditEffect::Ordered(order) => {
                let mut back = vec![0_u64; order.len()];
                for (now, old) in (1..).zip(&order) {
                    let at = usize::try_from(old.wrapping_sub(1)).unwrap_or(usize::MAX);
                    if let Some(slot) = back.get_mut(at) {
                        *slot = now;
                    }
                }
                self.base.reorder(&back)?;
                self.reorder(back)
            }
            EditEffect::Removed(_) => refuse(
                "permanently removed games cannot be put back in their places; \
                 restoring them adds them at the end",
            ),
            EditEffect::Deleted(list) => {
                let has_all = list.iter().all(|kept| kept.line.is_some());
                let last = count.saturating_add(list.len() as u64);
                let fits = list.is_sorted_by(|a, b| a.number < b.number)
                    && list.last().is_none_or(|kept| kept.number <= last);
                match (has_all, fits) {
                    (false, _) => refuse("the history had no room for all of its games"),
                    (true, false) => refuse("the database has fewer games than it had"),
                    (true, true) => self.put_in(&list, count),
                }
            }
            EditEffect::Described | EditEffect::Inserted(_) => refuse("it changed no game"),
        }
    }

    /// Puts games that were taken out back into their places.
    fn put_in(&mut self, list: &[OldGame], count: u64) -> Result<()> {
        let total = count.saturating_add(list.len() as u64);
        let mut order = Vec::new();
        let mut back = list.iter().peekable();
        let (mut stay, mut add) = (1..=count, count + 1..=total);
        for number in 1..=total {
            let from = match back.next_if(|kept| kept.number == number) {
                Some(_) => &mut add,
                None => &mut stay,
            };
            order.extend(from.next());
        }
        for (place, kept) in (count + 1..).zip(list) {
            let mut game = kept.game().ok_or_else(no_room)??;
            game.origin.number = kept.number;
            if !self.add(&game)? {
                return Err(Error::new(
                    &error_codes::WOULD_LOSE,
                    format!(
                        "game {} cannot be put back: the database cannot hold it; nothing was changed",
                        kept.number
                    ),
                ));
            }
            self.keep_text(place, kept)?;
        }
        self.base.reorder(&order)?;
        self.done.games = list.len() as u64;
        let numbers = list.iter().map(|kept| kept.number).collect();
        self.notes = HistoryNotes::new(EditEffect::Inserted(numbers));
        Ok(())
    }

    fn bring_back(&mut self, number: u64, kept: &OldGame) -> Result<()> {
        let new = kept.game().ok_or_else(no_room)??;
        let old = self.read(number)?;
        self.replace(number, &old, &new)?;
        self.keep_text(number, kept)
    }

    /// A game is written with the bytes that it had.
    fn keep_text(&mut self, number: u64, kept: &OldGame) -> Result<()> {
        match &kept.text {
            Some(text) => self.base.keep_text(number, text),
            None => Ok(()),
        }
    }

    fn bring_flags(&mut self, old: &OldFlags) -> Result<()> {
        let clear: String = (old.touched.chars())
            .filter(|c| !old.had.contains(*c))
            .collect();
        self.flags(std::slice::from_ref(&old.games), &old.had, &clear)
    }

    /// Brings back what a game was before a change, or the games that a change took out.
    pub(super) fn restore(&mut self, number: Option<u64>, version: u64) -> Result<()> {
        let history = self.history.take().ok_or_else(nothing)?;
        let count = self.base.len();
        let Some(number) = number else {
            return self.restore_gone(&history, version, count);
        };
        self.exists(number)?;
        let versions = history.versions(number, count)?;
        let Some(found) = versions.iter().find(|found| found.change.id == version) else {
            let known: Vec<String> = versions
                .iter()
                .map(|found| found.change.id.to_string())
                .collect();
            let known = match known.is_empty() {
                true => "it has no versions".to_owned(),
                false => format!("its versions are {}", known.join(", ")),
            };
            return Err(Error::new(
                &error_codes::NO_SUCH_VERSION,
                format!("game {number} has no version {version}: {known}; nothing was changed"),
            ));
        };
        match &found.was {
            GameVersionContent::Game(kept) => self.bring_back(number, kept),
            GameVersionContent::Flags(old) => self.bring_flags(&OldFlags {
                games: number..number.saturating_add(1),
                ..old.clone()
            }),
            GameVersionContent::New => Err(Error::new(
                &error_codes::CANNOT_UNDO,
                format!(
                    "change {version} added game {number}: there is no earlier version; nothing was changed"
                ),
            )),
        }
    }

    fn restore_gone(
        &mut self,
        history: &crate::write::history::EditHistory,
        version: u64,
        count: u64,
    ) -> Result<()> {
        let head = (history.changes().iter())
            .find(|head| head.id == version)
            .ok_or_else(|| {
                Error::new(
                    &error_codes::NO_SUCH_VERSION,
                    format!("the history has no change {version}; nothing was changed"),
                )
            })?;
        let effect = history.effect(head, count.saturating_mul(2).max(1 << 20))?;
        let (EditEffect::Removed(list) | EditEffect::Deleted(list)) = effect else {
            return Err(Error::new(
                &error_codes::CANNOT_UNDO,
                format!(
                    "change {version} ({}) removed no games; nothing was changed",
                    head.wish
                ),
            )
            .with_hint(UserHint::RestoreGame { version }));
        };
        let games: Vec<Game> = list
            .iter()
            .map(|kept| kept.game().ok_or_else(no_room)?)
            .collect::<Result<_>>()?;
        for (game, kept) in games.iter().zip(&list) {
            let mut game = game.clone();
            // It is not to be thrown away once more.
            let flags = game.tags.value(FLAGS_TAG).replace('D', "");
            match flags.is_empty() {
                true => {
                    game.tags.remove(FLAGS_TAG);
                }
                false => game.tags.set(FLAGS_TAG, &flags),
            }
            if self.add(&game)? {
                self.done.games += 1;
                self.keep_text(self.base.len(), kept)?;
            }
        }
        self.notes = HistoryNotes::new(EditEffect::Added(self.done.games));
        Ok(())
    }
}

fn nothing() -> Error {
    Error::new(
        &error_codes::NO_HISTORY,
        "there is no history; nothing was changed",
    )
}

fn no_room() -> Error {
    Error::new(
        &error_codes::CANNOT_UNDO,
        "the history had no room for this game; nothing was changed",
    )
}
