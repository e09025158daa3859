//! One base that is updated from sites.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_io::lock::DatabaseLock;
use tabiya_model::Control;

use crate::client::FetchClient;
use crate::site::FetchSettings;
use crate::state::FetchState;
use crate::target::{FetchTarget, is_there};
use crate::{FetchError, Result, broadcast, chesscom, lichess, study, twic};

/// How long another job on the same base is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where games come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FetchSource {
    /// The games of an account at Lichess.
    Lichess(String),
    /// The games of an account at chess.com.
    Chesscom(String),
    /// The Week in Chess: all issues after the newest that was fetched.
    Twic,
    /// Issues of The Week in Chess, from the first number to the second.
    TwicIssues(u32, u32),
    /// A study at Lichess.
    Study(String),
    /// All studies of an account at Lichess.
    Studies(String),
    /// A broadcast tournament at Lichess.
    Broadcast(String),
    /// The FIDE rating list, which is a file and not a base.
    Fide,
    /// The rated games of a month at Lichess, such as `2026-10`.
    Dump(String),
}

impl FetchSource {
    /// An account at Lichess.
    pub fn lichess(user: &str) -> Result<FetchSource> {
        name_of(user).map(FetchSource::Lichess)
    }

    /// An account at chess.com.
    pub fn chesscom(user: &str) -> Result<FetchSource> {
        name_of(user).map(FetchSource::Chesscom)
    }

    /// A study, by its id or its address, or all studies of an account, by its name, its address or `@NAME`.
    pub fn study(word: &str) -> Result<FetchSource> {
        let account = word.trim_end_matches('/');
        let by = account.rsplit_once("/study/by/").map(|(_, user)| user);
        if let Some(user) = account.strip_prefix('@').or(by) {
            return name_of(user).map(FetchSource::Studies);
        }
        id_of(word).map(FetchSource::Study).or_else(|error| {
            let name = name_of(word).map(FetchSource::Studies);
            name.map_err(|_| error)
        })
    }

    /// A broadcast tournament, by its id or its address.
    pub fn broadcast(id: &str) -> Result<FetchSource> {
        id_of(id).map(FetchSource::Broadcast)
    }

    /// The rated games of a month at Lichess.
    pub fn dump(month: &str) -> Result<FetchSource> {
        let number = |text: &str, digits: usize| {
            let is_number = text.len() == digits && text.bytes().all(|it| it.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_number)
        };
        let parts = month.split_once('-');
        let parts = parts.and_then(|(year, month)| Some((number(year, 4)?, number(month, 2)?)));
        match parts {
            Some((2013.., 1..=12)) => Ok(FetchSource::Dump(month.to_owned())),
            _ => Err(FetchError::Usage(format!(
                "{month:.40}: a month is a year and two digits, such as 2026-10, from 2013-01 on"
            ))),
        }
    }

    /// Parses the text of a [`FetchSource`].
    pub fn from_text(text: &str) -> Option<FetchSource> {
        match text.split_once(' ') {
            None if text == "twic" => Some(FetchSource::Twic),
            None if text == "fide" => Some(FetchSource::Fide),
            Some(("lichess", user)) => FetchSource::lichess(user).ok(),
            Some(("chesscom", user)) => FetchSource::chesscom(user).ok(),
            Some(("study", id)) => id_of(id).map(FetchSource::Study).ok(),
            Some(("studies", user)) => name_of(user).map(FetchSource::Studies).ok(),
            Some(("broadcast", id)) => FetchSource::broadcast(id).ok(),
            Some(("dump", month)) => FetchSource::dump(month).ok(),
            _ => None,
        }
    }

    /// The month of a [`FetchSource::Dump`]; empty for other sources.
    pub(crate) fn month(&self) -> &str {
        match self {
            FetchSource::Dump(month) => month,
            _ => "",
        }
    }

