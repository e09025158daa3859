//! Databases, open for reading.
//!
//! Opening reads only the index. Names are read when the first one is needed, and the game file when the first record
//! is: a list of games never touches it.

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_model::date::Date;
use tabiya_model::error_codes;
use tabiya_model::facts::{FactFields, FactSource, FactsOverview};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::positions::PositionSource;
use tabiya_model::{
    Database, DatabaseInfo, DatabaseMetadata, Diagnostics, Error, Game, GameNeeds, Location,
    Losses, Result, Source,
};

use super::audit;
use super::codes;
use super::encode::is_invalid_fen;
use super::error::ScidError;
use super::extra_tag_fields::ScidExtraTagFields;
use super::files::{ScidFiles, ScidGameFile, ScidOpenFiles};
use super::layout::{self, ScidEntry, ScidNameKind, ScidVersion, Si4Header, flag};
use super::names::{ScidNames, or_unknown};
use super::record::{ScidExtraTags, ScidRecordReader};
use super::text::ScidTextReader;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{ANNOTATIONS_GONE, MOVES_GONE, MissingParts, NAMES_GONE};
use tabiya_codec::numbered_database::{NumberedDatabase, NumberedSource};
use tabiya_io::held_folder;
use tabiya_io::mmap::FileBytes;

/// A database that is open for reading.
#[derive(Debug)]
pub struct ScidReader {
    version: ScidVersion,
    /// The layout of `index`, which differs if the index was rebuilt by [`super::salvage`].
    layout: ScidVersion,
    /// The first game that was found without an entry of its own.
    pub(super) rescued_from: u64,
    files: ScidFiles,
    index: FileBytes,
    header: Option<Si4Header>,
    count: u64,
    /// Opened together with the others, so that they belong to one state of the database; read when needed.
    games_file: Result<File, String>,
    names_file: Result<File, String>,
    games: OnceLock<Result<ScidGameFile, String>>,
    names: OnceLock<(ScidNames, ScidTextReader)>,
    more_tags: ScidExtraTagFields,
    options: OpenOptions,
    diagnostics: Diagnostics,
    /// The content that the database should hold but does not.
    claims: MissingParts,
}

/// Buffers of one reading thread.
#[derive(Debug, Default)]
pub struct ScidScratch {
    record: ScidRecordReader,
    bytes: Vec<u8>,
    word: String,
    fen: Option<String>,
}

/// The rest of a database, put together by [`super::salvage`].
pub(super) struct ScidSalvageParts {
    pub(super) version: ScidVersion,
    pub(super) files: ScidFiles,
    pub(super) header: Option<Si4Header>,
    pub(super) entries: Vec<ScidEntry>,
    /// Games from here on have no names.
    pub(super) rescued_from: u64,
    pub(super) games: ScidGameFile,
    pub(super) names: Result<File, String>,
    pub(super) diagnostics: Diagnostics,
    /// The missing parts.
    pub(super) claims: MissingParts,
}

