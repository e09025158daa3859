//! Databases, open for reading.
//!
//! Opening looks at headers and a sample of records. Files are mapped, so that a page of a list of millions of games
//! touches nothing but its records and their names.

mod charsets;
mod opening;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_io::held_folder;
use tabiya_io::mmap::FileBytes;
use tabiya_model::charset::Charset;
use tabiya_model::facts::FactSource;
use tabiya_model::positions::PositionSource;
use tabiya_model::{
    Database, DatabaseInfo, DatabaseMetadata, Diagnostics, Game, GameNeeds, Location, Losses,
    Result, Source,
};

use crate::cbh::annotated_moves;
use crate::cbh::audit;
use crate::cbh::codes;
use crate::cbh::entities::{
    CbhEntityFile, CbhEntityTable, CbhTournamentExtra, CbhTournamentExtras,
};
use crate::cbh::files::{CbhFiles, setting};
use crate::cbh::layout::{CbhMoveHead, CbhRecord, FLAG_SETUP, RECORD};
use crate::cbh::record::{self, CbhMoveRecord, CbhScratch, RECORD_EXTENSION};
use crate::cbh::second_header::{CbhSecondHeader, CbhSecondHeaders};
use crate::cbh::tags::CbhTagWriter;
use crate::cbh::text::CbhTextCharsets;
use crate::format::OpenOptions;
use crate::missing_parts::MissingParts;
use crate::numbered_database::{NumberedDatabase, NumberedSource, ScratchPool, check_number};

pub(super) use self::charsets::sample;

/// A file of moves or annotations.
#[derive(Debug)]
pub(in crate::cbh) struct CbhDataFile {
    pub(in crate::cbh) bytes: FileBytes,
    /// Where its first record begins.
    pub(in crate::cbh) start: u64,
}

/// A database that is open for reading.
pub struct CbhReader {
    files: CbhFiles,
    headers: FileBytes,
    count: u64,
    pub(super) moves: Option<CbhDataFile>,
    pub(super) annotations: Option<CbhDataFile>,
    entities: [CbhEntityFile; 6],
    has: [bool; 6],
    seconds: Option<CbhSecondHeaders>,
    more: Option<CbhTournamentExtras>,
    media: Option<FileBytes>,
    settings: Option<FileBytes>,
    names_charset: OnceLock<(Charset, &'static str)>,
    texts: OnceLock<CbhTextCharsets>,
    /// Whether second headers hold offsets of moves.
    has_wide_moves: OnceLock<bool>,
    /// Whether most second headers count how often their games were saved.
    has_saves: OnceLock<bool>,
    /// Where games begin that have no header, in `.cbg`.
    rescued: Vec<u64>,
    options: OpenOptions,
    diagnostics: Diagnostics,
    /// What the files claim to hold and what is not there.
    claims: MissingParts,
    spare: ScratchPool<CbhScratch>,
}

impl CbhReader {
    /// The number of records, without games that were found without one.
    pub(in crate::cbh) fn headers_count(&self) -> u64 {
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
    pub fn record(&self, number: u64) -> Option<CbhRecord> {
        (number > 0).then(|| self.record_bytes(number).map(CbhRecord::decode))?
    }

    /// The names of a kind.
    #[inline]
    pub fn entities(&self, table: CbhEntityTable) -> &CbhEntityFile {
        let [players, tournaments, annotators, sources, teams, titles] = &self.entities;
        match table {
            CbhEntityTable::Players => players,
            CbhEntityTable::Tournaments => tournaments,
            CbhEntityTable::Annotators => annotators,
            CbhEntityTable::Sources => sources,
            CbhEntityTable::Teams => teams,
            CbhEntityTable::Titles => titles,
        }
    }

    /// Whether there is a file of such names.
    pub(in crate::cbh) fn has(&self, table: CbhEntityTable) -> bool {
        let [players, tournaments, annotators, sources, teams, titles] = self.has;
        match table {
            CbhEntityTable::Players => players,
            CbhEntityTable::Tournaments => tournaments,
            CbhEntityTable::Annotators => annotators,
            CbhEntityTable::Sources => sources,
            CbhEntityTable::Teams => teams,
            CbhEntityTable::Titles => titles,
        }
    }

    /// The second header of a game.
    #[inline]
    pub fn second_header(&self, number: u64) -> Option<CbhSecondHeader<'_>> {
        self.seconds.as_ref()?.get(number)
    }

    /// The file of second headers.
    pub fn second_headers(&self) -> Option<&CbhSecondHeaders> {
        self.seconds.as_ref()
    }

