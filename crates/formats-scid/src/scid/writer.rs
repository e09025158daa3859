//! Writing databases: records and derived fields by encoders on any thread, numbers of names and offsets by the sink.

use std::hash::BuildHasher;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use hashbrown::{DefaultHashBuilder, HashTable};
use tabiya_model::error_codes;
use tabiya_model::metadata::{self, DatabaseMetadata};
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::encode::ScidRecordWriter;
use super::error::ScidError;
use super::layout::{
    BLOCK, MAX_DESCRIPTION, MAX_LABEL, ScidEntry, ScidNameKind, ScidVersion, Si4Header,
};
use super::losses;
use super::names::{ScidNameUse, encode_sn4, push_sn5};
use tabiya_codec::format::WriteOptions;
use tabiya_codec::options::{FormatOption, OptionArgument};
use tabiya_io::output::{self, OutputFile};

/// Texts that were not UTF-8 are written with the bytes that they had: for copies from Scid to Scid.
pub const ORIGINAL_BYTES: FormatOption = FormatOption::new(
    "original-bytes",
    OptionArgument::Nothing,
    "Write text that was not UTF-8 with its original bytes",
);

/// The options of the writer.
pub(super) static OPTIONS: &[FormatOption] = &[ORIGINAL_BYTES];

/// The kinds of the five names of a game, in the order in which Scid numbers them.
pub(super) const KINDS: [ScidNameKind; 5] = [
    ScidNameKind::Event,
    ScidNameKind::Site,
    ScidNameKind::Round,
    ScidNameKind::Player,
    ScidNameKind::Player,
];

/// How many bytes of index entries and records are collected before they are written.
const FLUSH: usize = 1 << 18;

/// Names with numbers in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct ScidNameList {
    table: HashTable<u32>,
    bytes: Vec<u8>,
    /// The end of each name in `bytes`.
    ends: Vec<usize>,
    pub(super) uses: Vec<u32>,
}

impl ScidNameList {
    /// The number of names.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// A name by its number.
    pub(super) fn get(&self, number: u32) -> &[u8] {
        let index = number as usize;
        let start = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }

    /// The number of a name, which is added if it is new and there is room; also returns whether it was new.
    pub(super) fn intern(
        &mut self,
        hashes: &DefaultHashBuilder,
        name: &[u8],
        uses: u32,
        limit: u64,
    ) -> Option<(u32, bool)> {
        let hash = hashes.hash_one(name);
        if let Some(number) = self
            .table
            .find(hash, |number| self.get(*number) == name)
            .copied()
        {
            if let Some(count) = self.uses.get_mut(number as usize) {
                *count = count.saturating_add(uses);
            }
            return Some((number, false));
        }
        let is_full = self.ends.len() as u64 >= limit;
        (!is_full).then(|| (self.push(hashes, name, uses), true))
    }

    /// Adds a name, even if it is already there: numbers follow the order of the calls.
    pub(super) fn push(&mut self, hashes: &DefaultHashBuilder, name: &[u8], uses: u32) -> u32 {
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.uses.push(uses);
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.table
            .insert_unique(hashes.hash_one(name), number, |number| {
                let index = *number as usize;
                let start = index
                    .checked_sub(1)
                    .and_then(|before| ends.get(before))
                    .copied()
                    .unwrap_or(0);
                let end = ends.get(index).copied().unwrap_or(start);
                hashes.hash_one(bytes.get(start..end).unwrap_or(&[]))
            });
        number
    }
}

/// Encoded games whose names have numbers within this part.
#[derive(Debug, Default)]
struct ScidBatch {
    /// The number of the first game, as given when it was encoded.
    first: u64,
    records: Vec<u8>,
    games: Vec<ScidBatchGame>,
    /// Every name of the part in the order of its first use, with its kind.
    order: Vec<(ScidNameKind, u32)>,
    names: [ScidNameList; 4],
}

/// A game of a batch.
#[derive(Debug)]
struct ScidBatchGame {
    number: u64,
    entry: ScidEntry,
}

struct ScidEncoder {
    records: ScidRecordWriter,
    batch: ScidBatch,
    hashes: DefaultHashBuilder,
}

