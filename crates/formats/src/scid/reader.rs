//! Bases, open for reading.
//!
//! Opening looks at the index alone. Names are read when the first one is asked for, and the game file is opened for
//! the first record: a list of games never touches it.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use shakmaty::Color;
use tabiya_model::date::Date;
use tabiya_model::eco::Eco;
use tabiya_model::facts::Facts;
use tabiya_model::game::{FLAGS_TAG, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::Positions;
use tabiya_model::rating::RatingKind;
use tabiya_model::rows::{Brief, Overview, Row, Rows};
use tabiya_model::{
    About, Block, Database, Diagnostics, Error, ErrorKind, Game, Info, Place, Result, Source, Tags,
    Want,
};

use super::audit;
use super::codes;
use super::error::ScidError;
use super::layout::{self, Entry, Header, NameKind, Version, decode_count, flag};
use super::names::{Names, or_unknown};
use super::record::{ExtraTag, ExtraTags, RecordReader, TagName, old_event_date};
use super::text::TextReader;
use crate::format::OpenOptions;
use tabiya_io::companions;
use tabiya_io::mmap::{Access, Bytes};
use tabiya_io::random::RandomFile;

/// Games that one block holds.
const BLOCK_GAMES: u64 = 512;

/// A base that is open for reading.
#[derive(Debug)]
pub struct ScidBase {
    version: Version,
    /// The layout of `index`, which is another one where the index was made anew by [`super::salvage`].
    layout: Version,
    /// The first game that was found without an entry of its own.
    rescued_from: u64,
    files: Files,
    index: Bytes,
    header: Option<Header>,
    count: u64,
    games: OnceLock<Result<GamesFile, String>>,
    names: OnceLock<(Names, TextReader)>,
    options: OpenOptions,
    diagnostics: Diagnostics,
}

/// Where the three files of a base are.
#[derive(Clone, Debug)]
pub struct Files {
    /// The index.
    pub index: PathBuf,
    /// The game records.
    pub games: PathBuf,
    /// The names.
    pub names: PathBuf,
}

impl Files {
    /// Finds the three files from the name of any of them.
    pub fn find(path: &Path) -> Result<(Version, Files), ScidError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let version = Version::of_extension(&extension).ok_or(ScidError::Extension)?;
        let [index, games, names] = version.extensions();
        let find = |wanted: &str| {
            if extension.eq_ignore_ascii_case(wanted) {
                Ok(path.to_path_buf())
            } else {
                companions::find(path, wanted)
            }
        };
        let files = Files {
            index: find(index)?,
            games: find(games)?,
            names: find(names)?,
        };
        Ok((version, files))
    }

    /// All three.
    pub fn all(&self) -> [&Path; 3] {
        [&self.index, &self.games, &self.names]
    }
}

/// The game file.
#[derive(Debug)]
pub enum GamesFile {
    /// In memory.
    Mapped(Bytes),
    /// Read at positions.
    File(RandomFile),
}

impl GamesFile {
    /// Opens the file.
    pub fn open(path: &Path, mmap: bool) -> std::io::Result<GamesFile> {
        if mmap {
            Bytes::open(path, Access::Map).map(GamesFile::Mapped)
        } else {
            RandomFile::open(path).map(GamesFile::File)
        }
    }

    /// Its size.
    pub fn size(&self) -> u64 {
        match self {
            GamesFile::Mapped(bytes) => bytes.len() as u64,
            GamesFile::File(file) => file.size(),
        }
    }