impl ScidReader {
    /// Opens a database by the name of any of its files.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<ScidReader> {
        let (named, files) = ScidFiles::find(path)?;
        let ScidOpenFiles {
            index,
            games: games_file,
            names: names_file,
        } = files.open(options.access())?;
        let (version, header) = match named {
            ScidVersion::Si5 => (named, None),
            ScidVersion::Si3 | ScidVersion::Si4 => {
                let in_index = |error: ScidError| {
                    Error::from(error).in_file(files.index.display().to_string())
                };
                let header =
                    Si4Header::decode(&index).ok_or_else(|| in_index(ScidError::NoIndex))?;
                // The version word decides, not the name: this may be a renamed si3 database.
                let version = match header.version {
                    300..400 => ScidVersion::Si3,
                    400 => ScidVersion::Si4,
                    other => return Err(in_index(ScidError::Version(other))),
                };
                (version, Some(header))
            }
        };
        let mut base = ScidReader {
            version,
            layout: version,
            rescued_from: u64::MAX,
            files,
            index,
            header,
            count: 0,
            games_file,
            names_file,
            games: OnceLock::new(),
            names: OnceLock::new(),
            more_tags: ScidExtraTagFields::default(),
            options: options.clone(),
            diagnostics: Diagnostics::default(),
            claims: MissingParts::default(),
        };
        base.count_entries();
        base.count_files();
        if options.audit {
            let found = audit::container(&base);
            base.diagnostics_mut().append(&found);
        }
        Ok(base)
    }

    /// A database whose entries were put together from the rest of it.
    pub(super) fn from_remains(remains: ScidSalvageParts, options: &OpenOptions) -> ScidReader {
        let mut index = Vec::with_capacity(remains.entries.len() * ScidVersion::Si5.entry_size());
        for entry in &remains.entries {
            entry.encode(ScidVersion::Si5, &mut index);
        }
        let base = ScidReader {
            version: remains.version,
            layout: ScidVersion::Si5,
            rescued_from: remains.rescued_from,
            files: remains.files,
            index: FileBytes::from(index),
            header: remains.header,
            count: remains.entries.len() as u64,
            games_file: Err("taken".to_owned()),
            names_file: remains.names,
            games: OnceLock::new(),
            names: OnceLock::new(),
            more_tags: ScidExtraTagFields::default(),
            options: options.clone(),
            diagnostics: remains.diagnostics,
            claims: remains.claims,
        };
        // The cell is new, so nothing is in it yet.
        let _ = base.games.set(Ok(remains.games));
        base
    }

    /// Findings about the container, to which more can be added.
    pub(super) fn diagnostics_mut(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// The number of entries; reports if header and size disagree.
    fn count_entries(&mut self) {
        let size = self.version.entry_size();
        let bytes = self.index.len().saturating_sub(self.version.header_size());
        let (whole, partial) = ((bytes / size) as u64, bytes % size);
        self.count = whole;
        let name = self.files.index.display().to_string();
        if partial != 0 {
            let at = (self.index.len() - partial) as u64;
            self.diagnostics.report(
                &codes::PARTIAL_ENTRY,
                || Location::byte(at).in_file(&name),
                || format!("{partial} bytes of {size}"),
            );
        }
        let games = self.games_file.as_ref().ok();
        let has_games =
            games.is_some_and(|file| file.metadata().is_ok_and(|found| found.len() > 0));
        if self.version == ScidVersion::Si5 && whole == 0 && has_games {
            self.diagnostics.report(
                &codes::LOST_ENTRIES,
                || Location::byte(0).in_file(&name),
                || "the index is empty, but the game file is not".to_owned(),
            );
        }
        if let Some(header) = &self.header {
            let claimed = u64::from(header.games);
            self.count = whole.min(claimed);
            self.claims.games("the header of the index", claimed, whole);
            let code = match claimed.cmp(&whole) {
                std::cmp::Ordering::Less => &codes::MORE_ENTRIES,
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => &codes::FEWER_ENTRIES,
            };
            self.diagnostics.report(
                code,
                || Location::byte(14).in_file(&name),
                || format!("the header says {claimed} games, but the file has room for {whole}"),
            );
        }
    }

    /// Reports what is lost with missing files.
    fn count_files(&mut self) {
        if self.count == 0 {
            return;
        }
        if let Err(error) = &self.games_file {
            self.claims.lose(&MOVES_GONE, error.as_str());
            self.claims.lose(&ANNOTATIONS_GONE, error.as_str());
        }
        if let Err(error) = &self.names_file {
            self.claims.lose(&NAMES_GONE, error.as_str());
        }
    }

    /// Everything that the database should hold but does not, including names of a damaged file.
    fn all_missing(&self) -> Losses {
        let mut claims = self.claims.clone();
        let found = &self.names().diagnostics;
        let bad = found.iter().find(|found| *found.code == codes::BAD_NAMES);
        if let Some(bad) = bad {
            claims.lose(&NAMES_GONE, bad.message.clone());
        }
        claims.losses()
    }

    /// The version whose layout the files have.
    pub fn version(&self) -> ScidVersion {
        self.version
    }

    /// The files.
    pub fn files(&self) -> &ScidFiles {
        &self.files
    }

    /// The header of si3 and si4.
    pub fn header(&self) -> Option<&Si4Header> {
        self.header.as_ref()
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The options that the database was opened with.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// The offset of a game's index entry.
    #[inline]
    fn entry_at(&self, number: u64) -> Option<usize> {
        if number > self.count {
            return None;
        }
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let at = index.checked_mul(self.layout.entry_size())?;
        self.layout.header_size().checked_add(at)
    }

    /// The index entry of a game, from 1.
    #[inline]
    pub fn entry(&self, number: u64) -> Option<ScidEntry> {
        let bytes = self.index.get(self.entry_at(number)?..)?;
        ScidEntry::decode(self.layout, bytes)
    }

    /// The same without touching the map of the index, for few games that are far apart.
    pub(super) fn entry_unmapped(
        &self,
        number: u64,
        buffer: &mut Vec<u8>,
    ) -> std::io::Result<Option<ScidEntry>> {
        let Some(start) = self.entry_at(number) else {
            return Ok(None);
        };
        let end = start.saturating_add(self.layout.entry_size());
        self.index.copy(start..end, buffer)?;
        Ok(ScidEntry::decode(self.layout, buffer))
    }

    /// The names and how texts are decoded; loaded now if they were not yet.
    fn loaded(&self) -> &(ScidNames, ScidTextReader) {
        self.names.get_or_init(|| {
            let bytes = self.names_file.as_ref().map_err(Clone::clone);
            let bytes = bytes.and_then(|file| {
                FileBytes::from_file(file, self.options.access()).map_err(|error| error.to_string())
            });
            let mut names = match bytes {
                Ok(file) => ScidNames::read(
                    self.version,
                    file,
                    self.options.audit,
                    self.options.limits.text_bytes,
                ),
                Err(error) => {
                    let mut names = ScidNames::none();
                    let name = self.files.names.display().to_string();
                    names.diagnostics.report(
                        &codes::MISSING_FILE,
                        || Location::default().in_file(name),
                        || error,
                    );
                    names
                }
            };
            if let (Some(charset), None) = (names.charset, self.options.encoding) {
                let name = self.files.names.display().to_string();
                names.diagnostics.report(
                    &codes::GUESSED_CHARSET,
                    || Location::default().in_file(name),
                    || format!("read as {}", charset.name()),
                );
            }
            let text = ScidTextReader::new(self.version, &self.options, names.charset);
            (names, text)
        })
    }

    /// The names.
    pub fn names(&self) -> &ScidNames {
        &self.loaded().0
    }

    /// How texts are read.
    pub fn text(&self) -> &ScidTextReader {
        &self.loaded().1
    }

    /// The game file; opened now if it was not yet.
    pub fn games(&self) -> Result<&ScidGameFile> {
        self.games
            .get_or_init(|| {
                let file = self.games_file.as_ref().map_err(Clone::clone)?;
                ScidGameFile::new(file, self.options.mmap).map_err(|error| error.to_string())
            })
            .as_ref()
            .map_err(|message| {
                Error::new(&error_codes::SYSTEM, message.clone())
                    .in_file(self.files.games.display().to_string())
            })
    }

    /// The fields given by a game's tags in addition to its entry; all, if the record cannot be read.
    pub(super) fn more_tags(&self, number: u64) -> FactFields {
        self.games().map_or(FactFields::ALL, |games| {
            let entry = |number| self.entry(number);
            self.more_tags.of(number, self.count, games, entry)
        })
    }

    pub(super) fn name_text(&self, kind: ScidNameKind, number: u32) -> Cow<'_, str> {
        self.text()
            .decode_value(or_unknown(self.names().get(kind, number)))
    }

    /// Reads a game into a reused buffer.
    pub fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut ScidScratch,
        game: &mut Game,
    ) -> Result<()> {
        game.clear();
        let entry = self.entry(number).ok_or(ScidError::NoGame {
            number,
            count: self.count,
        })?;
        game.origin.number = number;
        game.origin.byte = entry.offset;
        game.origin.length = u64::from(entry.length);
        let ScidScratch {
            record: reader,
            bytes,
            word,
            fen,
        } = scratch;
        let record = self.games()?.get(entry.offset, entry.length, bytes)?;
        self.check_range(&entry, record.len(), game);
        let ending = self.push_tags(want.tags, (&entry, record), word, game);
        let mut extra = ScidExtraTags::new(record);
        let index_tags = game.tags.len();
        for (index, tag) in extra.by_ref().enumerate() {
            if self.options.audit {
                audit::extra_tag(self, &tag, game);
            }
            if Some(index) != ending {
                self.push_extra(&entry, tag, game);
            }
        }
        let extra_tags = index_tags..game.tags.len();
        match extra.rest() {
            Some(rest) => {
                let at = record.len() - rest.len();
                let seen = reader.read(record, at, entry.offset, self.text(), want, fen, game);
                if let Some(fen) = fen {
                    game.tags.push("FEN", fen);
                }
                if self.options.audit && want == GameNeeds::ALL {
                    audit::game(self, &entry, &seen, game);
                }
            }
            None if record.is_empty() => {}
            None => {
                let at = entry.offset.saturating_add(record.len() as u64);
                game.diagnostics.report(
                    &codes::CUT_RECORD,
                    || Location {
                        byte: Some(at),
                        ..Location::game(number)
                    },
                    || "the record ends within its tags".to_owned(),
                );
            }
        }
        let (mut named, mut fen) = (None, None);
        for tag in extra_tags.filter_map(|index| game.tags.at(index)) {
            if tag.name.eq_ignore_ascii_case("Variant") {
                named = named.or_else(|| Some(Variant::from_name(tag.value)));
            } else if tag.name.eq_ignore_ascii_case("FEN") {
                fen = fen.or(Some(tag.value));
            }
        }
        let is_set_up = game.start != StartingPosition::Standard;
        if fen.is_some_and(|fen| !is_set_up && is_invalid_fen(fen)) {
            // The meaning of its moves is unknown.
            game.variant = Variant::Other;
        } else if entry.chess960 {
            game.variant = Variant::Chess960;
            if named.is_none() {
                game.tags.push("Variant", "Chess960");
            }
        } else if let Some(variant) = named {
            game.variant = match variant {
                // A position can also require it.
                Variant::Standard => game.variant,
                other => other,
            };
        }
        Ok(())
    }

    fn check_range(&self, entry: &ScidEntry, found: usize, game: &mut Game) {
        let number = game.origin.number;
        let place = || Location {
            byte: Some(entry.offset),
            ..Location::game(number)
        };
        if entry.length == 0 {
            game.diagnostics.report(&codes::EMPTY_RECORD, place, || {
                "the record has no bytes".to_owned()
            });
        } else if found as u64 != u64::from(entry.length) {
            game.diagnostics
                .report(&codes::RECORD_OUT_OF_RANGE, place, || {
                    format!("{found} of {} bytes are within the game file", entry.length)
                });
        }
    }
}

