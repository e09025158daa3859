//! Databases, open for reading.
//!
//! Opening looks at headers and a sample of records. Files are mapped, so that a page of a list of millions of games
//! touches nothing but its records and their names.

mod opening;

use std::ops::Range;
use std::path::PathBuf;

use tabiya_io::held_folder;
use tabiya_model::facts::FactSource;
use tabiya_model::game::Variant;
use tabiya_model::positions::PositionSource;
use tabiya_model::{
    Database, DatabaseInfo, DatabaseMetadata, Diagnostics, Game, GameNeeds, Location, Losses,
    Result, Source,
};

use crate::cbh::files::setting;
use crate::cbh::tags::START_TAG;
use crate::cbh::text::text_of;
use crate::cbh2::annotated_moves::Cbh2AnnotationRecord;
use crate::cbh2::audit;
use crate::cbh2::base::Cbh2Reader;
use crate::cbh2::codes;
use crate::cbh2::layout::{ANALYSIS_REST, Cbh2Frame, Cbh2Record, FLAG_CHESS960, FLAG_SETUP, tag};
use crate::cbh2::record::{
    self, ANALYSIS_EXTENSION, MEDIA_EXTENSION, RECORD_EXTENSION, SCORES_EXTENSION, look_at_frame,
};
use crate::cbh2::scratch::Cbh2Scratch;
use crate::cbh2::tags::Cbh2TagWriter;
use crate::cbh2::text;
use tabiya_codec::numbered_database::{NumberedDatabase, NumberedSource, check_number};

impl Cbh2Reader {
    /// Reads a game into a reused buffer.
    fn read_game(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
        game: &mut Game,
    ) -> Result<()> {
        game.clear();
        check_number(number, self.count())?;
        game.origin.number = number;
        let mut words = std::mem::take(&mut scratch.words);
        let mut pusher = Cbh2TagWriter {
            base: self,
            number,
            wanted: want.tags,
            words: &mut words,
        };
        let Some(record) = self.record(number) else {
            pusher.nameless(game);
            scratch.words = words;
            self.fill_rescued(number, want, scratch, game);
            return Ok(());
        };
        pusher.record(&record, game);
        scratch.words = words;
        match &record {
            Cbh2Record::Game(header) => {
                let needs_start = header.flags & (FLAG_SETUP | FLAG_CHESS960) != 0
                    || header.chess960().is_some()
                    || needs_start(want);
                self.moves_and_notes(
                    header.moves,
                    header.annotations,
                    needs_start,
                    want,
                    scratch,
                    game,
                );
                if header.chess960().is_some() {
                    game.variant = Variant::Chess960;
                }
                record::push_start_tags(game);
                if want.annotations && want.moves && header.scores != [0; 6] {
                    game.tape.push_extension(SCORES_EXTENSION, &header.scores);
                }
                if self.options.audit && want == GameNeeds::ALL {
                    audit::game(self, header, game);
                }
            }
            Cbh2Record::Analysis(header) => {
                scratch.start_number = None;
                self.moves_and_notes(header.moves, header.annotations, true, want, scratch, game);
                // Its header has no place for the number.
                if let Some(number) = scratch.start_number.take() {
                    game.tags.push(START_TAG, &number.to_string());
                }
                record::push_start_tags(game);
                if want.annotations && want.moves {
                    let bytes = self.record_bytes(number).map_or(&[][..], |bytes| bytes);
                    let rest = bytes.get(ANALYSIS_REST..).unwrap_or(&[]);
                    game.tape.push_extension(ANALYSIS_EXTENSION, rest);
                }
            }
            Cbh2Record::Text(header) => {
                if want.moves
                    && let Some(frame) = self.find_moves(header.body, &[tag::TEXT], want, game)
                {
                    record::read_text(self, &frame, want, game);
                }
                if want.annotations && want.moves && header.has_media() {
                    let media = header.media.to_le_bytes();
                    game.tape.push_extension(MEDIA_EXTENSION, &media);
                }
            }
            Cbh2Record::Unknown([first, third]) => {
                game.diagnostics.report(
                    &codes::UNKNOWN_RECORD,
                    || Location::game(number),
                    || format!("its first byte is {first}, its third {third}"),
                );
                if want.annotations && want.moves {
                    let bytes = self.record_bytes(number).map_or(&[][..], |bytes| bytes);
                    game.tape.push_extension(RECORD_EXTENSION, bytes);
                }
            }
        }
        Ok(())
    }

    /// Reads the moves and the annotations at their offsets, as far as they are wanted.
    fn moves_and_notes(
        &self,
        moves: i64,
        annotations: i64,
        needs_start: bool,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
        game: &mut Game,
    ) {
        let notes = match want.annotations && want.moves {
            true => self.find_notes(annotations, want, game),
            false => None,
        };
        if !needs_start {
            return;
        }
        match self.find_moves(moves, &[tag::GAME, tag::CHESS960], want, game) {
            Some(frame) => record::read_moves(self, &frame, notes, want, scratch, game),
            None if want.moves => {
                record::push_notes_without_moves(self, notes, want, scratch, game)
            }
            None => {}
        }
    }