    /// The source under which it is remembered.
    fn remembered(&self) -> FetchSource {
        match self {
            FetchSource::TwicIssues(..) => FetchSource::Twic,
            other => other.clone(),
        }
    }
}

impl std::fmt::Display for FetchSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FetchSource::Lichess(user) => write!(f, "lichess {user}"),
            FetchSource::Chesscom(user) => write!(f, "chesscom {user}"),
            FetchSource::Twic | FetchSource::TwicIssues(..) => f.write_str("twic"),
            FetchSource::Fide => f.write_str("fide"),
            FetchSource::Study(id) => write!(f, "study {id}"),
            FetchSource::Studies(user) => write!(f, "studies {user}"),
            FetchSource::Broadcast(id) => write!(f, "broadcast {id}"),
            FetchSource::Dump(month) => write!(f, "dump {month}"),
        }
    }
}

/// The name of an account, in small letters: sites do not tell letters apart, and an account is one source.
fn name_of(user: &str) -> Result<String> {
    let is_name = (2..=40).contains(&user.len())
        && user
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match is_name {
        true => Ok(user.to_ascii_lowercase()),
        false => Err(FetchError::Usage(
            "the name of an account has letters, digits, - and _".to_owned(),
        )),
    }
}

/// An id of eight letters and digits, alone or at the end of an address.
fn id_of(text: &str) -> Result<String> {
    let last = text
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(text);
    let is_id = last.len() == 8 && last.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match is_id {
        true => Ok(last.to_owned()),
        false => Err(FetchError::Usage(
            "an id has eight letters and digits, at the end of its address".to_owned(),
        )),
    }
}

/// The result of fetching from one source.
#[derive(Clone, Debug)]
pub struct FetchReport {
    /// The source.
    pub source: FetchSource,
    /// Games that were added to the base.
    pub added: u64,
    /// Games that were replaced, since their site has changed them.
    pub renewed: u64,
    /// Games that were sent and were already there.
    pub there: u64,
    /// Games that the base could not hold.
    pub refused: u64,
    /// Chapters that were sent to the site and arrived.
    pub sent: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Chapters that were changed there and here.
    pub conflicts: Vec<FetchConflict>,
    /// Other notes, each a sentence.
    pub notes: Vec<String>,
}

/// A chapter of a study that was changed there and here: both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchConflict {
    /// Its address.
    pub chapter: String,
    /// The number of the game in the base.
    pub number: u64,
    /// The version here, as PGN.
    pub here: String,
    /// The version there, as PGN.
    pub there: String,
    /// What differs, each a sentence.
    pub differences: Vec<String>,
}

/// The side whose version of a chapter is kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FetchConflictSide {
    /// That of the base. It can be sent afterwards.
    Here,
    /// That of the site.
    There,
}

/// What to do with chapters that were changed there and here.
#[derive(Clone, Debug)]
pub struct FetchConflictChoice {
    /// The version to keep.
    pub side: FetchConflictSide,
    /// The ids of the chapters; all of them if it is empty.
    pub chapters: Vec<String>,
}

impl FetchConflictChoice {
    /// Whether it speaks of a chapter, by its address.
    pub(crate) fn is_for(&self, key: &str) -> bool {
        let is_it = |chapter: &String| chapter == study::name_of(key);
        self.chapters.is_empty() || self.chapters.iter().any(is_it)
    }
}

/// Updates a base. As long as it exists, no other program fetches into the same base.
pub struct FetchJob {
    pub(crate) client: FetchClient,
    pub(crate) state: FetchState,
    pub(crate) target: FetchTarget,
    pub(crate) notes: Vec<String>,
    pub(crate) conflicts: Vec<FetchConflict>,
    asked_before: u64,
    _lock: DatabaseLock,
}

