//! Databases that are fed from sites: what they are fed from, and when they are renewed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tabiya::fetch_file;
use tabiya_answers::FetchAnswer;
use tabiya_answers::server::{RenewalAnswer, SourceNameAnswer, SourcesAnswer};
use tabiya_io::regular_file;
use tabiya_model::{Control, Error, JobCompletion, Result};

use crate::clock::now;
use crate::error_codes;
use crate::fetch_program::FetchProgram;
use crate::{limits, recent_databases};

/// The most that is read of what the program reports.
const REPORT: u64 = 4 << 20;

/// How often the program is checked for its end.
const POLL: Duration = Duration::from_millis(50);

/// After a renewal that failed the next one is tried after so many seconds, unless it is due earlier.
const RETRY: u64 = 3600;

/// When a database is renewed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct RenewalSchedule {
    /// The hours between two renewals; 0 for none.
    hours: u64,
    /// When the last one succeeded, in seconds since 1970; 0 for never.
    last: u64,
    /// When the last one was tried.
    #[serde(default)]
    tried: u64,
}

impl RenewalSchedule {
    fn is_due(self, now: u64) -> bool {
        let period = self.hours.saturating_mul(3600);
        // A clock that was set back does not put off the next one for ever.
        let since = |time: u64| now.abs_diff(time);
        self.hours > 0 && since(self.last) >= period && since(self.tried) >= period.min(RETRY)
    }
}

/// The schedules of all databases.
#[derive(Debug, Default)]
pub(crate) struct SiteRenewals {
    program: Option<FetchProgram>,
    /// Where they are kept.
    file: Option<PathBuf>,
    schedules: Mutex<BTreeMap<PathBuf, RenewalSchedule>>,
}

impl SiteRenewals {
    pub(crate) fn new(program: Option<FetchProgram>, data: Option<&Path>) -> SiteRenewals {
        let file = data.map(|folder| folder.join("renewals.json"));
        let kept = file
            .as_deref()
            .and_then(|file| regular_file::read(file).ok());
        let kept = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        SiteRenewals {
            program,
            file,
            schedules: Mutex::new(kept.unwrap_or_default()),
        }
    }

    pub(crate) fn program(&self) -> Option<&FetchProgram> {
        self.program.as_ref()
    }

    fn change(&self, base: &Path, change: impl FnOnce(&mut RenewalSchedule)) {
        let mut all = self
            .schedules
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        change(all.entry(base.to_owned()).or_default());
        // A path that is no text is not kept for the next run.
        let kept: BTreeMap<&str, RenewalSchedule> = all
            .iter()
            .filter_map(|(path, schedule)| Some((path.to_str()?, *schedule)))
            .collect();
        if let (Some(file), Ok(bytes)) = (&self.file, serde_json::to_vec(&kept)) {
            // What cannot be kept counts until the end.
            let _ = recent_databases::write(file, &bytes);
        }
    }

    /// Renews a database every so many hours; never for 0.
    pub(crate) fn set_hours(&self, base: &Path, hours: u64) {
        self.change(base, |schedule| {
            *schedule = RenewalSchedule {
                hours,
                tried: 0,
                ..*schedule
            };
        });
    }

    /// Remembers that a renewal has ended.
    pub(crate) fn ended(&self, base: &Path, is_done: bool) {
        let now = now();
        self.change(base, |schedule| {
            schedule.tried = now;
            if is_done {
                schedule.last = now;
            }
        });
    }

    /// Whether it is time to renew a database.
    pub(crate) fn is_due(&self, base: &Path) -> bool {
        let all = self
            .schedules
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let schedule = all.get(base).copied().unwrap_or_default();
        schedule.is_due(now())
    }

    /// What a database is fed from, and when.
    pub(crate) fn answer(&self, base: &Path, may_change: bool) -> SourcesAnswer {
        let all = self
            .schedules
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let schedule = all.get(base).copied().unwrap_or_default();
        let sources = sources(base);
        let may_add = may_change && self.program.is_some();
        SourcesAnswer {
            possible: may_add && !sources.is_empty(),
            may_add,
            sources,
            hours: (schedule.hours > 0).then_some(schedule.hours),
            last: (schedule.last > 0).then_some(schedule.last),
        }
    }
}

/// The sources of a database by the file beside it; none if there is no such file, or it cannot be read.
fn sources(base: &Path) -> Vec<SourceNameAnswer> {
    let path = fetch_file::path_of(base);
    let is_small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= fetch_file::LARGEST);
    let bytes = is_small.then(|| regular_file::read(&path).ok()).flatten();
    let value: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let listed = value
        .as_ref()
        .and_then(|value| value.get("sources")?.as_array());
    let names = listed.into_iter().flatten();
    let names = names.filter_map(|one| one.get("source")?.as_str());
    names
        .map(|source| SourceNameAnswer {
            source: source.to_owned(),
            player: match source.split_once(' ') {
                Some(("lichess" | "chesscom", player)) => Some(player.to_owned()),
                _ => None,
            },
        })
        .collect()
}