    /// Copies the bytes at a place, as many as there are.
    pub fn copy(&self, offset: u64, length: u32, buffer: &mut Vec<u8>) -> std::io::Result<()> {
        let end = offset.saturating_add(u64::from(length)).min(self.size());
        let start = offset.min(end);
        match self {
            GamesFile::Mapped(bytes) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                bytes.copy(at(start)..at(end), buffer)
            }
            GamesFile::File(file) => {
                buffer.clear();
                buffer.resize(usize::try_from(end - start).unwrap_or(0), 0);
                file.read_exact_at(buffer, start)
            }
        }
    }

    /// The bytes at a place, as many as there are.
    #[inline]
    pub fn get<'a>(
        &'a self,
        offset: u64,
        length: u32,
        buffer: &'a mut Vec<u8>,
    ) -> std::io::Result<&'a [u8]> {
        match self {
            GamesFile::Mapped(bytes) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                let end = at(offset.saturating_add(u64::from(length))).min(bytes.len());
                Ok(bytes.get(at(offset).min(end)..end).unwrap_or(&[]))
            }
            GamesFile::File(_) => {
                self.copy(offset, length, buffer)?;
                Ok(buffer)
            }
        }
    }
}

/// Buffers of one reading thread.
#[derive(Debug, Default)]
pub struct Scratch {
    record: RecordReader,
    bytes: Vec<u8>,
    word: String,
    fen: Option<String>,
}

/// What is left of a base, put together by [`super::salvage`].
pub(super) struct Remains {
    pub(super) version: Version,
    pub(super) files: Files,
    pub(super) header: Option<Header>,
    pub(super) entries: Vec<Entry>,
    /// Games from here on have no names.
    pub(super) rescued_from: u64,
    pub(super) games: GamesFile,
    pub(super) diagnostics: Diagnostics,
}

