//! Opening: finding the files, reading their headers, and recovery from damaged ones.

use std::path::Path;

use tabiya_io::mmap::FileBytes;
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::{
    Diagnostic, DiagnosticCode, Diagnostics, Error, Location, LossKind, Result, UserHint,
};

use crate::cbh::files::CbhFiles;
use crate::cbh::sample::sample;
use crate::cbh2::audit;
use crate::cbh2::base::{Cbh2Reader, READ, UNREAD};
use crate::cbh2::codes;
use crate::cbh2::entities::Cbh2EntityFile;
use crate::cbh2::layout::{Cbh2FileHeader, Cbh2Record, RECORD, VERSION, noted_size};
use crate::cbh2::salvage;
use crate::counted::{counted, counted_bytes};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{
    ABOUT_GONE, ANNOTATIONS_GONE, HEADERS_GONE, INDEX_GONE, MOVES_GONE, MissingParts, NAMES_GONE,
};
use tabiya_codec::numbered_database::ScratchPool;

/// The bits of a header's flags that say that a game has annotations.
const ANNOTATION_FLAGS: u32 = !(1 | 1 << 1 | 1 << 27);

impl Cbh2Reader {
    /// Opens a database by the name of its header file, or of another of its files.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Cbh2Reader> {
        let files = CbhFiles::find_of(path, &READ, &UNREAD)?;
        let Some(header_path) = files.get("2cbh") else {
            return Err(Error::new(
                &error_codes::COMPANION_MISSING,
                "the .2cbh file with the headers of the games is missing",
            )
            .with_hint(UserHint::FindGames)
            .in_file(path.to_string_lossy()));
        };
        let headers = options.bytes_of(header_path)?;
        let in_headers = |message: &str| {
            Error::new(&error_codes::NOT_THIS_FORMAT, message)
                .in_file(header_path.to_string_lossy())
        };
        let header = Cbh2FileHeader::decode(&headers)
            .ok_or_else(|| in_headers("the file is shorter than its own header of 192 bytes"))?;
        if !header.is_known() {
            return Err(in_headers(
                "not a .2cbh file: the size of its records is not 192",
            ));
        }
        let mut reader = Cbh2Reader::of(files, headers, options);
        reader.version = header.version;
        if header.version != VERSION {
            let message = format!("version {}", header.version);
            reader.report(&codes::VERSION, "2cbh", message);
        }
        reader.count_headers(header.next);
        reader.look_for_files();
        audit::look_for_foreign_files(&mut reader);
        if options.audit {
            audit::container(&mut reader);
        }
        Ok(reader)
    }

    /// Opens the rest of a damaged database: its records, and games without headers.
    pub fn salvage(path: &Path, options: &OpenOptions) -> Result<Cbh2Reader> {
        let files = CbhFiles::find_of(path, &READ, &UNREAD)?;
        let headers = match files.get("2cbh") {
            Some(path) => options.bytes_of(path)?,
            None => FileBytes::from(Vec::new()),
        };
        let claimed = Cbh2FileHeader::decode(&headers)
            .filter(Cbh2FileHeader::is_known)
            .and_then(|header| u64::try_from(header.next).ok()?.checked_sub(1));
        let whole = (headers.len() / RECORD).saturating_sub(1) as u64;
        let mut reader = Cbh2Reader::of(files, headers, options);
        if claimed.is_none() {
            let what = "the .2cbh file is missing, or its header is damaged";
            reader.claims.lose(&INDEX_GONE, what);
        }
        reader.count = whole;
        reader.look_for_files();
        if claimed.is_none_or(|claimed| claimed > whole) {
            reader.rescued = salvage::search(&reader);
        }
        let found = reader.rescued.len();
        let count = reader.count();
        reader
            .claims
            .games("the .2cbh file", claimed.unwrap_or(0), count);
        if found > 0 {
            reader.claims.lose(
                &HEADERS_GONE,
                format!("of {}", counted(found, "game", "games")),
            );
            let message = format!(
                "{} in addition to the {whole} with headers",
                counted(found, "game was found", "games were found")
            );
            reader.report(&codes::RESCUED, "2cbg", message);
        }
        Ok(reader)
    }

    /// A database of one record that is given to it.
    pub(in crate::cbh2) fn of_nothing(charset: Option<Charset>) -> Cbh2Reader {
        let options = OpenOptions {
            encoding: charset,
            ..OpenOptions::default()
        };
        let nothing = FileBytes::from(Vec::new());
        let mut reader = Cbh2Reader::of(CbhFiles::default(), nothing, &options);
        reader.count = 1;
        reader
    }

    /// Opens whatever is beside the headers.
    fn of(files: CbhFiles, headers: FileBytes, options: &OpenOptions) -> Cbh2Reader {
        Cbh2Reader {
            files,
            headers,
            version: VERSION,
            count: 0,
            moves: None,
            annotations: None,
            names: None,
            settings: None,
            rescued: Vec::new(),
            options: options.clone(),
            diagnostics: Diagnostics::default(),
            claims: MissingParts::default(),
            spare: ScratchPool::default(),
        }
    }

    fn look_for_files(&mut self) {
        self.moves = self.optional("2cbg");
        self.annotations = self.optional("2cba");
        if self.files.get("2cbg").is_none() && self.count > 0 {
            self.spoilt(
                "2cbg",
                Some(&MOVES_GONE),
                "the file is missing: games have no moves",
            );
        }
        if self.files.get("2cba").is_none() && self.count > 0 {
            // A look at a sample tells whether anybody misses them.
            let is_missed = sample(self.count).any(|number| match self.record(number + 1) {
                Some(Cbh2Record::Game(game)) => game.flags & ANNOTATION_FLAGS != 0,
                Some(Cbh2Record::Analysis(_)) => true,
                _ => false,
            });
            let problem = "the file is missing: games have no annotations";
            self.spoilt("2cba", is_missed.then_some(&ANNOTATIONS_GONE), problem);
        }
        match self.optional("2lid").map(Cbh2EntityFile::new) {
            Some(Ok(names)) => self.names = Some(names),
            Some(Err(error)) => self.spoilt("2lid", Some(&NAMES_GONE), &error.to_string()),
            None if self.files.get("2lid").is_none() && self.count > 0 => {
                let problem = "the file is missing: the names are unknown";
                self.spoilt("2lid", Some(&NAMES_GONE), problem);
            }
            None => {}
        }
        self.settings = self.optional("ini");
        let has_zeros = |text: &FileBytes| memchr::memchr(0, text).is_some();
        if self.settings.as_ref().is_some_and(has_zeros) {
            self.spoilt("ini", Some(&ABOUT_GONE), "the text contains zeros");
        }
        for extension in ["2cbg", "2cba"] {
            let bytes = match extension {
                "2cbg" => &self.moves,
                _ => &self.annotations,
            };
            let Some(bytes) = bytes else { continue };
            let (size, noted) = (bytes.len() as u64, noted_size(bytes));
            if noted.and_then(|noted| u64::try_from(noted).ok()) != Some(size) {
                let noted = noted.map_or("none".to_owned(), counted_bytes);
                let message = format!("stored size: {noted}, real size: {}", counted_bytes(size));
                self.report(&codes::FILE_SIZE, extension, message);
            }
        }
    }

    /// Says that something is wrong with a file, and what is gone with it.
    fn spoilt(&mut self, extension: &str, kind: Option<&'static LossKind>, problem: &str) {
        self.report(&codes::MISSING_FILE, extension, problem.to_owned());
        if let Some(kind) = kind {
            self.claims
                .lose(kind, format!("the .{extension} file: {problem}"));
        }
    }

    /// The bytes of a file that may be missing; one that cannot be read is told.
    pub(in crate::cbh2) fn optional(&mut self, extension: &str) -> Option<FileBytes> {
        let path = self.files.get(extension)?.to_path_buf();
        match self.options.bytes_of(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.report(&codes::MISSING_FILE, extension, error.message);
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

    /// Adds a finding about a file.
    pub(in crate::cbh2) fn report(
        &mut self,
        code: &'static DiagnosticCode,
        extension: &str,
        message: String,
    ) {
        let place = self.place(extension);
        self.diagnostics.push(Diagnostic::new(code, place, message));
    }

    /// How many records there are: the size of the file decides, and the header only tells whether it is whole.
    fn count_headers(&mut self, next: i32) {
        let whole = (self.headers.len() / RECORD).saturating_sub(1) as u64;
        let claimed = u64::try_from(next).unwrap_or(0).saturating_sub(1);
        let partial = self.headers.len() % RECORD;
        self.count = whole;
        self.claims.games("the .2cbh file", claimed, whole);
        if claimed > whole || next < 1 {
            let message = format!("{whole} of {claimed} records are complete");
            self.report(&codes::CUT_HEADERS, "2cbh", message);
        } else if claimed < whole || partial != 0 {
            let message = format!(
                "{} and {}, but it counts {claimed}",
                counted(whole, "record", "records"),
                counted_bytes(partial)
            );
            self.report(&codes::MORE_HEADERS, "2cbh", message);
        }
    }
}