impl Encoder for ScidEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        if self.batch.first == 0 {
            self.batch.first = game.origin.number;
        }
        let Some((mut entry, tags)) = self.records.write(game, &mut self.batch.records, losses)
        else {
            return;
        };
        let mut numbers = [0; 5];
        for ((number, kind), tag) in numbers.iter_mut().zip(KINDS).zip(tags.at) {
            let name = self.records.name(game, tag, losses);
            let Some(list) = self.batch.names.get_mut(kind as usize) else {
                continue;
            };
            // A part has room for as many names as there are numbers.
            if let Some((local, is_new)) = list.intern(&self.hashes, name, 0, u64::from(u32::MAX)) {
                *number = local;
                if is_new {
                    self.batch.order.push((kind, local));
                }
            }
        }
        [
            entry.event,
            entry.site,
            entry.round,
            entry.white,
            entry.black,
        ] = numbers;
        self.batch.games.push(ScidBatchGame {
            number: game.origin.number,
            entry,
        });
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.batch))
    }
}

/// A database that is being written.
struct ScidSink {
    version: ScidVersion,
    options: WriteOptions,
    index: OutputFile,
    games: OutputFile,
    names: OutputFile,
    hashes: DefaultHashBuilder,
    lists: [ScidNameList; 4],
    count: u64,
    offset: u64,
    /// The game of the source that is shown first on opening; `None` once its new number is known.
    shown_first: Option<u64>,
    /// Whether the description and the other metadata are in the names already (si5).
    is_described: bool,
    /// Buffered bytes for the three files.
    index_bytes: Vec<u8>,
    name_bytes: Vec<u8>,
    written: u64,
    /// Numbers of the names of a part among all names; reused for its memory.
    numbers: [Vec<Option<u32>>; 4],
}

/// The paths of a database from the name of any of its files.
fn target(path: &Path, version: ScidVersion) -> [PathBuf; 3] {
    version
        .extensions()
        .map(|extension| path.with_extension(extension))
}

/// Creates a database.
pub fn create(version: ScidVersion, path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    if path.as_os_str() == "-" {
        return Err(Error::new(
            &error_codes::TARGET_TO_PIPE,
            "a Scid database has three files and cannot be written to a pipe",
        ));
    }
    let mut options = options.clone();
    check_texts(version, &mut options)?;
    let access = output::OutputOptions {
        force: options.force,
        sources: options.sources.clone(),
    };
    let create = |path: &Path| OutputFile::create(path, &access).map_err(ScidError::from);
    let [index, games, names] = target(path, version);
    let mut sink = ScidSink {
        version,
        index: create(&index)?,
        games: create(&games)?,
        names: create(&names)?,
        options,
        hashes: DefaultHashBuilder::default(),
        lists: Default::default(),
        count: 0,
        offset: 0,
        shown_first: None,
        is_described: false,
        index_bytes: Vec::new(),
        name_bytes: Vec::new(),
        written: 0,
        numbers: Default::default(),
    };
    sink.begin();
    Ok(Box::new(sink))
}

/// Refuses texts that exceed the header: better now than after an hour.
fn check_texts(version: ScidVersion, options: &mut WriteOptions) -> Result<()> {
    if options.labels.len() > 6 {
        return Err(Error::new(
            &error_codes::NO_SUCH_FLAG,
            "there are six custom flags",
        ));
    }
    if version == ScidVersion::Si5 {
        return Ok(());
    }
    let limits = options
        .description
        .iter()
        .map(|text| (text, MAX_DESCRIPTION))
        .chain(options.labels.iter().map(|text| (text, MAX_LABEL)));
    for (text, limit) in limits {
        if text.len() > limit || text.contains('\0') {
            return Err(Error::new(
                &error_codes::TEXT_TOO_LONG,
                format!(
                    "si4 has room for {limit} bytes, and {text:?} has {}; si5 has no such limit",
                    text.len()
                ),
            ));
        }
    }
    Ok(())
}

impl ScidSink {
    fn begin(&mut self) {
        // The header is written once everything in it is known; si5 has none.
        if self.version != ScidVersion::Si5 {
            self.index_bytes.resize(self.version.header_size(), 0);
        }
    }