impl FetchJob {
    /// Opens a base. One that does not exist is created with its first games, or when a source was read to its end.
    pub fn open(base: &Path, settings: FetchSettings, control: &Control) -> Result<FetchJob> {
        let lock = DatabaseLock::take(&FetchState::path_of(base), PATIENCE)?;
        let mut state = FetchState::open(base)?;
        if !is_there(base) {
            // The games that it remembers went with the base.
            state.forget();
        }
        Ok(FetchJob {
            client: FetchClient::new(settings, control.clone())?,
            state,
            target: FetchTarget::open(base, control)?,
            notes: Vec::new(),
            conflicts: Vec::new(),
            asked_before: 0,
            _lock: lock,
        })
    }

    /// The sources from which the base was updated before.
    pub fn sources(&self) -> Vec<FetchSource> {
        self.state.sources().cloned().collect()
    }

    /// Fetches the new games of a source. Games that were fetched before a failure are in the base all the same.
    pub fn fetch(&mut self, source: &FetchSource) -> Result<FetchReport> {
        self.fetch_choosing(source, None)
    }

    /// Fetches a study, and keeps the chosen version of chapters that were changed on both sides. What is given up here can be had
    /// back by undoing the change of the base.
    pub fn settle_study(
        &mut self,
        source: &FetchSource,
        choice: &FetchConflictChoice,
    ) -> Result<FetchReport> {
        let (FetchSource::Study(_) | FetchSource::Studies(_)) = source else {
            return Err(FetchError::Usage(
                "only chapters of studies are changed on both sides".to_owned(),
            ));
        };
        self.fetch_choosing(source, Some(choice))
    }

    fn fetch_choosing(
        &mut self,
        source: &FetchSource,
        choice: Option<&FetchConflictChoice>,
    ) -> Result<FetchReport> {
        self.asked_before = self.client.requests();
        let remembered = source.remembered();
        self.target.begin(&remembered.to_string())?;
        self.notes.clear();
        self.conflicts.clear();
        let memory = self.state.memory(&remembered);
        let fetched = match source {
            FetchSource::Lichess(user) => lichess::fetch(self, &remembered, user, memory),
            FetchSource::Chesscom(user) => chesscom::fetch(self, &remembered, user, memory),
            FetchSource::Twic => twic::fetch(self, &remembered, None, memory),
            FetchSource::TwicIssues(first, last) => {
                twic::fetch(self, &remembered, Some((*first, *last)), memory)
            }
            FetchSource::Study(_) | FetchSource::Studies(_) => {
                study::fetch(self, &remembered, memory, choice)
            }
            FetchSource::Broadcast(id) => broadcast::fetch(self, id),
            FetchSource::Dump(_) => Err(FetchError::Usage(
                "a month of games needs a database of its own: `tabiya fetch dump MONTH -o BASE`"
                    .to_owned(),
            )),
            FetchSource::Fide => Err(FetchError::Usage(
                "a rating list needs a file of its own: `tabiya fetch fide -o FILE`".to_owned(),
            )),
        };
        // What is whole is kept, whatever came after it.
        let flushed = self.target.flush();
        fetched?;
        flushed?;
        self.target.ensure_made()?;
        if matches!(source, FetchSource::Broadcast(_)) {
            let memory = self.state.memory(&remembered);
            self.state.keep(&remembered, &memory)?;
        }
        let annotated = self.target.counts.annotated;
        if annotated > 0 {
            self.notes.push(format!(
                "{annotated} games were analysed there and annotated here: the database keeps its own version"
            ));
        }
        Ok(self.report(source))
    }

    /// Follows a round of a broadcast, by its id or its address, until it ends: moves are in the
    /// base soon after they were played.
    pub fn follow_round(&mut self, round: &FetchSource) -> Result<FetchReport> {
        let FetchSource::Broadcast(id) = round else {
            return Err(FetchError::Usage(
                "only rounds of broadcasts can be followed".to_owned(),
            ));
        };
        self.asked_before = self.client.requests();
        self.target.begin(&round.to_string())?;
        self.notes.clear();
        self.conflicts.clear();
        let followed = broadcast::follow(self, id);
        let flushed = self.target.flush();
        followed?;
        flushed?;
        self.target.ensure_made()?;
        Ok(self.report(round))
    }

