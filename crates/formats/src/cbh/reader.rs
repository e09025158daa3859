//! Databases, open for reading.
//!
//! Opening looks at headers and a sample of records. Files are mapped, so that a page of a list of millions of games
//! touches nothing but its records and their names.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_io::mmap::{Access, Bytes};
use tabiya_model::charset::Charset;
use tabiya_model::facts::Facts;
use tabiya_model::positions::Positions;
use tabiya_model::{
    About, Database, Diagnostic, Diagnostics, Error, ErrorKind, Game, Info, Losses, Place, Result,
    Source, Want,
};

use super::annotations::{self, Note};
use super::audit;
use super::codes;
use super::entities::{Entities, EntityFault, MoreOfTournament, MoreOfTournaments, Table};
use super::files::{Files, setting};
use super::layout::{AnnotationHead, DataHeader, FLAG_SETUP, FileHeader, MoveHead, RECORD, Record};
use super::record::{self, MoveRecord, RECORD_EXTENSION, Scratch};
use super::salvage;
use super::second::{Second, Seconds};
use super::tags::Pusher;
use super::text::{self, Evidence, TextCharsets, TextEvidence};
use crate::claims::{ANNOTATIONS_GONE, Claims, HEADERS_GONE, MOVES_GONE, NAMES_GONE};
use crate::format::OpenOptions;
use crate::numbered::{Numbered, Run, Spare, check_number};

/// How many runs of records are looked at to find out a charset, and how long each is.
const SAMPLE_RUNS: u64 = 16;
const SAMPLE_RUN: u64 = 64;
/// The 32-bit sizes in files of this size and more are nonsense.
const SURE_SIZE: u64 = 1 << 31;

/// A file of moves or annotations.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) bytes: Bytes,
    /// Where its first record begins.
    pub(super) start: u64,
}

/// A database that is open for reading.
pub struct Reader {
    files: Files,
    headers: Bytes,
    count: u64,
    pub(super) moves: Option<Data>,
    pub(super) annotations: Option<Data>,
    entities: [Entities; 6],
    has: [bool; 6],
    seconds: Option<Seconds>,
    more: Option<MoreOfTournaments>,
    media: Option<Bytes>,
    settings: Option<Bytes>,
    names_charset: OnceLock<(Charset, &'static str)>,
    texts: OnceLock<TextCharsets>,
    /// Where games begin that have no header, in `.cbg`.
    rescued: Vec<u64>,
    options: OpenOptions,
    diagnostics: Diagnostics,
    /// What the files claim to hold and what is not there.
    claims: Claims,
    spare: Spare<Scratch>,
}

fn open_bytes(path: &Path, options: &OpenOptions) -> Result<Bytes> {
    let access = if options.mmap {
        Access::Map
    } else {
        Access::Read
    };
    Bytes::open(path, access).map_err(|error| Error::from(error).in_file(path.to_string_lossy()))
}

impl Reader {
    /// Opens a database by the name of its header file, or of the file of its moves.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Reader> {
        let files = Files::find(path)?;
        let Some(header_path) = files.get("cbh") else {
            return Err(Error::new(
                ErrorKind::Io,
                "the .cbh file with the headers of the games is missing beside it; `tabiya repair` finds games without it",
            )
            .in_file(path.to_string_lossy()));
        };
        let headers = open_bytes(header_path, options)?;
        let in_headers =
            |kind, message: &str| Error::new(kind, message).in_file(header_path.to_string_lossy());
        let header = FileHeader::decode(&headers).ok_or_else(|| {
            in_headers(
                ErrorKind::NotThisFormat,
                "the file is shorter than its own header of 46 bytes",
            )
        })?;
        if usize::from(header.record_size) != RECORD {
            return Err(in_headers(
                ErrorKind::NotThisFormat,
                "this is no .cbh file: the size of its records is not 46",
            ));
        }
        let mut reader = Reader::of(files, headers, options)?;
        reader.count_headers(header.next);
        reader.look_at_sizes();
        audit::look_for_foreign_files(&mut reader);
        if options.audit {
            audit::container(&mut reader);
        }
        Ok(reader)
    }

