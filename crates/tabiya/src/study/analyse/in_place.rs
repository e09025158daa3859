//! Games that are written back into their database.

use tabiya_model::{Error, Game, Result, UserHint};

use super::pass::AnalyseOutput;
use crate::error_codes;
use crate::open::base::Base;
use crate::write::edit;

/// The games that changed, until all of them are done.
#[derive(Default)]
pub(super) struct InPlaceOutput {
    games: Vec<Game>,
}

impl AnalyseOutput for InPlaceOutput {
    fn take(&mut self, game: Game, is_changed: bool) -> Result<()> {
        if is_changed {
            self.games.push(game);
        }
        Ok(())
    }
}

impl InPlaceOutput {
    /// Refuses, before any work, what cannot be changed in the end.
    pub(super) fn is_there(base: &Base) -> Result<()> {
        if base.database().is_none() || base.is_unpacked() {
            return Err(Error::new(
                &error_codes::IN_ARCHIVE,
                "databases in an archive cannot be changed in place",
            )
            .with_hint(UserHint::NameTarget)
            .in_file(base.name().to_owned()));
        }
        edit::begin(base.opener(), base.path()).map(drop)
    }

    /// Puts the games into the database, all or nothing. Those that it could not hold as they are now stay as they were,
    /// and are told with the reason.
    pub(super) fn commit(self, base: &Base) -> Result<Vec<(u64, String)>> {
        if self.games.is_empty() {
            return Ok(Vec::new());
        }
        edit::write_back(base, &self.games, "analyse")
    }
}