/// An account whose games are fetched.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteAccount {
    site: AccountSite,
    name: String,
}

/// The sites that have accounts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AccountSite {
    Lichess,
    Chesscom,
}

impl SiteAccount {
    /// Whether the sites have such names. Others could be read as options of the program.
    pub(crate) fn is_name(&self) -> bool {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        self.name.len() <= limits::ACCOUNT_NAME
            && !self.name.starts_with('-')
            && !self.name.is_empty()
            && self.name.bytes().all(is_part)
    }
}

/// Renews a database from all its sources, or from one more account.
pub(crate) fn renew(
    program: &FetchProgram,
    base: &Path,
    account: Option<&SiteAccount>,
    control: &Control,
) -> Result<(JobCompletion, RenewalAnswer)> {
    let from = match account {
        None => vec!["--all"],
        Some(account) => {
            let site = match account.site {
                AccountSite::Lichess => "lichess",
                AccountSite::Chesscom => "chesscom",
            };
            vec![site, &account.name, "--output"]
        }
    };
    let arguments = ["--json", "--quiet"].into_iter().chain(from);
    let arguments = arguments.map(std::ffi::OsStr::new);
    let mut run = program.run(arguments.chain([base.as_os_str()]))?;
    let output = run.output()?;
    let reading = std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let lines = output
            .by_ref()
            .take(REPORT)
            .lines()
            .map_while(|line| line.ok());
        let lines = lines.filter_map(|line| serde_json::from_str(&line).ok());
        let found: Vec<FetchAnswer> = lines.collect();
        let _ = std::io::copy(&mut output, &mut std::io::sink());
        found
    });
    while run.ended()?.is_none() {
        if control.is_stopped() {
            run.stop();
            break;
        }
        std::thread::sleep(POLL);
    }
    let sources = reading.join().unwrap_or_default();
    if sources.is_empty() && !control.is_stopped() {
        let reason = run.reason().unwrap_or("the sites could not be asked");
        return Err(Error::new(&error_codes::RENEWAL_FAILED, reason));
    }
    Ok((control.completion(), RenewalAnswer { sources }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_is_due_after_its_hours_and_after_an_hour_if_it_failed() {
        let daily = |last, tried| RenewalSchedule {
            hours: 24,
            last,
            tried,
        };
        let now = 1_800_000_000;
        assert!(daily(0, 0).is_due(now));
        assert!(!daily(now - 86_399, now - 86_399).is_due(now));
        assert!(daily(now - 86_400, now - 86_400).is_due(now));
        // Nothing came the last time.
        assert!(!daily(now - 100_000, now - 3_599).is_due(now));
        assert!(daily(now - 100_000, now - 3_600).is_due(now));
        // The clock was set back by a year.
        assert!(daily(now + 31_536_000, now + 31_536_000).is_due(now));
        assert!(!RenewalSchedule::default().is_due(now));
    }

    #[test]
    fn schedules_are_kept_and_sources_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("mine.pgn");
        let renewals = SiteRenewals::new(None, Some(folder.path()));
        assert!(!renewals.is_due(&base));
        renewals.set_hours(&base, 6);
        assert!(renewals.is_due(&base));
        renewals.ended(&base, true);
        assert!(!renewals.is_due(&base));
        let again = SiteRenewals::new(None, Some(folder.path()));
        assert_eq!(again.answer(&base, true).hours, Some(6));
        assert!(again.answer(&base, true).last.is_some());
        assert!(!again.is_due(&base));
        std::fs::write(
            folder.path().join("mine.pgn.fetch"),
            r#"{"schema":"tabiya-fetch-1","sources":[{"source":"lichess samplerook"},{"source":"twic"}]}"#,
        )
        .expect("written");
        let found = again.answer(&base, true);
        let found: Vec<_> = found
            .sources
            .iter()
            .map(|one| (one.source.as_str(), one.player.as_deref()))
            .collect();
        let wanted = [("lichess samplerook", Some("samplerook")), ("twic", None)];
        assert_eq!(found, wanted);
        for damage in ["", "[", "{}", r#"{"sources":[1,{}]}"#] {
            std::fs::write(folder.path().join("mine.pgn.fetch"), damage).expect("written");
            assert!(again.answer(&base, true).sources.is_empty(), "{damage}");
        }
        std::fs::write(folder.path().join("renewals.json"), "{").expect("written");
        let damaged = SiteRenewals::new(None, Some(folder.path()));
        assert_eq!(damaged.answer(&base, true).hours, None);
    }
}