    /// Opens what is left of a database: records beyond the count, and games without headers.
    pub fn salvage(path: &Path, options: &OpenOptions) -> Result<Reader> {
        let files = Files::find(path)?;
        let headers = match files.get("cbh") {
            Some(path) => open_bytes(path, options)?,
            None => Bytes::from(Vec::new()),
        };
        let claimed = FileHeader::decode(&headers).map(|header| header.next);
        let whole = (headers.len() / RECORD).saturating_sub(1) as u64;
        let mut reader = Reader::of(files, headers, options)?;
        reader.count = salvage::live_records(&reader, claimed, whole);
        let is_cut = claimed.is_none_or(|next| u64::from(next) > reader.count + 1);
        if is_cut {
            reader.rescued = salvage::search(&reader);
        }
        let (found, count) = (reader.rescued.len(), reader.count);
        let claimed = claimed.map_or(0, |next| u64::from(next).saturating_sub(1));
        reader
            .claims
            .games("the .cbh file", claimed, reader.count());
        if found > 0 {
            reader
                .claims
                .lose(&HEADERS_GONE, format!("those of {found} games"));
            let place = reader.place("cbg");
            reader.diagnostics.push(Diagnostic::new(
                &codes::RESCUED,
                place,
                format!("{found} games were found beside the {count} with headers"),
            ));
        }
        Ok(reader)
    }

    /// Opens whatever stands beside the headers.
    fn of(files: Files, headers: Bytes, options: &OpenOptions) -> Result<Reader> {
        let mut reader = Reader {
            files,
            headers,
            count: 0,
            moves: None,
            annotations: None,
            entities: std::array::from_fn(|_| Entities::none()),
            has: [false; 6],
            seconds: None,
            more: None,
            media: None,
            settings: None,
            names_charset: OnceLock::new(),
            texts: OnceLock::new(),
            rescued: Vec::new(),
            options: options.clone(),
            diagnostics: Diagnostics::default(),
            claims: Claims::default(),
            spare: Spare::default(),
        };
        reader.moves = reader.data("cbg", true);
        reader.annotations = reader.data("cba", false);
        for (at, table) in Table::ALL.into_iter().enumerate() {
            reader.open_entities(at, table);
        }
        if let Some(bytes) = reader.optional("cbj") {
            reader.seconds = Seconds::new(bytes);
            if reader.seconds.is_none() {
                reader.missing("cbj", "its header is cut or makes no sense");
            }
        }
        reader.more = reader.optional("cbtt").map(MoreOfTournaments::new);
        reader.media = reader.optional("cbm");
        reader.settings = reader.optional("ini");
        Ok(reader)
    }