impl ScidBase {
    /// Opens a base by the name of any of its files.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<ScidBase> {
        let (named, files) = Files::find(path)?;
        super::edit::recover(&files)?;
        let access = if options.mmap {
            Access::Map
        } else {
            Access::Read
        };
        let index =
            Bytes::open(&files.index, access).map_err(|e| ScidError::io(&files.index, e))?;
        let (version, header) = match named {
            Version::Si5 => (named, None),
            Version::Si3 | Version::Si4 => {
                let in_index = |error: ScidError| {
                    Error::from(error).in_file(files.index.display().to_string())
                };
                let header = Header::decode(&index).ok_or_else(|| in_index(ScidError::NoIndex))?;
                // The word decides, not the name: a renamed si3 base is one.
                let version = match header.version {
                    300..400 => Version::Si3,
                    400 => Version::Si4,
                    other => return Err(in_index(ScidError::Version(other))),
                };
                (version, Some(header))
            }
        };
        let mut base = ScidBase {
            version,
            layout: version,
            rescued_from: u64::MAX,
            files,
            index,
            header,
            count: 0,
            games: OnceLock::new(),
            names: OnceLock::new(),
            options: options.clone(),
            diagnostics: Diagnostics::default(),
        };
        base.count_entries();
        if options.audit {
            let found = audit::container(&base);
            base.diagnostics_mut().append(&found);
        }
        Ok(base)
    }

    /// A base whose entries were put together from what is left of it.
    pub(super) fn from_remains(remains: Remains, options: &OpenOptions) -> ScidBase {
        let mut index = Vec::with_capacity(remains.entries.len() * Version::Si5.entry_size());
        for entry in &remains.entries {
            entry.encode(Version::Si5, &mut index);
        }
        let base = ScidBase {
            version: remains.version,
            layout: Version::Si5,
            rescued_from: remains.rescued_from,
            files: remains.files,
            index: Bytes::from(index),
            header: remains.header,
            count: remains.entries.len() as u64,
            games: OnceLock::new(),
            names: OnceLock::new(),
            options: options.clone(),
            diagnostics: remains.diagnostics,
        };
        // The cell is new, so nothing is in it yet.
        let _ = base.games.set(Ok(remains.games));
        base
    }

    /// Findings about the container, open to more.
    pub(super) fn diagnostics_mut(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// How many entries there are, and whether header and size agree on it.
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
                || Place::byte(at).in_file(&name),
                || format!("{partial} bytes of {size}"),
            );
        }
        if let Some(header) = &self.header {
            let claimed = u64::from(header.games);
            self.count = whole.min(claimed);
            let code = match claimed.cmp(&whole) {
                std::cmp::Ordering::Less => &codes::MORE_ENTRIES,
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => &codes::FEWER_ENTRIES,
            };
            self.diagnostics.report(
                code,
                || Place::byte(14).in_file(&name),
                || format!("the header says {claimed} games, the file has room for {whole}"),
            );
        }
    }

    /// The version whose layout the files have.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The header of si3 and si4.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The options that the base was opened with.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Where the index entry of a game starts.
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
    pub fn entry(&self, number: u64) -> Option<Entry> {
        let bytes = self.index.get(self.entry_at(number)?..)?;
        Entry::decode(self.layout, bytes)
    }

    /// The same without touching the map of the index, for few games far apart.
    pub(super) fn entry_apart(
        &self,
        number: u64,
        buffer: &mut Vec<u8>,
    ) -> std::io::Result<Option<Entry>> {
        let Some(start) = self.entry_at(number) else {
            return Ok(None);
        };
        let end = start.saturating_add(self.layout.entry_size());
        self.index.copy(start..end, buffer)?;
        Ok(Entry::decode(self.layout, buffer))
    }

    /// The names and how texts are read; found out now if they were not yet.
    fn loaded(&self) -> &(Names, TextReader) {
        self.names.get_or_init(|| {
            let access = if self.options.mmap {
                Access::Map
            } else {
                Access::Read
            };
            let names = match Bytes::open(&self.files.names, access) {
                Ok(file) => Names::read(
                    self.version,
                    file,
                    self.options.audit,
                    self.options.limits.text_bytes,
                ),
                Err(error) => {
                    let mut names = Names::none();
                    let name = self.files.names.display().to_string();
                    names.diagnostics.report(
                        &codes::MISSING_FILE,
                        || Place::default().in_file(name),
                        || error.to_string(),
                    );
                    names
                }
            };
            let text = TextReader::new(self.version, &self.options, names.charset);
            (names, text)
        })
    }

    /// The names.
    pub fn names(&self) -> &Names {
        &self.loaded().0
    }

    /// How texts are read.
    pub fn text(&self) -> &TextReader {
        &self.loaded().1
    }

    /// The game file; opened now if it was not yet.
    pub fn games(&self) -> Result<&GamesFile> {
        self.games
            .get_or_init(|| {
                GamesFile::open(&self.files.games, self.options.mmap).map_err(|e| e.to_string())
            })
            .as_ref()
            .map_err(|message| {
                Error::new(ErrorKind::Io, message.clone())
                    .in_file(self.files.games.display().to_string())
            })
    }

    pub(super) fn name_text(&self, kind: NameKind, number: u32) -> Cow<'_, str> {
        self.text()
            .decode_value(or_unknown(self.names().get(kind, number)))
    }

    /// Reads a game into a reused buffer.
    pub fn fill(
        &self,
        number: u64,
        want: Want,
        scratch: &mut Scratch,
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
        let Scratch {
            record: reader,
            bytes,
            word,
            fen,
        } = scratch;
        let record = self.games()?.get(entry.offset, entry.length, bytes)?;
        self.check_range(&entry, record.len(), game);
        self.push_tags(&entry, record, word, game);
        let mut extra = ExtraTags::new(record);
        let index_tags = game.tags.len();
        for tag in extra.by_ref() {
            self.push_extra(&entry, tag, game);
        }
        let extra_tags = index_tags..game.tags.len();
        match extra.rest() {
            Some(rest) => {
                let at = record.len() - rest.len();
                let seen = reader.read(record, at, entry.offset, self.text(), want, fen, game);
                if let Some(fen) = fen {
                    game.tags.push("FEN", fen);
                }
                if self.options.audit && want == Want::ALL {
                    audit::game(self, &entry, &seen, game);
                }
            }
            None if record.is_empty() => {}
            None => {
                let at = entry.offset.saturating_add(record.len() as u64);
                game.diagnostics.report(
                    &codes::CUT_RECORD,
                    || Place {
                        byte: Some(at),
                        ..Place::game(number)
                    },
                    || "the record ends within its tags".to_owned(),
                );
            }
        }
        let named = extra_tags
            .filter_map(|index| game.tags.at(index))
            .find(|tag| tag.name == "Variant")
            .map(|tag| Variant::from_name(tag.value));
        if entry.chess960 {
            game.variant = Variant::Chess960;
            if named.is_none() {
                game.tags.push("Variant", "Chess960");
            }
        } else if let Some(variant) = named {
            game.variant = match variant {
                // A position can ask for it, too.
                Variant::Standard => game.variant,
                other => other,
            };
        }
        Ok(())
    }

    fn check_range(&self, entry: &Entry, found: usize, game: &mut Game) {
        let number = game.origin.number;
        let place = || Place {
            byte: Some(entry.offset),
            ..Place::game(number)
        };
        if entry.length == 0 {
            game.diagnostics.report(&codes::EMPTY_RECORD, place, || {
                "the record has no bytes".to_owned()
            });
        } else if found as u64 != u64::from(entry.length) {
            game.diagnostics
                .report(&codes::RECORD_OUT_OF_RANGE, place, || {
                    format!("{found} of {} bytes lie within the game file", entry.length)
                });
        }
    }

    /// Makes tags of the index entry, but for those that the record spells out.
    fn push_tags(&self, entry: &Entry, record: &[u8], word: &mut String, game: &mut Game) {
        let spelled = Spelled::find(entry, record);
        let names = self.names();
        let number = game.origin.number;
        let tags = &mut game.tags;
        let diagnostics = &mut game.diagnostics;
        let is_rescued = number >= self.rescued_from;
        if is_rescued {
            diagnostics.report(
                &codes::RESCUED,
                || Place {
                    byte: Some(entry.offset),
                    ..Place::game(number)
                },
                || {
                    format!(
                        "a record of {} bytes without an entry of the index",
                        entry.length
                    )
                },
            );
        }
        let mut name = |tags: &mut Tags, tag: &str, kind: NameKind, id: u32| {
            let found = names.get(kind, id).filter(|_| !is_rescued);
            if found.is_none() && !is_rescued {
                diagnostics.report(
                    &codes::MISSING_NAME,
                    || Place::game(number),
                    || format!("{} {id} of {}", kind.word(), names.len(kind)),
                );
            }
            self.text().push_tag(tags, tag, or_unknown(found));
        };
        name(tags, "Event", NameKind::Event, entry.event);
        name(tags, "Site", NameKind::Site, entry.site);
        if !spelled.date {
            tags.push("Date", date_text(entry.date, word));
        }
        name(tags, "Round", NameKind::Round, entry.round);
        name(tags, "White", NameKind::Player, entry.white);
        name(tags, "Black", NameKind::Player, entry.black);
        let outcome = Outcome::from_scid(entry.outcome);
        tags.push("Result", outcome.as_pgn());
        game.outcome = Some(outcome);
        for (color, value, kind) in [
            (Color::White, entry.white_rating, entry.white_rating_kind),
            (Color::Black, entry.black_rating, entry.black_rating_kind),
        ] {
            if value == 0 {
                continue;
            }
            let known = RatingKind::from_scid(kind);
            if known.is_none() {
                game.diagnostics.report(
                    &codes::RATING_KIND,
                    || Place::game(number),
                    || format!("type {kind}, rating {value}"),
                );
            }
            word.clear();
            push_number(u32::from(value), 1, word);
            tags.push(known.unwrap_or_default().tag_name(color), word);
        }
        if entry.eco != 0 && !spelled.eco {
            match Eco::from_scid(entry.eco) {
                Some(eco) => tags.push("ECO", eco_text(eco, word)),
                None => game.diagnostics.report(
                    &codes::BAD_ECO,
                    || Place::game(number),
                    || format!("code {}", entry.eco),
                ),
            }
        }
        if entry.event_date != 0 && !spelled.event_date {
            tags.push("EventDate", date_text(entry.event_date, word));
        }
        if entry.has(!flag::DERIVED) {
            tags.push(FLAGS_TAG, flag_text(entry.flags, word));
        }
    }

    fn push_extra(&self, entry: &Entry, tag: ExtraTag<'_>, game: &mut Game) {
        let number = game.origin.number;
        let place = || Place {
            byte: Some(entry.offset),
            ..Place::game(number)
        };
        match tag.name {
            TagName::Common(name) => self.text().push_tag(&mut game.tags, name, tag.value),
            TagName::Spelled(name) => match std::str::from_utf8(name) {
                Ok(name) => self.text().push_tag(&mut game.tags, name, tag.value),
                Err(_) => {
                    let name = self.text().decode(name);
                    self.text().push_tag(&mut game.tags, &name, tag.value);
                }
            },
            TagName::Unknown(code) => {
                game.diagnostics
                    .report(&codes::UNKNOWN_TAG, place, || format!("code {code}"));
                self.text()
                    .push_tag(&mut game.tags, &format!("ScidTag{code}"), tag.value);
            }
            TagName::OldEventDate => {
                game.diagnostics
                    .report(&codes::OLD_EVENT_DATE, place, || "code 255".to_owned());
                if entry.event_date == 0
                    && let Some(date) = old_event_date(tag.value)
                {
                    game.tags.push("EventDate", &date.to_string());
                }
            }
        }
    }
}