impl ScidReader {
    /// The metadata in the header, or in the names of si5.
    fn about(&self) -> DatabaseMetadata {
        let text = |bytes: &[u8]| self.text().decode(bytes).into_owned();
        let Some(header) = &self.header else {
            let names = self.names();
            let value = |key: &str| text(names.info(key).unwrap_or(&[]));
            let autoload = value("autoload").trim().parse().ok();
            return DatabaseMetadata {
                description: value("description"),
                kind: value("type").trim().parse().ok(),
                autoload: autoload.filter(|number| *number != 0),
                labels: (1..=6)
                    .map(|number| value(&format!("flag{number}")))
                    .collect(),
                ..DatabaseMetadata::default()
            };
        };
        DatabaseMetadata {
            description: text(&header.description),
            kind: Some(header.kind),
            autoload: Some(u64::from(header.autoload)),
            labels: header.labels.iter().map(|label| text(label)).collect(),
            ..DatabaseMetadata::default()
        }
    }
}

impl Database for ScidReader {
    fn info(&self) -> DatabaseInfo {
        let mut info = DatabaseInfo {
            format: self.format(),
            version: match &self.header {
                Some(header) => header.version.to_string(),
                None => "5".to_owned(),
            },
            games: Some(self.count),
            ..DatabaseInfo::default()
        };
        for path in self.files.all() {
            let size = held_folder::metadata(path).map_or(0, |metadata| metadata.len());
            info.files.push((path.to_path_buf(), size));
        }
        let about = self.about();
        info.field("description", about.description);
        for (label, number) in about.labels.into_iter().zip(1..) {
            info.field(&format!("flag{number}"), label);
        }
        if let Some(kind) = about.kind {
            let word = usize::try_from(kind)
                .ok()
                .and_then(|kind| layout::KINDS.get(kind));
            info.field("type", format!("{kind} ({})", word.unwrap_or(&"not known")));
        }
        let autoload = match (&self.header, about.autoload) {
            (Some(header), _) => autoload_text(header.autoload),
            (None, Some(number)) => format!("{number} (a game number)"),
            (None, None) => String::new(),
        };
        info.field("autoload", autoload);
        info
    }