    /// The bytes of a file that may be missing; one that cannot be read is told.
    fn optional(&mut self, extension: &str) -> Option<Bytes> {
        let path = self.files.get(extension)?.to_path_buf();
        match open_bytes(&path, &self.options) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.missing(extension, &error.message);
                None
            }
        }
    }

    fn place(&self, extension: &str) -> Place {
        let name = match self.files.get(extension).and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!(".{extension}"),
        };
        Place::default().in_file(name)
    }

    fn missing(&mut self, extension: &str, problem: &str) {
        let place = self.place(extension);
        self.diagnostics
            .push(Diagnostic::new(&codes::MISSING_FILE, place, problem));
    }

    /// Adds a finding about a file.
    pub(super) fn report(
        &mut self,
        code: &'static tabiya_model::Code,
        extension: &str,
        message: String,
    ) {
        let place = self.place(extension);
        self.diagnostics.push(Diagnostic::new(code, place, message));
    }

    fn data(&mut self, extension: &str, is_needed: bool) -> Option<Data> {
        let Some(bytes) = self.optional(extension) else {
            // A look at a sample tells whether anybody misses them.
            let records = (self.headers.len() / RECORD) as u64;
            let needs_annotations = || {
                sample(records).any(|number| {
                    matches!(self.record(number), Some(Record::Game(game)) if game.annotations != 0)
                })
            };
            if self.files.get(extension).is_none() && (is_needed || needs_annotations()) {
                let (kind, what) = if is_needed {
                    (&MOVES_GONE, "games have no moves")
                } else {
                    (&ANNOTATIONS_GONE, "games have no annotations")
                };
                self.missing(extension, &format!("the file is not there: {what}"));
                self.claims
                    .lose(kind, format!("the .{extension} file is missing"));
            }
            return None;
        };
        let start = match DataHeader::decode(&bytes) {
            Some(header) if header.length >= 10 => u64::from(header.length),
            _ => {
                self.missing(extension, "its header is cut or makes no sense");
                10
            }
        };
        Some(Data { bytes, start })
    }

    fn open_entities(&mut self, at: usize, table: Table) {
        let extension = table.extension();
        let is_needed = !matches!(table, Table::Teams | Table::Titles);
        let Some(bytes) = self.optional(extension) else {
            if is_needed && self.files.get(extension).is_none() {
                self.missing(extension, "the file is not there: its names are unknown");
                self.claims
                    .lose(&NAMES_GONE, format!("the .{extension} file is missing"));
            }
            return;
        };
        match Entities::new(table, bytes) {
            Ok((entities, header)) => {
                let count = entities.count();
                if let Some(slot) = self.entities.get_mut(at) {
                    *slot = entities;
                }
                if let Some(has) = self.has.get_mut(at) {
                    *has = true;
                }
                if count < header.count {
                    self.missing(
                        extension,
                        &format!("it holds {count} of {} records", header.count),
                    );
                }
            }
            // An empty file of titles is as good as none.
            Err(EntityFault::Short(0)) if !is_needed => {}
            Err(fault) => self.missing(extension, &fault.to_string()),
        }
    }

    /// How many records there are, and whether header and size agree on it.
    fn count_headers(&mut self, next: u32) {
        let whole = (self.headers.len() / RECORD).saturating_sub(1) as u64;
        let claimed = u64::from(next).saturating_sub(1);
        let partial = self.headers.len() % RECORD;
        self.count = whole.min(claimed);
        self.claims.games("the .cbh file", claimed, self.count);
        if claimed > whole || next == 0 {
            self.report(
                &codes::CUT_HEADERS,
                "cbh",
                format!("{whole} of {claimed} records are whole"),
            );
        } else if claimed < whole || partial != 0 {
            let bytes = self.headers.len() as u64 - (claimed + 1) * RECORD as u64;
            self.report(
                &codes::MORE_HEADERS,
                "cbh",
                format!("{bytes} bytes after the {claimed} records that it counts"),
            );
        }
    }

    /// Compares what the files of moves and annotations say of their sizes.
    fn look_at_sizes(&mut self) {
        for extension in ["cbg", "cba"] {
            let data = match extension {
                "cbg" => &self.moves,
                _ => &self.annotations,
            };
            let Some(data) = data else { continue };
            let size = data.bytes.len() as u64;
            let Some(header) = DataHeader::decode(&data.bytes) else {
                continue;
            };
            let is_sure = size < SURE_SIZE || header.length >= 18;
            if is_sure && header.size != size {
                let message = format!("{} bytes are noted, and {size} are there", header.size);
                self.report(&codes::FILE_SIZE, extension, message);
            }
        }
    }

    /// The number of records, without games that were found without one.
    pub(super) fn headers_count(&self) -> u64 {
        self.count
    }

    /// The number of games and texts.
    pub fn count(&self) -> u64 {
        self.count.saturating_add(self.rescued.len() as u64)
    }

    /// The bytes of a record of the header file, by its number from 1.
    #[inline]
    pub fn record_bytes(&self, number: u64) -> Option<&[u8; RECORD]> {
        let at = usize::try_from(number).ok()?.checked_mul(RECORD)?;
        self.headers.get(at..)?.first_chunk()
    }

    /// A record of the header file, by its number from 1, counted or not.
    #[inline]
    pub fn record(&self, number: u64) -> Option<Record> {
        (number > 0).then(|| self.record_bytes(number).map(Record::decode))?
    }

    /// The names of a kind.
    #[inline]
    pub fn entities(&self, table: Table) -> &Entities {
        let [players, tournaments, annotators, sources, teams, titles] = &self.entities;
        match table {
            Table::Players => players,
            Table::Tournaments => tournaments,
            Table::Annotators => annotators,
            Table::Sources => sources,
            Table::Teams => teams,
            Table::Titles => titles,
        }
    }

    /// Whether there is a file of such names.
    pub(super) fn has(&self, table: Table) -> bool {
        let [players, tournaments, annotators, sources, teams, titles] = self.has;
        match table {
            Table::Players => players,
            Table::Tournaments => tournaments,
            Table::Annotators => annotators,
            Table::Sources => sources,
            Table::Teams => teams,
            Table::Titles => titles,
        }
    }

    /// The second header of a game.
    #[inline]
    pub fn second(&self, number: u64) -> Option<Second<'_>> {
        self.seconds.as_ref()?.get(number)
    }

    /// The file of second headers.
    pub fn seconds(&self) -> Option<&Seconds> {
        self.seconds.as_ref()
    }

    /// What else is said about a tournament.
    pub fn more_of_tournament(&self, number: u32) -> Option<MoreOfTournament<'_>> {
        self.more.as_ref()?.get(number)
    }

    /// The text of a record of `.cbm`.
    pub(super) fn media(&self, record: u32) -> Option<&[u8]> {
        let bytes = self.media.as_ref()?;
        let size = bytes.get(4..8)?.first_chunk().copied()?;
        let size = usize::try_from(u32::from_le_bytes(size)).ok()?;
        let at = usize::try_from(record).ok()?.checked_mul(size)?;
        // Two numbers stand before the text, and dirt behind it.
        let text = bytes.get(at.checked_add(32 + 8)?..)?;
        let text = text.get(..text.len().min(size.saturating_sub(8)))?;
        text.get(..memchr::memchr(0, text).unwrap_or(text.len()))
    }

    /// The options that the database was opened with.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// The charset of names that are not UTF-8.
    #[inline]
    pub fn charset(&self) -> Charset {
        self.names_charset().0
    }

    fn names_charset(&self) -> (Charset, &'static str) {
        *self.names_charset.get_or_init(|| {
            if let Some(charset) = self.options.encoding {
                return (charset, "as asked for");
            }
            let mut evidence = Evidence::default();
            for table in [
                Table::Players,
                Table::Tournaments,
                Table::Annotators,
                Table::Sources,
                Table::Teams,
            ] {
                let entities = self.entities(table);
                for number in sample(u64::from(entities.count())) {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    let Some(data) = entities.get(number) else {
                        continue;
                    };
                    let (first, second) = match table {
                        Table::Players => ((0, 30), (30, 20)),
                        Table::Tournaments => ((0, 40), (40, 30)),
                        Table::Sources => ((0, 25), (25, 16)),
                        _ => ((0, 45), (0, 0)),
                    };
                    for (at, length) in [first, second] {
                        let name = super::entities::field(data, at, length);
                        if !name.bytes.is_ascii() && name.utf8().is_none() {
                            evidence.add(name.bytes);
                        }
                    }
                }
            }
            match evidence.guess() {
                Some(charset) => (charset, "detected"),
                // Names are mostly of the same hand as the texts.
                None => match self.text_evidence().all_guess() {
                    Some(charset) => (charset, "detected by the texts"),
                    None => (text::DEFAULT, "assumed"),
                },
            }
        })
    }

    /// What a sample of all texts says about charsets.
    fn text_evidence(&self) -> TextEvidence {
        let mut evidence = TextEvidence::default();
        for number in sample(self.count).map(|number| number + 1) {
            match self.record(number) {
                Some(Record::Game(game)) if game.annotations != 0 => {
                    let Some(file) = &self.annotations else {
                        continue;
                    };
                    let offset = self.annotations_offset(number, game.annotations);
                    let bytes = usize::try_from(offset)
                        .ok()
                        .and_then(|at| file.bytes.get(at..));
                    let Some((bytes, head)) =
                        bytes.and_then(|it| Some((it, AnnotationHead::decode(it)?)))
                    else {
                        continue;
                    };
                    // What does not name its game may be anything.
                    let end = (head.size as usize).min(1 << 20).min(bytes.len());
                    if head.mark != AnnotationHead::MARK {
                        continue;
                    }
                    let items = bytes.get(AnnotationHead::LENGTH..end).unwrap_or(&[]);
                    for item in annotations::items(items) {
                        if let Some(Note::Text(text)) = item.note() {
                            evidence.add(text.nation, text.bytes);
                        }
                    }
                }
                Some(Record::Text(text)) => {
                    let Some((head, bytes)) = self.move_bytes(self.moves_offset(number, text.body))
                    else {
                        continue;
                    };
                    let end = (head.size as usize).min(bytes.len());
                    let body = bytes.get(MoveHead::LENGTH..end).unwrap_or(&[]);
                    let (guiding, _) = text::guiding(body);
                    for (_, title) in &guiding.titles {
                        evidence.add(0, title);
                    }
                    for content in &guiding.contents {
                        evidence.add(0, content.text);
                    }
                }
                _ => {}
            }
        }
        evidence
    }

    /// The charsets of texts that are not UTF-8.
    pub fn text_charsets(&self) -> &TextCharsets {
        self.texts.get_or_init(|| match self.options.encoding {
            Some(charset) => TextCharsets::fixed(charset),
            None => TextCharsets::of(&self.text_evidence(), self.names_charset()),
        })
    }

    /// The charset of texts in a language that are not UTF-8.
    #[inline]
    pub fn text_charset(&self, nation: u8) -> Charset {
        self.text_charsets().get(nation)
    }

    /// Where the moves of a game stand: in 64 bits where the file is that large.
    #[inline]
    pub(super) fn moves_offset(&self, number: u64, stored: u32) -> u64 {
        let size = self.moves.as_ref().map_or(0, |data| data.bytes.len());
        self.wide(number, stored, size, |second| second.moves())
    }

    /// Where the annotations of a game stand.
    #[inline]
    pub(super) fn annotations_offset(&self, number: u64, stored: u32) -> u64 {
        let size = self.annotations.as_ref().map_or(0, |data| data.bytes.len());
        self.wide(number, stored, size, |second| second.annotations())
    }

    #[inline]
    fn wide(
        &self,
        number: u64,
        stored: u32,
        size: usize,
        of: impl Fn(Second<'_>) -> Option<u64>,
    ) -> u64 {
        let narrow = u64::from(stored);
        if size as u64 <= u64::from(u32::MAX) {
            return narrow;
        }
        self.second(number)
            .and_then(of)
            .filter(|wide| wide & u64::from(u32::MAX) == narrow)
            .unwrap_or(narrow)
    }

    /// The head of a record of moves, with all bytes from there on.
    #[inline]
    pub(super) fn move_bytes(&self, offset: u64) -> Option<(MoveHead, &[u8])> {
        let data = self.moves.as_ref()?;
        if offset < data.start {
            return None;
        }
        let bytes = data.bytes.get(usize::try_from(offset).ok()?..)?;
        Some((MoveHead::decode(bytes)?, bytes))
    }

    /// Reads a game into a reused buffer.
    fn read_game(
        &self,
        number: u64,
        want: Want,
        scratch: &mut Scratch,
        game: &mut Game,
    ) -> Result<()> {
        game.clear();
        check_number(number, self.count())?;
        game.origin.number = number;
        if number > self.count {
            let at = usize::try_from(number - self.count - 1).unwrap_or(usize::MAX);
            let offset = self.rescued.get(at).copied().unwrap_or(u64::MAX);
            self.fill_rescued(number, offset, want, scratch, game);
            return Ok(());
        }
        let Some(bytes) = self.record_bytes(number) else {
            return Ok(());
        };
        let record = Record::decode(bytes);
        let mut words = std::mem::take(&mut scratch.words);
        let mut pusher = Pusher {
            base: self,
            charset: self.charset(),
            number,
            wanted: want.tags,
            words: &mut words,
        };
        match &record {
            Record::Game(header) => pusher.game(header, game),
            Record::Text(header) => pusher.text(header, game),
            Record::Unknown(_) => Pusher::nameless(game),
        }
        scratch.words = words;
        match record {
            Record::Game(header) => {
                let notes = if header.annotations != 0 && want.annotations && want.moves {
                    let offset = self.annotations_offset(number, header.annotations);
                    let file = self.annotations.as_ref().map(|data| &*data.bytes);
                    record::annotations_at(file, offset, game)
                } else {
                    None
                };
                let needs_start = header.flags & FLAG_SETUP != 0
                    || want.moves
                    || [&b"FEN"[..], b"SetUp", b"Variant"]
                        .iter()
                        .any(|name| want.tags.may_hold(name));
                let offset = self.moves_offset(number, header.moves);
                match self.find_moves(offset, game).filter(|_| needs_start) {
                    Some(record) => {
                        record::read_moves(self, &record, notes, want, scratch, game);
                    }
                    None if want.moves => {
                        let record = self.no_moves(number, offset);
                        record::push_notes_without_moves(self, &record, notes, want, scratch, game);
                    }
                    None => {}
                }
                if header.chess960().is_some() {
                    game.variant = tabiya_model::game::Variant::Chess960;
                }
                record::push_start_tags(game);
                if self.options.audit && want == Want::ALL {
                    audit::game(self, &header, notes, game);
                }
            }
            Record::Text(header) => {
                let offset = self.moves_offset(number, header.body);
                if let Some(record) = self.find_moves(offset, game) {
                    record::read_text(self, &record, want, game);
                }
            }
            Record::Unknown(kind) => {
                game.diagnostics.report(
                    &codes::UNKNOWN_RECORD,
                    || Place::game(number),
                    || format!("its first byte is {kind}"),
                );
                if want.annotations && want.moves {
                    game.tape.push_extension(RECORD_EXTENSION, bytes);
                }
            }
        }
        Ok(())
    }

    /// Reads nothing of a game but its start and its moves.
    pub(super) fn read_moves_alone(
        &self,
        number: u64,
        want: Want,
        scratch: &mut Scratch,
        game: &mut Game,
    ) {
        game.clear();
        game.origin.number = number;
        let rescued = number
            .checked_sub(self.count + 1)
            .and_then(|at| self.rescued.get(usize::try_from(at).ok()?));
        let offset = match (rescued, self.record(number)) {
            (Some(offset), _) => *offset,
            (None, Some(Record::Game(header))) => self.moves_offset(number, header.moves),
            _ => return,
        };
        let found = self.find_moves(offset, game);
        if let Some(record) = found.filter(|record| rescued.is_none() || !record.head.is_text()) {
            record::read_moves(self, &record, None, want, scratch, game);
        }
    }

    /// The record of moves at an offset; what is wrong is reported.
    fn find_moves(&self, offset: u64, game: &mut Game) -> Option<MoveRecord<'_>> {
        let data = self.moves.as_ref()?;
        let number = game.origin.number;
        game.origin.byte = offset;
        let place = || Place {
            byte: Some(offset),
            ..Place::game(number)
        };
        let Some((head, bytes)) = self.move_bytes(offset) else {
            game.diagnostics
                .report(&codes::MOVES_OUT_OF_RANGE, place, || {
                    format!("the file has {} bytes", data.bytes.len())
                });
            return None;
        };
        let size = head.size as usize;
        if size < MoveHead::LENGTH {
            game.diagnostics
                .report(&codes::BAD_SIZE, place, || format!("size {size}"));
            return None;
        }
        game.origin.length = u64::from(head.size);
        let limit = self.options.limits.game_bytes;
        if bytes.len() < size || size > limit {
            let have = bytes.len().min(limit);
            game.diagnostics
                .report(&codes::MOVES_OUT_OF_RANGE, place, || {
                    format!("{have} of {size} bytes lie within the file")
                });
        }
        Some(MoveRecord {
            number,
            offset,
            head,
            bytes: bytes.get(..size.min(limit)).unwrap_or(bytes),
        })
    }

    fn no_moves(&self, number: u64, offset: u64) -> MoveRecord<'_> {
        MoveRecord {
            number,
            offset,
            head: MoveHead { flags: 0, size: 4 },
            bytes: &[],
        }
    }

    fn fill_rescued(
        &self,
        number: u64,
        offset: u64,
        want: Want,
        scratch: &mut Scratch,
        game: &mut Game,
    ) {
        Pusher::nameless(game);
        game.diagnostics.report(
            &codes::RESCUED,
            || Place {
                byte: Some(offset),
                ..Place::game(number)
            },
            || "a record without a header".to_owned(),
        );
        let Some(record) = self.find_moves(offset, game) else {
            return;
        };
        if record.head.is_text() {
            record::read_text(self, &record, want, game);
        } else {
            record::read_moves(self, &record, None, want, scratch, game);
        }
        record::push_start_tags(game);
    }

    fn about(&self) -> About {
        let title = self
            .settings
            .as_deref()
            .and_then(|ini| setting(ini, "DescrCBG", "Title"))
            .unwrap_or(&[]);
        let description = match std::str::from_utf8(title) {
            Ok(title) => title.to_owned(),
            Err(_) => self.charset().decode(title).into_owned(),
        };
        About {
            description,
            ..About::default()
        }
    }

    /// The files that are read.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.read().map(Path::to_path_buf).collect()
    }
}

