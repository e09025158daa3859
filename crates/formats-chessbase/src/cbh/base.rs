//! A database: its files, and the places of the data in them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_io::mmap::FileBytes;
use tabiya_model::Diagnostics;
use tabiya_model::board::Board;
use tabiya_model::charset::Charset;

use super::entities::{CbhEntityFile, CbhEntityTable, CbhTournamentExtra, CbhTournamentExtras};
use super::files::CbhFiles;
use super::layout::{CbhMoveHead, CbhRecord, CbhStartRecord, RECORD, chess960_number};
use super::sample::sample;
use super::scratch::CbhScratch;
use super::second_header::{CbhSecondHeader, CbhSecondHeaders};
use super::text::CbhTextCharsets;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::MissingParts;
use tabiya_codec::numbered_database::ScratchPool;

/// A file of moves or annotations.
#[derive(Debug)]
pub(super) struct CbhDataFile {
    pub(super) bytes: FileBytes,
    /// Where its first record begins.
    pub(super) start: u64,
}

/// A database that is open for reading.
pub struct CbhReader {
    pub(super) files: CbhFiles,
    pub(super) headers: FileBytes,
    pub(super) count: u64,
    pub(super) moves: Option<CbhDataFile>,
    pub(super) annotations: Option<CbhDataFile>,
    pub(super) entities: [CbhEntityFile; 6],
    pub(super) has: [bool; 6],
    pub(super) seconds: Option<CbhSecondHeaders>,
    pub(super) more: Option<CbhTournamentExtras>,
    pub(super) media: Option<FileBytes>,
    pub(super) settings: Option<FileBytes>,
    pub(super) names_charset: OnceLock<(Charset, &'static str)>,
    pub(super) texts: OnceLock<CbhTextCharsets>,
    /// Whether second headers hold offsets of moves.
    pub(super) has_wide_moves: OnceLock<bool>,
    /// Whether most second headers count how often their games were saved.
    pub(super) has_saves: OnceLock<bool>,
    /// Where games begin that have no header, in `.cbg`.
    pub(super) rescued: Vec<u64>,
    pub(super) options: OpenOptions,
    pub(super) diagnostics: Diagnostics,
    /// What the files claim to hold and what is not there.
    pub(super) claims: MissingParts,
    pub(super) spare: ScratchPool<CbhScratch>,
}

impl CbhReader {
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
    pub(super) fn has(&self, table: CbhEntityTable) -> bool {
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

    /// Whether a second header has zeros instead of an offset that the first one has.
    pub(super) fn is_second_cut(&self, number: u64, second: CbhSecondHeader<'_>) -> bool {
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
            saved > never && !seconds.is_some_and(CbhSecondHeaders::is_ours)
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

    /// Additional data about a tournament.
    pub fn tournament_extra(&self, number: u32) -> Option<CbhTournamentExtra<'_>> {
        self.more.as_ref()?.get(number)
    }

    /// The text of a record of `.cbm`.
    pub(super) fn media(&self, record: u32) -> Option<&[u8]> {
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
    pub(super) fn move_bytes(&self, offset: u64) -> Option<(CbhMoveHead, &[u8])> {
        let data = self.moves.as_ref()?;
        if offset < data.start {
            return None;
        }
        let bytes = data.bytes.get(usize::try_from(offset).ok()?..)?;
        Some((CbhMoveHead::decode(bytes)?, bytes))
    }

    /// The number of the start position of Chess960 that a game really has.
    pub(super) fn start_number(&self, number: u64, stored: u32) -> Option<u16> {
        let (head, bytes) = self.move_bytes(self.moves_offset(number, stored))?;
        if !head.has_start() {
            return chess960_number(&Board::standard());
        }
        let start = bytes.get(CbhMoveHead::LENGTH..)?.first_chunk()?;
        let start = CbhStartRecord::decode(start)?;
        chess960_number(&Board::from_setup(&start.setup()).0)
    }

    /// The files that are read, and those that change with them.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let files = self.files.read().chain(self.files.carried());
        files.map(Path::to_path_buf).collect()
    }
}