    /// Puts the metadata of the database before the names of si5, as soon as it is final.
    fn push_info(&mut self) {
        if self.version != ScidVersion::Si5 || std::mem::replace(&mut self.is_described, true) {
            return;
        }
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let mut info = vec![
            ("type".to_owned(), number(self.options.kind.map(u64::from))),
            ("description".to_owned(), self.options.description.clone()),
            ("autoload".to_owned(), number(self.options.autoload)),
        ];
        for (label, at) in self.options.labels.iter().zip(1..) {
            info.push((format!("flag{at}"), Some(label.clone())));
        }
        for (key, value) in info {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                push_sn5(4, &[key.as_bytes(), value.as_bytes()], &mut self.name_bytes);
            }
        }
    }

    fn header(&self) -> Si4Header {
        let mut header = Si4Header {
            version: 400,
            kind: self.options.kind.unwrap_or(0),
            games: u32::try_from(self.count).unwrap_or(u32::MAX),
            autoload: u32::try_from(self.options.autoload.unwrap_or(1)).unwrap_or(1),
            description: self
                .options
                .description
                .clone()
                .unwrap_or_default()
                .into_bytes(),
            ..Si4Header::default()
        };
        for (to, from) in header.labels.iter_mut().zip(&self.options.labels) {
            *to = from.clone().into_bytes();
        }
        header
    }

    /// Numbers the names of a part among all names.
    fn number(&mut self, batch: &ScidBatch) {
        let limits = self.version.name_limits();
        for numbers in &mut self.numbers {
            numbers.clear();
        }
        for (kind, local) in &batch.order {
            let at = *kind as usize;
            let (Some(from), Some(list)) = (batch.names.get(at), self.lists.get_mut(at)) else {
                continue;
            };
            let name = from.get(*local);
            let limit = limits.get(at).copied().unwrap_or(0);
            let found = list.intern(&self.hashes, name, 0, limit);
            if let Some((_, true)) = found
                && self.version == ScidVersion::Si5
            {
                push_sn5(at.to_le_bytes()[0], &[name], &mut self.name_bytes);
            }
            if let Some(numbers) = self.numbers.get_mut(at) {
                numbers.push(found.map(|(number, _)| number));
            }
        }
    }

    /// Replaces a part's numbers of names by those of the database; false if one has none.
    fn renumber(&mut self, entry: &mut ScidEntry) -> bool {
        let fields = [
            &mut entry.event,
            &mut entry.site,
            &mut entry.round,
            &mut entry.white,
            &mut entry.black,
        ];
        for (field, kind) in fields.into_iter().zip(KINDS) {
            let numbers = self.numbers.get(kind as usize);
            let number = numbers
                .and_then(|numbers| numbers.get(*field as usize))
                .copied()
                .flatten();
            match number {
                Some(number) => *field = number,
                None => return false,
            }
        }
        if self.version != ScidVersion::Si5 {
            let entry = &*entry;
            for (number, kind) in [
                entry.event,
                entry.site,
                entry.round,
                entry.white,
                entry.black,
            ]
            .into_iter()
            .zip(KINDS)
            {
                let list = self.lists.get_mut(kind as usize);
                if let Some(count) = list.and_then(|list| list.uses.get_mut(number as usize)) {
                    *count = count.saturating_add(1);
                }
            }
        }
        true
    }

    /// Writes a record at a permitted place, and returns it; `None` if the file is full.
    fn place(&mut self, record: &[u8]) -> Result<Option<u64>> {
        let length = record.len() as u64;
        let room = BLOCK - self.offset % BLOCK;
        let padding = if length > room { room } else { 0 };
        let start = self.offset + padding;
        if start + length > self.version.games_file_limit() {
            return Ok(None);
        }
        // The rest of the block is filled with the beginning of the record.
        let filler = usize::try_from(padding).unwrap_or(0);
        self.games
            .write_all(record.get(..filler).unwrap_or(record))?;
        self.games.write_all(record)?;
        self.offset = start + length;
        Ok(Some(start))
    }

    fn flush(&mut self, most: usize) -> Result<()> {
        if self.index_bytes.len() > most {
            self.index.write_all(&self.index_bytes)?;
            self.written += self.index_bytes.len() as u64;
            self.index_bytes.clear();
        }
        if self.name_bytes.len() > most {
            self.names.write_all(&self.name_bytes)?;
            self.written += self.name_bytes.len() as u64;
            self.name_bytes.clear();
        }
        Ok(())
    }
}

