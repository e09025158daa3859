//! Databases, open for reading.
//!
//! Opening reads headers and a sample of records. Files are mapped, so that a page of a list of millions of games
//! touches only its records and their names.

mod charsets;
mod opening;

use std::ops::Range;
use std::path::PathBuf;

use tabiya_io::held_folder;
use tabiya_model::facts::FactSource;
use tabiya_model::positions::PositionSource;
use tabiya_model::{
    Database, DatabaseInfo, DatabaseMetadata, Diagnostics, Game, GameNeeds, Location, Losses,
    Result, Source,
};

use crate::cbh::annotated_moves;
use crate::cbh::audit;
use crate::cbh::base::{CbhDataFile, CbhReader};
use crate::cbh::codes;
use crate::cbh::files::setting;
use crate::cbh::layout::{CbhMoveHead, CbhRecord, FLAG_SETUP};
use crate::cbh::record::{self, CbhMoveRecord, RECORD_EXTENSION};
use crate::cbh::scratch::CbhScratch;
use crate::cbh::tags::CbhTagWriter;
use crate::counted::counted_bytes;
use tabiya_codec::numbered_database::{NumberedDatabase, NumberedSource, check_number};

impl CbhReader {
    /// Reads a game into a reused buffer.
    pub(in crate::cbh) fn read_game(
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
                        || "it has moves, but its header counts none".to_owned(),
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
                    format!("the file has {}", counted_bytes(data.bytes.len()))
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
                    format!("{have} of {size} bytes are within the file")
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
