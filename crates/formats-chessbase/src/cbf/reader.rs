//! Opening a database and reading its games, by the index or by the result of a search.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::facts::FactSource;
use tabiya_model::{
    Database, DatabaseInfo, Diagnostic, Diagnostics, Error, Game, GameNeeds, Location, Losses,
    Result, Source, UserHint,
};

use super::charset::{CbfCharset, CbfCharsetEvidence, CbfTextKind, DEFAULT_CHARSET};
use super::codes;
use super::comments::CbfComments;
use super::layout::{CbfChecksum, CbfIndex, index_offset};
use super::record::{CbfReadSettings, CbfRecordAreas, CbfScratch, read, texts_of};
use super::salvage;
use crate::counted::{counted, counted_bytes};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{INDEX_GONE, MissingParts};
use tabiya_codec::numbered_database::{
    NumberedDatabase, NumberedSource, ScratchPool, check_number,
};
use tabiya_io::companions;
use tabiya_io::mmap::FileBytes;

/// How many records are looked at to find out the charset.
const SAMPLE: u64 = 2_000;
/// Where the records are.
enum CbfOffsets {
    /// An index file, with the number of its games.
    Index(FileBytes, u64),
    /// What a search has found.
    Found(Vec<u64>),
}

/// A database that is open for reading.
pub struct CbfReader {
    data: FileBytes,
    offsets: CbfOffsets,
    rules: CbfReadSettings,
    /// How the charset was found out.
    charset_source: &'static str,
    files: Vec<(PathBuf, u64)>,
    diagnostics: Diagnostics,
    claims: MissingParts,
    spare: ScratchPool<CbfScratch>,
}

/// The two files of a database, by the name of either one.
pub(super) fn find_files(path: &Path) -> Result<(PathBuf, Option<PathBuf>)> {
    let is = |extension: &str| {
        path.extension()
            .and_then(OsStr::to_str)
            .is_some_and(|e| e.eq_ignore_ascii_case(extension))
    };
    let io = |error: companions::CompanionError| Error::from(std::io::Error::from(error));
    if is("cbi") {
        let games = companions::find(path, "cbf").map_err(io)?;
        return Ok((games, Some(path.to_path_buf())));
    }
    let index = companions::find_optional(path, "cbi").map_err(io)?;
    Ok((path.to_path_buf(), index))
}