/// The longest prefix of a text that a field of `limit` bytes holds.
fn fitting(text: &str, limit: usize) -> &str {
    let text = text.split('\0').next().unwrap_or(text);
    let mut ends = (0..=limit.min(text.len())).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or("")
}

impl ScidSink {
    /// The longest description and the longest label.
    fn limits(&self) -> [usize; 2] {
        match self.version {
            ScidVersion::Si5 => [usize::MAX; 2],
            ScidVersion::Si3 | ScidVersion::Si4 => [MAX_DESCRIPTION, MAX_LABEL],
        }
    }
}

impl Sink for ScidSink {
    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        if about.is_part {
            return about.lose(losses);
        }
        let [description, label] = self.limits();
        if about.collections.len() > 1 {
            about.lose_collections(losses);
        }
        // The user's choice is kept.
        let options = &mut self.options;
        if options.description.is_none() {
            let title = fitting(about.title(), description);
            if title != about.title() {
                losses.report(&metadata::DESCRIPTION, 0, format!("cut to {title:?}"));
            }
            options.description = Some(title.to_owned());
        }
        options.kind = options.kind.or(about.kind);
        if options.autoload.is_none() {
            self.shown_first = about.autoload;
        }
        if options.labels.is_empty() {
            for text in &about.labels {
                let fits = fitting(text, label);
                if fits != text {
                    losses.report(
                        &metadata::SETTING,
                        0,
                        format!("flag {text:?}, cut to {fits:?}"),
                    );
                }
                options.labels.push(fits.to_owned());
            }
        }
    }

    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(ScidEncoder {
            records: ScidRecordWriter::new(
                self.version,
                self.options.settings.is_set(&ORIGINAL_BYTES),
            ),
            batch: ScidBatch::default(),
            hashes: self.hashes.clone(),
        })
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        let Ok(mut batch) = part.downcast::<ScidBatch>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            ));
        };
        self.push_info();
        self.number(&batch);
        let mut at = 0_usize;
        // Games of a block without numbers count from 1.
        let shift = if batch.first < first { first - 1 } else { 0 };
        for game in std::mem::take(&mut batch.games) {
            let ScidBatchGame { number, mut entry } = game;
            let number = number.saturating_add(shift);
            let end = at.saturating_add(entry.length as usize);
            let record = batch.records.get(at..end).unwrap_or(&[]);
            at = end;
            if self.count >= self.version.game_limit() || !self.renumber(&mut entry) {
                losses.report(
                    &losses::LOST_FULL,
                    number,
                    "no room for more games or names",
                );
                continue;
            }
            match self.place(record)? {
                Some(offset) => entry.offset = offset,
                None => {
                    losses.report(&losses::LOST_FULL, number, "no room for more records");
                    continue;
                }
            }
            entry.encode(self.version, &mut self.index_bytes);
            self.count += 1;
            if self.shown_first == Some(number) {
                self.shown_first = None;
                self.options.autoload = Some(self.count);
                if self.version == ScidVersion::Si5 {
                    let number = self.count.to_string();
                    push_sn5(4, &[b"autoload", number.as_bytes()], &mut self.name_bytes);
                }
            }
        }
        self.flush(FLUSH)
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.push_info();
        if self.version != ScidVersion::Si5 {
            let mut sections: [Vec<ScidNameUse<'_>>; 4] = Default::default();
            for (section, list) in sections.iter_mut().zip(&self.lists) {
                section.extend((0_u32..).zip(&list.uses).map(|(id, uses)| ScidNameUse {
                    id,
                    frequency: *uses,
                    name: list.get(id),
                }));
            }
            self.name_bytes = encode_sn4(&mut sections);
        }
        self.flush(0)?;
        if self.version != ScidVersion::Si5 {
            let header = self.header().encode();
            self.index.seek(SeekFrom::Start(0))?;
            self.index.write_all(&header)?;
        }
        let ScidSink {
            index,
            games,
            names,
            ..
        } = *self;
        let files = [&index, &games, &names].map(|file| file.name().to_path_buf());
        // The index comes last: without it there is no database.
        output::commit_all([games, names, index]).map_err(ScidError::from)?;
        Ok(WriteSummary {
            games: self.count,
            bytes: self.written + self.offset,
            files: files.to_vec(),
            notes: Vec::new(),
        })
    }
}