/// Which tags a record spells out although the index has a field for them: the text was more than the field holds.
#[derive(Copy, Clone, Debug, Default)]
struct Spelled {
    date: bool,
    eco: bool,
    event_date: bool,
}

impl Spelled {
    /// A tag stands for the field only where it says the same.
    fn find(entry: &Entry, record: &[u8]) -> Spelled {
        let mut spelled = Spelled::default();
        if record.first() == Some(&0) {
            return spelled;
        }
        for tag in ExtraTags::new(record) {
            let value = || std::str::from_utf8(tag.value).unwrap_or("");
            match tag.name.bytes() {
                b"Date" => spelled.date |= date_field(value()) == entry.date,
                b"ECO" => spelled.eco |= eco_field(value()) == entry.eco,
                b"EventDate" => spelled.event_date |= date_field(value()) == entry.event_date,
                _ => {}
            }
        }
        spelled
    }
}

/// What the index holds of the text of a date: what can be read of it, or nothing.
pub fn date_field(text: &str) -> u32 {
    match tabiya_model::date::Date::read(text) {
        Some((date, _)) => date.to_scid().unwrap_or(0),
        None => 0,
    }
}

/// What the index holds of the text of an ECO code.
pub fn eco_field(text: &str) -> u16 {
    match Eco::read(text) {
        Some((eco, _)) => eco.to_scid(),
        None => 0,
    }
}

