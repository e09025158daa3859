//! Games that go back into the database that they came from.

use std::collections::BTreeMap;

use tabiya_model::{Error, ErrorKind, Game, Losses, Result};

use super::work::Out;
use crate::base::Base;
use crate::edit;

/// The games that changed, until all of them are done.
#[derive(Default)]
pub(super) struct Place {
    games: Vec<Game>,
}

impl Out for Place {
    fn take(&mut self, game: Game, is_changed: bool) -> Result<()> {
        if is_changed {
            self.games.push(game);
        }
        Ok(())
    }
}

impl Place {
    /// Refuses, before any work, what cannot be changed in the end.
    pub(super) fn is_there(base: &Base) -> Result<()> {
        if base.database().is_none() || base.is_unpacked() {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "{}: what stands in an archive is not changed in place; say with -o where the annotated games go",
                    base.name()
                ),
            ));
        }
        edit::begin(base.opener(), base.path()).map(drop)
    }

    /// Puts the games into the database, all or nothing. Those that it could not hold as they are now stay as they were,
    /// and are told with the reason.
    pub(super) fn commit(self, base: &Base) -> Result<Vec<(u64, String)>> {
        let mut refused: BTreeMap<u64, String> = BTreeMap::new();
        if self.games.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            let mut edit = edit::begin(base.opener(), base.path())?;
            // From here on no other writer gets at it.
            if !base.is_current() {
                return Err(Error::usage(format!(
                    "{}: it was changed by another program during the analysis, and nothing was put into it; give the same command again: it goes on with what was found",
                    base.name()
                )));
            }
            let before = refused.len();
            for game in &self.games {
                let number = game.origin.number;
                if refused.contains_key(&number) {
                    continue;
                }
                let mut losses = Losses::default();
                let is_held = edit.replace(number, game, &mut losses)?;
                let lost = losses.iter().find(|loss| !loss.kind.is_layout());
                if let Some(loss) = lost {
                    let why = format!("{} ({})", loss.kind.summary, loss.detail);
                    refused.insert(number, why);
                } else if !is_held {
                    refused.insert(number, "the format cannot hold it".to_owned());
                }
            }
            // What was taken back cannot be taken out of a change: it is made again without those games.
            if refused.len() == before {
                edit.commit()?;
                return Ok(refused.into_iter().collect());
            }
        }
    }
}