    fn format(&self) -> &'static str {
        self.version.name()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.files
            .all()
            .into_iter()
            .map(Path::to_path_buf)
            .collect()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count)
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        self.fill(number, want, &mut ScidScratch::default(), game)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(self, games)))
    }

    fn missing(&self) -> Losses {
        self.all_missing()
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        Some(self)
    }

    fn positions(&self) -> Option<&dyn PositionSource> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut all = self.diagnostics.clone();
        all.append(&self.names().diagnostics);
        all
    }

    fn met(&self) -> Diagnostics {
        let mut all = self.diagnostics.clone();
        if let Some((names, _)) = self.names.get() {
            all.append(&names.diagnostics);
        }
        all
    }
}

impl NumberedDatabase for ScidReader {
    type Scratch = ScidScratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> ScidScratch {
        ScidScratch::default()
    }

    fn count(&self) -> u64 {
        self.count
    }

    fn game_bytes(&self) -> u64 {
        self.index.len() as u64
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut ScidScratch,
        game: &mut Game,
    ) -> Result<()> {
        ScidReader::fill(self, number, want, scratch, game)
    }

    fn describe(&self) -> DatabaseMetadata {
        self.about()
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics()
    }

    fn losses(&self) -> Losses {
        self.all_missing()
    }
}