fn push_number(number: u32, digits: usize, out: &mut String) {
    let mut reversed = [b'0'; 10];
    let mut rest = number;
    let mut count = 0;
    for slot in &mut reversed {
        if rest == 0 && count >= digits {
            break;
        }
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        count += 1;
    }
    out.extend(reversed.iter().take(count).rev().map(|b| char::from(*b)));
}

/// Scid's 20 bits as PGN writes dates.
pub fn date_text(bits: u32, out: &mut String) -> &str {
    out.clear();
    let (year, month, day) = (bits >> 9 & 0x7ff, bits >> 5 & 15, bits & 31);
    for (value, digits) in [(year, 4), (month, 2), (day, 2)] {
        if digits == 2 {
            out.push('.');
        }
        if value == 0 {
            out.push_str(if digits == 4 { "????" } else { "??" });
        } else {
            push_number(value, digits, out);
        }
    }
    out
}

fn eco_text(eco: Eco, out: &mut String) -> &str {
    use std::fmt::Write;
    out.clear();
    // Writing to a string cannot fail.
    let _ = write!(out, "{eco}");
    out
}

/// The letters of the flags that users set, deletion among them.
pub fn flag_text(flags: u32, out: &mut String) -> &str {
    out.clear();
    for (bit, letter) in flag::LETTERS.iter().enumerate() {
        let bit = 1_u32 << bit;
        if flags & bit != 0 && bit & flag::DERIVED == 0 {
            out.push(char::from(*letter));
        }
    }
    out
}

