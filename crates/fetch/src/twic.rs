//! The Week in Chess: one archive of PGN for each issue.

use std::io::Write as _;

use tabiya::Opener;

use crate::client::{FetchRequest, SiteResponse};
use crate::game_key::FROM_TAG;
use crate::job::{FetchJob, FetchSource};
use crate::pgn_answer::games_of;
use crate::site::FetchSite;
use crate::state::FetchMemory;
use crate::{FetchError, Result};

/// The first issue that has an archive of this form.
const FIRST: u32 = 920;

/// The largest archive; issues have two or three megabytes.
const LARGEST: u64 = 64 << 20;

/// How many times larger than its archive an issue may be; PGN is packed to about a quarter.
const EXPANSION: u64 = 40;

/// Fetches issues by their numbers, or all that came after the newest one.
pub(crate) fn fetch(
    job: &mut FetchJob,
    source: &FetchSource,
    issues: Option<(u32, u32)>,
    mut memory: FetchMemory,
) -> Result<()> {
    let (first, last) = match (issues, memory.issue) {
        (Some((first, last)), _) => (first.max(FIRST), Some(last)),
        (None, Some(newest)) => (newest.saturating_add(1), None),
        (None, None) => {
            return Err(FetchError::Usage(
                "no issue has been fetched into this database yet: name the first ones, such as 1650-1652"
                    .to_owned(),
            ));
        }
    };
    let mut issue = first;
    while last.is_none_or(|last| issue <= last) {
        if !fetch_issue(job, issue)? {
            match last {
                // The newest one is known by the one that is not there yet.
                None => break,
                Some(_) => job.notes.push(format!("there is no issue {issue}")),
            }
        } else if memory.issue.is_none_or(|newest| newest < issue) {
            memory.issue = Some(issue);
        }
        job.state.keep(source, &memory)?;
        let Some(next) = issue.checked_add(1) else {
            break;
        };
        issue = next;
    }
    Ok(())
}

/// Fetches one issue into the base, all of it at once; false where there is none.
fn fetch_issue(job: &mut FetchJob, issue: u32) -> Result<bool> {
    let from = format!("twic {issue}");
    if job.target.known(&from).is_some() {
        job.target.counts.there += 1;
        return Ok(true);
    }
    let path = format!("/zips/twic{issue}g.zip");
    let what = format!("issue {issue}");
    let request = FetchRequest::new(FetchSite::Twic, &path, "application/zip", &what);
    let data = match job.client.ask(&request)? {
        SiteResponse::Data(data) => data,
        SiteResponse::NotThere | SiteResponse::Unchanged | SiteResponse::Done => return Ok(false),
    };
    let site = data.site.clone();
    let failed = |error| FetchError::File {
        file: "a temporary file".to_owned(),
        error,
    };
    let mut file = tempfile::Builder::new()
        .prefix("twic")
        .suffix(".zip")
        .tempfile()
        .map_err(failed)?;
    data.save(file.as_file_mut(), LARGEST)?;
    file.flush().map_err(failed)?;
    let not_data = || FetchError::NotData {
        site: site.clone(),
        wanted: "an archive of games",
    };
    let mut opener = Opener::default();
    opener.options.limits.game_bytes = job.client.settings().game_bytes;
    opener.options.limits.expansion = EXPANSION;
    let bases = opener.open(file.path()).map_err(|_| not_data())?;
    let control = job.client.control().clone();
    let games = games_of(&bases, &site, &control)?;
    if control.is_stopped() {
        return Err(FetchError::Stopped);
    }
    let is_cut = bases
        .iter()
        .any(|base| base.diagnostics().count_of("pgn-cut-input") > 0);
    if is_cut {
        let why = "the archive cannot be unpacked completely".to_owned();
        return Err(FetchError::Cut { site, why });
    }
    if games.iter().all(|game| game.tags.is_empty()) {
        return Err(not_data());
    }
    // Half an issue would be taken for a whole one by the next run.
    job.target.is_held = true;
    for mut game in games {
        game.tags.set(FROM_TAG, &from);
        job.target.add(game)?;
    }
    job.target.is_held = false;
    job.target.flush()?;
    Ok(true)
}