impl CbfReader {
    /// Opens a database by the name of either file. Without an index, the games are searched for.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<CbfReader> {
        let (games, index) = find_files(path)?;
        let data = options.bytes_of(&games)?;
        let Some(index) = index else {
            let mut reader = CbfReader::from_search(games, data, None, options);
            let place = reader.file_place(0);
            reader.diagnostics.push(Diagnostic::new(
                &codes::NO_INDEX,
                place,
                counted(
                    reader.count(),
                    "game was found without it",
                    "games were found without it",
                ),
            ));
            reader.claims.lose(
                &INDEX_GONE,
                "there is no index (.cbi); the file was searched for games",
            );
            return Ok(reader);
        };
        let words = options.bytes_of(&index)?;
        let count = CbfIndex(&words).games();
        let files = vec![(games, data.len() as u64), (index, words.len() as u64)];
        let mut reader = CbfReader::new(data, CbfOffsets::Index(words, count), files, options);
        reader.check_index(options.audit);
        let (claimed, cut) = reader.index_claim();
        if cut {
            reader.claims.games("the index", claimed, reader.count());
        }
        Ok(reader)
    }

    /// Refuses files that have the names of a database and nothing of it: none of the first entries leads to something
    /// that can be a record.
    pub(super) fn refuse_noise(&self) -> Result<()> {
        if self.data.is_empty() {
            return Ok(());
        }
        let mut first = (1..=self.count().min(SAMPLE)).filter_map(|number| self.areas(number));
        let is_found = first.any(|areas| {
            let mut texts = Vec::new();
            areas.decrypt_texts(&mut texts);
            let is_text = !texts.iter().any(|byte| *byte < b' ');
            areas.header.checksum() != CbfChecksum::Wrong || (areas.is_whole && is_text)
        });
        // An index that was emptied or cut to nothing is told elsewhere.
        let has_entries = match &self.offsets {
            CbfOffsets::Index(_, count) => *count > 0,
            CbfOffsets::Found(_) => true,
        };
        if is_found || !has_entries {
            return Ok(());
        }
        let message = "not a ChessBase database: no record is at the expected places";
        let error = Error::new(&error_codes::NOT_THIS_FORMAT, message);
        Err(error
            .with_hint(UserHint::SearchGames)
            .at(self.file_place(0)))
    }

    /// The number of games that the index claims, and whether it is shorter than that.
    fn index_claim(&mut self) -> (u64, bool) {
        let CbfOffsets::Index(words, count) = &self.offsets else {
            return (0, false);
        };
        let index = CbfIndex(words);
        if index.words() == 0 && !self.data.is_empty() {
            self.claims.lose(&INDEX_GONE, "the index (.cbi) is empty");
        } else if index.is_blank() && !self.data.is_empty() {
            let what = "the index (.cbi) does not have the number of games";
            self.claims.lose(&INDEX_GONE, what);
        }
        (index.claimed(), index.claimed() > *count)
    }

    /// Opens the rest of a damaged database: games are searched for in the whole file.
    pub fn salvage(path: &Path, options: &OpenOptions) -> Result<CbfReader> {
        let (games, index) = find_files(path)?;
        let data = options.bytes_of(&games)?;
        // An index that cannot be read is no reason to give up: it is only asked for hints.
        let words = index.and_then(|index| options.bytes_of(&index).ok());
        let mut reader = CbfReader::from_search(games, data, words.as_deref(), options);
        reader.count_claims(words.as_deref().map(CbfIndex));
        let place = reader.file_place(0);
        reader.diagnostics.push(Diagnostic::new(
            &codes::FOUND,
            place,
            counted(reader.count(), "game was found", "games were found"),
        ));
        Ok(reader)
    }

    /// Counts what a search has found against what the index claims.
    fn count_claims(&mut self, index: Option<CbfIndex<'_>>) {
        let Some(index) = index.filter(|index| index.words() > 0 && !index.is_blank()) else {
            if !self.data.is_empty() {
                let what = "there is no readable index (.cbi); the file was searched for games";
                self.claims.lose(&INDEX_GONE, what);
            }
            return;
        };
        let CbfOffsets::Found(found) = &self.offsets else {
            return;
        };
        let (claimed, listed) = (index.claimed(), index.games());
        let is_at_place = |number: &u64| {
            let offset = index
                .word(*number)
                .and_then(|word| index_offset(word, *number));
            offset.is_some_and(|offset| found.binary_search(&offset).is_ok())
        };
        let at_place = (1..=listed).filter(is_at_place).count() as u64;
        let found = found.len() as u64;
        let elsewhere = found.saturating_sub(at_place);
        self.claims.games("the index", claimed, found);
        if listed > 0 && at_place == 0 && found > 0 {
            let what = "no entry of the index (.cbi) points to a game";
            self.claims.lose(&INDEX_GONE, what);
        }
        // What was found elsewhere may be those games, or old copies of others: that is told, and not counted.
        let not_there = listed.saturating_sub(at_place);
        if not_there > 0 {
            let place = self.file_place(1);
            let message = format!(
                "games that are not at their offset in the index: {not_there} of {claimed}; found elsewhere: {elsewhere}"
            );
            self.diagnostics
                .push(Diagnostic::new(&codes::OFFSET, place, message));
        }
    }

    fn from_search(
        games: PathBuf,
        data: FileBytes,
        index: Option<&[u8]>,
        options: &OpenOptions,
    ) -> CbfReader {
        let found = salvage::search(&data, index.map(CbfIndex));
        let files = vec![(games, data.len() as u64)];
        let mut reader = CbfReader::new(data, CbfOffsets::Found(found.offsets), files, options);
        for gap in found.gaps.iter().filter(|gap| gap.end > gap.start) {
            let place = reader.file_place(0);
            reader.diagnostics.report(
                &codes::GAP,
                || Location {
                    byte: Some(gap.start),
                    ..place
                },
                || counted_bytes(gap.end - gap.start),
            );
        }
        reader
    }

    fn new(
        data: FileBytes,
        offsets: CbfOffsets,
        files: Vec<(PathBuf, u64)>,
        options: &OpenOptions,
    ) -> CbfReader {
        let mut reader = CbfReader {
            data,
            offsets,
            rules: CbfReadSettings {
                letters: CbfCharset::of(DEFAULT_CHARSET),
                audit: options.audit,
            },
            charset_source: "assumed",
            files,
            diagnostics: Diagnostics::default(),
            claims: MissingParts::default(),
            spare: ScratchPool::default(),
        };
        if let Some(charset) = options.encoding {
            reader.rules.letters = CbfCharset::of(charset);
            reader.charset_source = "as requested";
        } else {
            reader.decide();
        }
        reader
    }

    /// Decides which letters the bytes of texts mean, and says so where there is one that is none of ASCII.
    fn decide(&mut self) {
        let vote = self.charset_evidence();
        if vote.is_windows() {
            self.rules.letters = CbfCharset::of(Charset::Cp1252);
            self.charset_source = "detected";
        }
        if vote.high > 0 {
            let place = self.file_place(0);
            let charset = self.rules.letters.charset().name();
            let message = format!("read as {charset}; {}", vote.reason());
            self.diagnostics
                .push(Diagnostic::new(&codes::CHARSET, place, message));
        }
    }

    /// What the texts of the first games say about their charset.
    fn charset_evidence(&self) -> CbfCharsetEvidence {
        let (mut texts, mut vote) = (Vec::new(), CbfCharsetEvidence::default());
        for number in 1..=self.count().min(SAMPLE) {
            let Some(areas) = self.areas(number) else {
                continue;
            };
            areas.decrypt_texts(&mut texts);
            // What a damaged header makes of its texts is no evidence.
            if !areas.is_whole || texts.iter().any(|byte| matches!(byte, 1..=31)) {
                continue;
            }
            let (players, source) = texts_of(areas.header, &texts);
            vote.name(players);
            vote.name(source);
            for comment in CbfComments::new(areas.comments).0 {
                vote.comment(comment.text);
            }
        }
        vote
    }

    /// The number of games.
    pub(super) fn count(&self) -> u64 {
        match &self.offsets {
            CbfOffsets::Index(_, count) => *count,
            CbfOffsets::Found(list) => list.len() as u64,
        }
    }

    /// The offset of a game by its number; nothing where the entry makes no sense.
    fn offset(&self, number: u64) -> Option<u64> {
        match &self.offsets {
            CbfOffsets::Index(words, _) => index_offset(CbfIndex(words).word(number)?, number),
            CbfOffsets::Found(list) => {
                let at = usize::try_from(number.checked_sub(1)?).ok()?;
                list.get(at).copied()
            }
        }
    }

    /// The areas of a game's record.
    pub(super) fn areas(&self, number: u64) -> Option<CbfRecordAreas<'_>> {
        CbfRecordAreas::new(&self.data, self.offset(number)?)
    }

    /// The text of a name.
    pub(super) fn name_text(&self, bytes: &[u8]) -> String {
        let letters = self.rules.letters;
        let special = letters.decode_special(bytes, CbfTextKind::Name);
        special.unwrap_or_else(|| letters.charset().decode(bytes).into_owned())
    }

    fn file_place(&self, file: usize) -> Location {
        let name = self.files.get(file).and_then(|(path, _)| path.file_name());
        Location::default().in_file(name.unwrap_or_default().to_string_lossy())
    }

    /// Compares the index with itself and with the file of games.
    fn check_index(&mut self, audit: bool) {
        let CbfOffsets::Index(words, count) = &self.offsets else {
            return;
        };
        let (index, count) = (CbfIndex(words), *count);
        let (claimed, have) = (index.claimed(), index.words());
        let mut found = Vec::new();
        if have == 0 && !self.data.is_empty() {
            found.push((&codes::INDEX_COUNT, "the index is empty".to_owned()));
        } else if have > 0 && (have != claimed + 2 || words.len() % 4 != 0) {
            let message = format!(
                "{}, but {} instead of {}",
                counted(claimed, "game", "games"),
                counted_bytes(words.len()),
                4 * (claimed + 2)
            );
            found.push((&codes::INDEX_COUNT, message));
        } else if let Some(end) = index
            .word(count + 1)
            .map(|word| index_offset(word, count + 1))
            && end != Some(self.data.len() as u64)
        {
            let end = end.map_or_else(|| "none".to_owned(), |end| end.to_string());
            let message = format!("{end}, but the file has {} bytes", self.data.len());
            found.push((&codes::INDEX_END, message));
        }
        for (code, message) in found {
            let place = self.file_place(1);
            self.diagnostics.push(Diagnostic::new(code, place, message));
        }
        if audit {
            self.check_extents();
        }
    }

    /// Looks for records that share bytes and for bytes that belong to none.
    fn check_extents(&mut self) {
        let mut extents: Vec<(u64, u64, u64)> = (1..=self.count())
            .filter_map(|number| {
                let start = self.offset(number)?;
                let areas = self.areas(number)?;
                Some((start, start + areas.len() as u64, number))
            })
            .collect();
        extents.sort_unstable();
        let (mut reached, mut by) = (0, 0);
        for (start, end, number) in extents {
            if start > reached {
                let place = self.file_place(0);
                self.diagnostics.report(
                    &codes::GAP,
                    || Location {
                        byte: Some(reached),
                        ..place
                    },
                    || counted_bytes(start - reached),
                );
            } else if start < reached {
                let place = self.file_place(0);
                self.diagnostics.report(
                    &codes::OVERLAP,
                    || Location {
                        byte: Some(start),
                        game: Some(number),
                        ..place
                    },
                    || format!("the record of game {by} extends to byte {reached}"),
                );
            }
            if end > reached {
                (reached, by) = (end, number);
            }
        }
        let size = self.data.len() as u64;
        if reached < size && self.count() > 0 {
            let place = self.file_place(0);
            self.diagnostics.report(
                &codes::GAP,
                || Location {
                    byte: Some(reached),
                    ..place
                },
                || counted_bytes(size - reached),
            );
        }
    }

    fn read_with(&self, number: u64, want: GameNeeds, scratch: &mut CbfScratch, game: &mut Game) {
        // An entry that makes no sense is reported like one beyond the end.
        let offset = self.offset(number).unwrap_or(u64::MAX);
        read(&self.data, number, offset, self.rules, want, scratch, game);
    }
}

impl Database for CbfReader {
    fn info(&self) -> DatabaseInfo {
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: self.files.clone(),
            games: Some(self.count()),
            ..DatabaseInfo::default()
        };
        let charset = self.rules.letters.charset().name();
        let charset = format!("{charset} ({})", self.charset_source);
        info.field("charset", charset);
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        check_number(number, self.count())?;
        self.spare.lend(CbfScratch::default, |scratch| {
            self.read_with(number, want, scratch, game);
        });
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(self, games)))
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn missing(&self) -> Losses {
        self.claims.losses()
    }
}

impl NumberedDatabase for CbfReader {
    type Scratch = CbfScratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> CbfScratch {
        CbfScratch::default()
    }

    fn count(&self) -> u64 {
        CbfReader::count(self)
    }

    fn game_bytes(&self) -> u64 {
        self.data.len() as u64
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CbfScratch,
        game: &mut Game,
    ) -> Result<()> {
        self.read_with(number, want, scratch, game);
        Ok(())
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn losses(&self) -> Losses {
        self.claims.losses()
    }
}
