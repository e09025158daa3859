//! Fetching from stand-ins of the sites.

mod chesscom;
mod dump;
mod formats;
mod interrupted;
mod lichess;
mod login;
mod manners;
mod others;
mod stand_in;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use tabiya_fetch::{FetchError, FetchJob, FetchReport, FetchSettings, FetchSite, FetchSource};
use tabiya_model::{Control, Game, GameNeeds};

use stand_in::StandIn;

/// The time of all tests: 2026-11-26, 12:00 UTC, in milliseconds.
pub(crate) const NOW: u64 = 1_795_694_400_000;

/// A day in milliseconds.
pub(crate) const DAY: u64 = 86_400_000;

pub(crate) fn settings(site: FetchSite, server: &StandIn) -> FetchSettings {
    FetchSettings {
        hosts: [(site, server.address.clone())].into(),
        now: UNIX_EPOCH + Duration::from_millis(NOW),
        ..FetchSettings::default()
    }
}

pub(crate) fn fetch_with(
    base: &Path,
    settings: FetchSettings,
    source: &FetchSource,
) -> Result<FetchReport, FetchError> {
    FetchJob::open(base, settings, &Control::default())?.fetch(source)
}

/// All games of a base.
pub(crate) fn games(base: &Path) -> Vec<Game> {
    let base = tabiya::open(base).expect("a base").remove(0);
    let games = base.games(GameNeeds::ALL).expect("games");
    games.map(|game| game.expect("a game")).collect()
}

/// How often each value of a tag is there.
pub(crate) fn values(games: &[Game], tag: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for game in games {
        *found.entry(game.tags.value(tag).to_owned()).or_insert(0) += 1;
    }
    found
}