/// Numbers from 0 below a count: all of few, and runs of them spread over many.
pub(super) fn sample(count: u64) -> impl Iterator<Item = u64> {
    let all = SAMPLE_RUNS * SAMPLE_RUN;
    let step = if count <= all {
        SAMPLE_RUN
    } else {
        count / SAMPLE_RUNS
    };
    (0..SAMPLE_RUNS)
        .flat_map(move |run| (0..SAMPLE_RUN).map(move |at| run * step + at))
        .filter(move |number| *number < count)
}

impl Database for Reader {
    fn info(&self) -> Info {
        let mut info = Info {
            format: super::FORMAT.name,
            games: Some(self.count()),
            ..Info::default()
        };
        for path in self.paths() {
            let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
            info.files.push((path, size));
        }
        info.field("description", self.about().description);
        let (charset, source) = self.names_charset();
        info.field("charset of names", format!("{} ({source})", charset.name()));
        let texts = self.text_charsets();
        let mut charset = format!("{} ({})", texts.default.name(), texts.source);
        for (nation, own) in &texts.nations {
            let language = super::tables::language(*nation).unwrap_or("?");
            charset.push_str(&format!(", {} for {language}", own.name()));
        }
        info.field("charset of texts", charset);
        if let Some(seconds) = &self.seconds {
            let version = format!("{}, records of {}", seconds.version, seconds.record_size());
            info.field("second headers", version);
        }
        let unread: Vec<_> = self
            .files
            .unread
            .iter()
            .filter_map(|path| path.extension())
            .map(|extension| format!(".{}", extension.to_string_lossy()))
            .collect();
        info.field("not read", unread.join(" "));
        info
    }

    fn format(&self) -> &'static str {
        super::FORMAT.name
    }

    fn files(&self) -> Vec<PathBuf> {
        self.paths()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count())
    }

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
        self.spare.lend(Scratch::default, |scratch| {
            self.read_game(number, want, scratch, game)
        })
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(Run::new(self, games)))
    }

    fn facts(&self) -> Option<&dyn Facts> {
        self.rescued.is_empty().then_some(self as &dyn Facts)
    }

    fn positions(&self) -> Option<&dyn Positions> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn gone(&self) -> Losses {
        self.claims.losses()
    }
}

impl Numbered for Reader {
    type Scratch = Scratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn count(&self) -> u64 {
        Reader::count(self)
    }

    fn game_bytes(&self) -> u64 {
        let size = |data: &Option<Data>| data.as_ref().map_or(0, |data| data.bytes.len() as u64);
        size(&self.moves).saturating_add(size(&self.annotations))
    }

    fn fill(&self, number: u64, want: Want, scratch: &mut Scratch, game: &mut Game) -> Result<()> {
        self.read_game(number, want, scratch, game)
    }

    fn describe(&self) -> About {
        self.about()
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn losses(&self) -> Losses {
        self.claims.losses()
    }
}
