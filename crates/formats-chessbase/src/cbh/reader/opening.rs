//! Opening: finding the files, reading their headers, and recovery from damaged ones.

use std::path::Path;
use std::sync::OnceLock;

use tabiya_io::mmap::FileBytes;
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::{Diagnostic, Diagnostics, Error, Location, LossKind, Result, UserHint};

use crate::cbh::audit;
use crate::cbh::base::{CbhDataFile, CbhReader};
use crate::cbh::codes;
use crate::cbh::entities::{CbhEntityError, CbhEntityFile, CbhEntityTable, CbhTournamentExtras};
use crate::cbh::files::CbhFiles;
use crate::cbh::layout::{CbhDataHeader, CbhFileHeader, CbhRecord, RECORD};
use crate::cbh::salvage;
use crate::cbh::sample::sample;
use crate::cbh::second_header::CbhSecondHeaders;
use crate::counted::counted;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{
    ABOUT_GONE, ANNOTATIONS_GONE, HEADERS_GONE, INDEX_GONE, MOVES_GONE, MissingParts, NAMES_GONE,
};
use tabiya_codec::numbered_database::ScratchPool;

/// The 32-bit sizes in files of this size and more are nonsense.
const SURE_SIZE: u64 = 1 << 31;

impl CbhReader {
    /// Opens a database by the name of its header file, or of the file of its moves.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<CbhReader> {
        let files = CbhFiles::find(path)?;
        let Some(header_path) = files.get("cbh") else {
            return Err(Error::new(
                &error_codes::COMPANION_MISSING,
                "the .cbh file with the headers of the games is missing",
            )
            .with_hint(UserHint::FindGames)
            .in_file(path.to_string_lossy()));
        };
        let headers = options.bytes_of(header_path)?;
        let in_headers = |message: &str| {
            Error::new(&error_codes::NOT_THIS_FORMAT, message)
                .in_file(header_path.to_string_lossy())
        };
        let header = CbhFileHeader::decode(&headers)
            .ok_or_else(|| in_headers("the file is shorter than its own header of 46 bytes"))?;
        if usize::from(header.record_size) != RECORD {
            return Err(in_headers(
                "not a .cbh file: the size of its records is not 46",
            ));
        }
        let mut reader = CbhReader::of(files, headers, options)?;
        reader.count_headers(header.next);
        reader.look_at_sizes();
        audit::look_for_foreign_files(&mut reader);
        if options.audit {
            audit::container(&mut reader);
        }
        Ok(reader)
    }

    /// Opens the rest of a damaged database: records beyond the count, and games without headers.
    pub fn salvage(path: &Path, options: &OpenOptions) -> Result<CbhReader> {
        let files = CbhFiles::find(path)?;
        let headers = match files.get("cbh") {
            Some(path) => options.bytes_of(path)?,
            None => FileBytes::from(Vec::new()),
        };
        // The next number is never 0.
        let header = CbhFileHeader::decode(&headers).filter(|header| header.next > 0);
        let claimed = header.map(|header| header.next);
        let whole = (headers.len() / RECORD).saturating_sub(1) as u64;
        let mut reader = CbhReader::of(files, headers, options)?;
        if claimed.is_none() {
            let what = "the .cbh file is missing, or its header is zeros";
            reader.claims.lose(&INDEX_GONE, what);
        }
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
            reader.claims.lose(
                &HEADERS_GONE,
                format!("of {}", counted(found, "game", "games")),
            );
            let place = reader.place("cbg");
            reader.diagnostics.push(Diagnostic::new(
                &codes::RESCUED,
                place,
                format!(
                    "{} in addition to the {count} with headers",
                    counted(found, "game was found", "games were found")
                ),
            ));
        }
        Ok(reader)
    }

    /// A database without any file, to which games are given one by one.
    pub(in crate::cbh) fn of_nothing(charset: Option<Charset>) -> CbhReader {
        let options = OpenOptions {
            encoding: charset,
            ..OpenOptions::default()
        };
        let mut reader =
            CbhReader::empty(CbhFiles::default(), FileBytes::from(Vec::new()), &options);
        reader.count = 1;
        reader
    }

    fn empty(files: CbhFiles, headers: FileBytes, options: &OpenOptions) -> CbhReader {
        CbhReader {
            files,
            headers,
            count: 0,
            moves: None,
            annotations: None,
            entities: std::array::from_fn(|_| CbhEntityFile::none()),
            has: [false; 6],
            seconds: None,
            more: None,
            media: None,
            settings: None,
            names_charset: OnceLock::new(),
            texts: OnceLock::new(),
            has_wide_moves: OnceLock::new(),
            has_saves: OnceLock::new(),
            rescued: Vec::new(),
            options: options.clone(),
            diagnostics: Diagnostics::default(),
            claims: MissingParts::default(),
            spare: ScratchPool::default(),
        }
    }

    /// Opens whatever stands beside the headers.
    fn of(files: CbhFiles, headers: FileBytes, options: &OpenOptions) -> Result<CbhReader> {
        let mut reader = CbhReader::empty(files, headers, options);
        reader.moves = reader.data("cbg", true);
        reader.annotations = reader.data("cba", false);
        for (at, table) in CbhEntityTable::ALL.into_iter().enumerate() {
            reader.open_entities(at, table);
        }
        if let Some(bytes) = reader.optional("cbj") {
            reader.seconds = CbhSecondHeaders::new(bytes);
            match &reader.seconds {
                None => reader.spoilt("cbj", &HEADERS_GONE, "its header is truncated or invalid"),
                Some(seconds) if seconds.count() < u64::from(seconds.claimed) => {
                    let text = format!(
                        "it holds {} of {} records",
                        seconds.count(),
                        seconds.claimed
                    );
                    reader.spoilt("cbj", &HEADERS_GONE, &text);
                }
                Some(_) => {}
            }
        }
        if let Some(bytes) = reader.optional("cbtt") {
            let more = CbhTournamentExtras::new(bytes);
            if !more.is_sound() {
                let text = "its header is invalid, or it holds fewer records than it counts";
                reader.spoilt("cbtt", &NAMES_GONE, text);
            }
            reader.more = Some(more);
        }
        reader.media = reader.optional("cbm");
        reader.settings = reader.optional("ini");
        if reader
            .settings
            .as_deref()
            .is_some_and(|text| memchr::memchr(0, text).is_some())
        {
            reader.spoilt("ini", &ABOUT_GONE, "the text contains zeros");
        }
        reader.look_for_second_headers();
        Ok(reader)
    }

    /// Teams and titles of games are used by second headers only: where they are used, there were some.
    fn look_for_second_headers(&mut self) {
        if self.files.get("cbj").is_some() {
            return;
        }
        let is_used = |table: CbhEntityTable| {
            let entities = self.entities(table);
            let mut numbers = 0..entities.count();
            numbers.any(|number| entities.uses(table, number).is_some_and(|uses| uses > 0))
        };
        if is_used(CbhEntityTable::Teams) || is_used(CbhEntityTable::Titles) {
            let text = "the file is missing, but teams or titles of games are in use";
            self.spoilt("cbj", &HEADERS_GONE, text);
        }
    }

    /// Says that something is wrong with a file, and what is gone with it.
    fn spoilt(&mut self, extension: &str, kind: &'static LossKind, problem: &str) {
        self.missing(extension, problem);
        self.claims
            .lose(kind, format!("the .{extension} file: {problem}"));
    }

    /// The bytes of a file that may be missing; one that cannot be read is told.
    fn optional(&mut self, extension: &str) -> Option<FileBytes> {
        let path = self.files.get(extension)?.to_path_buf();
        match self.options.bytes_of(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.missing(extension, &error.message);
                None
            }
        }
    }

    fn place(&self, extension: &str) -> Location {
        let name = match self.files.get(extension).and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!(".{extension}"),
        };
        Location::default().in_file(name)
    }

    fn missing(&mut self, extension: &str, problem: &str) {
        let place = self.place(extension);
        self.diagnostics
            .push(Diagnostic::new(&codes::MISSING_FILE, place, problem));
    }

    /// Adds a finding about a file.
    pub(in crate::cbh) fn report(
        &mut self,
        code: &'static tabiya_model::DiagnosticCode,
        extension: &str,
        message: String,
    ) {
        let place = self.place(extension);
        self.diagnostics.push(Diagnostic::new(code, place, message));
    }

    fn data(&mut self, extension: &str, is_needed: bool) -> Option<CbhDataFile> {
        let Some(bytes) = self.optional(extension) else {
            // A look at a sample tells whether anybody misses them.
            let records = (self.headers.len() / RECORD) as u64;
            let needs_annotations = || {
                sample(records).any(|number| {
                    matches!(self.record(number), Some(CbhRecord::Game(game)) if game.annotations != 0)
                })
            };
            if self.files.get(extension).is_none() && (is_needed || needs_annotations()) {
                let (kind, what) = if is_needed {
                    (&MOVES_GONE, "games have no moves")
                } else {
                    (&ANNOTATIONS_GONE, "games have no annotations")
                };
                self.missing(extension, &format!("the file is missing: {what}"));
                self.claims
                    .lose(kind, format!("the .{extension} file is missing"));
            }
            return None;
        };
        let start = match CbhDataHeader::decode(&bytes) {
            Some(header) if header.length >= 10 => u64::from(header.length),
            _ => {
                let kind = if is_needed {
                    &MOVES_GONE
                } else {
                    &ANNOTATIONS_GONE
                };
                self.spoilt(extension, kind, "its header is truncated or invalid");
                10
            }
        };
        Some(CbhDataFile { bytes, start })
    }

    fn open_entities(&mut self, at: usize, table: CbhEntityTable) {
        let extension = table.extension();
        let is_needed = !matches!(table, CbhEntityTable::Teams | CbhEntityTable::Titles);
        let Some(bytes) = self.optional(extension) else {
            if is_needed && self.files.get(extension).is_none() {
                self.missing(extension, "the file is missing: its names are unknown");
                self.claims
                    .lose(&NAMES_GONE, format!("the .{extension} file is missing"));
            }
            return;
        };
        match CbhEntityFile::new(table, bytes) {
            Ok((entities, header)) => {
                let count = entities.count();
                if let Some(slot) = self.entities.get_mut(at) {
                    *slot = entities;
                }
                if let Some(has) = self.has.get_mut(at) {
                    *has = true;
                }
                if count < header.count {
                    let text = format!("it holds {count} of {} records", header.count);
                    self.spoilt(extension, &NAMES_GONE, &text);
                }
            }
            // An empty file of titles is as good as none.
            Err(CbhEntityError::Short(0)) if !is_needed => {}
            Err(fault) => self.spoilt(extension, &NAMES_GONE, &fault.to_string()),
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
                format!("{whole} of {claimed} records are complete"),
            );
        } else if claimed < whole || partial != 0 {
            let bytes = self.headers.len() as u64 - (claimed + 1) * RECORD as u64;
            self.report(
                &codes::MORE_HEADERS,
                "cbh",
                format!("records that it counts: {claimed}; bytes after them: {bytes}"),
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
            let Some(header) = CbhDataHeader::decode(&data.bytes) else {
                continue;
            };
            let is_sure = size < SURE_SIZE || header.length >= 18;
            if is_sure && header.size != size {
                let message = format!(
                    "the stored size is {}, the real size {size}",
                    counted(header.size, "byte", "bytes")
                );
                self.report(&codes::FILE_SIZE, extension, message);
            }
        }
    }
}
