//! Splits games into one file for each player, event, opening, year, …: one folder that appears complete or not at all.
//!
//! Only files that are being written are open: the first pass finds which games go where, then one file after another is
//! written, on all threads, into a folder beside the target, which is renamed to the target at the end.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tabiya_formats::format::WriteOptions;
use tabiya_io::held_folder;
use tabiya_io::output_folder::OutputFolder;
use tabiya_model::{
    Control, DatabaseMetadata, Error, Game, GameNeeds, Losses, Result, WriteSummary,
};

use super::ConvertPlan;
use super::candidates::games_to_write;
use super::file_names::UniqueFileNames;
use crate::error_codes;
use crate::open::base::Base;
use crate::select::opening::opening as opening_of;
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// What decides the file of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SplitKey {
    /// Each of its players: a game goes into two files.
    Player,
    /// White.
    White,
    /// Black.
    Black,
    /// The event.
    Event,
    /// The site.
    Site,
    /// This number of characters of the ECO tag.
    Eco(usize),
    /// The family of the opening, by position.
    Opening,
    /// The year.
    Year,
    /// The result.
    Result,
    /// Its place: this number of games per file.
    Number(u64),
}

impl SplitKey {
    /// Reads `player`, `white`, `black`, `event`, `site`, `eco`, `eco:1` to `eco:3`, `opening`, `year`, `result`, or a number of
    /// games.
    ///
    /// # Errors
    ///
    /// If it is none of these.
    pub fn parse(text: &str) -> Result<SplitKey> {
        let found = match text {
            "player" => SplitKey::Player,
            "white" => SplitKey::White,
            "black" => SplitKey::Black,
            "event" => SplitKey::Event,
            "site" => SplitKey::Site,
            "eco" | "eco:3" => SplitKey::Eco(3),
            "eco:1" => SplitKey::Eco(1),
            "eco:2" => SplitKey::Eco(2),
            "opening" => SplitKey::Opening,
            "year" => SplitKey::Year,
            "result" => SplitKey::Result,
            digits => match digits.parse() {
                Ok(number @ 1..) => SplitKey::Number(number),
                _ => {
                    return Err(Error::new(
                        &error_codes::BAD_SPLIT,
                        format!(
                            "{text}: games are split by player, white, black, event, site, eco (eco:1, eco:2), opening, year, result, or a number of games"
                        ),
                    ));
                }
            },
        };
        Ok(found)
    }
}

/// Says of games into which files they go.
pub(super) struct SplitLabeller<'s> {
    by: &'s SplitKey,
}

impl<'s> SplitLabeller<'s> {
    pub(super) fn new(by: &'s SplitKey) -> SplitLabeller<'s> {
        SplitLabeller { by }
    }

    /// The files of a game; none where its place decides.
    pub(super) fn labels(&self, game: &Game) -> Vec<String> {
        let tag = |name: &str| game.tags.value(name).trim().to_owned();
        match self.by {
            SplitKey::Player => {
                let (white, black) = (tag("White"), tag("Black"));
                match white == black {
                    true => vec![white],
                    false => vec![white, black],
                }
            }
            SplitKey::White => vec![tag("White")],
            SplitKey::Black => vec![tag("Black")],
            SplitKey::Event => vec![tag("Event")],
            SplitKey::Site => vec![tag("Site")],
            SplitKey::Eco(letters) => vec![tag("ECO").chars().take(*letters).collect()],
            SplitKey::Opening => {
                let opening = opening_of(game);
                let family = opening.and_then(|opening| opening.name.split(':').next());
                vec![family.unwrap_or("").to_owned()]
            }
            SplitKey::Year => {
                let year = game.tags.date("Date").and_then(|date| date.year);
                vec![year.map_or_else(String::new, |year| format!("{year:04}"))]
            }
            SplitKey::Result => vec![
                game.result()
                    .as_pgn()
                    .replace("1/2-1/2", "draw")
                    .replace('*', "unfinished"),
            ],
            SplitKey::Number(_) => Vec::new(),
        }
    }
}

/// One of the files.
#[derive(Copy, Clone)]
pub(super) struct SplitPartId(NonZeroU32);

/// Which games go into which file.
#[derive(Default)]
pub(super) struct SplitParts {
    numbers: HashMap<String, SplitPartId>,
    /// The label of each file, and the games that go into it: the places of their bases, and their numbers.
    parts: Vec<(String, Vec<(u32, u64)>)>,
}

impl SplitParts {
    /// The file of a label.
    pub(super) fn part(&mut self, label: &str) -> SplitPartId {
        if let Some(part) = self.numbers.get(label) {
            return *part;
        }
        self.parts.push((label.to_owned(), Vec::new()));
        let count = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        let part = SplitPartId(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN));
        self.numbers.insert(label.to_owned(), part);
        part
    }