    /// Reads nothing of a game but its start and its moves.
    pub(in crate::cbh2) fn read_only_moves(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
        game: &mut Game,
    ) {
        game.clear();
        game.origin.number = number;
        let offset = match self.record(number) {
            Some(Cbh2Record::Game(header)) => header.moves,
            Some(Cbh2Record::Analysis(header)) => header.moves,
            Some(_) => return,
            None => self.rescued_offset(number),
        };
        let tags = &[tag::GAME, tag::CHESS960];
        let is_text = |frame: &Cbh2Frame<'_>| frame.tag == tag::TEXT;
        let is_rescued = number > self.count;
        if is_rescued && matches!(self.move_frame(offset), Some(Ok(frame)) if is_text(&frame)) {
            return;
        }
        if let Some(frame) = self.find_moves(offset, tags, want, game) {
            record::read_moves(self, &frame, None, want, scratch, game);
        }
    }

    /// The record of moves or of a text at an offset; what is wrong is reported.
    fn find_moves(
        &self,
        offset: i64,
        tags: &[u16],
        want: GameNeeds,
        game: &mut Game,
    ) -> Option<Cbh2Frame<'_>> {
        let number = game.origin.number;
        // A missing file was told once and for all.
        let found = self.move_frame(offset)?;
        let found = found.map_err(|error| error.to_string());
        let found = found.and_then(|frame| match tags.contains(&frame.tag) {
            true => Ok(frame),
            false => Err(format!("found a record of the kind {:04x}", frame.tag)),
        });
        game.origin.byte = u64::try_from(offset).unwrap_or(0);
        match found {
            Ok(frame) => {
                game.origin.length = frame.length() as u64;
                if want.verify {
                    look_at_frame(&frame, game);
                }
                Some(frame)
            }
            Err(problem) => {
                let place = || Location {
                    byte: u64::try_from(offset).ok(),
                    ..Location::game(number)
                };
                game.diagnostics
                    .report(&codes::NO_RECORD, place, || problem);
                None
            }
        }
    }

    /// The annotations at an offset; what is wrong is reported.
    fn find_notes(
        &self,
        offset: i64,
        want: GameNeeds,
        game: &mut Game,
    ) -> Option<Cbh2AnnotationRecord<'_>> {
        let number = game.origin.number;
        let found = self.annotation_frame(offset)?;
        let found = found.map_err(|error| error.to_string());
        let found = found.and_then(|frame| match frame.tag {
            tag::ANNOTATIONS => Ok(frame),
            other => Err(format!("found a record of the kind {other:04x}")),
        });
        match found {
            Ok(frame) => {
                if want.verify {
                    look_at_frame(&frame, game);
                }
                Some(Cbh2AnnotationRecord {
                    offset: frame.offset,
                    content: frame.content,
                })
            }
            Err(problem) => {
                let place = || Location {
                    byte: u64::try_from(offset).ok(),
                    ..Location::game(number)
                };
                game.diagnostics
                    .report(&codes::NO_ANNOTATIONS, place, || problem);
                None
            }
        }
    }

    /// Where the moves of a game stand that has no header.
    fn rescued_offset(&self, number: u64) -> i64 {
        let at = number.checked_sub(self.count.saturating_add(1));
        let at = at.and_then(|at| usize::try_from(at).ok());
        let offset = at.and_then(|at| self.rescued.get(at));
        offset.map_or(-1, |offset| i64::try_from(*offset).unwrap_or(-1))
    }

    fn fill_rescued(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
        game: &mut Game,
    ) {
        let offset = self.rescued_offset(number);
        game.diagnostics.report(
            &codes::RESCUED,
            || Location {
                byte: u64::try_from(offset).ok(),
                ..Location::game(number)
            },
            || "a record without a header".to_owned(),
        );
        let tags = &[tag::GAME, tag::CHESS960, tag::TEXT];
        let Some(frame) = self.find_moves(offset, tags, want, game) else {
            return;
        };
        if frame.tag != tag::TEXT {
            record::read_moves(self, &frame, None, want, scratch, game);
        } else if want.moves {
            record::read_text(self, &frame, want, game);
        }
        record::push_start_tags(game);
    }

    fn about(&self) -> DatabaseMetadata {
        let title = self
            .settings
            .as_deref()
            .and_then(|ini| setting(ini, "Descr2CBG", "Title"))
            .unwrap_or(&[]);
        DatabaseMetadata {
            description: text_of(title, text::read(title, self.charset())).into_owned(),
            ..DatabaseMetadata::default()
        }
    }
}

/// Whether what is wanted of a game needs its start.
fn needs_start(want: GameNeeds) -> bool {
    want.moves
        || [&b"FEN"[..], b"SetUp", b"Variant"]
            .iter()
            .any(|name| want.tags.may_hold(name))
}

impl Database for Cbh2Reader {
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
        info.field("version", self.version.to_string());
        let source = match self.options.encoding {
            Some(_) => "as requested",
            None => "assumed",
        };
        let charset = format!("UTF-8, else {} ({source})", self.charset().name());
        info.field("charset", charset);
        if let Some(names) = &self.names {
            info.field("header of names", names.header_size().to_string());
        }
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
        self.spare.lend(Cbh2Scratch::default, |scratch| {
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

impl NumberedDatabase for Cbh2Reader {
    type Scratch = Cbh2Scratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> Cbh2Scratch {
        Cbh2Scratch::default()
    }

    fn count(&self) -> u64 {
        Cbh2Reader::count(self)
    }

    fn game_bytes(&self) -> u64 {
        let size = |file: &Option<_>| {
            file.as_ref()
                .map_or(0, |bytes: &tabiya_io::mmap::FileBytes| bytes.len() as u64)
        };
        size(&self.moves).saturating_add(size(&self.annotations))
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Cbh2Scratch,
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