    /// Sends the chapters of a study that were changed in the base. The result is read back; chapters that were changed on
    /// both sides, or that arrived differently, are reported.
    pub fn push_study(&mut self, source: &FetchSource) -> Result<FetchReport> {
        let (FetchSource::Study(_) | FetchSource::Studies(_)) = source else {
            return Err(FetchError::Usage(
                "only studies can be sent back".to_owned(),
            ));
        };
        self.asked_before = self.client.requests();
        self.target.begin(&source.to_string())?;
        self.notes.clear();
        self.conflicts.clear();
        let memory = self.state.memory(source);
        let sent = study::push(self, source, memory)?;
        Ok(FetchReport {
            sent,
            ..self.report(source)
        })
    }

    /// The report about the source that was fetched last, even if it failed.
    pub fn report(&mut self, source: &FetchSource) -> FetchReport {
        let counts = self.target.counts.clone();
        FetchReport {
            source: source.clone(),
            added: counts.added,
            renewed: counts.renewed,
            there: counts.there,
            refused: counts.refused,
            sent: 0,
            requests: self.client.requests() - self.asked_before,
            conflicts: std::mem::take(&mut self.conflicts),
            notes: std::mem::take(&mut self.notes),
        }
    }
}

/// Makes a base of the rated games of a month at Lichess, or of those that a query finds. What arrived before a failure is
/// kept beside the base, and the same call continues there.
pub fn fetch_dump(
    source: &FetchSource,
    base: &Path,
    query: Option<&str>,
    settings: FetchSettings,
    control: &Control,
) -> Result<FetchReport> {
    crate::dump::fetch(source, base, query, settings, control)
}

/// The file of the FIDE rating list: see [`FetchJob`] for games.
pub fn fetch_ratings(
    file: &Path,
    settings: FetchSettings,
    control: &Control,
) -> Result<Option<PathBuf>> {
    crate::fide::fetch(file, settings, control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_names_that_are_read_again() {
        for text in [
            "lichess a_b-c",
            "chesscom abc",
            "twic",
            "study AbCd1234",
            "studies a_b-c",
            "broadcast AbCd1234",
            "dump 2026-10",
        ] {
            let source = FetchSource::from_text(text).expect("a source");
            assert_eq!(source.to_string(), text);
        }
        let study = FetchSource::study("https://lichess.org/study/AbCd1234/").expect("an id");
        assert_eq!(study, FetchSource::Study("AbCd1234".to_owned()));
        let upper = FetchSource::lichess("SampleRook").expect("a name");
        assert_eq!(upper.to_string(), "lichess samplerook");
        for wrong in ["", "a", "a/b", "a?b", "ä", "../x", "a b"] {
            assert!(FetchSource::lichess(wrong).is_err(), "{wrong}");
        }
        for (word, user) in [
            ("SampleRook", "samplerook"),
            ("@AbCd1234", "abcd1234"),
            ("https://lichess.org/study/by/AbCd1234", "abcd1234"),
        ] {
            let studies = FetchSource::study(word).expect("a name");
            assert_eq!(studies, FetchSource::Studies(user.to_owned()));
        }
        for wrong in ["", "a", "https://lichess.org/study/AbCd123", "@../x", "a b"] {
            assert!(FetchSource::study(wrong).is_err(), "{wrong}");
        }
        assert!(FetchSource::from_text("lichess a/../b").is_none());
        for wrong in [
            "",
            "2026",
            "2026-13",
            "2026-1",
            "2012-12",
            "+026-10",
            "2026-10/..",
        ] {
            assert!(FetchSource::dump(wrong).is_err(), "{wrong}");
        }
    }
}