impl ScidBase {
    /// What the header, or the names of si5, say about the base.
    fn about(&self) -> About {
        let text = |bytes: &[u8]| self.text().decode(bytes).into_owned();
        let Some(header) = &self.header else {
            let names = self.names();
            let value = |key: &str| text(names.info(key).unwrap_or(&[]));
            let autoload = value("autoload").trim().parse().ok();
            return About {
                description: value("description"),
                kind: value("type").trim().parse().ok(),
                autoload: autoload.filter(|number| *number != 0),
                labels: (1..=6)
                    .map(|number| value(&format!("flag{number}")))
                    .collect(),
                ..About::default()
            };
        };
        About {
            description: text(&header.description),
            kind: Some(header.kind),
            autoload: Some(u64::from(header.autoload)),
            labels: header.labels.iter().map(|label| text(label)).collect(),
            ..About::default()
        }
    }
}

impl Database for ScidBase {
    fn info(&self) -> Info {
        let mut info = Info {
            format: self.format(),
            version: match &self.header {
                Some(header) => header.version.to_string(),
                None => "5".to_owned(),
            },
            games: Some(self.count),
            ..Info::default()
        };
        for path in self.files.all() {
            let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
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
        super::format_of(self.version).name
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

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
        self.fill(number, want, &mut Scratch::default(), game)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let end = self.count.saturating_add(1);
        let range = games.unwrap_or(1..end);
        Ok(Box::new(ScidSource {
            base: self,
            next: range.start.max(1),
            end: range.end.min(end),
        }))
    }

    fn rows(&self) -> Option<&dyn Rows> {
        Some(self)
    }

    fn facts(&self) -> Option<&dyn Facts> {
        Some(self)
    }

    fn positions(&self) -> Option<&dyn Positions> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut all = self.diagnostics.clone();
        all.append(&self.names().diagnostics);
        all
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What the autoload field of si3 and si4 may mean: the file does not say who wrote it.
fn autoload_text(value: u32) -> String {
    match value {
        0 => "0 (none for Scid 4.6 and newer; game 1 for older programs)".to_owned(),
        1 => "1 (game 1 for Scid 4.6 and newer, which is assumed; none for older programs)"
            .to_owned(),
        n => format!(
            "{n} (game {n} for Scid 4.6 and newer, which is assumed; game {} for older programs)",
            n - 1
        ),
    }
}

impl Rows for ScidBase {
    fn len(&self) -> u64 {
        self.count
    }

    fn row(&self, number: u64) -> Option<Row<'_>> {
        let entry = self.entry(number)?;
        let rating = |value: u16, kind: u8| (value != 0 && kind == 0).then_some(value);
        // The index counts modulo 1024, and old programs left 0 for set-up positions; a record that is short
        // enough has no room for more plies than it says.
        let setup = entry.has(flag::SETUP);
        let exact = entry.length < 1024 && !(setup && entry.plies == 0);
        let mut word = String::new();
        Some(Row {
            white: self.name_text(NameKind::Player, entry.white),
            black: self.name_text(NameKind::Player, entry.black),
            event: self.name_text(NameKind::Event, entry.event),
            site: self.name_text(NameKind::Site, entry.site),
            round: self.name_text(NameKind::Round, entry.round),
            white_elo: rating(entry.white_rating, entry.white_rating_kind),
            black_elo: rating(entry.black_rating, entry.black_rating_kind),
            date: Some(entry.date()),
            event_date: entry.event_date(),
            outcome: Some(Outcome::from_scid(entry.outcome)),
            eco: match Eco::from_scid(entry.eco) {
                Some(eco) => Cow::Owned(eco_text(eco, &mut word).to_owned()),
                None => Cow::Borrowed(""),
            },
            plies: exact.then_some(u32::from(entry.plies)),
            setup: Some(setup),
            deleted: entry.has(flag::DELETED),
            flags: if entry.has(!flag::DERIVED) {
                Cow::Owned(flag_text(entry.flags, &mut word).to_owned())
            } else {
                Cow::Borrowed("")
            },
            variations: Some(decode_count(entry.variations)),
            comments: Some(decode_count(entry.comments)),
            nags: Some(decode_count(entry.nags)),
        })
    }

    fn overview(&self) -> Overview {
        let size = self.layout.entry_size();
        let from = self.layout.header_size();
        let entries = self.index.get(from..).unwrap_or(&[]);
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let entries = entries.get(..count.saturating_mul(size)).unwrap_or(entries);
        // Most of the time goes into mapping the pages, so that two threads take half of it.
        let (left, right) = entries.split_at(entries.len() / size / 2 * size);
        let of = |part| Span::of(self.layout, part);
        let span = std::thread::scope(|scope| {
            let right = scope.spawn(|| of(right));
            let left = of(left);
            match right.join() {
                Ok(right) => left.with(right),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        let known = span.first <= span.last;
        Overview {
            first: known.then(|| Date::from_scid(span.first)),
            last: known.then(|| Date::from_scid(span.last)),
            deleted: span.deleted,
        }
    }

    fn brief(&self, number: u64) -> Option<Brief> {
        let entry = self.entry(number)?;
        let rating = |value: u16, kind: u8| (value != 0 && kind == 0).then_some(value);
        Some(Brief {
            white_elo: rating(entry.white_rating, entry.white_rating_kind),
            black_elo: rating(entry.black_rating, entry.black_rating_kind),
            date: Some(entry.date()),
            outcome: Outcome::from_scid(entry.outcome),
        })
    }
}

/// What a run of index entries has in all. Dates are compared as they are stored, and no name is asked for: millions
/// of entries take milliseconds.
#[derive(Copy, Clone)]
struct Span {
    first: u32,
    last: u32,
    deleted: u64,
}

impl Span {
    fn of(layout: Version, entries: &[u8]) -> Span {
        let mut span = Span {
            first: u32::MAX,
            last: 0,
            deleted: 0,
        };
        Entry::for_each(layout, entries, |entry| {
            span.deleted += u64::from(entry.has(flag::DELETED));
            if entry.date >> 9 != 0 {
                span.first = span.first.min(entry.date);
                span.last = span.last.max(entry.date);
            }
        });
        span
    }

    fn with(self, other: Span) -> Span {
        Span {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            deleted: self.deleted + other.deleted,
        }
    }
}

/// The games of a base, block by block.
struct ScidSource<'a> {
    base: &'a ScidBase,
    next: u64,
    end: u64,
}

impl<'a> Source<'a> for ScidSource<'a> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = first.saturating_add(BLOCK_GAMES).min(self.end);
        Ok(Some(Box::new(ScidBlock {
            base: self.base,
            first,
            next: first,
            end: self.next,
            scratch: Scratch::default(),
        })))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.base.diagnostics()
    }

    fn about(&self) -> About {
        self.base.about()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.base.index.len() as u64)
    }
}

struct ScidBlock<'a> {
    base: &'a ScidBase,
    first: u64,
    next: u64,
    end: u64,
    scratch: Scratch,
}

impl Block for ScidBlock<'_> {
    fn next(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        self.base.fill(self.next, want, &mut self.scratch, game)?;
        self.next += 1;
        Ok(true)
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }

    fn bytes(&self) -> u64 {
        (self.end - self.first).saturating_mul(self.base.layout.entry_size() as u64)
    }
}
