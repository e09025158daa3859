//! The games of an account at chess.com: a list of months, and the games of each month. A month that is followed by another
//! one no longer changes, and is requested once. The others are checked for changes.

use std::io::{Read as _, Seek as _};

use serde_json::Value;
use tabiya_formats::chesscom::FORMAT;
use tabiya_formats::format::OpenOptions;
use tabiya_model::{Game, GameNeeds};

use crate::client::{FetchRequest, SiteResponse};
use crate::job::{FetchJob, FetchSource};
use crate::site::FetchSite;
use crate::state::FetchMemory;
use crate::{FetchError, Result};

/// The type of the answers.
const ACCEPT: &str = "application/json";

/// What a game that could not be read whole is known by.
const BROKEN: [&str; 2] = ["site-broken-game", "site-long-game"];

pub(crate) fn fetch(
    job: &mut FetchJob,
    source: &FetchSource,
    user: &str,
    mut memory: FetchMemory,
) -> Result<()> {
    let what = format!("account {user}");
    let list = format!("/pub/player/{user}/games/archives");
    let known = memory.stamps.get(&list).cloned();
    let mut request = FetchRequest::new(FetchSite::Chesscom, &list, ACCEPT, &what);
    request.stamp = known.as_ref();
    let site = job
        .client
        .settings()
        .address(FetchSite::Chesscom)
        .to_owned();
    let mut stamp = None;
    let months = match job.client.ask(&request)? {
        SiteResponse::Unchanged | SiteResponse::Done => memory.last_month.iter().cloned().collect(),
        SiteResponse::NotThere => return Err(FetchError::NotThere { site, what }),
        SiteResponse::Data(data) => {
            stamp = Some(data.stamp.clone());
            let text = data.text("a list of months")?;
            months(&text).ok_or(FetchError::NotData {
                site,
                wanted: "a list of months",
            })?
        }
    };
    let newest = months.last().cloned();
    for month in &months {
        if memory.months.contains(month) {
            continue;
        }
        fetch_month(job, user, month, &mut memory)?;
        // Another month has begun since: this one is over.
        if newest.as_ref() != Some(month) {
            memory.months.insert(month.clone());
            memory.stamps.remove(&month_path(user, month));
        } else {
            memory.last_month = Some(month.clone());
        }
        job.state.keep(source, &memory)?;
    }
    // Only now is it known that all months of the list are in the base.
    if let Some(stamp) = stamp {
        memory.stamps.insert(list, stamp);
    }
    job.state.keep(source, &memory)
}

fn month_path(user: &str, month: &str) -> String {
    format!("/pub/player/{user}/games/{month}")
}

/// The months of a list, rising. Of the addresses only the ends count: they are never asked as they are.
fn months(text: &str) -> Option<Vec<String>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut months = Vec::new();
    for address in value.get("archives")?.as_array()? {
        let mut words = address.as_str()?.trim_end_matches('/').rsplit('/');
        let (month, year) = (words.next()?, words.next()?);
        let is_number = |word: &str, length: usize| {
            word.len() == length && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(month, 2) || !is_number(year, 4) {
            return None;
        }
        months.push(format!("{year}/{month}"));
    }
    months.sort_unstable();
    months.dedup();
    Some(months)
}

fn fetch_month(
    job: &mut FetchJob,
    user: &str,
    month: &str,
    memory: &mut FetchMemory,
) -> Result<()> {
    let path = month_path(user, month);
    let what = format!("month {month} of {user}");
    let known = memory.stamps.get(&path).cloned();
    let mut request = FetchRequest::new(FetchSite::Chesscom, &path, ACCEPT, &what);
    request.stamp = known.as_ref();
    let data = match job.client.ask(&request)? {
        SiteResponse::Data(data) => data,
        SiteResponse::Unchanged | SiteResponse::Done => return Ok(()),
        SiteResponse::NotThere => {
            job.notes.push(format!("chess.com has no {what}"));
            return Ok(());
        }
    };
    let (stamp, site) = (data.stamp.clone(), data.site.clone());
    // A month is whole before any game of it is taken: its games are in no order that a cut would leave sound.
    let mut file = tempfile::tempfile().map_err(|error| FetchError::File {
        file: "a temporary file".to_owned(),
        error,
    })?;
    data.save(&mut file, job.client.settings().answer_bytes)?;
    let rewound = file.rewind();
    rewound.map_err(|error| FetchError::File {
        file: "a temporary file".to_owned(),
        error,
    })?;
    let mut options = OpenOptions::default();
    options.limits.game_bytes = job.client.settings().game_bytes;
    let not_data = || FetchError::NotData {
        site: site.clone(),
        wanted: "a month of games in JSON",
    };
    let open = FORMAT.stream.ok_or_else(not_data)?;
    let mut stream = open(Box::new(file.take(u64::MAX)), &options)?;
    let mut game = Game::default();
    loop {
        let block = match stream.next_block() {
            Ok(Some(block)) => Some(block),
            Ok(None) => None,
            Err(error) if *error.code == tabiya_model::error_codes::NOT_THIS_FORMAT => {
                return Err(not_data());
            }
            Err(error) => return Err(error.into()),
        };
        let Some(mut block) = block else { break };
        while block.next(GameNeeds::ALL, &mut game)? {
            let mut found = game.diagnostics.iter();
            if found.any(|found| BROKEN.contains(&found.code.name)) {
                let why = "a game is incomplete".to_owned();
                return Err(FetchError::Cut { site, why });
            }
            job.target.take(&game)?;
        }
    }
    job.target.flush()?;
    job.target.look_again()?;
    memory.stamps.insert(path, stamp);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::months;

    #[test]
    fn of_addresses_only_year_and_month_count() {
        let text = r#"{"archives":["https://evil.example/x/2024/06","https://api.chess.com/pub/player/a/games/2024/05"]}"#;
        assert_eq!(
            months(text),
            Some(vec!["2024/05".to_owned(), "2024/06".to_owned()])
        );
        assert_eq!(months(r#"{"archives":[]}"#), Some(Vec::new()));
        assert_eq!(months(r#"{"archives":["https://x/2024/../../etc"]}"#), None);
        assert_eq!(months("<html>"), None);
        assert_eq!(months(r#"{"message":"not found"}"#), None);
    }
}