    /// Whether a second header has zeros in place of an offset that the first one has.
    pub(in crate::cbh) fn is_second_cut(&self, number: u64, second: CbhSecondHeader<'_>) -> bool {
        let (moves, notes) = match self.record(number) {
            Some(CbhRecord::Game(game)) => (game.moves, game.annotations),
            Some(CbhRecord::Text(text)) => (text.body, 0),
            Some(CbhRecord::Unknown(_)) | None => return false,
        };
        // Other programs count no saves.
        let has_saves = || {
            let seconds = self.seconds.as_ref();
            let numbers = sample(self.count).map(|number| number + 1);
            let (mut saved, mut never) = (0_u64, 0_u64);
            for second in numbers.filter_map(|number| seconds?.get(number)) {
                let count = match second.is_never_saved() {
                    true => &mut never,
                    false => &mut saved,
                };
                *count += 1;
            }
            saved > never
        };
        let is_gone = |stored: u32, wide: Option<u64>| stored != 0 && wide == Some(0);
        // Some databases hold no offsets of moves there at all.
        let has_moves = || {
            let seconds = self.seconds.as_ref();
            let mut numbers = sample(self.count).map(|number| number + 1);
            numbers.any(|number| {
                let second = seconds.and_then(|seconds| seconds.get(number));
                second
                    .and_then(CbhSecondHeader::moves)
                    .is_some_and(|moves| moves != 0)
            })
        };
        is_gone(notes, second.annotations())
            || (second.is_never_saved() && *self.has_saves.get_or_init(has_saves))
            || (is_gone(moves, second.moves()) && *self.has_wide_moves.get_or_init(has_moves))
    }

    /// What else is said about a tournament.
    pub fn tournament_extra(&self, number: u32) -> Option<CbhTournamentExtra<'_>> {
        self.more.as_ref()?.get(number)
    }

    /// The text of a record of `.cbm`.
    pub(in crate::cbh) fn media(&self, record: u32) -> Option<&[u8]> {
        let bytes = self.media.as_ref()?;
        let size = bytes.get(4..8)?.first_chunk().copied()?;
        let size = usize::try_from(u32::from_le_bytes(size)).ok()?;
        let record = usize::try_from(record).ok()?;
        // Two numbers stand before the text, and dirt behind it.
        let text_at = |at: usize| {
            let text = bytes.get(at..)?;
            let text = text.get(..text.len().min(size.saturating_sub(8)))?;
            text.get(..memchr::memchr(0, text).unwrap_or(text.len()))
        };
        // The program notes where the text begins; the number of its record is what others have taken that for.
        let by_place = text_at(record).filter(|text| text.starts_with(b"FilesUsed"));
        by_place.or_else(|| text_at(record.checked_mul(size)?.checked_add(32 + 8)?))
    }

    /// The options that the database was opened with.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Where the moves of a game stand: in 64 bits where the file is that large.
    #[inline]
    pub(in crate::cbh) fn moves_offset(&self, number: u64, stored: u32) -> u64 {
        let size = self.moves.as_ref().map_or(0, |data| data.bytes.len());
        self.wide(number, stored, size, |second| second.moves())
    }

    /// Where the annotations of a game stand.
    #[inline]
    pub(in crate::cbh) fn annotations_offset(&self, number: u64, stored: u32) -> u64 {
        let size = self.annotations.as_ref().map_or(0, |data| data.bytes.len());
        self.wide(number, stored, size, |second| second.annotations())
    }

