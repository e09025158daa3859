//! A month of Lichess's games: tens of gigabytes, which are decompressed and copied to a base while they arrive.
//!
//! The compressed bytes are kept in a file beside the base. After a failure they are read again from there, and only the rest
//! is requested. The base gets its name after the last byte has been compared with the published checksum.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ring::digest::{Context, SHA256};
use tabiya::bulk::{self, ConvertPlan, ConvertSelection, ConvertTargets};
use tabiya::convert::Conversion;
use tabiya::query::{Query, QueryContext};
use tabiya::{Opener, Selection, Target};
use tabiya_io::compression::{self, UnpackLimits};
use tabiya_io::lock::DatabaseLock;
use tabiya_model::{Control, Severity};

use crate::client::{FetchClient, FetchData, FetchRequest, SiteResponse};
use crate::job::{FetchReport, FetchSource};
use crate::site::{FetchSettings, FetchSite};
use crate::state::{FetchMemory, FetchStamp, FetchState};
use crate::{FetchError, Result};

/// How long another job on the same base is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder of the months at the site.
const FOLDER: &str = "/standard/";

/// The checksums of all months: lines of a checksum and a name.
const CHECKSUMS: &str = "/standard/sha256sums.txt";

pub(crate) fn fetch(
    source: &FetchSource,
    base: &Path,
    query: Option<&str>,
    settings: FetchSettings,
    control: &Control,
) -> Result<FetchReport> {
    let FetchSource::Dump(month) = source else {
        return Err(FetchError::Usage(format!("{source} is not a month")));
    };
    let query = query
        .map(|text| Query::parse(text, QueryContext::default()))
        .transpose()
        .map_err(|error| FetchError::Usage(format!("--query: {error}")))?;
    if std::fs::symlink_metadata(base).is_ok() {
        return Err(FetchError::Usage(format!(
            "{}: already exists; a month of games needs a new database",
            base.display()
        )));
    }
    let target = Target::new(base, None, Default::default())?;
    let part = part_of(base);
    let _lock = DatabaseLock::take(&FetchState::path_of(&part), PATIENCE)?;
    let mut client = FetchClient::new(settings, control.clone())?;
    let name = format!("lichess_db_standard_rated_{month}.pgn.zst");
    let checksum = published_checksum(&mut client, &name)?;
    let progress = DumpProgress::new(control);
    let reader = DumpReader::open(source, &name, &part, &mut client, progress.clone())?;
    let reader = DumpReader { checksum, ..reader };
    let copied = copy(&name, reader, query, &target, &progress);
    let failure = progress.failure();
    if matches!(failure, Some(FetchError::Damaged { .. })) {
        // It would be read again for ever.
        forget(&part)?;
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    let copied = match copied {
        Err(_) if control.is_stopped() => return Err(FetchError::Stopped),
        Err(FetchError::NotData { site, wanted }) => {
            forget(&part)?;
            return Err(FetchError::NotData { site, wanted });
        }
        copied => copied?,
    };
    if !copied.ended.is_whole() {
        return Err(FetchError::Stopped);
    }
    forget(&part)?;
    let mut notes = notes_of(&copied);
    if checksum.is_none() {
        notes.push(
            "the site publishes no checksum of this month, so it was not compared".to_owned(),
        );
    }
    Ok(FetchReport {
        conflicts: Vec::new(),
        source: source.clone(),
        added: copied.summary.map_or(0, |summary| summary.games),
        renewed: 0,
        there: 0,
        refused: 0,
        sent: 0,
        requests: client.requests(),
        notes,
    })
}

/// The SHA-256 checksum that the site publishes for a file, if it does.
fn published_checksum(client: &mut FetchClient, name: &str) -> Result<Option<[u8; 32]>> {
    let what = "list of checksums";
    let request = FetchRequest::new(FetchSite::Dumps, CHECKSUMS, "text/plain", what);
    let SiteResponse::Data(data) = client.ask(&request)? else {
        return Ok(None);
    };
    let wanted = "a list of checksums";
    let site = data.site.clone();
    let text = data.text(wanted)?;
    let line = text.lines().find_map(|line| {
        let (checksum, file) = line.trim().split_once(char::is_whitespace)?;
        (file.trim_start().trim_start_matches('*') == name).then_some(checksum)
    });
    match line.map(checksum_of) {
        None => Ok(None),
        Some(Some(checksum)) => Ok(Some(checksum)),
        Some(None) => Err(FetchError::NotData { site, wanted }),
    }
}

/// 32 bytes, written as 64 hexadecimal digits.
fn checksum_of(text: &str) -> Option<[u8; 32]> {
    let mut checksum = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in checksum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(checksum)
}

/// Copies the games to the target while they arrive.
fn copy(
    name: &str,
    reader: DumpReader,
    query: Option<Query>,
    target: &Target,
    progress: &DumpProgress,
) -> Result<Conversion> {
    let site = reader.site.clone();
    let not_data = FetchError::NotData {
        site: site.clone(),
        wanted: "compressed games",
    };
    let content = compression::unpack_stream(name, Box::new(reader), &UnpackLimits::default());
    let content = match content {
        Ok(content) => content,
        Err(_) => return Err(not_data),
    };
    let content = DumpContent {
        content,
        site,
        progress: progress.clone(),
    };
    let Ok(base) = Opener::default().open_reader(name, Box::new(content)) else {
        return Err(not_data);
    };
    let games = Selection::of([base]);
    let plan = ConvertPlan {
        choose: ConvertSelection {
            games: match query {
                Some(query) => games.matching(query),
                None => games,
            },
            ..ConvertSelection::default()
        },
        ..ConvertPlan::default()
    };
    let targets = ConvertTargets {
        main: target,
        rest: None,
        doubles: None,
    };
    let copied = bulk::run(&plan, targets, &Default::default(), &progress.copying)?;
    Ok(copied.main)
}

/// Everything that the base does not have as it was sent.
fn notes_of(copied: &Conversion) -> Vec<String> {
    let mut notes = copied
        .summary
        .as_ref()
        .map_or_else(Vec::new, |summary| summary.notes.clone());
    for source in &copied.sources {
        let found = source.diagnostics.at_least(Severity::Damage);
        if source.damaged > 0 || found > 0 {
            notes.push(format!(
                "{} games are damaged; `tabiya check` shows where",
                source.damaged
            ));
        }
        for (kind, count, _) in source.losses.kinds() {
            if !kind.is_layout() {
                notes.push(format!("lost: {count} × {}", kind.summary));
            }
        }
    }
    notes
}

/// The file with everything that has arrived of the month, beside the base.
fn part_of(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Removes everything that has arrived of the month, and what is known of it.
fn forget(part: &Path) -> Result<()> {
    for path in [part.to_owned(), FetchState::path_of(part)] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(of_file(&path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn of_file(path: &Path, error: io::Error) -> FetchError {
    FetchError::File {
        file: path.display().to_string(),
        error,
    }
}

/// What the readers and the copy know of each other.
#[derive(Clone)]
struct DumpProgress {
    /// The user's.
    control: Control,
    /// That of the copy: it is stopped by a failure, so that half a month never gets the name of the base.
    copying: Control,
    failure: Arc<Mutex<Option<FetchError>>>,
    /// Games of which the user's control knows.
    games: Arc<Mutex<u64>>,
}

impl DumpProgress {
    fn new(control: &Control) -> DumpProgress {
        let copying = Control::default()
            .with_threads(control.threads())
            .with_memory(control.memory())
            .with_steps(control.steps());
        DumpProgress {
            control: control.clone(),
            copying,
            failure: Arc::default(),
            games: Arc::default(),
        }
    }

    /// Why the month did not arrive, if it did not.
    fn failure(&self) -> Option<FetchError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Ends the copy, for the reason that was found first.
    fn fail(&self, failure: FetchError) -> io::Error {
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(failure);
        self.copying.stop();
        io::Error::other("the month did not arrive completely")
    }

    /// Stops the copy if the user has stopped the job, and shows the user how far it is.
    fn check(&self) -> io::Result<()> {
        if self.control.is_stopped() {
            return Err(self.fail(FetchError::Stopped));
        }
        let mut known = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let games = self.copying.progress().games;
        self.control.advance(games.saturating_sub(*known), 0);
        *known = games;
        Ok(())
    }
}

/// The compressed bytes of a month: those that are in the file, then those that arrive, which are kept in it.
struct DumpReader {
    part: File,
    path: PathBuf,
    /// Bytes of the file that were not read yet.
    here: u64,
    rest: Option<Box<dyn Read + Send>>,
    site: String,
    /// The checksum that all bytes together must have.
    checksum: Option<[u8; 32]>,
    digest: Option<Context>,
    progress: DumpProgress,
}

impl DumpReader {
    fn open(
        source: &FetchSource,
        name: &str,
        path: &Path,
        client: &mut FetchClient,
        progress: DumpProgress,
    ) -> Result<DumpReader> {
        let failed = |error| of_file(path, error);
        let mut state = FetchState::open(path)?;
        let address = format!("{FOLDER}{name}");
        let known = state.memory(source).stamps.get(&address).cloned();
        // Without a stamp nobody can say whether the rest belongs to what is here.
        let known = known.filter(|stamp| *stamp != FetchStamp::default());
        let here = match (&known, std::fs::metadata(path)) {
            (Some(_), Ok(metadata)) => metadata.len(),
            _ => 0,
        };
        let what = format!("games of {}", source.month());
        let mut request = FetchRequest::new(FetchSite::Dumps, &address, "application/zstd", &what);
        request.stamp = known.as_ref().filter(|_| here > 0);
        request.here = here;
        let answer = client.ask(&request)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut part = options.open(path).map_err(failed)?;
        let site = client.settings().address(FetchSite::Dumps).to_owned();
        let (here, rest) = match answer {
            SiteResponse::Data(FetchData {
                start: 0,
                reader,
                stamp,
                ..
            }) => {
                if part.metadata().map_err(failed)?.len() > 0 {
                    part.set_len(0).map_err(failed)?;
                }
                let memory = FetchMemory {
                    stamps: [(address, stamp)].into(),
                    ..FetchMemory::default()
                };
                state.keep(source, &memory)?;
                (0, Some(reader))
            }
            SiteResponse::Data(data) => (data.start, Some(data.reader)),
            // All of it is here.
            SiteResponse::Done if here > 0 => (here, None),
            SiteResponse::NotThere | SiteResponse::Unchanged | SiteResponse::Done => {
                forget(path)?;
                let month = source.month().to_owned();
                return Err(FetchError::NotPublished { site, month });
            }
        };
        part.seek(SeekFrom::Start(0)).map_err(failed)?;
        Ok(DumpReader {
            part,
            path: path.to_owned(),
            here,
            rest,
            site,
            checksum: None,
            digest: Some(Context::new(&SHA256)),
            progress,
        })
    }

    /// Reads bytes that are in the file.
    fn read_part(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.here).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let failure = match self.part.read(buffer.get_mut(..most).unwrap_or_default()) {
            Ok(0) if most > 0 => io::Error::from(io::ErrorKind::UnexpectedEof),
            Ok(length) => {
                self.here = self.here.saturating_sub(length as u64);
                return Ok(length);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => error,
        };
        Err(self.progress.fail(of_file(&self.path, failure)))
    }

    /// Reads bytes that arrive, and keeps them.
    fn read_rest(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(rest) = &mut self.rest else {
            return Ok(0);
        };
        let length = match rest.read(buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                self.progress.check()?;
                return Err(self.progress.fail(FetchError::Cut {
                    site: self.site.clone(),
                    why: error.to_string(),
                }));
            }
        };
        let arrived = buffer.get(..length).unwrap_or_default();
        match self.part.write_all(arrived) {
            Ok(()) => Ok(length),
            Err(error) => Err(self.progress.fail(of_file(&self.path, error))),
        }
    }

    /// Compares all bytes with the checksum.
    fn end(&mut self) -> io::Result<()> {
        self.rest = None;
        let (Some(checksum), Some(digest)) = (self.checksum, self.digest.take()) else {
            return Ok(());
        };
        match digest.finish().as_ref() == checksum {
            true => Ok(()),
            false => Err(self.progress.fail(FetchError::Damaged {
                site: self.site.clone(),
                why: "it does not have the published checksum".to_owned(),
            })),
        }
    }
}

impl Read for DumpReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check()?;
        let length = match self.here {
            0 => self.read_rest(buffer)?,
            _ => self.read_part(buffer)?,
        };
        if length == 0 && !buffer.is_empty() {
            self.end()?;
        }
        if let Some(digest) = &mut self.digest {
            digest.update(buffer.get(..length).unwrap_or_default());
        }
        Ok(length)
    }
}

/// The decompressed games. What cannot be decompressed is not the end of the month.
struct DumpContent {
    content: Box<dyn Read + Send>,
    site: String,
    progress: DumpProgress,
}

impl Read for DumpContent {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(buffer);
        match read {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Err(self.progress.fail(FetchError::Damaged {
                    site: self.site.clone(),
                    why: error.to_string(),
                }))
            }
            read => read,
        }
    }
}