/// The possible meanings of the autoload field of si3 and si4: the file does not record which program wrote it.
fn autoload_text(value: u32) -> String {
    match value {
        0 => "0 (none in Scid 4.6 and newer; game 1 in older programs)".to_owned(),
        1 => {
            "1 (game 1 in Scid 4.6 and newer, which is assumed; none in older programs)".to_owned()
        }
        n => format!(
            "{n} (game {n} in Scid 4.6 and newer, which is assumed; game {} in older programs)",
            n - 1
        ),
    }
}

/// A summary of the whole index: see [`FactSource::overview`].
impl ScidReader {
    pub(super) fn index_overview(&self) -> FactsOverview {
        let size = self.layout.entry_size();
        let from = self.layout.header_size();
        let entries = self.index.get(from..).unwrap_or(&[]);
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let entries = entries.get(..count.saturating_mul(size)).unwrap_or(entries);
        // Most of the time is spent on mapping the pages, so two threads halve it.
        let (left, right) = entries.split_at(entries.len() / size / 2 * size);
        let of = |part| ScidIndexSummary::of(self.layout, part);
        let span = std::thread::scope(|scope| {
            let right = scope.spawn(|| of(right));
            let left = of(left);
            match right.join() {
                Ok(right) => left.with(right),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        let known = span.first <= span.last;
        FactsOverview {
            first: known.then(|| Date::from_scid(span.first)),
            last: known.then(|| Date::from_scid(span.last)),
            deleted: span.deleted,
        }
    }
}

/// A summary of a run of index entries. Dates are compared as stored, and no name is looked up: millions of entries take
/// milliseconds.
#[derive(Copy, Clone)]
struct ScidIndexSummary {
    first: u32,
    last: u32,
    deleted: u64,
}

impl ScidIndexSummary {
    fn of(layout: ScidVersion, entries: &[u8]) -> ScidIndexSummary {
        let mut span = ScidIndexSummary {
            first: u32::MAX,
            last: 0,
            deleted: 0,
        };
        ScidEntry::for_each(layout, entries, |entry| {
            span.deleted += u64::from(entry.has(flag::DELETED));
            if entry.date >> 9 != 0 {
                span.first = span.first.min(entry.date);
                span.last = span.last.max(entry.date);
            }
        });
        span
    }

    fn with(self, other: ScidIndexSummary) -> ScidIndexSummary {
        ScidIndexSummary {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            deleted: self.deleted + other.deleted,
        }
    }
}