    #[inline]
    fn wide(
        &self,
        number: u64,
        stored: u32,
        size: usize,
        of: impl Fn(CbhSecondHeader<'_>) -> Option<u64>,
    ) -> u64 {
        let narrow = u64::from(stored);
        if size as u64 <= u64::from(u32::MAX) {
            return narrow;
        }
        self.second_header(number)
            .and_then(of)
            .filter(|wide| wide & u64::from(u32::MAX) == narrow)
            .unwrap_or(narrow)
    }

    /// The head of a record of moves, with all bytes from there on.
    #[inline]
    pub(in crate::cbh) fn move_bytes(&self, offset: u64) -> Option<(CbhMoveHead, &[u8])> {
        let data = self.moves.as_ref()?;
        if offset < data.start {
            return None;
        }
        let bytes = data.bytes.get(usize::try_from(offset).ok()?..)?;
        Some((CbhMoveHead::decode(bytes)?, bytes))
    }

    /// Reads a game into a reused buffer.
    fn read_game(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CbhScratch,
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
        let record = CbhRecord::decode(bytes);
        let mut words = std::mem::take(&mut scratch.words);
        let mut pusher = CbhTagWriter {
            base: self,
            charset: self.charset(),
            number,
            wanted: want.tags,
            words: &mut words,
        };
        match &record {
            CbhRecord::Game(header) => pusher.game(header, game),
            CbhRecord::Text(header) => pusher.text(header, game),
            CbhRecord::Unknown(_) => CbhTagWriter::nameless(game),
        }
        scratch.words = words;
        match record {
            CbhRecord::Game(header) => {
                let notes = if header.annotations != 0 && want.annotations && want.moves {
                    let offset = self.annotations_offset(number, header.annotations);
                    let file = self.annotations.as_ref().map(|data| &*data.bytes);
                    annotated_moves::annotations_at(file, offset, game)
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
                        annotated_moves::push_notes_without_moves(
                            self, &record, notes, want, scratch, game,
                        );
                    }
                    None => {}
                }
                if header.move_count == 0 && game.tape.main_line().next().is_some() {
                    game.diagnostics.report(
                        &codes::DAMAGED_HEADER,
                        || Location::game(number),
                        || "it has moves, and its header counts none".to_owned(),
                    );
                }
                if header.chess960().is_some() {
                    game.variant = tabiya_model::game::Variant::Chess960;
                }
                record::push_start_tags(game);
                if self.options.audit && want == GameNeeds::ALL {
                    audit::game(self, &header, notes, game);
                }
            }
            CbhRecord::Text(header) => {
                let offset = self.moves_offset(number, header.body);
                if let Some(record) = self.find_moves(offset, game) {
                    record::read_text(self, &record, want, game);
                }
            }
            CbhRecord::Unknown(kind) => {
                let code = match kind {
                    0 => &codes::DAMAGED_HEADER,
                    _ => &codes::UNKNOWN_RECORD,
                };
                game.diagnostics.report(
                    code,
                    || Location::game(number),
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
    pub(in crate::cbh) fn read_moves_alone(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CbhScratch,
        game: &mut Game,
    ) {
        game.clear();
        game.origin.number = number;
        let rescued = number
            .checked_sub(self.count + 1)
            .and_then(|at| self.rescued.get(usize::try_from(at).ok()?));
        let offset = match (rescued, self.record(number)) {
            (Some(offset), _) => *offset,
            (None, Some(CbhRecord::Game(header))) => self.moves_offset(number, header.moves),
            _ => return,
        };
        let found = self.find_moves(offset, game);
        if let Some(record) = found.filter(|record| rescued.is_none() || !record.head.is_text()) {
            record::read_moves(self, &record, None, want, scratch, game);
        }
    }

    /// The record of moves at an offset; what is wrong is reported.
    fn find_moves(&self, offset: u64, game: &mut Game) -> Option<CbhMoveRecord<'_>> {
        let data = self.moves.as_ref()?;
        let number = game.origin.number;
        game.origin.byte = offset;
        let place = || Location {
            byte: Some(offset),
            ..Location::game(number)
        };
        let Some((head, bytes)) = self.move_bytes(offset) else {
            game.diagnostics
                .report(&codes::MOVES_OUT_OF_RANGE, place, || {
                    format!("the file has {} bytes", data.bytes.len())
                });
            return None;
        };
        let size = head.size as usize;
        if size < CbhMoveHead::LENGTH {
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
        Some(CbhMoveRecord {
            number,
            offset,
            head,
            bytes: bytes.get(..size.min(limit)).unwrap_or(bytes),
        })
    }

    fn no_moves(&self, number: u64, offset: u64) -> CbhMoveRecord<'_> {
        CbhMoveRecord {
            number,
            offset,
            head: CbhMoveHead { flags: 0, size: 4 },
            bytes: &[],
        }
    }

    fn fill_rescued(
        &self,
        number: u64,
        offset: u64,
        want: GameNeeds,
        scratch: &mut CbhScratch,
        game: &mut Game,
    ) {
        CbhTagWriter::nameless(game);
        game.diagnostics.report(
            &codes::RESCUED,
            || Location {
                byte: Some(offset),
                ..Location::game(number)
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

    fn about(&self) -> DatabaseMetadata {
        let title = self
            .settings
            .as_deref()
            .and_then(|ini| setting(ini, "DescrCBG", "Title"))
            .unwrap_or(&[]);
        let description = match std::str::from_utf8(title) {
            Ok(title) => title.to_owned(),
            Err(_) => self.charset().decode(title).into_owned(),
        };
        DatabaseMetadata {
            description,
            ..DatabaseMetadata::default()
        }
    }

    /// The files that are read.
    pub(in crate::cbh) fn paths(&self) -> Vec<PathBuf> {
        self.files.read().map(Path::to_path_buf).collect()
    }
}

impl Database for CbhReader {
    fn info(&self) -> DatabaseInfo {
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            games: Some(self.count()),
            ..DatabaseInfo::default()
        };
        for path in self.paths() {
            let size = held_folder::metadata(&path).map_or(0, |metadata| metadata.len());
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

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        self.spare.lend(CbhScratch::default, |scratch| {
            self.read_game(number, want, scratch, game)
        })
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(self, games)))
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        self.rescued.is_empty().then_some(self as &dyn FactSource)
    }

    fn positions(&self) -> Option<&dyn PositionSource> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn missing(&self) -> Losses {
        self.claims.losses()
    }
}

impl NumberedDatabase for CbhReader {
    type Scratch = CbhScratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> CbhScratch {
        CbhScratch::default()
    }

    fn count(&self) -> u64 {
        CbhReader::count(self)
    }

    fn game_bytes(&self) -> u64 {
        let size =
            |data: &Option<CbhDataFile>| data.as_ref().map_or(0, |data| data.bytes.len() as u64);
        size(&self.moves).saturating_add(size(&self.annotations))
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CbhScratch,
        game: &mut Game,
    ) -> Result<()> {
        self.read_game(number, want, scratch, game)
    }

    fn describe(&self) -> DatabaseMetadata {
        self.about()
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn losses(&self) -> Losses {
        self.claims.losses()
    }
}