    /// Puts a game into a file.
    pub(super) fn put(&mut self, part: SplitPartId, base: u32, number: u64) {
        if let Some((_, games)) = self.parts.get_mut(part.0.get() as usize - 1) {
            games.push((base, number));
        }
    }

    /// Writes all files into a folder, which appears under the target's name when it is committed; none where it was stopped.
    pub(super) fn write(
        self,
        bases: &[Base],
        bulk: &ConvertPlan,
        target: &Target,
        report: &mut SourceReport,
        control: &Control,
    ) -> Result<Option<(WriteSummary, OutputFolder)>> {
        refuse_taken(&target.path)?;
        let failed = |error| Error::from(std::io::Error::from(error));
        let folder = OutputFolder::create(&target.path).map_err(failed)?;
        let extension = target.format.extensions.first().copied().unwrap_or("pgn");
        let mut names = UniqueFileNames::default();
        let files: Vec<(String, &[(u32, u64)])> = (self.parts.iter())
            .map(|(label, games)| {
                (
                    format!("{}.{extension}", names.name(label)),
                    games.as_slice(),
                )
            })
            .collect();
        let next = AtomicUsize::new(0);
        let all = Mutex::new((WriteSummary::default(), report));
        let fault: Mutex<Option<Error>> = Mutex::new(None);
        let work = || -> Result<()> {
            while let Some((name, games)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if control.is_stopped()
                    || fault
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .is_some()
                {
                    return Ok(());
                }
                let (summary, told) = one(&folder.path().join(name), games, bases, bulk, target)?;
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.0.games += summary.games;
                all.0.bytes += summary.bytes;
                all.0.files.extend(
                    summary
                        .files
                        .iter()
                        .filter_map(|file| Some(target.path.join(file.file_name()?))),
                );
                all.1.losses.append(&told.losses);
                all.1.unasked += told.unasked;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            for _ in 0..control.threads() {
                scope.spawn(|| {
                    if let Err(error) = work() {
                        let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
                        fault.get_or_insert(error);
                    }
                });
            }
        });
        if let Some(error) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if control.is_stopped() {
            return Ok(None);
        }
        let (mut summary, _) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        summary.files.sort();
        Ok(Some((summary, folder)))
    }
}

/// A name under which something stands is not given up.
pub(crate) fn refuse_taken(path: &Path) -> Result<()> {
    if path.as_os_str() == "-" {
        return Err(Error::new(
            &error_codes::TARGET_TO_PIPE,
            "standard output cannot be split into several files",
        ));
    }
    let is_empty =
        |path: &Path| held_folder::read_dir(path).is_ok_and(|entries| entries.is_empty());
    if held_folder::symlink_metadata(path).is_ok() && !is_empty(path) {
        return Err(Error::new(
            &error_codes::TARGET_EXISTS,
            "already exists; games are split into a new folder",
        )
        .in_file(path.display().to_string()));
    }
    Ok(())
}

/// Writes one file.
fn one(
    path: &Path,
    games: &[(u32, u64)],
    bases: &[Base],
    bulk: &ConvertPlan,
    target: &Target,
) -> Result<(WriteSummary, SourceReport)> {
    let target = Target {
        path: path.to_owned(),
        format: target.format,
        options: WriteOptions {
            force: false,
            ..target.options.clone()
        },
    };
    let mut writing = target.begin(&[])?;
    let mut feed = writing.feed(DatabaseMetadata::default(), SourceReport::default());
    let mut singles = feed.singles(1);
    let mut reshaper = bulk.reshape.worker();
    for (base, number) in games {
        let base = bases
            .get(*base as usize)
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "there is no such database"))?;
        let game = base.read(*number, GameNeeds::ALL)?;
        let mut told = Losses::default();
        let found = None;
        for game in games_to_write(game, found, bulk, &mut reshaper, &mut told) {
            singles.put(game)?;
        }
        singles.lose(&told);
    }
    singles.finish()?;
    let report = std::mem::take(&mut feed.report);
    Ok((writing.finish()?, report))
}
